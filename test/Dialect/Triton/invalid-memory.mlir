// RUN: spine-triton-opt -split-input-file -verify-diagnostics %s

// Loads, stores and atomics whose parts do not fit.
tt.func @f(%b: !tt.ptr<tensor<16x32xf32>>, %bi: !tt.ptr<tensor<16x32xi32>>, %pp: tensor<16x!tt.ptr<f32>>, %p: !tt.ptr<f32>, %f: f32, %c: i1, %m: tensor<16xi1>, %m2: tensor<16x32xi1>, %v: tensor<16xf32>, %h: tensor<16xf16>, %t: tensor<16x32xf32>, %i: i32, %vi: tensor<16xi32>) {
  // expected-error@+1 {{boundaryCheck of dimension 2, which tile 'tensor<16x32xf32>' does not have}}
  %0 = tt.load %b {boundaryCheck = array<i32: 0, 2>} : !tt.ptr<tensor<16x32xf32>>
  tt.return
}

// -----

tt.func @f(%b: !tt.ptr<tensor<16x32xf32>>, %bi: !tt.ptr<tensor<16x32xi32>>, %pp: tensor<16x!tt.ptr<f32>>, %p: !tt.ptr<f32>, %f: f32, %c: i1, %m: tensor<16xi1>, %m2: tensor<16x32xi1>, %v: tensor<16xf32>, %h: tensor<16xf16>, %t: tensor<16x32xf32>, %i: i32, %vi: tensor<16xi32>) {
  // expected-error@+1 {{boundaryCheck of dimension -1, which tile 'tensor<16x32xf32>' does not have}}
  %0 = tt.load %b {boundaryCheck = array<i32: -1>} : !tt.ptr<tensor<16x32xf32>>
  tt.return
}

// -----

tt.func @f(%b: !tt.ptr<tensor<16x32xf32>>, %bi: !tt.ptr<tensor<16x32xi32>>, %pp: tensor<16x!tt.ptr<f32>>, %p: !tt.ptr<f32>, %f: f32, %c: i1, %m: tensor<16xi1>, %m2: tensor<16x32xi1>, %v: tensor<16xf32>, %h: tensor<16xf16>, %t: tensor<16x32xf32>, %i: i32, %vi: tensor<16xi32>) {
  // expected-error@+1 {{boundaryCheck has dimension 1 more than once}}
  %0 = tt.load %b {boundaryCheck = array<i32: 1, 1>} : !tt.ptr<tensor<16x32xf32>>
  tt.return
}

// -----

tt.func @f(%b: !tt.ptr<tensor<16x32xf32>>, %bi: !tt.ptr<tensor<16x32xi32>>, %pp: tensor<16x!tt.ptr<f32>>, %p: !tt.ptr<f32>, %f: f32, %c: i1, %m: tensor<16xi1>, %m2: tensor<16x32xi1>, %v: tensor<16xf32>, %h: tensor<16xf16>, %t: tensor<16x32xf32>, %i: i32, %vi: tensor<16xi32>) {
  // expected-error@+1 {{boundaryCheck is for pointers to tiles, got 'tensor<16x!tt.ptr<f32>>'}}
  %0 = tt.load %pp {boundaryCheck = array<i32: 0>} : tensor<16x!tt.ptr<f32>>
  tt.return
}

// -----

tt.func @f(%b: !tt.ptr<tensor<16x32xf32>>, %bi: !tt.ptr<tensor<16x32xi32>>, %pp: tensor<16x!tt.ptr<f32>>, %p: !tt.ptr<f32>, %f: f32, %c: i1, %m: tensor<16xi1>, %m2: tensor<16x32xi1>, %v: tensor<16xf32>, %h: tensor<16xf16>, %t: tensor<16x32xf32>, %i: i32, %vi: tensor<16xi32>) {
  // expected-error@+1 {{padding is for pointers to tiles, got '!tt.ptr<f32>'}}
  %0 = tt.load %p {padding = 1 : i32} : !tt.ptr<f32>
  tt.return
}

// -----

