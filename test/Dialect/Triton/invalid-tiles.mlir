// RUN: spine-triton-opt -split-input-file -verify-diagnostics %s

// Operations on tiles whose parts do not fit.
tt.func @f(%f: f32, %i: i32, %v: tensor<16xf32>, %w: tensor<8xf32>, %t: tensor<4x8xf32>, %one: tensor<f32>, %vi: tensor<16xi32>, %ti: tensor<4x8xi32>, %m: tensor<16xi1>, %m8: tensor<8xi1>, %c: tensor<4x4xf32>, %h: tensor<8x4xf16>, %i8a: tensor<4x8xi8>, %i8b: tensor<8x4xi8>, %ci: tensor<4x4xi32>, %i16: tensor<8x4xi16>, %b3: tensor<2x4x8xf32>, %d3: tensor<4x8x4xf32>, %c3: tensor<2x4x4xf32>, %u: tensor<8x4xf32>) {
  // expected-error@+1 {{requires the same element type for all operands and results}}
  %0 = tt.splat %f : f32 -> tensor<4xf16>
  tt.return
}

// -----

tt.func @f(%f: f32, %i: i32, %v: tensor<16xf32>, %w: tensor<8xf32>, %t: tensor<4x8xf32>, %one: tensor<f32>, %vi: tensor<16xi32>, %ti: tensor<4x8xi32>, %m: tensor<16xi1>, %m8: tensor<8xi1>, %c: tensor<4x4xf32>, %h: tensor<8x4xf16>, %i8a: tensor<4x8xi8>, %i8b: tensor<8x4xi8>, %ci: tensor<4x4xi32>, %i16: tensor<8x4xi16>, %b3: tensor<2x4x8xf32>, %d3: tensor<4x8x4xf32>, %c3: tensor<2x4x4xf32>, %u: tensor<8x4xf32>) {
  // expected-error@+1 {{operand #0 must be floating-point or integer or pointer to a scalar, but got 'tensor<8xf32>'}}
  %0 = tt.splat %w : tensor<8xf32> -> tensor<16xf32>
  tt.return
}

// -----

tt.func @f(%f: f32, %i: i32, %v: tensor<16xf32>, %w: tensor<8xf32>, %t: tensor<4x8xf32>, %one: tensor<f32>, %vi: tensor<16xi32>, %ti: tensor<4x8xi32>, %m: tensor<16xi1>, %m8: tensor<8xi1>, %c: tensor<4x4xf32>, %h: tensor<8x4xf16>, %i8a: tensor<4x8xi8>, %i8b: tensor<8x4xi8>, %ci: tensor<4x4xi32>, %i16: tensor<8x4xi16>, %b3: tensor<2x4x8xf32>, %d3: tensor<4x8x4xf32>, %c3: tensor<2x4x4xf32>, %u: tensor<8x4xf32>) {
  // expected-error@+1 {{expects a tile of one element, got 'tensor<16xf32>'}}
  %0 = "tt.unsplat"(%v) : (tensor<16xf32>) -> f32
  tt.return
}

// -----

tt.func @f(%f: f32, %i: i32, %v: tensor<16xf32>, %w: tensor<8xf32>, %t: tensor<4x8xf32>, %one: tensor<f32>, %vi: tensor<16xi32>, %ti: tensor<4x8xi32>, %m: tensor<16xi1>, %m8: tensor<8xi1>, %c: tensor<4x4xf32>, %h: tensor<8x4xf16>, %i8a: tensor<4x8xi8>, %i8b: tensor<8x4xi8>, %ci: tensor<4x4xi32>, %i16: tensor<8x4xi16>, %b3: tensor<2x4x8xf32>, %d3: tensor<4x8x4xf32>, %c3: tensor<2x4x4xf32>, %u: tensor<8x4xf32>) {
  // expected-error@+1 {{axis 2 is not between 0 and the 1 dimensions of 'tensor<16xf32>'}}
  %0 = tt.expand_dims %v {axis = 2 : i32} : tensor<16xf32> -> tensor<16x1xf32>
  tt.return
}

// -----

tt.func @f(%f: f32, %i: i32, %v: tensor<16xf32>, %w: tensor<8xf32>, %t: tensor<4x8xf32>, %one: tensor<f32>, %vi: tensor<16xi32>, %ti: tensor<4x8xi32>, %m: tensor<16xi1>, %m8: tensor<8xi1>, %c: tensor<4x4xf32>, %h: tensor<8x4xf16>, %i8a: tensor<4x8xi8>, %i8b: tensor<8x4xi8>, %ci: tensor<4x4xi32>, %i16: tensor<8x4xi16>, %b3: tensor<2x4x8xf32>, %d3: tensor<4x8x4xf32>, %c3: tensor<2x4x4xf32>, %u: tensor<8x4xf32>) {
  // expected-error@+1 {{axis -1 is not between 0 and the 1 dimensions of 'tensor<16xf32>'}}
  %0 = tt.expand_dims %v {axis = -1 : i32} : tensor<16xf32> -> tensor<16x1xf32>
  tt.return
}

