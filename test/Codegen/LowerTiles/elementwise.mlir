// RUN: spine-triton-opt %s -split-input-file -spine-to-linalg -spine-lower-tiles -canonicalize -cse | FileCheck %s

// bf16 is computed in fp32 and rounded once per operation; comparisons and
// math functions too. Selections and conversions are not.

// CHECK-LABEL: func.func @bf16(
// CHECK:         %[[A:.*]] = llvm.load %{{.*}} : !llvm.ptr -> vector<8xbf16>
// CHECK:         %[[AW:.*]] = arith.extf %[[A]] : vector<8xbf16> to vector<8xf32>
// CHECK:         %[[MUL:.*]] = arith.mulf %[[AW]], %[[AW]] : vector<8xf32>
// CHECK:         %[[M:.*]] = arith.truncf %[[MUL]] : vector<8xf32> to vector<8xbf16>
// CHECK:         %[[MW:.*]] = arith.extf %[[M]]
// CHECK:         %[[EXP:.*]] = math.exp %[[MW]] : vector<8xf32>
// CHECK:         %[[E:.*]] = arith.truncf %[[EXP]]
// CHECK:         %[[EW:.*]] = arith.extf %[[E]]
// CHECK:         %[[GT:.*]] = arith.cmpf ogt, %[[EW]], %[[AW]] : vector<8xf32>
// CHECK:         arith.select %[[GT]], %[[E]], %[[A]] : vector<8xi1>, vector<8xbf16>
tt.func public @bf16(%x: !tt.ptr<bf16>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i64
  %p = tt.make_tensor_ptr %x, [%c1], [%c1], [%c0] {order = array<i32: 0>} : <tensor<16xbf16>>
  %a = tt.load %p : !tt.ptr<tensor<16xbf16>>
  %m = arith.mulf %a, %a : tensor<16xbf16>
  %e = math.exp %m : tensor<16xbf16>
  %c = arith.cmpf ogt, %e, %a : tensor<16xbf16>
  %s = arith.select %c, %e, %a : tensor<16xi1>, tensor<16xbf16>
  tt.store %p, %s : !tt.ptr<tensor<16xbf16>>
  tt.return
}

// -----

// fp16 has arithmetic of its own, but no math functions.

// CHECK-LABEL: func.func @fp16(
// CHECK:         arith.mulf %{{.*}} : vector<8xf16>
// CHECK:         arith.extf %{{.*}} : vector<8xf16> to vector<8xf32>
// CHECK:         math.sin %{{.*}} : vector<8xf32>
// CHECK:         arith.truncf %{{.*}} : vector<8xf32> to vector<8xf16>
// CHECK:         arith.extf
// CHECK:         arith.divf %{{.*}} : vector<8xf32>
// CHECK:         math.sqrt %{{.*}} : vector<8xf32>
tt.func public @fp16(%x: !tt.ptr<f16>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i64
  %p = tt.make_tensor_ptr %x, [%c1], [%c1], [%c0] {order = array<i32: 0>} : <tensor<16xf16>>
  %a = tt.load %p : !tt.ptr<tensor<16xf16>>
  %m = arith.mulf %a, %a : tensor<16xf16>
  %e = math.sin %m : tensor<16xf16>
  %d = tt.precise_divf %e, %a : tensor<16xf16>
  %s = tt.precise_sqrt %d : tensor<16xf16>
  tt.store %p, %s : !tt.ptr<tensor<16xf16>>
  tt.return
}

// -----

// Triton's arithmetic under the names of arith: clamping with and without NaN,
// the high half of a product, casts.

