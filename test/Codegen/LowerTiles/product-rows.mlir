// RUN: spine-triton-opt %s -split-input-file -spine-to-linalg "-spine-lower-tiles=vector-bits=512 vector-registers=32" -canonicalize -cse | FileCheck %s --check-prefixes=CHECK,WIDE
// RUN: spine-triton-opt %s -split-input-file -spine-to-linalg "-spine-lower-tiles=vector-bits=512 vector-registers=16" -canonicalize -cse | FileCheck %s --check-prefixes=CHECK,FEW

// Where a row of results is one vector, sixteen rows share the loads of the
// right operand if there are registers for them and the reduction is known to
// be long: here it is the tile's, which nothing checks.

// CHECK-LABEL: func.func @unchecked(
// WIDE:          scf.for %{{.*}} = %c0_i64 to %c256_i64 step %c16_i64
// FEW:           scf.for %{{.*}} = %c0_i64 to %c256_i64 step %c8_i64
tt.func public @unchecked(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %z: !tt.ptr<f32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i64
  %c16 = arith.constant 16 : i64
  %c32 = arith.constant 32 : i64
  %c256 = arith.constant 256 : i64
  %zero = arith.constant dense<0.0> : tensor<256x16xf32>
  %p = tt.make_tensor_ptr %x, [%c256, %c32], [%c32, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<256x32xf32>>
  %q = tt.make_tensor_ptr %y, [%c32, %c16], [%c16, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<32x16xf32>>
  %r = tt.make_tensor_ptr %z, [%c256, %c16], [%c16, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<256x16xf32>>
  %a = tt.load %p : !tt.ptr<tensor<256x32xf32>>
  %b = tt.load %q : !tt.ptr<tensor<32x16xf32>>
  %d = tt.dot %a, %b, %zero : tensor<256x32xf32> * tensor<32x16xf32> -> tensor<256x16xf32>
  tt.store %r, %d : !tt.ptr<tensor<256x16xf32>>
  tt.return
}

// -----

// Checked, but the tensor is known to have more than sixteen columns.

// CHECK-LABEL: func.func @known(
// WIDE:          scf.for %{{.*}} = %c0_i64 to %c256_i64 step %c16_i64
// FEW:           scf.for %{{.*}} = %c0_i64 to %c256_i64 step %c8_i64
tt.func public @known(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %z: !tt.ptr<f32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i64
  %c16 = arith.constant 16 : i64
  %c17 = arith.constant 17 : i64
  %c256 = arith.constant 256 : i64
  %zero = arith.constant dense<0.0> : tensor<256x16xf32>
  %p = tt.make_tensor_ptr %x, [%c256, %c17], [%c17, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<256x32xf32>>
  %q = tt.make_tensor_ptr %y, [%c17, %c16], [%c16, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<32x16xf32>>
  %r = tt.make_tensor_ptr %z, [%c256, %c16], [%c16, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<256x16xf32>>
  %a = tt.load %p {boundaryCheck = array<i32: 1>, padding = 1 : i32} : !tt.ptr<tensor<256x32xf32>>
  %b = tt.load %q {boundaryCheck = array<i32: 0>, padding = 1 : i32} : !tt.ptr<tensor<32x16xf32>>
  %d = tt.dot %a, %b, %zero : tensor<256x32xf32> * tensor<32x16xf32> -> tensor<256x16xf32>
  tt.store %r, %d : !tt.ptr<tensor<256x16xf32>>
  tt.return
}

// -----

// It may be short: the loads of the next eight rows begin while these are
// multiplied.

// CHECK-LABEL: func.func @unknown(
// CHECK:         scf.for %{{.*}} = %c0_i64 to %c256_i64 step %c8_i64
tt.func public @unknown(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %z: !tt.ptr<f32>, %k: i64) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i64
  %c16 = arith.constant 16 : i64
  %c256 = arith.constant 256 : i64
  %zero = arith.constant dense<0.0> : tensor<256x16xf32>
  %p = tt.make_tensor_ptr %x, [%c256, %k], [%k, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<256x32xf32>>
  %q = tt.make_tensor_ptr %y, [%k, %c16], [%c16, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<32x16xf32>>
  %r = tt.make_tensor_ptr %z, [%c256, %c16], [%c16, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<256x16xf32>>
  %a = tt.load %p {boundaryCheck = array<i32: 1>, padding = 1 : i32} : !tt.ptr<tensor<256x32xf32>>
  %b = tt.load %q {boundaryCheck = array<i32: 0>, padding = 1 : i32} : !tt.ptr<tensor<32x16xf32>>
  %d = tt.dot %a, %b, %zero : tensor<256x32xf32> * tensor<32x16xf32> -> tensor<256x16xf32>
  tt.store %r, %d : !tt.ptr<tensor<256x16xf32>>
  tt.return
}

// -----

// It may be short, but the columns are contiguous: sixteen rows of one are one
// cache line.

// CHECK-LABEL: func.func @columns(
// WIDE:          scf.for %{{.*}} = %{{.*}} to %{{.*}} step %c16_i64
// FEW:           scf.for %{{.*}} = %{{.*}} to %{{.*}} step %c8_i64
tt.func public @columns(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %z: !tt.ptr<f32>, %k: i64) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i64
  %c16 = arith.constant 16 : i64
  %c256 = arith.constant 256 : i64
  %zero = arith.constant dense<0.0> : tensor<256x16xf32>
  %p = tt.make_tensor_ptr %x, [%c256, %k], [%c1, %c256], [%c0, %c0] {order = array<i32: 0, 1>} : <tensor<256x32xf32>>
  %q = tt.make_tensor_ptr %y, [%k, %c16], [%c16, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<32x16xf32>>
  %r = tt.make_tensor_ptr %z, [%c256, %c16], [%c16, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<256x16xf32>>
  %a = tt.load %p {boundaryCheck = array<i32: 1>, padding = 1 : i32} : !tt.ptr<tensor<256x32xf32>>
  %b = tt.load %q {boundaryCheck = array<i32: 0>, padding = 1 : i32} : !tt.ptr<tensor<32x16xf32>>
  %d = tt.dot %a, %b, %zero : tensor<256x32xf32> * tensor<32x16xf32> -> tensor<256x16xf32>
  tt.store %r, %d : !tt.ptr<tensor<256x16xf32>>
  tt.return
}

// -----

// It may be short, but such deep tiles are not taken for that.

// CHECK-LABEL: func.func @deep(
// WIDE:          scf.for %{{.*}} = %c0_i64 to %c256_i64 step %c16_i64
// FEW:           scf.for %{{.*}} = %c0_i64 to %c256_i64 step %c8_i64
tt.func public @deep(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %z: !tt.ptr<f32>, %k: i64) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i64
  %c16 = arith.constant 16 : i64
  %c256 = arith.constant 256 : i64
  %zero = arith.constant dense<0.0> : tensor<256x16xf32>
  %p = tt.make_tensor_ptr %x, [%c256, %k], [%k, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<256x64xf32>>
  %q = tt.make_tensor_ptr %y, [%k, %c16], [%c16, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<64x16xf32>>
  %r = tt.make_tensor_ptr %z, [%c256, %c16], [%c16, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<256x16xf32>>
  %a = tt.load %p {boundaryCheck = array<i32: 1>, padding = 1 : i32} : !tt.ptr<tensor<256x64xf32>>
  %b = tt.load %q {boundaryCheck = array<i32: 0>, padding = 1 : i32} : !tt.ptr<tensor<64x16xf32>>
  %d = tt.dot %a, %b, %zero : tensor<256x64xf32> * tensor<64x16xf32> -> tensor<256x16xf32>
  tt.store %r, %d : !tt.ptr<tensor<256x16xf32>>
  tt.return
}
