// RUN: spine-triton-opt -canonicalize -split-input-file %s | FileCheck %s

// CHECK-LABEL: tt.func @casts
// CHECK-SAME: (%[[P:.*]]: !tt.ptr<f32>, %[[I:.*]]: i64, %[[F:.*]]: f16)
tt.func @casts(%p: !tt.ptr<f32>, %i: i64, %f: f16) -> (!tt.ptr<f32>, i64, !tt.ptr<f32>, f16, !tt.ptr<f32>) {
  %0 = tt.ptr_to_int %p : !tt.ptr<f32> -> i64
  %1 = tt.int_to_ptr %0 : i64 -> !tt.ptr<f32>
  %2 = tt.int_to_ptr %i : i64 -> !tt.ptr<i8>
  %3 = tt.ptr_to_int %2 : !tt.ptr<i8> -> i64
  %4 = tt.bitcast %p : !tt.ptr<f32> -> !tt.ptr<i32>
  %5 = tt.bitcast %4 : !tt.ptr<i32> -> !tt.ptr<f32>
  %6 = tt.fp_to_fp %f : f16 -> f16
  %7 = tt.bitcast %p : !tt.ptr<f32> -> !tt.ptr<f32>
  // CHECK-NEXT: tt.return %[[P]], %[[I]], %[[P]], %[[F]], %[[P]]
  tt.return %1, %3, %5, %6, %7 : !tt.ptr<f32>, i64, !tt.ptr<f32>, f16, !tt.ptr<f32>
}

// -----

// CHECK-LABEL: tt.func @float_constants
tt.func @float_constants() -> (f16, f16, tensor<4xf8E5M2>, f16) {
  // 1 + 2^-11 + 2^-12 lies between two fp16 values, nearer to the upper.
  %c = arith.constant 1.000732421875 : f32
  %t = arith.constant dense<1.5> : tensor<4xf32>
  %large = arith.constant 1.0e+30 : f32
  %0 = tt.fp_to_fp %c, rounding = rtne : f32 -> f16
  %1 = tt.fp_to_fp %c, rounding = rtz : f32 -> f16
  %2 = tt.fp_to_fp %t, rounding = rtne : tensor<4xf32> -> tensor<4xf8E5M2>
  %3 = tt.fp_to_fp %large, rounding = rtne : f32 -> f16
  // CHECK-DAG: %[[UP:.*]] = arith.constant 1.000980e+00 : f16
  // CHECK-DAG: %[[DOWN:.*]] = arith.constant 1.000000e+00 : f16
  // CHECK-DAG: %[[T:.*]] = arith.constant dense<1.500000e+00> : tensor<4xf8E5M2>
  // What overflows is left to the target.
  // CHECK: %[[LARGE:.*]] = tt.fp_to_fp
  // CHECK: tt.return %[[UP]], %[[DOWN]], %[[T]], %[[LARGE]]
  tt.return %0, %1, %2, %3 : f16, f16, tensor<4xf8E5M2>, f16
}

// -----

// CHECK-LABEL: tt.func @pointers
// CHECK-SAME: (%[[P:.*]]: !tt.ptr<f32>, %[[PP:.*]]: tensor<8x!tt.ptr<f32>>, %[[B:.*]]: !tt.ptr<tensor<4x4xf32>>, %[[N:.*]]: i32)
tt.func @pointers(%p: !tt.ptr<f32>, %pp: tensor<8x!tt.ptr<f32>>, %b: !tt.ptr<tensor<4x4xf32>>, %n: i32) -> (!tt.ptr<f32>, tensor<8x!tt.ptr<f32>>, !tt.ptr<tensor<4x4xf32>>, !tt.ptr<tensor<4x4xf32>>) {
  %c0 = arith.constant 0 : i32
  %t0 = arith.constant dense<0> : tensor<8xi64>
  %0 = tt.addptr %p, %c0 : !tt.ptr<f32>, i32
  %1 = tt.addptr %pp, %t0 : tensor<8x!tt.ptr<f32>>, tensor<8xi64>
  %2 = tt.advance %b, [%c0, %c0] : <tensor<4x4xf32>>
  // Two advances are not merged: their sum may need more than 32 bits.
  // CHECK: %[[A:.*]] = tt.advance %[[B]], [%[[N]], %{{.*}}]
  %3 = tt.advance %b, [%n, %c0] : <tensor<4x4xf32>>
  // CHECK: %[[AA:.*]] = tt.advance %[[A]], [%[[N]], %{{.*}}]
  %4 = tt.advance %3, [%n, %c0] : <tensor<4x4xf32>>
  // CHECK: tt.return %[[P]], %[[PP]], %[[B]], %[[AA]]
  tt.return %0, %1, %2, %4 : !tt.ptr<f32>, tensor<8x!tt.ptr<f32>>, !tt.ptr<tensor<4x4xf32>>, !tt.ptr<tensor<4x4xf32>>
}

