// RUN: spine-triton-opt %s -split-input-file -spine-to-linalg -spine-lower-tiles -canonicalize -cse | FileCheck %s

// gather: the source lies in a buffer, each element is fetched from its place.

// CHECK-LABEL: func.func @gather(
// CHECK-DAG:     %[[FROM:.*]] = spine.scratch {bytes = 256 : i64
// CHECK-DAG:     %[[TO:.*]] = spine.scratch {bytes = 128 : i64{{.*}}name = "gather"
// CHECK:         scf.for %[[I:.*]] = %c0_i64 to %c4_i64
// CHECK:           scf.for %[[J:.*]] = %c0_i64 to %c8_i64
// CHECK:             %[[ROW:.*]] = arith.muli %[[I]], %c16_i64
// CHECK:             %[[INDEX:.*]] = llvm.load %{{.*}} : !llvm.ptr -> i32
// CHECK:             %[[K:.*]] = arith.extsi %[[INDEX]] : i32 to i64
// CHECK:             %[[PLACE:.*]] = arith.addi %[[ROW]], %[[K]]
// CHECK:             llvm.getelementptr %[[FROM]][%[[PLACE]]]
tt.func public @gather(%x: !tt.ptr<f32>, %y: !tt.ptr<i32>, %z: !tt.ptr<f32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i64
  %c16 = arith.constant 16 : i64
  %p = tt.make_tensor_ptr %x, [%c16, %c16], [%c16, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<4x16xf32>>
  %q = tt.make_tensor_ptr %y, [%c16, %c16], [%c16, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<4x8xi32>>
  %r = tt.make_tensor_ptr %z, [%c16, %c16], [%c16, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<4x8xf32>>
  %a = tt.load %p : !tt.ptr<tensor<4x16xf32>>
  %i = tt.load %q : !tt.ptr<tensor<4x8xi32>>
  %g = tt.gather %a[%i] {axis = 1 : i32} : (tensor<4x16xf32>, tensor<4x8xi32>) -> tensor<4x8xf32>
  tt.store %r, %g : !tt.ptr<tensor<4x8xf32>>
  tt.return
}

// -----

// histogram: bins start at zero; values that belong to none are not counted,
// nor are those that the mask leaves out.

// CHECK-LABEL: func.func @histogram(
// CHECK:         %[[BINS:.*]] = spine.scratch {bytes = 32 : i64, {{.*}}name = "histogram"
// CHECK:         llvm.store %{{.*}}, %[[BINS]] {{.*}} : vector<8xi32>
// CHECK:         scf.for %{{.*}} = %c0_i64 to %c16_i64 step %c1_i64
// CHECK:           %[[BIN:.*]] = arith.extsi %{{.*}} : i32 to i64
// CHECK:           %[[IN:.*]] = arith.cmpi ult, %[[BIN]], %c8_i64
// CHECK:           %[[COUNTS:.*]] = arith.andi %[[IN]], %{{.*}} : i1
// CHECK:           scf.if %[[COUNTS]] {
// CHECK:             %[[AT:.*]] = llvm.getelementptr %[[BINS]][%[[BIN]]]
// CHECK:             %[[OLD:.*]] = llvm.load %[[AT]]
// CHECK:             %[[NEW:.*]] = arith.addi %[[OLD]], %c1_i32
// CHECK:             llvm.store %[[NEW]], %[[AT]]
tt.func public @histogram(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i64
  %p = tt.make_tensor_ptr %x, [%c1], [%c1], [%c0] {order = array<i32: 0>} : <tensor<16xi32>>
  %q = tt.make_tensor_ptr %y, [%c1], [%c1], [%c0] {order = array<i32: 0>} : <tensor<8xi32>>
  %a = tt.load %p : !tt.ptr<tensor<16xi32>>
  %ns = tt.splat %n : i32 -> tensor<16xi32>
  %m = arith.cmpi sgt, %a, %ns : tensor<16xi32>
  %h = tt.histogram %a, %m : tensor<16xi32> -> tensor<8xi32>
  tt.store %q, %h : !tt.ptr<tensor<8xi32>>
  tt.return
}

// -----

// cat: both tiles go to one buffer.

// CHECK-LABEL: func.func @cat(
// CHECK:         %[[WHOLE:.*]] = spine.scratch {bytes = 64 : i64, {{.*}}name = "cat"
// CHECK:         llvm.store %{{.*}}, %[[WHOLE]] {{.*}} : vector<8xf32>
// CHECK:         %[[SECOND:.*]] = llvm.getelementptr %[[WHOLE]][8] : (!llvm.ptr) -> !llvm.ptr, f32
// CHECK:         llvm.store %{{.*}}, %[[SECOND]] {{.*}} : vector<8xf32>
tt.func public @cat(%x: !tt.ptr<f32>, %f: f32, %g: f32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i64
  %p = tt.make_tensor_ptr %x, [%c1], [%c1], [%c0] {order = array<i32: 0>} : <tensor<16xf32>>
  %a = tt.splat %f : f32 -> tensor<8xf32>
  %b = tt.splat %g : f32 -> tensor<8xf32>
  %c = tt.cat %a, %b : tensor<8xf32> -> tensor<16xf32>
  tt.store %p, %c : !tt.ptr<tensor<16xf32>>
  tt.return
}