// -----

tt.func @f(%f: f32, %i: i32, %v: tensor<16xf32>, %w: tensor<8xf32>, %t: tensor<4x8xf32>, %one: tensor<f32>, %vi: tensor<16xi32>, %ti: tensor<4x8xi32>, %m: tensor<16xi1>, %m8: tensor<8xi1>, %c: tensor<4x4xf32>, %h: tensor<8x4xf16>, %i8a: tensor<4x8xi8>, %i8b: tensor<8x4xi8>, %ci: tensor<4x4xi32>, %i16: tensor<8x4xi16>, %b3: tensor<2x4x8xf32>, %d3: tensor<4x8x4xf32>, %c3: tensor<2x4x4xf32>, %u: tensor<8x4xf32>) {
  // expected-error@+1 {{gives ('tensor<1x16xf32>'), not ('tensor<16x1xf32>')}}
  %0 = tt.expand_dims %v {axis = 0 : i32} : tensor<16xf32> -> tensor<16x1xf32>
  tt.return
}

// -----

tt.func @f(%f: f32, %i: i32, %v: tensor<16xf32>, %w: tensor<8xf32>, %t: tensor<4x8xf32>, %one: tensor<f32>, %vi: tensor<16xi32>, %ti: tensor<4x8xi32>, %m: tensor<16xi1>, %m8: tensor<8xi1>, %c: tensor<4x4xf32>, %h: tensor<8x4xf16>, %i8a: tensor<4x8xi8>, %i8b: tensor<8x4xi8>, %ci: tensor<4x4xi32>, %i16: tensor<8x4xi16>, %b3: tensor<2x4x8xf32>, %d3: tensor<4x8x4xf32>, %c3: tensor<2x4x4xf32>, %u: tensor<8x4xf32>) {
  // expected-error@+1 {{from 'tensor<16xf32>' to 'tensor<8x4xf32>': source and result have different numbers of elements}}
  %0 = tt.reshape %v : tensor<16xf32> -> tensor<8x4xf32>
  tt.return
}

// -----

tt.func @f(%f: f32, %i: i32, %v: tensor<16xf32>, %w: tensor<8xf32>, %t: tensor<4x8xf32>, %one: tensor<f32>, %vi: tensor<16xi32>, %ti: tensor<4x8xi32>, %m: tensor<16xi1>, %m8: tensor<8xi1>, %c: tensor<4x4xf32>, %h: tensor<8x4xf16>, %i8a: tensor<4x8xi8>, %i8b: tensor<8x4xi8>, %ci: tensor<4x4xi32>, %i16: tensor<8x4xi16>, %b3: tensor<2x4x8xf32>, %d3: tensor<4x8x4xf32>, %c3: tensor<2x4x4xf32>, %u: tensor<8x4xf32>) {
  // expected-error@+1 {{from 'tensor<16xf32>' to 'tensor<16x16xf32>': source and result have different ranks}}
  %0 = tt.broadcast %v : tensor<16xf32> -> tensor<16x16xf32>
  tt.return
}

// -----

tt.func @f(%f: f32, %i: i32, %v: tensor<16xf32>, %w: tensor<8xf32>, %t: tensor<4x8xf32>, %one: tensor<f32>, %vi: tensor<16xi32>, %ti: tensor<4x8xi32>, %m: tensor<16xi1>, %m8: tensor<8xi1>, %c: tensor<4x4xf32>, %h: tensor<8x4xf16>, %i8a: tensor<4x8xi8>, %i8b: tensor<8x4xi8>, %ci: tensor<4x4xi32>, %i16: tensor<8x4xi16>, %b3: tensor<2x4x8xf32>, %d3: tensor<4x8x4xf32>, %c3: tensor<2x4x4xf32>, %u: tensor<8x4xf32>) {
  // expected-error@+1 {{from 'tensor<4x8xf32>' to 'tensor<4x16xf32>': dimension 1 changes but is not of size 1}}
  %0 = tt.broadcast %t : tensor<4x8xf32> -> tensor<4x16xf32>
  tt.return
}

// -----

tt.func @f(%f: f32, %i: i32, %v: tensor<16xf32>, %w: tensor<8xf32>, %t: tensor<4x8xf32>, %one: tensor<f32>, %vi: tensor<16xi32>, %ti: tensor<4x8xi32>, %m: tensor<16xi1>, %m8: tensor<8xi1>, %c: tensor<4x4xf32>, %h: tensor<8x4xf16>, %i8a: tensor<4x8xi8>, %i8b: tensor<8x4xi8>, %ci: tensor<4x4xi32>, %i16: tensor<8x4xi16>, %b3: tensor<2x4x8xf32>, %d3: tensor<4x8x4xf32>, %c3: tensor<2x4x4xf32>, %u: tensor<8x4xf32>) {
  // expected-error@+1 {{of two 'tensor<16xf32>' gives 'tensor<32xf32>', not 'tensor<16xf32>'}}
  %0 = tt.cat %v, %v : tensor<16xf32> -> tensor<16xf32>
  tt.return
}

