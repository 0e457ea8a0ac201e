// RUN: spine-triton-opt -split-input-file -verify-diagnostics %s

// Bodies that do not fit their operations.
tt.func @f(%v: tensor<16xf32>, %w: tensor<8xf32>, %t: tensor<4x16xf32>) {
  // expected-error@+1 {{axis 1 is not a dimension of 'tensor<16xf32>'}}
  %0 = "tt.reduce"(%v) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    tt.reduce.return %a : f32
  }) : (tensor<16xf32>) -> f32
  tt.return
}

// -----

tt.func @f(%v: tensor<16xf32>, %w: tensor<8xf32>, %t: tensor<4x16xf32>) {
  // expected-error@+1 {{gives ('f32'), not ('tensor<16xf32>')}}
  %0 = "tt.reduce"(%v) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    tt.reduce.return %a : f32
  }) : (tensor<16xf32>) -> tensor<16xf32>
  tt.return
}

// -----

tt.func @f(%v: tensor<16xf32>, %w: tensor<8xf32>, %t: tensor<4x16xf32>) {
  // expected-error@+1 {{expects sources of one shape, got 'tensor<16xf32>' and 'tensor<8xf32>'}}
  %0:2 = "tt.reduce"(%v, %w) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
    tt.reduce.return %a, %b : f32, f32
  }) : (tensor<16xf32>, tensor<8xf32>) -> (f32, f32)
  tt.return
}

// -----

tt.func @f(%v: tensor<16xf32>, %w: tensor<8xf32>, %t: tensor<4x16xf32>) {
  // expected-error@+1 {{expects a body with arguments ('f32', 'f32'), got ('f32')}}
  %0 = "tt.reduce"(%v) <{axis = 0 : i32}> ({
  ^bb0(%a: f32):
    tt.reduce.return %a : f32
  }) : (tensor<16xf32>) -> f32
  tt.return
}

// -----

tt.func @f(%v: tensor<16xf32>, %w: tensor<8xf32>, %t: tensor<4x16xf32>) {
  // expected-error@+1 {{expects a body with arguments ('f32', 'f32'), got ('f32', 'i32')}}
  %0 = "tt.reduce"(%v) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: i32):
    tt.reduce.return %a : f32
  }) : (tensor<16xf32>) -> f32
  tt.return
}

// -----

tt.func @f(%v: tensor<16xf32>, %w: tensor<8xf32>, %t: tensor<4x16xf32>) {
  // expected-error@+1 {{expects a body with results ('f32'), got ('f32', 'f32')}}
  %0 = "tt.reduce"(%v) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    tt.reduce.return %a, %b : f32, f32
  }) : (tensor<16xf32>) -> f32
  tt.return
}

// -----

tt.func @f(%v: tensor<16xf32>, %w: tensor<8xf32>, %t: tensor<4x16xf32>) {
  // expected-error@+1 {{expects a body that ends with tt.reduce.return}}
  %0 = "tt.reduce"(%v) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    llvm.unreachable
  }) : (tensor<16xf32>) -> f32
  tt.return
}

// -----

tt.func @f(%v: tensor<16xf32>, %w: tensor<8xf32>, %t: tensor<4x16xf32>) {
  // expected-error@+1 {{expects at least one source}}
  "tt.reduce"() <{axis = 0 : i32}> ({
  ^bb0:
    "tt.reduce.return"() : () -> ()
  }) : () -> ()
  tt.return
}

// -----

tt.func @f(%v: tensor<16xf32>, %w: tensor<8xf32>, %t: tensor<4x16xf32>) {
  // expected-error@+1 {{axis 2 is not a dimension of 'tensor<4x16xf32>'}}
  %0 = "tt.scan"(%t) <{axis = 2 : i32, reverse = false}> ({
  ^bb0(%a: f32, %b: f32):
    tt.scan.return %a : f32
  }) : (tensor<4x16xf32>) -> tensor<4x16xf32>
  tt.return
}

// -----