tt.func @f(%b: !tt.ptr<tensor<16x32xf32>>, %bi: !tt.ptr<tensor<16x32xi32>>, %pp: tensor<16x!tt.ptr<f32>>, %p: !tt.ptr<f32>, %f: f32, %c: i1, %m: tensor<16xi1>, %m2: tensor<16x32xi1>, %v: tensor<16xf32>, %h: tensor<16xf16>, %t: tensor<16x32xf32>, %i: i32, %vi: tensor<16xi32>) {
  // expected-error@+1 {{padding with NaN needs floating-point elements, got 'i32'}}
  %0 = tt.load %bi {boundaryCheck = array<i32: 0>, padding = 2 : i32} : !tt.ptr<tensor<16x32xi32>>
  tt.return
}

// -----

tt.func @f(%b: !tt.ptr<tensor<16x32xf32>>, %bi: !tt.ptr<tensor<16x32xi32>>, %pp: tensor<16x!tt.ptr<f32>>, %p: !tt.ptr<f32>, %f: f32, %c: i1, %m: tensor<16xi1>, %m2: tensor<16x32xi1>, %v: tensor<16xf32>, %h: tensor<16xf16>, %t: tensor<16x32xf32>, %i: i32, %vi: tensor<16xi32>) {
  // expected-error@+1 {{takes no mask with a pointer to a tile: use boundaryCheck}}
  %0 = tt.load %b, %m2 : !tt.ptr<tensor<16x32xf32>>
  tt.return
}

// -----

tt.func @f(%b: !tt.ptr<tensor<16x32xf32>>, %bi: !tt.ptr<tensor<16x32xi32>>, %pp: tensor<16x!tt.ptr<f32>>, %p: !tt.ptr<f32>, %f: f32, %c: i1, %m: tensor<16xi1>, %m2: tensor<16x32xi1>, %v: tensor<16xf32>, %h: tensor<16xf16>, %t: tensor<16x32xf32>, %i: i32, %vi: tensor<16xi32>) {
  // expected-error@+1 {{has a value for masked elements but no mask}}
  %0 = "tt.load"(%p, %f) <{operandSegmentSizes = array<i32: 1, 0, 1>}> : (!tt.ptr<f32>, f32) -> f32
  tt.return
}

// -----

tt.func @f(%b: !tt.ptr<tensor<16x32xf32>>, %bi: !tt.ptr<tensor<16x32xi32>>, %pp: tensor<16x!tt.ptr<f32>>, %p: !tt.ptr<f32>, %f: f32, %c: i1, %m: tensor<16xi1>, %m2: tensor<16x32xi1>, %v: tensor<16xf32>, %h: tensor<16xf16>, %t: tensor<16x32xf32>, %i: i32, %vi: tensor<16xi32>) {
  // expected-error@+1 {{expects a mask of type 'tensor<16xi1>', got 'i1'}}
  %0 = "tt.load"(%pp, %c) <{operandSegmentSizes = array<i32: 1, 1, 0>}> : (tensor<16x!tt.ptr<f32>>, i1) -> tensor<16xf32>
  tt.return
}

// -----

tt.func @f(%b: !tt.ptr<tensor<16x32xf32>>, %bi: !tt.ptr<tensor<16x32xi32>>, %pp: tensor<16x!tt.ptr<f32>>, %p: !tt.ptr<f32>, %f: f32, %c: i1, %m: tensor<16xi1>, %m2: tensor<16x32xi1>, %v: tensor<16xf32>, %h: tensor<16xf16>, %t: tensor<16x32xf32>, %i: i32, %vi: tensor<16xi32>) {
  // expected-error@+1 {{expects a value of type 'tensor<16xf32>' for masked elements, got 'tensor<16xf16>'}}
  %0 = "tt.load"(%pp, %m, %h) <{operandSegmentSizes = array<i32: 1, 1, 1>}> : (tensor<16x!tt.ptr<f32>>, tensor<16xi1>, tensor<16xf16>) -> tensor<16xf32>
  tt.return
}

// -----

tt.func @f(%b: !tt.ptr<tensor<16x32xf32>>, %bi: !tt.ptr<tensor<16x32xi32>>, %pp: tensor<16x!tt.ptr<f32>>, %p: !tt.ptr<f32>, %f: f32, %c: i1, %m: tensor<16xi1>, %m2: tensor<16x32xi1>, %v: tensor<16xf32>, %h: tensor<16xf16>, %t: tensor<16x32xf32>, %i: i32, %vi: tensor<16xi32>) {
  // expected-error@+1 {{failed to verify that result is what ptr points to}}
  %0 = "tt.load"(%p) <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (!tt.ptr<f32>) -> f16
  tt.return
}