// -----

tt.func @f(%f: f32, %i: i32, %v: tensor<16xf32>, %w: tensor<8xf32>, %t: tensor<4x8xf32>, %one: tensor<f32>, %vi: tensor<16xi32>, %ti: tensor<4x8xi32>, %m: tensor<16xi1>, %m8: tensor<8xi1>, %c: tensor<4x4xf32>, %h: tensor<8x4xf16>, %i8a: tensor<4x8xi8>, %i8b: tensor<8x4xi8>, %ci: tensor<4x4xi32>, %i16: tensor<8x4xi16>, %b3: tensor<2x4x8xf32>, %d3: tensor<4x8x4xf32>, %c3: tensor<2x4x4xf32>, %u: tensor<8x4xf32>) {
  // expected-error@+1 {{expects tiles with a dimension, got 'tensor<f32>'}}
  %0 = tt.cat %one, %one : tensor<f32> -> tensor<2xf32>
  tt.return
}

// -----

tt.func @f(%f: f32, %i: i32, %v: tensor<16xf32>, %w: tensor<8xf32>, %t: tensor<4x8xf32>, %one: tensor<f32>, %vi: tensor<16xi32>, %ti: tensor<4x8xi32>, %m: tensor<16xi1>, %m8: tensor<8xi1>, %c: tensor<4x4xf32>, %h: tensor<8x4xf16>, %i8a: tensor<4x8xi8>, %i8b: tensor<8x4xi8>, %ci: tensor<4x4xi32>, %i16: tensor<8x4xi16>, %b3: tensor<2x4x8xf32>, %d3: tensor<4x8x4xf32>, %c3: tensor<2x4x4xf32>, %u: tensor<8x4xf32>) {
  // expected-error@+1 {{failed to verify that all of {lhs, rhs} have same type}}
  %0 = "tt.cat"(%v, %w) : (tensor<16xf32>, tensor<8xf32>) -> tensor<32xf32>
  tt.return
}

// -----

tt.func @f(%f: f32, %i: i32, %v: tensor<16xf32>, %w: tensor<8xf32>, %t: tensor<4x8xf32>, %one: tensor<f32>, %vi: tensor<16xi32>, %ti: tensor<4x8xi32>, %m: tensor<16xi1>, %m8: tensor<8xi1>, %c: tensor<4x4xf32>, %h: tensor<8x4xf16>, %i8a: tensor<4x8xi8>, %i8b: tensor<8x4xi8>, %ci: tensor<4x4xi32>, %i16: tensor<8x4xi16>, %b3: tensor<2x4x8xf32>, %d3: tensor<4x8x4xf32>, %c3: tensor<2x4x4xf32>, %u: tensor<8x4xf32>) {
  // expected-error@+1 {{gives ('tensor<16x2xf32>'), not ('tensor<32xf32>')}}
  %0 = tt.join %v, %v : tensor<16xf32> -> tensor<32xf32>
  tt.return
}

// -----

tt.func @f(%f: f32, %i: i32, %v: tensor<16xf32>, %w: tensor<8xf32>, %t: tensor<4x8xf32>, %one: tensor<f32>, %vi: tensor<16xi32>, %ti: tensor<4x8xi32>, %m: tensor<16xi1>, %m8: tensor<8xi1>, %c: tensor<4x4xf32>, %h: tensor<8x4xf16>, %i8a: tensor<4x8xi8>, %i8b: tensor<8x4xi8>, %ci: tensor<4x4xi32>, %i16: tensor<8x4xi16>, %b3: tensor<2x4x8xf32>, %d3: tensor<4x8x4xf32>, %c3: tensor<2x4x4xf32>, %u: tensor<8x4xf32>) {
  // expected-error@+1 {{expects a last dimension of size 2, got 'tensor<4x8xf32>'}}
  %0, %1 = tt.split %t : tensor<4x8xf32> -> tensor<4xf32>
  tt.return
}

// -----

tt.func @f(%f: f32, %i: i32, %v: tensor<16xf32>, %w: tensor<8xf32>, %t: tensor<4x8xf32>, %one: tensor<f32>, %vi: tensor<16xi32>, %ti: tensor<4x8xi32>, %m: tensor<16xi1>, %m8: tensor<8xi1>, %c: tensor<4x4xf32>, %h: tensor<8x4xf16>, %i8a: tensor<4x8xi8>, %i8b: tensor<8x4xi8>, %ci: tensor<4x4xi32>, %i16: tensor<8x4xi16>, %b3: tensor<2x4x8xf32>, %d3: tensor<4x8x4xf32>, %c3: tensor<2x4x4xf32>, %u: tensor<8x4xf32>) {
  // expected-error@+1 {{order [1] is not a permutation of the 2 dimensions of 'tensor<4x8xf32>'}}
  %0 = tt.trans %t {order = array<i32: 1>} : tensor<4x8xf32> -> tensor<8x4xf32>
  tt.return
}

