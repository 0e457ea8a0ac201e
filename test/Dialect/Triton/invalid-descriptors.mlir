// RUN: spine-triton-opt -split-input-file -verify-diagnostics %s

// Descriptors whose parts do not fit.
tt.func @f(%p: !tt.ptr<f32>, %q: !tt.ptr<i32>, %n: i32, %s: i64, %t: tensor<16x32xf32>, %v: tensor<16xf32>, %rows: tensor<16xi32>, %rows2: tensor<4x4xi32>, %d: !tt.tensordesc<tensor<16x32xf32>>, %row: !tt.tensordesc<tensor<1x32xf32>>) {
  // expected-error@+1 {{expects 2 extents for block 'tensor<16x32xf32>', got 1}}
  %0 = tt.make_tensor_descriptor %p, [%n], [%s, %s] : <f32>, <tensor<16x32xf32>>
  tt.return
}

// -----

tt.func @f(%p: !tt.ptr<f32>, %q: !tt.ptr<i32>, %n: i32, %s: i64, %t: tensor<16x32xf32>, %v: tensor<16xf32>, %rows: tensor<16xi32>, %rows2: tensor<4x4xi32>, %d: !tt.tensordesc<tensor<16x32xf32>>, %row: !tt.tensordesc<tensor<1x32xf32>>) {
  // expected-error@+1 {{expects 2 strides for block 'tensor<16x32xf32>', got 3}}
  %0 = tt.make_tensor_descriptor %p, [%n, %n], [%s, %s, %s] : <f32>, <tensor<16x32xf32>>
  tt.return
}

// -----

tt.func @f(%p: !tt.ptr<f32>, %q: !tt.ptr<i32>, %n: i32, %s: i64, %t: tensor<16x32xf32>, %v: tensor<16xf32>, %rows: tensor<16xi32>, %rows2: tensor<4x4xi32>, %d: !tt.tensordesc<tensor<16x32xf32>>, %row: !tt.tensordesc<tensor<1x32xf32>>) {
  // expected-error@+1 {{expects an extent and a stride for each dimension of block 'tensor<16x32xf32>', got 2 operands beside the base}}
  %0 = "tt.make_tensor_descriptor"(%p, %n, %s) : (!tt.ptr<f32>, i32, i64) -> !tt.tensordesc<tensor<16x32xf32>>
  tt.return
}

// -----

tt.func @f(%p: !tt.ptr<f32>, %q: !tt.ptr<i32>, %n: i32, %s: i64, %t: tensor<16x32xf32>, %v: tensor<16xf32>, %rows: tensor<16xi32>, %rows2: tensor<4x4xi32>, %d: !tt.tensordesc<tensor<16x32xf32>>, %row: !tt.tensordesc<tensor<1x32xf32>>) {
  // expected-error@+1 {{base points to 'f32', but elements of the block are of type 'f16'}}
  %0 = tt.make_tensor_descriptor %p, [%n], [%s] : <f32>, <tensor<16xf16>>
  tt.return
}

// -----

tt.func @f(%p: !tt.ptr<f32>, %q: !tt.ptr<i32>, %n: i32, %s: i64, %t: tensor<16x32xf32>, %v: tensor<16xf32>, %rows: tensor<16xi32>, %rows2: tensor<4x4xi32>, %d: !tt.tensordesc<tensor<16x32xf32>>, %row: !tt.tensordesc<tensor<1x32xf32>>) {
  // expected-error@+1 {{padding with NaN needs floating-point elements, got 'i32'}}
  %0 = tt.make_tensor_descriptor %q, [%n], [%s] {padding = 2 : i32} : <i32>, <tensor<16xsi32>>
  tt.return
}

// -----

