// RUN: spine-triton-opt -split-input-file -verify-diagnostics %s

// Types of things that no program can hold.

// expected-error@+1 {{dimension 1 of tile 'tensor<16x?xf32>' is dynamic: tiles have a static shape}}
tt.func private @f(!tt.ptr<tensor<16x?xf32>>)

// -----

// expected-error@+1 {{dimension 0 of tile 'tensor<0x16xf32>' has size 0: tiles are not empty}}
tt.func private @f(!tt.ptr<tensor<0x16xf32>>)

// -----

// expected-error@+1 {{tile 'tensor<4611686018427387904x4xf32>' has more elements than 64 bits can count}}
tt.func private @f(!tt.ptr<tensor<4611686018427387904x4xf32>>)

// -----

// expected-error@+1 {{tile 'tensor<1073741824x1073741824xf64>' has more bits than 64 bits can count}}
tt.func private @f(!tt.ptr<tensor<1073741824x1073741824xf64>>)

// -----

// expected-error@+1 {{pointer to 'index': pointers address numbers, pointers to scalars, and tiles of them}}
tt.func private @f(!tt.ptr<index>)

// -----

// expected-error@+1 {{pointer to 'memref<4xf32>': pointers address numbers}}
tt.func private @f(!tt.ptr<memref<4xf32>>)

// -----

// expected-error@+1 {{pointer to 'tensor<*xf32>': pointers address numbers}}
tt.func private @f(!tt.ptr<tensor<*xf32>>)

// -----

// expected-error@+1 {{pointer to '!tt.ptr<tensor<4xf32>>': pointers address numbers, pointers to scalars}}
tt.func private @f(!tt.ptr<!tt.ptr<tensor<4xf32>>>)

// -----

// expected-error@+1 {{address space of a pointer is not negative, got -1}}
tt.func private @f(!tt.ptr<f32, -1>)

// -----

// expected-error@+1 {{dimension 0 of tile 'tensor<?xf32>' is dynamic: tiles have a static shape}}
tt.func private @f(!tt.tensordesc<tensor<?xf32>>)

// -----

// expected-error@+1 {{a descriptor's block has at least one dimension}}
tt.func private @f(!tt.tensordesc<tensor<f32>>)

// -----

// expected-error@+1 {{descriptor of '!tt.ptr<f32>' elements: descriptors describe tensors of numbers}}
tt.func private @f(!tt.tensordesc<tensor<4x!tt.ptr<f32>>>)

// -----

// expected-error@+1 {{expects a ranked tensor as a descriptor's block, got 'f32'}}
tt.func private @f(!tt.tensordesc<f32>)

// -----

// expected-error@+1 {{descriptor of '!tt.tensordesc<tensor<4xf32>>' elements: descriptors describe tensors of numbers}}
tt.func private @f(!tt.tensordesc<4x!tt.tensordesc<4xf32>>)

// -----

// expected-error@+1 {{argument 1: dimension 0 of tile 'tensor<?xf32>' is dynamic}}
tt.func @f(%a: i32, %b: tensor<?xf32>) {
  tt.return
}

// -----

// expected-error@+1 {{result 0: dimension 0 of tile 'tensor<0xf32>' has size 0}}
tt.func private @f() -> tensor<0xf32>

// -----

tt.func @f(%a: f32) {
  // expected-error@+1 {{dimension 0 of tile 'tensor<0xf32>' has size 0: tiles are not empty}}
  %0 = tt.splat %a : f32 -> tensor<0xf32>
  tt.return
}

// -----

tt.func @f(%a: f32) {
  // expected-error@+1 {{dimension 0 of tile 'tensor<?x4xf32>' is dynamic: tiles have a static shape}}
  %0 = tt.splat %a : f32 -> tensor<?x4xf32>
  tt.return
}

// -----

tt.func @f() {
  %0 = arith.constant dense<0.0> : tensor<0xf32>
  // expected-error@+1 {{dimension 0 of tile 'tensor<0xf32>' has size 0: tiles are not empty}}
  %1 = tt.reshape %0 : tensor<0xf32> -> tensor<0x1xf32>
  tt.return
}