// -----

tt.func @f(%b: !tt.ptr<tensor<16x32xf32>>, %bi: !tt.ptr<tensor<16x32xi32>>, %pp: tensor<16x!tt.ptr<f32>>, %p: !tt.ptr<f32>, %f: f32, %c: i1, %m: tensor<16xi1>, %m2: tensor<16x32xi1>, %v: tensor<16xf32>, %h: tensor<16xf16>, %t: tensor<16x32xf32>, %i: i32, %vi: tensor<16xi32>) {
  // expected-error@+1 {{Invalid attribute `padding` in property conversion: 3 : i32}}
  %0 = "tt.load"(%b) <{operandSegmentSizes = array<i32: 1, 0, 0>, padding = 3 : i32}> : (!tt.ptr<tensor<16x32xf32>>) -> tensor<16x32xf32>
  tt.return
}

// -----

tt.func @f(%b: !tt.ptr<tensor<16x32xf32>>, %bi: !tt.ptr<tensor<16x32xi32>>, %pp: tensor<16x!tt.ptr<f32>>, %p: !tt.ptr<f32>, %f: f32, %c: i1, %m: tensor<16xi1>, %m2: tensor<16x32xi1>, %v: tensor<16xf32>, %h: tensor<16xf16>, %t: tensor<16x32xf32>, %i: i32, %vi: tensor<16xi32>) {
  // expected-error@+1 {{expects a value of type 'f32', got 'i32'}}
  "tt.store"(%p, %i) : (!tt.ptr<f32>, i32) -> ()
  tt.return
}

// -----

tt.func @f(%b: !tt.ptr<tensor<16x32xf32>>, %bi: !tt.ptr<tensor<16x32xi32>>, %pp: tensor<16x!tt.ptr<f32>>, %p: !tt.ptr<f32>, %f: f32, %c: i1, %m: tensor<16xi1>, %m2: tensor<16x32xi1>, %v: tensor<16xf32>, %h: tensor<16xf16>, %t: tensor<16x32xf32>, %i: i32, %vi: tensor<16xi32>) {
  // expected-error@+1 {{expects a value of type 'tensor<16x32xf32>', got 'tensor<16xf32>'}}
  "tt.store"(%b, %v) : (!tt.ptr<tensor<16x32xf32>>, tensor<16xf32>) -> ()
  tt.return
}

// -----

tt.func @f(%b: !tt.ptr<tensor<16x32xf32>>, %bi: !tt.ptr<tensor<16x32xi32>>, %pp: tensor<16x!tt.ptr<f32>>, %p: !tt.ptr<f32>, %f: f32, %c: i1, %m: tensor<16xi1>, %m2: tensor<16x32xi1>, %v: tensor<16xf32>, %h: tensor<16xf16>, %t: tensor<16x32xf32>, %i: i32, %vi: tensor<16xi32>) {
  // expected-error@+1 {{expects a mask of type 'tensor<16xi1>', got 'tensor<16x32xi1>'}}
  "tt.store"(%pp, %v, %m2) : (tensor<16x!tt.ptr<f32>>, tensor<16xf32>, tensor<16x32xi1>) -> ()
  tt.return
}

// -----

tt.func @f(%b: !tt.ptr<tensor<16x32xf32>>, %bi: !tt.ptr<tensor<16x32xi32>>, %pp: tensor<16x!tt.ptr<f32>>, %p: !tt.ptr<f32>, %f: f32, %c: i1, %m: tensor<16xi1>, %m2: tensor<16x32xi1>, %v: tensor<16xf32>, %h: tensor<16xf16>, %t: tensor<16x32xf32>, %i: i32, %vi: tensor<16xi32>) {
  // expected-error@+1 {{takes no mask with a pointer to a tile: use boundaryCheck}}
  tt.store %b, %t, %m2 : !tt.ptr<tensor<16x32xf32>>
  tt.return
}

// -----