tt.func @f(%p: !tt.ptr<f32>, %q: !tt.ptr<i32>, %n: i32, %s: i64, %t: tensor<16x32xf32>, %v: tensor<16xf32>, %rows: tensor<16xi32>, %rows2: tensor<4x4xi32>, %d: !tt.tensordesc<tensor<16x32xf32>>, %row: !tt.tensordesc<tensor<1x32xf32>>) {
  // expected-error@+1 {{expects 2 indices for block 'tensor<16x32xf32>', got 1}}
  %0 = tt.descriptor_load %d[%n] : !tt.tensordesc<tensor<16x32xf32>> -> tensor<16x32xf32>
  tt.return
}

// -----

tt.func @f(%p: !tt.ptr<f32>, %q: !tt.ptr<i32>, %n: i32, %s: i64, %t: tensor<16x32xf32>, %v: tensor<16xf32>, %rows: tensor<16xi32>, %rows2: tensor<4x4xi32>, %d: !tt.tensordesc<tensor<16x32xf32>>, %row: !tt.tensordesc<tensor<1x32xf32>>) {
  // expected-error@+1 {{expects a tile of type 'tensor<16x32xf32>', at most without leading dimensions of size 1, got 'tensor<32xf32>'}}
  %0 = tt.descriptor_load %d[%n, %n] : !tt.tensordesc<tensor<16x32xf32>> -> tensor<32xf32>
  tt.return
}

// -----

tt.func @f(%p: !tt.ptr<f32>, %q: !tt.ptr<i32>, %n: i32, %s: i64, %t: tensor<16x32xf32>, %v: tensor<16xf32>, %rows: tensor<16xi32>, %rows2: tensor<4x4xi32>, %d: !tt.tensordesc<tensor<16x32xf32>>, %row: !tt.tensordesc<tensor<1x32xf32>>) {
  // expected-error@+1 {{expects a tile of type 'tensor<1x32xf32>', at most without leading dimensions of size 1, got 'tensor<1x1x32xf32>'}}
  %0 = tt.descriptor_load %row[%n, %n] : !tt.tensordesc<tensor<1x32xf32>> -> tensor<1x1x32xf32>
  tt.return
}

// -----

tt.func @f(%p: !tt.ptr<f32>, %q: !tt.ptr<i32>, %n: i32, %s: i64, %t: tensor<16x32xf32>, %v: tensor<16xf32>, %rows: tensor<16xi32>, %rows2: tensor<4x4xi32>, %d: !tt.tensordesc<tensor<16x32xf32>>, %row: !tt.tensordesc<tensor<1x32xf32>>) {
  // expected-error@+1 {{expects a tile of type 'tensor<16x32xf32>', at most without leading dimensions of size 1, got 'tensor<16x32xf16>'}}
  %0 = tt.descriptor_load %d[%n, %n] : !tt.tensordesc<tensor<16x32xf32>> -> tensor<16x32xf16>
  tt.return
}

// -----

tt.func @f(%p: !tt.ptr<f32>, %q: !tt.ptr<i32>, %n: i32, %s: i64, %t: tensor<16x32xf32>, %v: tensor<16xf32>, %rows: tensor<16xi32>, %rows2: tensor<4x4xi32>, %d: !tt.tensordesc<tensor<16x32xf32>>, %row: !tt.tensordesc<tensor<1x32xf32>>) {
  // expected-error@+1 {{expects 2 indices for block 'tensor<16x32xf32>', got 3}}
  tt.descriptor_store %d[%n, %n, %n], %t : !tt.tensordesc<tensor<16x32xf32>>, tensor<16x32xf32>
  tt.return
}

// -----

tt.func @f(%p: !tt.ptr<f32>, %q: !tt.ptr<i32>, %n: i32, %s: i64, %t: tensor<16x32xf32>, %v: tensor<16xf32>, %rows: tensor<16xi32>, %rows2: tensor<4x4xi32>, %d: !tt.tensordesc<tensor<16x32xf32>>, %row: !tt.tensordesc<tensor<1x32xf32>>) {
  // expected-error@+1 {{expects a tile of type 'tensor<16x32xf32>', at most without leading dimensions of size 1, got 'tensor<16xf32>'}}
  tt.descriptor_reduce add, %d[%n, %n], %v : !tt.tensordesc<tensor<16x32xf32>>, tensor<16xf32>
  tt.return
}