// CHECK-LABEL: func.func @triton(
// CHECK:         %[[A:.*]] = llvm.load %{{.*}} : !llvm.ptr -> vector<8xf32>
// CHECK:         %[[MAXIMUM:.*]] = arith.maximumf %[[A]], %{{.*}}
// CHECK:         %[[MINIMUM:.*]] = arith.minimumf %[[MAXIMUM]], %{{.*}}
// CHECK:         %[[MAXNUM:.*]] = arith.maxnumf %[[MINIMUM]], %{{.*}}
// CHECK:         %[[MINNUM:.*]] = arith.minnumf %[[MAXNUM]], %{{.*}}
// CHECK:         %[[BITS:.*]] = arith.bitcast %[[MINNUM]] : vector<8xf32> to vector<8xi32>
// CHECK:         %{{.*}}, %[[HIGH:.*]] = arith.mului_extended %[[BITS]], %{{.*}} : vector<8xi32>
// CHECK:         llvm.store %[[HIGH]]
tt.func public @triton(%x: !tt.ptr<f32>, %y: !tt.ptr<i32>, %f: f32, %g: f32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i64
  %p = tt.make_tensor_ptr %x, [%c1], [%c1], [%c0] {order = array<i32: 0>} : <tensor<16xf32>>
  %q = tt.make_tensor_ptr %y, [%c1], [%c1], [%c0] {order = array<i32: 0>} : <tensor<16xi32>>
  %a = tt.load %p : !tt.ptr<tensor<16xf32>>
  %fs = tt.splat %f : f32 -> tensor<16xf32>
  %gs = tt.splat %g : f32 -> tensor<16xf32>
  %b = tt.clampf %a, %fs, %gs, propagateNan = all : tensor<16xf32>
  %c = tt.clampf %b, %fs, %gs, propagateNan = none : tensor<16xf32>
  %d = tt.bitcast %c : tensor<16xf32> -> tensor<16xi32>
  %e = tt.mulhiui %d, %d : tensor<16xi32>
  tt.store %q, %e : !tt.ptr<tensor<16xi32>>
  tt.return
}

// -----

// Rounding to nearest even is the hardware's; widening needs no mode.

// CHECK-LABEL: func.func @fp_to_fp(
// CHECK:         arith.truncf %{{.*}} : vector<8xf32> to vector<8xbf16>
// CHECK:         arith.extf %{{.*}} : vector<8xbf16> to vector<8xf64>
tt.func public @fp_to_fp(%x: !tt.ptr<f32>, %y: !tt.ptr<f64>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i64
  %p = tt.make_tensor_ptr %x, [%c1], [%c1], [%c0] {order = array<i32: 0>} : <tensor<16xf32>>
  %q = tt.make_tensor_ptr %y, [%c1], [%c1], [%c0] {order = array<i32: 0>} : <tensor<16xf64>>
  %a = tt.load %p : !tt.ptr<tensor<16xf32>>
  %b = tt.fp_to_fp %a, rounding = rtne : tensor<16xf32> -> tensor<16xbf16>
  %c = tt.fp_to_fp %b : tensor<16xbf16> -> tensor<16xf64>
  tt.store %q, %c : !tt.ptr<tensor<16xf64>>
  tt.return
}

// -----

// Coordinates: make_range with a start, in both dimensions.

// CHECK-LABEL: func.func @ranges(
// CHECK-DAG:     %[[LANES:.*]] = arith.constant dense<[0, 1, 2, 3, 4, 5, 6, 7]> : vector<8xi64>
// CHECK:         scf.for %[[I:.*]] = %c0_i64 to %c4_i64
// CHECK:           scf.for %[[J:.*]] = %c0_i64 to %c16_i64 step %c8_i64
// CHECK:             arith.index_cast %[[I]] : i64 to index
// CHECK:             %[[JV:.*]] = vector.broadcast %[[J]] : i64 to vector<8xi64>
// CHECK:             arith.addi %[[JV]], %[[LANES]] : vector<8xi64>
// CHECK:             llvm.store %{{.*}} : vector<8xi32>
tt.func public @ranges(%x: !tt.ptr<i32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i64
  %c16 = arith.constant 16 : i64
  %p = tt.make_tensor_ptr %x, [%c1, %c1], [%c16, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<4x16xi32>>
  %r = tt.make_range {start = 5 : i32, end = 9 : i32} : tensor<4xi32>
  %s = tt.make_range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %re = tt.expand_dims %r {axis = 1 : i32} : tensor<4xi32> -> tensor<4x1xi32>
  %se = tt.expand_dims %s {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
  %rb = tt.broadcast %re : tensor<4x1xi32> -> tensor<4x16xi32>
  %sb = tt.broadcast %se : tensor<1x16xi32> -> tensor<4x16xi32>
  %sum = arith.muli %rb, %sb : tensor<4x16xi32>
  tt.store %p, %sum : !tt.ptr<tensor<4x16xi32>>
  tt.return
}

// -----

// A tile of poison holds anything.

// CHECK-LABEL: func.func @poison(
// CHECK:         llvm.store %{{.*}} : vector<8xf32>
tt.func public @poison(%x: !tt.ptr<f32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i64
  %p = tt.make_tensor_ptr %x, [%c1], [%c1], [%c0] {order = array<i32: 0>} : <tensor<16xf32>>
  %t = ub.poison : tensor<16xf32>
  tt.store %p, %t : !tt.ptr<tensor<16xf32>>
  tt.return
}
