// RUN: spine-triton-opt -split-input-file -verify-diagnostics %s

// Block pointers whose parts do not fit.
tt.func @f(%b: !tt.ptr<tensor<16x32xf32>>, %i: i32, %l: i64, %p: !tt.ptr<f32>) {
  // expected-error@+1 {{expects 2 extents for tile 'tensor<16x32xf32>', got 1}}
  %0 = tt.make_tensor_ptr %p, [%l], [%l, %l], [%i, %i] {order = array<i32: 1, 0>} : <tensor<16x32xf32>>
  tt.return
}

// -----

tt.func @f(%b: !tt.ptr<tensor<16x32xf32>>, %i: i32, %l: i64, %p: !tt.ptr<f32>) {
  // expected-error@+1 {{expects 2 strides for tile 'tensor<16x32xf32>', got 3}}
  %0 = tt.make_tensor_ptr %p, [%l, %l], [%l, %l, %l], [%i, %i] {order = array<i32: 1, 0>} : <tensor<16x32xf32>>
  tt.return
}

// -----

tt.func @f(%b: !tt.ptr<tensor<16x32xf32>>, %i: i32, %l: i64, %p: !tt.ptr<f32>) {
  // expected-error@+1 {{expects 2 offsets for tile 'tensor<16x32xf32>', got 0}}
  %0 = tt.make_tensor_ptr %p, [%l, %l], [%l, %l], [] {order = array<i32: 1, 0>} : <tensor<16x32xf32>>
  tt.return
}

// -----

tt.func @f(%b: !tt.ptr<tensor<16x32xf32>>, %i: i32, %l: i64, %p: !tt.ptr<f32>) {
  // expected-error@+1 {{expects a pointer to a tile, got '!tt.ptr<f32>'}}
  %0 = tt.make_tensor_ptr %p, [%l, %l], [%l, %l], [%i, %i] {order = array<i32: 1, 0>} : <f32>
  tt.return
}

// -----

tt.func @f(%b: !tt.ptr<tensor<16x32xf32>>, %i: i32, %l: i64, %p: !tt.ptr<f32>) {
  // expected-error@+1 {{expects an extent, a stride and an offset for each dimension of tile 'tensor<16x32xf32>', got 3 operands beside the base}}
  %0 = "tt.make_tensor_ptr"(%p, %l, %l, %i) <{order = array<i32: 1, 0>}> : (!tt.ptr<f32>, i64, i64, i32) -> !tt.ptr<tensor<16x32xf32>>
  tt.return
}

// -----

tt.func @f(%b: !tt.ptr<tensor<16x32xf32>>, %i: i32, %l: i64, %p: !tt.ptr<f32>) {
  // expected-error@+1 {{base points to 'f32', but elements of the tile are of type 'f16'}}
  %0 = "tt.make_tensor_ptr"(%p, %l, %l, %i) <{order = array<i32: 0>}> : (!tt.ptr<f32>, i64, i64, i32) -> !tt.ptr<tensor<16xf16>>
  tt.return
}

// -----

tt.func @f(%b: !tt.ptr<tensor<16x32xf32>>, %i: i32, %l: i64, %p: !tt.ptr<f32>) {
  // expected-error@+1 {{base and result are in different address spaces}}
  %0 = "tt.make_tensor_ptr"(%p, %l, %l, %i) <{order = array<i32: 0>}> : (!tt.ptr<f32>, i64, i64, i32) -> !tt.ptr<tensor<16xf32>, 3>
  tt.return
}

// -----

tt.func @f(%b: !tt.ptr<tensor<16x32xf32>>, %i: i32, %l: i64, %p: !tt.ptr<f32>) {
  // expected-error@+1 {{expects a tile with a dimension, got 'tensor<f32>'}}
  %0 = tt.make_tensor_ptr %p, [], [], [] {order = array<i32>} : <tensor<f32>>
  tt.return
}

// -----

tt.func @f(%b: !tt.ptr<tensor<16x32xf32>>, %i: i32, %l: i64, %p: !tt.ptr<f32>) {
  // expected-error@+1 {{expects an order of 2 dimensions for tile 'tensor<16x32xf32>', got [0]}}
  %0 = tt.make_tensor_ptr %p, [%l, %l], [%l, %l], [%i, %i] {order = array<i32: 0>} : <tensor<16x32xf32>>
  tt.return
}

// -----

tt.func @f(%b: !tt.ptr<tensor<16x32xf32>>, %i: i32, %l: i64, %p: !tt.ptr<f32>) {
  // expected-error@+1 {{order [0, 0] is not a permutation of the dimensions 0 to 1}}
  %0 = tt.make_tensor_ptr %p, [%l, %l], [%l, %l], [%i, %i] {order = array<i32: 0, 0>} : <tensor<16x32xf32>>
  tt.return
}

// -----

tt.func @f(%b: !tt.ptr<tensor<16x32xf32>>, %i: i32, %l: i64, %p: !tt.ptr<f32>) {
  // expected-error@+1 {{order [2, 1] is not a permutation of the dimensions 0 to 1}}
  %0 = tt.make_tensor_ptr %p, [%l, %l], [%l, %l], [%i, %i] {order = array<i32: 2, 1>} : <tensor<16x32xf32>>
  tt.return
}

// -----

tt.func @f(%b: !tt.ptr<tensor<16x32xf32>>, %i: i32, %l: i64, %p: !tt.ptr<f32>) {
  // expected-error@+1 {{order [-1, 0] is not a permutation of the dimensions 0 to 1}}
  %0 = tt.make_tensor_ptr %p, [%l, %l], [%l, %l], [%i, %i] {order = array<i32: -1, 0>} : <tensor<16x32xf32>>
  tt.return
}

// -----

tt.func @f(%b: !tt.ptr<tensor<16x32xf32>>, %i: i32, %l: i64, %p: !tt.ptr<f32>) {
  // expected-error@+1 {{expects 2 offsets for tile 'tensor<16x32xf32>', got 1}}
  %0 = tt.advance %b, [%i] : <tensor<16x32xf32>>
  tt.return
}

// -----

tt.func @f(%b: !tt.ptr<tensor<16x32xf32>>, %i: i32, %l: i64, %p: !tt.ptr<f32>) {
  // expected-error@+1 {{expects 2 offsets for tile 'tensor<16x32xf32>', got 3}}
  %0 = tt.advance %b, [%i, %i, %i] : <tensor<16x32xf32>>
  tt.return
}

// -----

tt.func @f(%b: !tt.ptr<tensor<16x32xf32>>, %i: i32, %l: i64, %p: !tt.ptr<f32>) {
  // expected-error@+1 {{failed to verify that all of {ptr, result} have same type}}
  %0 = "tt.advance"(%b, %i, %i) : (!tt.ptr<tensor<16x32xf32>>, i32, i32) -> !tt.ptr<tensor<32x16xf32>>
  tt.return
}