// -----

tt.func @f(%p: !tt.ptr<f32>, %q: !tt.ptr<i32>, %n: i32, %s: i64, %t: tensor<16x32xf32>, %v: tensor<16xf32>, %rows: tensor<16xi32>, %rows2: tensor<4x4xi32>, %d: !tt.tensordesc<tensor<16x32xf32>>, %row: !tt.tensordesc<tensor<1x32xf32>>) {
  // expected-error@+1 {{or needs integer elements, got 'f32'}}
  tt.descriptor_reduce or, %d[%n, %n], %t : !tt.tensordesc<tensor<16x32xf32>>, tensor<16x32xf32>
  tt.return
}

// -----

tt.func @f(%p: !tt.ptr<f32>, %q: !tt.ptr<i32>, %n: i32, %s: i64, %t: tensor<16x32xf32>, %v: tensor<16xf32>, %rows: tensor<16xi32>, %rows2: tensor<4x4xi32>, %d: !tt.tensordesc<tensor<16x32xf32>>, %row: !tt.tensordesc<tensor<1x32xf32>>) {
  // expected-error@+1 {{expects a descriptor whose block is one row, got 'tensor<16x32xf32>'}}
  %0 = tt.descriptor_gather %d[%rows, %n] : (!tt.tensordesc<tensor<16x32xf32>>, tensor<16xi32>, i32) -> tensor<16x32xf32>
  tt.return
}

// -----

tt.func @f(%p: !tt.ptr<f32>, %q: !tt.ptr<i32>, %n: i32, %s: i64, %t: tensor<16x32xf32>, %v: tensor<16xf32>, %rows: tensor<16xi32>, %rows2: tensor<4x4xi32>, %d: !tt.tensordesc<tensor<16x32xf32>>, %row: !tt.tensordesc<tensor<1x32xf32>>) {
  // expected-error@+1 {{expects row indices of one dimension, got 'tensor<4x4xi32>'}}
  %0 = tt.descriptor_gather %row[%rows2, %n] : (!tt.tensordesc<tensor<1x32xf32>>, tensor<4x4xi32>, i32) -> tensor<16x32xf32>
  tt.return
}

// -----

tt.func @f(%p: !tt.ptr<f32>, %q: !tt.ptr<i32>, %n: i32, %s: i64, %t: tensor<16x32xf32>, %v: tensor<16xf32>, %rows: tensor<16xi32>, %rows2: tensor<4x4xi32>, %d: !tt.tensordesc<tensor<16x32xf32>>, %row: !tt.tensordesc<tensor<1x32xf32>>) {
  // expected-error@+1 {{expects a tile of type 'tensor<16x32xf32>', got 'tensor<32x16xf32>'}}
  %0 = tt.descriptor_gather %row[%rows, %n] : (!tt.tensordesc<tensor<1x32xf32>>, tensor<16xi32>, i32) -> tensor<32x16xf32>
  tt.return
}

// -----

tt.func @f(%p: !tt.ptr<f32>, %q: !tt.ptr<i32>, %n: i32, %s: i64, %t: tensor<16x32xf32>, %v: tensor<16xf32>, %rows: tensor<16xi32>, %rows2: tensor<4x4xi32>, %d: !tt.tensordesc<tensor<16x32xf32>>, %row: !tt.tensordesc<tensor<1x32xf32>>) {
  // expected-error@+1 {{expects a tile of type 'tensor<16x32xf32>', got 'tensor<16xf32>'}}
  tt.descriptor_scatter %row[%rows, %n], %v : !tt.tensordesc<tensor<1x32xf32>>, tensor<16xi32>, i32, tensor<16xf32>
  tt.return
}