// -----

tt.func @f(%f: f32, %i: i32, %v: tensor<16xf32>, %w: tensor<8xf32>, %t: tensor<4x8xf32>, %one: tensor<f32>, %vi: tensor<16xi32>, %ti: tensor<4x8xi32>, %m: tensor<16xi1>, %m8: tensor<8xi1>, %c: tensor<4x4xf32>, %h: tensor<8x4xf16>, %i8a: tensor<4x8xi8>, %i8b: tensor<8x4xi8>, %ci: tensor<4x4xi32>, %i16: tensor<8x4xi16>, %b3: tensor<2x4x8xf32>, %d3: tensor<4x8x4xf32>, %c3: tensor<2x4x4xf32>, %u: tensor<8x4xf32>) {
  // expected-error@+1 {{order [1, 1] is not a permutation of the 2 dimensions of 'tensor<4x8xf32>'}}
  %0 = tt.trans %t {order = array<i32: 1, 1>} : tensor<4x8xf32> -> tensor<8x4xf32>
  tt.return
}

// -----

tt.func @f(%f: f32, %i: i32, %v: tensor<16xf32>, %w: tensor<8xf32>, %t: tensor<4x8xf32>, %one: tensor<f32>, %vi: tensor<16xi32>, %ti: tensor<4x8xi32>, %m: tensor<16xi1>, %m8: tensor<8xi1>, %c: tensor<4x4xf32>, %h: tensor<8x4xf16>, %i8a: tensor<4x8xi8>, %i8b: tensor<8x4xi8>, %ci: tensor<4x4xi32>, %i16: tensor<8x4xi16>, %b3: tensor<2x4x8xf32>, %d3: tensor<4x8x4xf32>, %c3: tensor<2x4x4xf32>, %u: tensor<8x4xf32>) {
  // expected-error@+1 {{gives ('tensor<8x4xf32>'), not ('tensor<4x8xf32>')}}
  %0 = tt.trans %t {order = array<i32: 1, 0>} : tensor<4x8xf32> -> tensor<4x8xf32>
  tt.return
}

// -----

tt.func @f(%f: f32, %i: i32, %v: tensor<16xf32>, %w: tensor<8xf32>, %t: tensor<4x8xf32>, %one: tensor<f32>, %vi: tensor<16xi32>, %ti: tensor<4x8xi32>, %m: tensor<16xi1>, %m8: tensor<8xi1>, %c: tensor<4x4xf32>, %h: tensor<8x4xf16>, %i8a: tensor<4x8xi8>, %i8b: tensor<8x4xi8>, %ci: tensor<4x4xi32>, %i16: tensor<8x4xi16>, %b3: tensor<2x4x8xf32>, %d3: tensor<4x8x4xf32>, %c3: tensor<2x4x4xf32>, %u: tensor<8x4xf32>) {
  // expected-error@+1 {{expects a start below the end, got 4 and 4}}
  %0 = tt.make_range {start = 4 : i32, end = 4 : i32} : tensor<1xi32>
  tt.return
}

// -----

tt.func @f(%f: f32, %i: i32, %v: tensor<16xf32>, %w: tensor<8xf32>, %t: tensor<4x8xf32>, %one: tensor<f32>, %vi: tensor<16xi32>, %ti: tensor<4x8xi32>, %m: tensor<16xi1>, %m8: tensor<8xi1>, %c: tensor<4x4xf32>, %h: tensor<8x4xf16>, %i8a: tensor<4x8xi8>, %i8b: tensor<8x4xi8>, %ci: tensor<4x4xi32>, %i16: tensor<8x4xi16>, %b3: tensor<2x4x8xf32>, %d3: tensor<4x8x4xf32>, %c3: tensor<2x4x4xf32>, %u: tensor<8x4xf32>) {
  // expected-error@+1 {{from 0 to 8 gives a tensor<8xi32>, not 'tensor<16xi32>'}}
  %0 = tt.make_range {start = 0 : i32, end = 8 : i32} : tensor<16xi32>
  tt.return
}

// -----