tt.func @f(%v: tensor<16xf32>, %w: tensor<8xf32>, %t: tensor<4x16xf32>) {
  // expected-error@+1 {{gives ('tensor<16xf32>'), not ('tensor<8xf32>')}}
  %0 = "tt.scan"(%v) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%a: f32, %b: f32):
    tt.scan.return %a : f32
  }) : (tensor<16xf32>) -> tensor<8xf32>
  tt.return
}

// -----

tt.func @f(%v: tensor<16xf32>, %w: tensor<8xf32>, %t: tensor<4x16xf32>) {
  // expected-error@+1 {{expects a body with arguments ('f32', 'f32'), got ('f32')}}
  %0 = "tt.scan"(%v) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%a: f32):
    tt.scan.return %a : f32
  }) : (tensor<16xf32>) -> tensor<16xf32>
  tt.return
}

// -----

tt.func @f(%v: tensor<16xf32>, %w: tensor<8xf32>, %t: tensor<4x16xf32>) {
  // expected-error@+1 {{expects a body that ends with tt.scan.return}}
  %0 = "tt.scan"(%v) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%a: f32, %b: f32):
    llvm.unreachable
  }) : (tensor<16xf32>) -> tensor<16xf32>
  tt.return
}

// -----

tt.func @f(%v: tensor<16xf32>, %w: tensor<8xf32>, %t: tensor<4x16xf32>) {
  // expected-error@+1 {{expects a body with arguments ('f32', 'f32'), got ('f32')}}
  %0 = "tt.map_elementwise"(%v) <{pack = 2 : i32}> ({
  ^bb0(%a: f32):
    tt.map_elementwise.return %a, %a : f32, f32
  }) : (tensor<16xf32>) -> tensor<16xf32>
  tt.return
}

// -----

tt.func @f(%v: tensor<16xf32>, %w: tensor<8xf32>, %t: tensor<4x16xf32>) {
  // expected-error@+1 {{expects a body with results ('f32', 'f32'), got ('f32')}}
  %0 = "tt.map_elementwise"(%v) <{pack = 2 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    tt.map_elementwise.return %a : f32
  }) : (tensor<16xf32>) -> tensor<16xf32>
  tt.return
}

// -----

tt.func @f(%v: tensor<16xf32>, %w: tensor<8xf32>, %t: tensor<4x16xf32>) {
  // expected-error@+1 {{expects a pack that divides the 16 elements of a source, got 3}}
  %0 = "tt.map_elementwise"(%v) <{pack = 3 : i32}> ({
  ^bb0(%a: f32, %b: f32, %c: f32):
    tt.map_elementwise.return %a, %b, %c : f32, f32, f32
  }) : (tensor<16xf32>) -> tensor<16xf32>
  tt.return
}

// -----

tt.func @f(%v: tensor<16xf32>, %w: tensor<8xf32>, %t: tensor<4x16xf32>) {
  // expected-error@+1 {{expects a pack that divides the 16 elements of a source, got 0}}
  %0 = "tt.map_elementwise"(%v) <{pack = 0 : i32}> ({
  ^bb0():
    tt.map_elementwise.return
  }) : (tensor<16xf32>) -> tensor<16xf32>
  tt.return
}

// -----

tt.func @f(%v: tensor<16xf32>, %w: tensor<8xf32>, %t: tensor<4x16xf32>) {
  // expected-error@+1 {{expects results of the sources' shape, got 'tensor<8xf32>' for 'tensor<16xf32>'}}
  %0 = "tt.map_elementwise"(%v) <{pack = 1 : i32}> ({
  ^bb0(%a: f32):
    tt.map_elementwise.return %a : f32
  }) : (tensor<16xf32>) -> tensor<8xf32>
  tt.return
}

// -----

tt.func @f(%v: tensor<16xf32>, %w: tensor<8xf32>, %t: tensor<4x16xf32>) {
  // expected-error@+1 {{expects a body}}
  %0 = "tt.map_elementwise"(%v) <{pack = 1 : i32}> ({
  }) : (tensor<16xf32>) -> tensor<16xf32>
  tt.return
}