// -----

// CHECK-LABEL: tt.func @splats
tt.func @splats() -> (tensor<4x8xf32>, tensor<2x4x8xf32>, f32, tensor<8x4xf32>, tensor<32xf32>) {
  %c = arith.constant 2.0 : f32
  %0 = tt.splat %c : f32 -> tensor<8xf32>
  %1 = tt.expand_dims %0 {axis = 0 : i32} : tensor<8xf32> -> tensor<1x8xf32>
  %2 = tt.broadcast %1 : tensor<1x8xf32> -> tensor<4x8xf32>
  %3 = tt.expand_dims %2 {axis = 0 : i32} : tensor<4x8xf32> -> tensor<1x4x8xf32>
  %4 = tt.broadcast %3 : tensor<1x4x8xf32> -> tensor<2x4x8xf32>
  %one = arith.constant dense<3.0> : tensor<1xf32>
  %5 = tt.unsplat %one : tensor<1xf32>
  %6 = tt.trans %2 {order = array<i32: 1, 0>} : tensor<4x8xf32> -> tensor<8x4xf32>
  %7 = tt.reshape %2 : tensor<4x8xf32> -> tensor<32xf32>
  // CHECK-DAG: %[[A:.*]] = arith.constant dense<2.000000e+00> : tensor<4x8xf32>
  // CHECK-DAG: %[[B:.*]] = arith.constant dense<2.000000e+00> : tensor<2x4x8xf32>
  // CHECK-DAG: %[[C:.*]] = arith.constant 3.000000e+00 : f32
  // CHECK-DAG: %[[D:.*]] = arith.constant dense<2.000000e+00> : tensor<8x4xf32>
  // CHECK-DAG: %[[E:.*]] = arith.constant dense<2.000000e+00> : tensor<32xf32>
  // CHECK: tt.return %[[A]], %[[B]], %[[C]], %[[D]], %[[E]]
  tt.return %2, %4, %5, %6, %7 : tensor<4x8xf32>, tensor<2x4x8xf32>, f32, tensor<8x4xf32>, tensor<32xf32>
}

// -----

// CHECK-LABEL: tt.func @shapes
// CHECK-SAME: (%[[F:.*]]: f32, %[[T:.*]]: tensor<4x8xf32>, %[[V:.*]]: tensor<1x8x1xf32>)
tt.func @shapes(%f: f32, %t: tensor<4x8xf32>, %v: tensor<1x8x1xf32>) -> (tensor<4x8xf32>, tensor<2x8x4xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, f32, tensor<1xi32>) {
  %0 = tt.splat %f : f32 -> tensor<8xf32>
  %1 = tt.expand_dims %0 {axis = 0 : i32} : tensor<8xf32> -> tensor<1x8xf32>
  // CHECK-DAG: %[[S:.*]] = tt.splat %[[F]] : f32 -> tensor<4x8xf32>
  %2 = tt.broadcast %1 : tensor<1x8xf32> -> tensor<4x8xf32>
  %3 = tt.broadcast %v : tensor<1x8x1xf32> -> tensor<2x8x1xf32>
  // CHECK-DAG: %[[B:.*]] = tt.broadcast %[[V]] : tensor<1x8x1xf32> -> tensor<2x8x4xf32>
  %4 = tt.broadcast %3 : tensor<2x8x1xf32> -> tensor<2x8x4xf32>
  %5 = tt.trans %t {order = array<i32: 0, 1>} : tensor<4x8xf32> -> tensor<4x8xf32>
  %6 = tt.reshape %t allow_reorder : tensor<4x8xf32> -> tensor<4x8xf32>
  %7 = tt.broadcast %t : tensor<4x8xf32> -> tensor<4x8xf32>
  %8 = tt.splat %f : f32 -> tensor<1x1xf32>
  %9 = tt.unsplat %8 : tensor<1x1xf32>
  // CHECK-DAG: %[[R:.*]] = arith.constant dense<7> : tensor<1xi32>
  %10 = tt.make_range {start = 7 : i32, end = 8 : i32} : tensor<1xi32>
  // CHECK: tt.return %[[S]], %[[B]], %[[T]], %[[T]], %[[T]], %[[F]], %[[R]]
  tt.return %2, %4, %5, %6, %7, %9, %10 : tensor<4x8xf32>, tensor<2x8x4xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, f32, tensor<1xi32>
}