tt.func @f(%f: f32, %i: i32, %v: tensor<16xf32>, %w: tensor<8xf32>, %t: tensor<4x8xf32>, %one: tensor<f32>, %vi: tensor<16xi32>, %ti: tensor<4x8xi32>, %m: tensor<16xi1>, %m8: tensor<8xi1>, %c: tensor<4x4xf32>, %h: tensor<8x4xf16>, %i8a: tensor<4x8xi8>, %i8b: tensor<8x4xi8>, %ci: tensor<4x4xi32>, %i16: tensor<8x4xi16>, %b3: tensor<2x4x8xf32>, %d3: tensor<4x8x4xf32>, %c3: tensor<2x4x4xf32>, %u: tensor<8x4xf32>) {
  // expected-error@+1 {{from 0 to 8 gives a tensor<8xi32>, not 'tensor<8xi64>'}}
  %0 = tt.make_range {start = 0 : i32, end = 8 : i32} : tensor<8xi64>
  tt.return
}

// -----

tt.func @f(%f: f32, %i: i32, %v: tensor<16xf32>, %w: tensor<8xf32>, %t: tensor<4x8xf32>, %one: tensor<f32>, %vi: tensor<16xi32>, %ti: tensor<4x8xi32>, %m: tensor<16xi1>, %m8: tensor<8xi1>, %c: tensor<4x4xf32>, %h: tensor<8x4xf16>, %i8a: tensor<4x8xi8>, %i8b: tensor<8x4xi8>, %ci: tensor<4x4xi32>, %i16: tensor<8x4xi16>, %b3: tensor<2x4x8xf32>, %d3: tensor<4x8x4xf32>, %c3: tensor<2x4x4xf32>, %u: tensor<8x4xf32>) {
  // expected-error@+1 {{expects a source of one dimension, got 'tensor<4x8xi32>'}}
  %0 = tt.histogram %ti : tensor<4x8xi32> -> tensor<16xi32>
  tt.return
}

// -----

tt.func @f(%f: f32, %i: i32, %v: tensor<16xf32>, %w: tensor<8xf32>, %t: tensor<4x8xf32>, %one: tensor<f32>, %vi: tensor<16xi32>, %ti: tensor<4x8xi32>, %m: tensor<16xi1>, %m8: tensor<8xi1>, %c: tensor<4x4xf32>, %h: tensor<8x4xf16>, %i8a: tensor<4x8xi8>, %i8b: tensor<8x4xi8>, %ci: tensor<4x4xi32>, %i16: tensor<8x4xi16>, %b3: tensor<2x4x8xf32>, %d3: tensor<4x8x4xf32>, %c3: tensor<2x4x4xf32>, %u: tensor<8x4xf32>) {
  // expected-error@+1 {{expects a mask of type 'tensor<16xi1>', got 'tensor<8xi1>'}}
  %0 = "tt.histogram"(%vi, %m8) : (tensor<16xi32>, tensor<8xi1>) -> tensor<16xi32>
  tt.return
}

// -----

tt.func @f(%f: f32, %i: i32, %v: tensor<16xf32>, %w: tensor<8xf32>, %t: tensor<4x8xf32>, %one: tensor<f32>, %vi: tensor<16xi32>, %ti: tensor<4x8xi32>, %m: tensor<16xi1>, %m8: tensor<8xi1>, %c: tensor<4x4xf32>, %h: tensor<8x4xf16>, %i8a: tensor<4x8xi8>, %i8b: tensor<8x4xi8>, %ci: tensor<4x4xi32>, %i16: tensor<8x4xi16>, %b3: tensor<2x4x8xf32>, %d3: tensor<4x8x4xf32>, %c3: tensor<2x4x4xf32>, %u: tensor<8x4xf32>) {
  // expected-error@+1 {{expects a result of one dimension of i32, got 'tensor<16xi64>'}}
  %0 = tt.histogram %vi : tensor<16xi32> -> tensor<16xi64>
  tt.return
}

// -----

tt.func @f(%f: f32, %i: i32, %v: tensor<16xf32>, %w: tensor<8xf32>, %t: tensor<4x8xf32>, %one: tensor<f32>, %vi: tensor<16xi32>, %ti: tensor<4x8xi32>, %m: tensor<16xi1>, %m8: tensor<8xi1>, %c: tensor<4x4xf32>, %h: tensor<8x4xf16>, %i8a: tensor<4x8xi8>, %i8b: tensor<8x4xi8>, %ci: tensor<4x4xi32>, %i16: tensor<8x4xi16>, %b3: tensor<2x4x8xf32>, %d3: tensor<4x8x4xf32>, %c3: tensor<2x4x4xf32>, %u: tensor<8x4xf32>) {
  // expected-error@+1 {{axis 1 is not a dimension of 'tensor<16xf32>'}}
  %0 = tt.gather %v[%vi] {axis = 1 : i32} : (tensor<16xf32>, tensor<16xi32>) -> tensor<16xf32>
  tt.return
}

// -----

