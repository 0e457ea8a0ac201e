// RUN: spine-triton-opt %s -split-input-file -spine-auto-tile=capacity=2048 2>&1 | FileCheck %s --check-prefixes=CHECK,NONE
// RUN: spine-triton-opt %s -split-input-file -spine-auto-tile="capacity=2048 vector-bits=1024" 2>&1 | FileCheck %s --check-prefixes=CHECK,VECTOR
// RUN: spine-triton-opt %s -split-input-file -spine-auto-tile="capacity=2048 matrix-units=i8:8x16x8,f16:8x8x8" 2>&1 | FileCheck %s --check-prefixes=CHECK,MATRIX
// RUN: not spine-triton-opt %s -split-input-file -spine-auto-tile="matrix-units=f16:8x8" 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: not spine-triton-opt %s -split-input-file -spine-auto-tile="matrix-units=f16:8x7x8" 2>&1 | FileCheck %s --check-prefix=WRONG

// WRONG: error: spine-auto-tile: 'f16:8x{{8|7x8}}' is no matrix unit: expected an element type, and M, K and N, powers of two, as in i8:8x16x8

// 240 divides 720, but 32 lanes of fp32 do not divide 240.

// CHECK:  remark: kernel 'scale' is split
// NONE:   note: {{.*}} 720 in parts of 240
// VECTOR: note: {{.*}} 720 in parts of 256
// MATRIX: note: {{.*}} 720 in parts of 240
tt.func @scale(%x: !tt.ptr<f32>, %n: i64) {
  %c0 = arith.constant 0 : i32
  %unit = arith.constant 1 : i64
  %two = arith.constant dense<2.0> : tensor<720xf32>
  %p = tt.make_tensor_ptr %x, [%n], [%unit], [%c0] {order = array<i32: 0>} : <tensor<720xf32>>
  %a = tt.load %p {boundaryCheck = array<i32: 0>} : !tt.ptr<tensor<720xf32>>
  %b = arith.mulf %a, %two : tensor<720xf32>
  tt.store %p, %b {boundaryCheck = array<i32: 0>} : !tt.ptr<tensor<720xf32>>
  tt.return
}

// -----

// Half of 60 rows divides them; a matrix unit of 8 rows calls for 16.

// CHECK:  remark: kernel 'product' is split
// NONE:   note: {{.*}} 60 in parts of 30
// VECTOR: note: {{.*}} 60 in parts of 30
// MATRIX: note: {{.*}} 60 in parts of 16
tt.func @product(%A: !tt.ptr<f16>, %B: !tt.ptr<f16>, %C: !tt.ptr<f32>) {
  %c0 = arith.constant 0 : i32
  %unit = arith.constant 1 : i64
  %m = arith.constant 60 : i64
  %k = arith.constant 8 : i64
  %zero = arith.constant dense<0.0> : tensor<60x8xf32>
  %pa = tt.make_tensor_ptr %A, [%m, %k], [%k, %unit], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<60x8xf16>>
  %pb = tt.make_tensor_ptr %B, [%k, %k], [%k, %unit], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<8x8xf16>>
  %pc = tt.make_tensor_ptr %C, [%m, %k], [%k, %unit], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<60x8xf32>>
  %a = tt.load %pa : !tt.ptr<tensor<60x8xf16>>
  %b = tt.load %pb : !tt.ptr<tensor<8x8xf16>>
  %d = tt.dot %a, %b, %zero : tensor<60x8xf16> * tensor<8x8xf16> -> tensor<60x8xf32>
  tt.store %pc, %d : !tt.ptr<tensor<60x8xf32>>
  tt.return
}
