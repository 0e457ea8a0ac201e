// RUN: spine-triton-opt %s -split-input-file -spine-to-linalg -spine-lower-tiles -canonicalize -cse | FileCheck %s

// Addresses are vectors of i64. Neighbours are found at run time and read as
// one vector, anything else by a gather; both under the mask, with `other` in
// the lanes that are off.

// CHECK-LABEL: func.func @masked_load(
// CHECK-DAG:     %[[SEVEN:.*]] = arith.constant dense<7.000000e+00> : vector<8xf32>
// CHECK-DAG:     %[[STEPS:.*]] = arith.constant dense<[0, 4, 8, 12, 16, 20, 24, 28]> : vector<8xi64>
// CHECK:         %[[MASK:.*]] = arith.cmpi slt, %{{.*}}, %{{.*}} : vector<8xi32>
// CHECK:         %[[FIRST:.*]] = vector.extract %[[AT:.*]][0] : i64 from vector<8xi64>
// CHECK:         %[[ROW:.*]] = vector.broadcast %[[FIRST]]
// CHECK:         %[[EXPECTED:.*]] = arith.addi %[[ROW]], %[[STEPS]]
// CHECK:         %[[SAME:.*]] = arith.cmpi eq, %[[AT]], %[[EXPECTED]]
// CHECK:         %[[ALL:.*]] = vector.reduction <and>, %[[SAME]]
// CHECK:         scf.if %[[ALL]] -> (vector<8xf32>) {
// CHECK:           %[[P:.*]] = llvm.inttoptr %{{.*}} : i64 to !llvm.ptr
// CHECK:           llvm.intr.masked.load %[[P]], %[[MASK]], %[[SEVEN]] {alignment = 4 : i32}
// CHECK:         } else {
// CHECK:           %[[PS:.*]] = llvm.inttoptr %[[AT]] : vector<8xi64> to vector<8x!llvm.ptr>
// CHECK:           llvm.intr.masked.gather %[[PS]], %[[MASK]], %[[SEVEN]] {alignment = 4 : i32}
tt.func public @masked_load(%x: !tt.ptr<f32>, %n: i32, %y: !tt.ptr<f32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i64
  %r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %s = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %p = tt.addptr %s, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %ns = tt.splat %n : i32 -> tensor<64xi32>
  %m = arith.cmpi slt, %r, %ns : tensor<64xi32>
  %other = arith.constant dense<7.0> : tensor<64xf32>
  %t = tt.load %p, %m, %other : tensor<64x!tt.ptr<f32>>
  %q = tt.make_tensor_ptr %y, [%c1], [%c1], [%c0] {order = array<i32: 0>} : <tensor<64xf32>>
  tt.store %q, %t : !tt.ptr<tensor<64xf32>>
  tt.return
}

// -----

// Without a mask all lanes are on. i64 offsets are used as they are; i32 ones
// are widened before they are scaled.

// CHECK-LABEL: func.func @unmasked_load(
// CHECK-DAG:     %[[ALL:.*]] = arith.constant dense<true> : vector<8xi1>
// CHECK-DAG:     %[[TWO:.*]] = arith.constant dense<2> : vector<8xi64>
// CHECK:         %[[WIDE:.*]] = arith.extsi %{{.*}} : vector<8xi32> to vector<8xi64>
// CHECK:         arith.muli %[[WIDE]], %[[TWO]] : vector<8xi64>
// CHECK:         llvm.intr.masked.load %{{.*}}, %[[ALL]]
// CHECK:         llvm.intr.masked.gather %{{.*}}, %[[ALL]]
tt.func public @unmasked_load(%x: !tt.ptr<f16>, %n: i32, %y: !tt.ptr<f16>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i64
  %r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %ns = tt.splat %n : i32 -> tensor<64xi32>
  %o = arith.muli %r, %ns : tensor<64xi32>
  %s = tt.splat %x : !tt.ptr<f16> -> tensor<64x!tt.ptr<f16>>
  %p = tt.addptr %s, %o : tensor<64x!tt.ptr<f16>>, tensor<64xi32>
  %t = tt.load %p : tensor<64x!tt.ptr<f16>>
  %q = tt.make_tensor_ptr %y, [%c1], [%c1], [%c0] {order = array<i32: 0>} : <tensor<64xf16>>
  tt.store %q, %t : !tt.ptr<tensor<64xf16>>
  tt.return
}