tt.func @f(%b: !tt.ptr<tensor<16x32xf32>>, %bi: !tt.ptr<tensor<16x32xi32>>, %pp: tensor<16x!tt.ptr<f32>>, %p: !tt.ptr<f32>, %f: f32, %c: i1, %m: tensor<16xi1>, %m2: tensor<16x32xi1>, %v: tensor<16xf32>, %h: tensor<16xf16>, %t: tensor<16x32xf32>, %i: i32, %vi: tensor<16xi32>) {
  // expected-error@+1 {{boundaryCheck of dimension 5, which tile 'tensor<16x32xf32>' does not have}}
  tt.store %b, %t {boundaryCheck = array<i32: 5>} : !tt.ptr<tensor<16x32xf32>>
  tt.return
}

// -----

tt.func @f(%b: !tt.ptr<tensor<16x32xf32>>, %bi: !tt.ptr<tensor<16x32xi32>>, %pp: tensor<16x!tt.ptr<f32>>, %p: !tt.ptr<f32>, %f: f32, %c: i1, %m: tensor<16xi1>, %m2: tensor<16x32xi1>, %v: tensor<16xf32>, %h: tensor<16xf16>, %t: tensor<16x32xf32>, %i: i32, %vi: tensor<16xi32>) {
  // expected-error@+1 {{boundaryCheck has dimension 0 more than once}}
  tt.store %b, %t {boundaryCheck = array<i32: 0, 1, 0>} : !tt.ptr<tensor<16x32xf32>>
  tt.return
}

// -----

tt.func @f(%b: !tt.ptr<tensor<16x32xf32>>, %bi: !tt.ptr<tensor<16x32xi32>>, %pp: tensor<16x!tt.ptr<f32>>, %p: !tt.ptr<f32>, %f: f32, %c: i1, %m: tensor<16xi1>, %m2: tensor<16x32xi1>, %v: tensor<16xf32>, %h: tensor<16xf16>, %t: tensor<16x32xf32>, %i: i32, %vi: tensor<16xi32>) {
  // expected-error@+1 {{boundaryCheck is for pointers to tiles, got '!tt.ptr<f32>'}}
  tt.store %p, %f {boundaryCheck = array<i32: 0>} : !tt.ptr<f32>
  tt.return
}

// -----

tt.func @f(%b: !tt.ptr<tensor<16x32xf32>>, %bi: !tt.ptr<tensor<16x32xi32>>, %pp: tensor<16x!tt.ptr<f32>>, %p: !tt.ptr<f32>, %f: f32, %c: i1, %m: tensor<16xi1>, %m2: tensor<16x32xi1>, %v: tensor<16xf32>, %h: tensor<16xf16>, %t: tensor<16x32xf32>, %i: i32, %vi: tensor<16xi32>) {
  // expected-error@+1 {{expects a value of type 'f32', which the pointer points to, got 'i32'}}
  %0 = tt.atomic_rmw exch, relaxed, gpu, %p, %i : (!tt.ptr<f32>, i32) -> f32
  tt.return
}

// -----

tt.func @f(%b: !tt.ptr<tensor<16x32xf32>>, %bi: !tt.ptr<tensor<16x32xi32>>, %pp: tensor<16x!tt.ptr<f32>>, %p: !tt.ptr<f32>, %f: f32, %c: i1, %m: tensor<16xi1>, %m2: tensor<16x32xi1>, %v: tensor<16xf32>, %h: tensor<16xf16>, %t: tensor<16x32xf32>, %i: i32, %vi: tensor<16xi32>) {
  // expected-error@+1 {{expects a result of type 'f32', which the pointer points to, got 'i32'}}
  %0 = tt.atomic_rmw fadd, relaxed, gpu, %p, %f : (!tt.ptr<f32>, f32) -> i32
  tt.return
}

// -----

tt.func @f(%b: !tt.ptr<tensor<16x32xf32>>, %bi: !tt.ptr<tensor<16x32xi32>>, %pp: tensor<16x!tt.ptr<f32>>, %p: !tt.ptr<f32>, %f: f32, %c: i1, %m: tensor<16xi1>, %m2: tensor<16x32xi1>, %v: tensor<16xf32>, %h: tensor<16xf16>, %t: tensor<16x32xf32>, %i: i32, %vi: tensor<16xi32>) {
  // expected-error@+1 {{expects a mask of type 'i1', got 'tensor<16xi1>'}}
  %0 = tt.atomic_rmw fadd, relaxed, gpu, %p, %f, %m : (!tt.ptr<f32>, f32, tensor<16xi1>) -> f32
  tt.return
}