tt.func @f(%f: f32, %i: i32, %v: tensor<16xf32>, %w: tensor<8xf32>, %t: tensor<4x8xf32>, %one: tensor<f32>, %vi: tensor<16xi32>, %ti: tensor<4x8xi32>, %m: tensor<16xi1>, %m8: tensor<8xi1>, %c: tensor<4x4xf32>, %h: tensor<8x4xf16>, %i8a: tensor<4x8xi8>, %i8b: tensor<8x4xi8>, %ci: tensor<4x4xi32>, %i16: tensor<8x4xi16>, %b3: tensor<2x4x8xf32>, %d3: tensor<4x8x4xf32>, %c3: tensor<2x4x4xf32>, %u: tensor<8x4xf32>) {
  // expected-error@+1 {{expects indices of the source's rank, got 'tensor<16xi32>' for 'tensor<4x8xf32>'}}
  %0 = tt.gather %t[%vi] {axis = 1 : i32} : (tensor<4x8xf32>, tensor<16xi32>) -> tensor<16xf32>
  tt.return
}

// -----

tt.func @f(%f: f32, %i: i32, %v: tensor<16xf32>, %w: tensor<8xf32>, %t: tensor<4x8xf32>, %one: tensor<f32>, %vi: tensor<16xi32>, %ti: tensor<4x8xi32>, %m: tensor<16xi1>, %m8: tensor<8xi1>, %c: tensor<4x4xf32>, %h: tensor<8x4xf16>, %i8a: tensor<4x8xi8>, %i8b: tensor<8x4xi8>, %ci: tensor<4x4xi32>, %i16: tensor<8x4xi16>, %b3: tensor<2x4x8xf32>, %d3: tensor<4x8x4xf32>, %c3: tensor<2x4x4xf32>, %u: tensor<8x4xf32>) {
  // expected-error@+1 {{expects indices that differ from 'tensor<8x4xf32>' along axis 0 only, got 'tensor<4x8xi32>'}}
  %0 = tt.gather %u[%ti] {axis = 0 : i32} : (tensor<8x4xf32>, tensor<4x8xi32>) -> tensor<4x8xf32>
  tt.return
}

// -----

tt.func @f(%f: f32, %i: i32, %v: tensor<16xf32>, %w: tensor<8xf32>, %t: tensor<4x8xf32>, %one: tensor<f32>, %vi: tensor<16xi32>, %ti: tensor<4x8xi32>, %m: tensor<16xi1>, %m8: tensor<8xi1>, %c: tensor<4x4xf32>, %h: tensor<8x4xf16>, %i8a: tensor<4x8xi8>, %i8b: tensor<8x4xi8>, %ci: tensor<4x4xi32>, %i16: tensor<8x4xi16>, %b3: tensor<2x4x8xf32>, %d3: tensor<4x8x4xf32>, %c3: tensor<2x4x4xf32>, %u: tensor<8x4xf32>) {
  // expected-error@+1 {{expects operands that all have 2 or all have 3 dimensions, got 'tensor<16xf32>', 'tensor<16xf32>' and 'tensor<4x4xf32>'}}
  %0 = tt.dot %v, %v, %c : tensor<16xf32> * tensor<16xf32> -> tensor<4x4xf32>
  tt.return
}

// -----

tt.func @f(%f: f32, %i: i32, %v: tensor<16xf32>, %w: tensor<8xf32>, %t: tensor<4x8xf32>, %one: tensor<f32>, %vi: tensor<16xi32>, %ti: tensor<4x8xi32>, %m: tensor<16xi1>, %m8: tensor<8xi1>, %c: tensor<4x4xf32>, %h: tensor<8x4xf16>, %i8a: tensor<4x8xi8>, %i8b: tensor<8x4xi8>, %ci: tensor<4x4xi32>, %i16: tensor<8x4xi16>, %b3: tensor<2x4x8xf32>, %d3: tensor<4x8x4xf32>, %c3: tensor<2x4x4xf32>, %u: tensor<8x4xf32>) {
  // expected-error@+1 {{expects operands of one batch size, got 'tensor<2x4x8xf32>', 'tensor<4x8x4xf32>' and 'tensor<2x4x4xf32>'}}
  %0 = tt.dot %b3, %d3, %c3 : tensor<2x4x8xf32> * tensor<4x8x4xf32> -> tensor<2x4x4xf32>
  tt.return
}

// -----

tt.func @f(%f: f32, %i: i32, %v: tensor<16xf32>, %w: tensor<8xf32>, %t: tensor<4x8xf32>, %one: tensor<f32>, %vi: tensor<16xi32>, %ti: tensor<4x8xi32>, %m: tensor<16xi1>, %m8: tensor<8xi1>, %c: tensor<4x4xf32>, %h: tensor<8x4xf16>, %i8a: tensor<4x8xi8>, %i8b: tensor<8x4xi8>, %ci: tensor<4x4xi32>, %i16: tensor<8x4xi16>, %b3: tensor<2x4x8xf32>, %d3: tensor<4x8x4xf32>, %c3: tensor<2x4x4xf32>, %u: tensor<8x4xf32>) {
  // expected-error@+1 {{expects one size of the reduction dimension, got 8 in the left and 4 in the right operand}}
  %0 = tt.dot %t, %c, %c : tensor<4x8xf32> * tensor<4x4xf32> -> tensor<4x4xf32>
  tt.return
}