// -----

// CHECK-LABEL: func.func @store(
// CHECK:         %[[MASK:.*]] = arith.cmpi slt, %{{.*}}, %{{.*}} : vector<8xi32>
// CHECK:         scf.if %{{.*}} {
// CHECK:           llvm.intr.masked.store %[[V:.*]], %{{.*}}, %[[MASK]] {alignment = 1 : i32} : vector<8xi8>
// CHECK:         } else {
// CHECK:           llvm.intr.masked.scatter %[[V]], %{{.*}}, %[[MASK]] {alignment = 1 : i32} : vector<8xi8>
// CHECK:         scf.if %{{.*}} {
// CHECK:           llvm.intr.masked.store %{{.*}}, %{{.*}}, %[[ALL:.*]] {
// CHECK:         } else {
// CHECK:           llvm.intr.masked.scatter %{{.*}}, %{{.*}}, %[[ALL]] {
tt.func public @store(%x: !tt.ptr<i1>, %n: i32) {
  %r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %s = tt.splat %x : !tt.ptr<i1> -> tensor<64x!tt.ptr<i1>>
  %p = tt.addptr %s, %r : tensor<64x!tt.ptr<i1>>, tensor<64xi32>
  %ns = tt.splat %n : i32 -> tensor<64xi32>
  %m = arith.cmpi slt, %r, %ns : tensor<64xi32>
  tt.store %p, %m, %m : tensor<64x!tt.ptr<i1>>
  tt.store %p, %m : tensor<64x!tt.ptr<i1>>
  tt.return
}

// -----

// One pointer: a branch. (What is stored to where it came from through a pointer
// is copied.)

// CHECK-LABEL: func.func @one_element(
// CHECK:         %[[V:.*]] = scf.if %[[C:.*]] -> (i32) {
// CHECK:           llvm.load
// CHECK:         } else {
// CHECK:           scf.yield %c0_i32
// CHECK:         llvm.store %[[V]], %[[COPY:.*]] {
// CHECK:         %[[W:.*]] = llvm.load %[[COPY]]
// CHECK:         scf.if %[[C]] {
// CHECK:           llvm.store %[[W]]
tt.func public @one_element(%x: !tt.ptr<i32>, %c: i1) {
  %p = tt.splat %x : !tt.ptr<i32> -> tensor<1x!tt.ptr<i32>>
  %m = tt.splat %c : i1 -> tensor<1xi1>
  %t = tt.load %p, %m : tensor<1x!tt.ptr<i32>>
  tt.store %p, %t, %m : tensor<1x!tt.ptr<i32>>
  tt.return
}

// -----

// A tile of pointers read from memory: the addresses are loaded as i64, 8 bytes
// each.

// CHECK-LABEL: func.func @pointers_to_pointers(
// CHECK:         llvm.intr.masked.load %{{.*}} {alignment = 8 : i32} : (!llvm.ptr, vector<8xi1>, vector<8xi64>) -> vector<8xi64>
// CHECK:         llvm.inttoptr %{{.*}} : vector<8xi64> to vector<8x!llvm.ptr>
tt.func public @pointers_to_pointers(%x: !tt.ptr<!tt.ptr<f32>>, %f: f32) {
  %r = tt.make_range {start = 0 : i32, end = 8 : i32} : tensor<8xi32>
  %s = tt.splat %x : !tt.ptr<!tt.ptr<f32>> -> tensor<8x!tt.ptr<!tt.ptr<f32>>>
  %p = tt.addptr %s, %r : tensor<8x!tt.ptr<!tt.ptr<f32>>>, tensor<8xi32>
  %t = tt.load %p : tensor<8x!tt.ptr<!tt.ptr<f32>>>
  %v = tt.splat %f : f32 -> tensor<8xf32>
  tt.store %t, %v : tensor<8x!tt.ptr<f32>>
  tt.return
}