// -----

// CHECK-LABEL: tt.func @mulhiui
tt.func @mulhiui(%i: i32, %t: tensor<4xi32>) -> (i32, tensor<4xi32>) {
  // CHECK-DAG: %[[Z:.*]] = arith.constant 0 : i32
  // CHECK-DAG: %[[T:.*]] = arith.constant dense<0> : tensor<4xi32>
  %c0 = arith.constant 0 : i32
  %t0 = arith.constant dense<0> : tensor<4xi32>
  %0 = tt.mulhiui %i, %c0 : i32
  %1 = tt.mulhiui %t0, %t : tensor<4xi32>
  // CHECK: tt.return %[[Z]], %[[T]]
  tt.return %0, %1 : i32, tensor<4xi32>
}

// -----

// CHECK-LABEL: tt.func @masks
// CHECK-SAME: (%[[P:.*]]: tensor<4x!tt.ptr<f32>>, %[[O:.*]]: tensor<4xf32>, %[[Q:.*]]: !tt.ptr<f32>)
tt.func @masks(%p: tensor<4x!tt.ptr<f32>>, %o: tensor<4xf32>, %q: !tt.ptr<f32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, f32) {
  %all = arith.constant dense<true> : tensor<4xi1>
  // CHECK: %[[NONE:.*]] = arith.constant dense<false> : tensor<4xi1>
  %none = arith.constant dense<false> : tensor<4xi1>
  %true = arith.constant true
  // CHECK: %[[A:.*]] = tt.load %[[P]] evictionPolicy = evict_first : tensor<4x!tt.ptr<f32>>
  %0 = tt.load %p, %all, %o evictionPolicy = evict_first : tensor<4x!tt.ptr<f32>>
  %1 = tt.load %p, %none, %o : tensor<4x!tt.ptr<f32>>
  // CHECK: %[[B:.*]] = tt.load %[[P]], %[[NONE]] : tensor<4x!tt.ptr<f32>>
  %2 = tt.load %p, %none : tensor<4x!tt.ptr<f32>>
  // CHECK: %[[C:.*]] = tt.load %[[P]], %[[NONE]], %[[O]] {isVolatile = true} : tensor<4x!tt.ptr<f32>>
  %3 = tt.load %p, %none, %o {isVolatile = true} : tensor<4x!tt.ptr<f32>>
  // CHECK: %[[D:.*]] = tt.load %[[Q]] : !tt.ptr<f32>
  %4 = tt.load %q, %true : !tt.ptr<f32>
  // CHECK: tt.store %[[P]], %[[A]] cacheModifier = wb : tensor<4x!tt.ptr<f32>>
  tt.store %p, %0, %all cacheModifier = wb : tensor<4x!tt.ptr<f32>>
  // CHECK-NOT: tt.store
  tt.store %p, %1, %none : tensor<4x!tt.ptr<f32>>
  // CHECK: tt.return %[[A]], %[[O]], %[[B]], %[[C]], %[[D]]
  tt.return %0, %1, %2, %3, %4 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, f32
}