// -----

tt.func @f(%f: f32, %i: i32, %v: tensor<16xf32>, %w: tensor<8xf32>, %t: tensor<4x8xf32>, %one: tensor<f32>, %vi: tensor<16xi32>, %ti: tensor<4x8xi32>, %m: tensor<16xi1>, %m8: tensor<8xi1>, %c: tensor<4x4xf32>, %h: tensor<8x4xf16>, %i8a: tensor<4x8xi8>, %i8b: tensor<8x4xi8>, %ci: tensor<4x4xi32>, %i16: tensor<8x4xi16>, %b3: tensor<2x4x8xf32>, %d3: tensor<4x8x4xf32>, %c3: tensor<2x4x4xf32>, %u: tensor<8x4xf32>) {
  // expected-error@+1 {{expects an accumulator of 4 rows and 4 columns, got 'tensor<4x8xf32>'}}
  %0 = tt.dot %t, %u, %t : tensor<4x8xf32> * tensor<8x4xf32> -> tensor<4x8xf32>
  tt.return
}

// -----

tt.func @f(%f: f32, %i: i32, %v: tensor<16xf32>, %w: tensor<8xf32>, %t: tensor<4x8xf32>, %one: tensor<f32>, %vi: tensor<16xi32>, %ti: tensor<4x8xi32>, %m: tensor<16xi1>, %m8: tensor<8xi1>, %c: tensor<4x4xf32>, %h: tensor<8x4xf16>, %i8a: tensor<4x8xi8>, %i8b: tensor<8x4xi8>, %ci: tensor<4x4xi32>, %i16: tensor<8x4xi16>, %b3: tensor<2x4x8xf32>, %d3: tensor<4x8x4xf32>, %c3: tensor<2x4x4xf32>, %u: tensor<8x4xf32>) {
  // expected-error@+1 {{expects operands of one kind and width, got 'f32' and 'f16' elements}}
  %0 = tt.dot %t, %h, %c : tensor<4x8xf32> * tensor<8x4xf16> -> tensor<4x4xf32>
  tt.return
}

// -----

tt.func @f(%f: f32, %i: i32, %v: tensor<16xf32>, %w: tensor<8xf32>, %t: tensor<4x8xf32>, %one: tensor<f32>, %vi: tensor<16xi32>, %ti: tensor<4x8xi32>, %m: tensor<16xi1>, %m8: tensor<8xi1>, %c: tensor<4x4xf32>, %h: tensor<8x4xf16>, %i8a: tensor<4x8xi8>, %i8b: tensor<8x4xi8>, %ci: tensor<4x4xi32>, %i16: tensor<8x4xi16>, %b3: tensor<2x4x8xf32>, %d3: tensor<4x8x4xf32>, %c3: tensor<2x4x4xf32>, %u: tensor<8x4xf32>) {
  // expected-error@+1 {{expects operands of one kind and width, got 'i8' and 'i16' elements}}
  %0 = tt.dot %i8a, %i16, %ci : tensor<4x8xi8> * tensor<8x4xi16> -> tensor<4x4xi32>
  tt.return
}

// -----

tt.func @f(%f: f32, %i: i32, %v: tensor<16xf32>, %w: tensor<8xf32>, %t: tensor<4x8xf32>, %one: tensor<f32>, %vi: tensor<16xi32>, %ti: tensor<4x8xi32>, %m: tensor<16xi1>, %m8: tensor<8xi1>, %c: tensor<4x4xf32>, %h: tensor<8x4xf16>, %i8a: tensor<4x8xi8>, %i8b: tensor<8x4xi8>, %ci: tensor<4x4xi32>, %i16: tensor<8x4xi16>, %b3: tensor<2x4x8xf32>, %d3: tensor<4x8x4xf32>, %c3: tensor<2x4x4xf32>, %u: tensor<8x4xf32>) {
  // expected-error@+1 {{cannot accumulate products of 'i8' elements in 'f32'}}
  %0 = tt.dot %i8a, %i8b, %c : tensor<4x8xi8> * tensor<8x4xi8> -> tensor<4x4xf32>
  tt.return
}

// -----