// -----

tt.func @f(%b: !tt.ptr<tensor<16x32xf32>>, %bi: !tt.ptr<tensor<16x32xi32>>, %pp: tensor<16x!tt.ptr<f32>>, %p: !tt.ptr<f32>, %f: f32, %c: i1, %m: tensor<16xi1>, %m2: tensor<16x32xi1>, %v: tensor<16xf32>, %h: tensor<16xf16>, %t: tensor<16x32xf32>, %i: i32, %vi: tensor<16xi32>) {
  // expected-error@+1 {{xor needs integer elements, got 'f32'}}
  %0 = tt.atomic_rmw xor, relaxed, gpu, %p, %f : (!tt.ptr<f32>, f32) -> f32
  tt.return
}

// -----

tt.func @f(%b: !tt.ptr<tensor<16x32xf32>>, %bi: !tt.ptr<tensor<16x32xi32>>, %pp: tensor<16x!tt.ptr<f32>>, %p: !tt.ptr<f32>, %f: f32, %c: i1, %m: tensor<16xi1>, %m2: tensor<16x32xi1>, %v: tensor<16xf32>, %h: tensor<16xf16>, %t: tensor<16x32xf32>, %i: i32, %vi: tensor<16xi32>, %0: tensor<16x!tt.ptr<i32>>) {
  // expected-error@+1 {{fadd needs floating-point elements, got 'i32'}}
  %1 = tt.atomic_rmw fadd, relaxed, gpu, %0, %vi : (tensor<16x!tt.ptr<i32>>, tensor<16xi32>) -> tensor<16xi32>
  tt.return
}

// -----

tt.func @f(%b: !tt.ptr<tensor<16x32xf32>>, %bi: !tt.ptr<tensor<16x32xi32>>, %pp: tensor<16x!tt.ptr<f32>>, %p: !tt.ptr<f32>, %f: f32, %c: i1, %m: tensor<16xi1>, %m2: tensor<16x32xi1>, %v: tensor<16xf32>, %h: tensor<16xf16>, %t: tensor<16x32xf32>, %i: i32, %vi: tensor<16xi32>) {
  // expected-error@+1 {{expects a value to compare with of type 'f32', which the pointer points to, got 'i32'}}
  %0 = tt.atomic_cas relaxed, gpu, %p, %i, %f : (!tt.ptr<f32>, i32, f32) -> f32
  tt.return
}

// -----

tt.func @f(%b: !tt.ptr<tensor<16x32xf32>>, %bi: !tt.ptr<tensor<16x32xi32>>, %pp: tensor<16x!tt.ptr<f32>>, %p: !tt.ptr<f32>, %f: f32, %c: i1, %m: tensor<16xi1>, %m2: tensor<16x32xi1>, %v: tensor<16xf32>, %h: tensor<16xf16>, %t: tensor<16x32xf32>, %i: i32, %vi: tensor<16xi32>) {
  // expected-error@+1 {{expects a new value of type 'f32', which the pointer points to, got 'i32'}}
  %0 = tt.atomic_cas relaxed, gpu, %p, %f, %i : (!tt.ptr<f32>, f32, i32) -> f32
  tt.return
}

// -----

tt.func @f(%b: !tt.ptr<tensor<16x32xf32>>, %bi: !tt.ptr<tensor<16x32xi32>>, %pp: tensor<16x!tt.ptr<f32>>, %p: !tt.ptr<f32>, %f: f32, %c: i1, %m: tensor<16xi1>, %m2: tensor<16x32xi1>, %v: tensor<16xf32>, %h: tensor<16xf16>, %t: tensor<16x32xf32>, %i: i32, %vi: tensor<16xi32>) {
  // expected-error@+1 {{expects a result of type 'f32', which the pointer points to, got 'i32'}}
  %0 = tt.atomic_cas relaxed, gpu, %p, %f, %f : (!tt.ptr<f32>, f32, f32) -> i32
  tt.return
}
