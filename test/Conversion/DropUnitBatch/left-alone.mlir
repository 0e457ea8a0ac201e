// RUN: spine-triton-opt %s -split-input-file -spine-drop-unit-batch -cse | FileCheck %s

// No product of one matrix per batch: nothing happens.

// CHECK-LABEL: tt.func @no_product(
// CHECK-NEXT:    arith.negf %{{.*}} : tensor<1x16x32xf32>
tt.func @no_product(%x: tensor<1x16x32xf32>) -> tensor<1x16x32xf32> {
  %y = arith.negf %x : tensor<1x16x32xf32>
  tt.return %y : tensor<1x16x32xf32>
}

// CHECK-LABEL: tt.func @two_matrices(
// CHECK-NEXT:    tt.dot %{{.*}} : tensor<2x16x16xf32> * tensor<2x16x16xf32> -> tensor<2x16x16xf32>
tt.func @two_matrices(%x: tensor<2x16x16xf32>) -> tensor<2x16x16xf32> {
  %y = tt.dot %x, %x, %x : tensor<2x16x16xf32> * tensor<2x16x16xf32> -> tensor<2x16x16xf32>
  tt.return %y : tensor<2x16x16xf32>
}

// -----

// What works on batches sees them: reductions, other orders of the dimensions,
// block pointers that come from elsewhere. Tiles of other ranks stay.

// CHECK-LABEL: tt.func @users(
// CHECK:         %[[X:.*]] = tt.load %{{.*}} : !tt.ptr<tensor<1x16x16xf32>>
// CHECK:         %[[A:.*]] = tt.reshape %[[X]] : tensor<1x16x16xf32> -> tensor<16x16xf32>
// CHECK:         %[[D:.*]] = tt.dot %[[A]], %[[A]], %[[A]]
// CHECK:         %[[B:.*]] = tt.reshape %[[D]] : tensor<16x16xf32> -> tensor<1x16x16xf32>
// CHECK:         tt.trans %[[B]] {order = array<i32: 1, 0, 2>} : tensor<1x16x16xf32> -> tensor<16x1x16xf32>
// CHECK:         "tt.reduce"(%[[B]]) <{axis = 1 : i32}>
// CHECK:         tt.broadcast %[[B]] : tensor<1x16x16xf32> -> tensor<4x16x16xf32>
// CHECK:         %[[F:.*]] = tt.reshape %[[D]] : tensor<16x16xf32> -> tensor<1x1x16x16xf32>
// CHECK:         math.exp %[[F]] : tensor<1x1x16x16xf32>
// CHECK:         tt.store %{{.*}}, %[[B]] : !tt.ptr<tensor<1x16x16xf32>>
tt.func @users(%p: !tt.ptr<tensor<1x16x16xf32>>) -> (tensor<16x1x16xf32>, tensor<1x16xf32>, tensor<4x16x16xf32>, tensor<1x1x16x16xf32>) {
  %x = tt.load %p : !tt.ptr<tensor<1x16x16xf32>>
  %d = tt.dot %x, %x, %x : tensor<1x16x16xf32> * tensor<1x16x16xf32> -> tensor<1x16x16xf32>
  %t = tt.trans %d {order = array<i32: 1, 0, 2>} : tensor<1x16x16xf32> -> tensor<16x1x16xf32>
  %s = "tt.reduce"(%d) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %sum = arith.addf %a, %b : f32
    tt.reduce.return %sum : f32
  }) : (tensor<1x16x16xf32>) -> tensor<1x16xf32>
  %w = tt.broadcast %d : tensor<1x16x16xf32> -> tensor<4x16x16xf32>
  %f = tt.reshape %d : tensor<1x16x16xf32> -> tensor<1x1x16x16xf32>
  %e = math.exp %f : tensor<1x1x16x16xf32>
  tt.store %p, %d : !tt.ptr<tensor<1x16x16xf32>>
  tt.return %t, %s, %w, %e : tensor<16x1x16xf32>, tensor<1x16xf32>, tensor<4x16x16xf32>, tensor<1x1x16x16xf32>
}