tt.func @f(%f: f32, %i: i32, %v: tensor<16xf32>, %w: tensor<8xf32>, %t: tensor<4x8xf32>, %one: tensor<f32>, %vi: tensor<16xi32>, %ti: tensor<4x8xi32>, %m: tensor<16xi1>, %m8: tensor<8xi1>, %c: tensor<4x4xf32>, %h: tensor<8x4xf16>, %i8a: tensor<4x8xi8>, %i8b: tensor<8x4xi8>, %ci: tensor<4x4xi32>, %i16: tensor<8x4xi16>, %b3: tensor<2x4x8xf32>, %d3: tensor<4x8x4xf32>, %c3: tensor<2x4x4xf32>, %u: tensor<8x4xf32>) {
  // expected-error@+1 {{failed to verify that all of {c, d} have same type}}
  %0 = "tt.dot"(%t, %u, %c) : (tensor<4x8xf32>, tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf64>
  tt.return
}

// -----

tt.func @f(%f: f32, %i: i32, %v: tensor<16xf32>, %w: tensor<8xf32>, %t: tensor<4x8xf32>, %one: tensor<f32>, %vi: tensor<16xi32>, %ti: tensor<4x8xi32>, %m: tensor<16xi1>, %m8: tensor<8xi1>, %c: tensor<4x4xf32>, %h: tensor<8x4xf16>, %i8a: tensor<4x8xi8>, %i8b: tensor<8x4xi8>, %ci: tensor<4x4xi32>, %i16: tensor<8x4xi16>, %b3: tensor<2x4x8xf32>, %d3: tensor<4x8x4xf32>, %c3: tensor<2x4x4xf32>, %u: tensor<8x4xf32>) {
  // expected-error@+1 {{left operand of format bf16 cannot have elements of type 'f32'}}
  %0 = tt.dot_scaled %t, %u, %c lhs = bf16 rhs = e5m2 {fastMath = false} : tensor<4x8xf32> * tensor<8x4xf32> -> tensor<4x4xf32>
  tt.return
}

// -----

tt.func @f(%f: f32, %i: i32, %v: tensor<16xf32>, %w: tensor<8xf32>, %t: tensor<4x8xf32>, %one: tensor<f32>, %vi: tensor<16xi32>, %ti: tensor<4x8xi32>, %m: tensor<16xi1>, %m8: tensor<8xi1>, %c: tensor<4x4xf32>, %h: tensor<8x4xf16>, %i8a: tensor<4x8xi8>, %i8b: tensor<8x4xi8>, %ci: tensor<4x4xi32>, %i16: tensor<8x4xi16>, %b3: tensor<2x4x8xf32>, %d3: tensor<4x8x4xf32>, %c3: tensor<2x4x4xf32>, %u: tensor<8x4xf32>) {
  // expected-error@+1 {{right operand of format fp16 cannot have elements of type 'i8'}}
  %0 = tt.dot_scaled %i8a, %i8b, %c lhs = e4m3 rhs = fp16 {fastMath = false} : tensor<4x8xi8> * tensor<8x4xi8> -> tensor<4x4xf32>
  tt.return
}

// -----

tt.func @f(%f: f32, %i: i32, %v: tensor<16xf32>, %w: tensor<8xf32>, %t: tensor<4x8xf32>, %one: tensor<f32>, %vi: tensor<16xi32>, %ti: tensor<4x8xi32>, %m: tensor<16xi1>, %m8: tensor<8xi1>, %c: tensor<4x4xf32>, %h: tensor<8x4xf16>, %i8a: tensor<4x8xi8>, %i8b: tensor<8x4xi8>, %ci: tensor<4x4xi32>, %i16: tensor<8x4xi16>, %b3: tensor<2x4x8xf32>, %d3: tensor<4x8x4xf32>, %c3: tensor<2x4x4xf32>, %u: tensor<8x4xf32>) {
  // expected-error@+1 {{expects one size of the reduction dimension, got 16 in the left and 8 in the right operand}}
  %0 = tt.dot_scaled %i8a, %h, %c lhs = e2m1 rhs = fp16 {fastMath = false} : tensor<4x8xi8> * tensor<8x4xf16> -> tensor<4x4xf32>
  tt.return
}

// -----

tt.func @f(%f: f32, %i: i32, %v: tensor<16xf32>, %w: tensor<8xf32>, %t: tensor<4x8xf32>, %one: tensor<f32>, %vi: tensor<16xi32>, %ti: tensor<4x8xi32>, %m: tensor<16xi1>, %m8: tensor<8xi1>, %c: tensor<4x4xf32>, %h: tensor<8x4xf16>, %i8a: tensor<4x8xi8>, %i8b: tensor<8x4xi8>, %ci: tensor<4x4xi32>, %i16: tensor<8x4xi16>, %b3: tensor<2x4x8xf32>, %d3: tensor<4x8x4xf32>, %c3: tensor<2x4x4xf32>, %u: tensor<8x4xf32>) {
  // expected-error@+1 {{left scale 'tensor<4x8xi8>' does not have one factor per 16 or 32 elements of an operand of 4 by 8}}
  %0 = tt.dot_scaled %i8a scale %i8a, %h, %c lhs = e5m2 rhs = fp16 {fastMath = false} : tensor<4x8xi8>, tensor<4x8xi8> * tensor<8x4xf16> -> tensor<4x4xf32>
  tt.return
}
