// RUN: spine-triton-opt %s -spine-to-linalg -spine-lower-tiles -canonicalize -cse | FileCheck %s

// The columns of what is stored are contiguous: blocks of 4 x 16 results, whose
// rows and columns are exchanged 4 x 4 at a time, are stored column by column.

// CHECK-LABEL: func.func @columns(
// CHECK:         scf.for %{{.*}} step %c4_i64
// CHECK-COUNT-8: llvm.intr.fma
// CHECK:         %[[A:.*]] = vector.shuffle %[[R0:.*]], %[[R2:.*]] [0, 1, 8, 9, 4, 5, 12, 13] : vector<8xf32>, vector<8xf32>
// CHECK:         %[[C:.*]] = vector.shuffle %[[R0]], %[[R2]] [2, 3, 10, 11, 6, 7, 14, 15]
// CHECK:         %[[B:.*]] = vector.shuffle %{{.*}} [0, 1, 8, 9, 4, 5, 12, 13]
// CHECK:         vector.shuffle %[[A]], %[[B]] [0, 8, 2, 10, 4, 12, 6, 14]
// CHECK:         vector.shuffle %[[A]], %[[B]] [1, 9, 3, 11, 5, 13, 7, 15]
// CHECK:         %[[COLUMN:.*]] = vector.extract_strided_slice %{{.*}} {offsets = [0], sizes = [4], strides = [1]} : vector<8xf32> to vector<4xf32>
// CHECK:         llvm.store %[[COLUMN]], %{{.*}} : vector<4xf32>
tt.func public @columns(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %z: !tt.ptr<f32>, %s: i64, %n: i32) {
  %c0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %i32 = arith.constant 32 : i32
  %c1 = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<64x16xf32>
  %r = tt.make_tensor_ptr %z, [%s, %s], [%c1, %s], [%c0, %c0] {order = array<i32: 0, 1>} : <tensor<64x16xf32>>
  %sum = scf.for %i = %c0 to %n step %i1 iter_args(%acc = %zero) -> (tensor<64x16xf32>) : i32 {
    %k = arith.muli %i, %i32 : i32
    %p = tt.make_tensor_ptr %x, [%s, %s], [%s, %c1], [%c0, %k] {order = array<i32: 1, 0>} : <tensor<64x32xf32>>
    %q = tt.make_tensor_ptr %y, [%s, %s], [%s, %c1], [%k, %c0] {order = array<i32: 1, 0>} : <tensor<32x16xf32>>
    %a = tt.load %p : !tt.ptr<tensor<64x32xf32>>
    %b = tt.load %q : !tt.ptr<tensor<32x16xf32>>
    %d = tt.dot %a, %b, %acc : tensor<64x32xf32> * tensor<32x16xf32> -> tensor<64x16xf32>
    scf.yield %d : tensor<64x16xf32>
  }
  tt.store %r, %sum : !tt.ptr<tensor<64x16xf32>>
  tt.return
}

// Twelve columns are a vector of eight, which are two squares per four rows, and
// one of four, which is one. The last two of fourteen are none: they are stored
// one by one.

// CHECK-LABEL: func.func @twelve(
// CHECK:         vector.shuffle {{.*}} : vector<8xf32>, vector<8xf32>
// CHECK:         vector.shuffle {{.*}} : vector<4xf32>, vector<4xf32>
// CHECK-LABEL: func.func @fourteen(
// CHECK:         vector.shuffle {{.*}} : vector<4xf32>, vector<4xf32>
// CHECK-NOT:     vector.shuffle {{.*}} : vector<2xf32>
// CHECK:         llvm.store %{{.*}} : vector<2xf32>
tt.func public @twelve(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %z: !tt.ptr<f32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i64
  %n = arith.constant 12 : i64
  %c8 = arith.constant 8 : i64
  %c16 = arith.constant 16 : i64
  %zero = arith.constant dense<0.0> : tensor<8x12xf32>
  %p = tt.make_tensor_ptr %x, [%c8, %c16], [%c16, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<8x16xf32>>
  %q = tt.make_tensor_ptr %y, [%c16, %n], [%n, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<16x12xf32>>
  %r = tt.make_tensor_ptr %z, [%c8, %n], [%c1, %c8], [%c0, %c0] {order = array<i32: 0, 1>} : <tensor<8x12xf32>>
  %a = tt.load %p : !tt.ptr<tensor<8x16xf32>>
  %b = tt.load %q : !tt.ptr<tensor<16x12xf32>>
  %d = tt.dot %a, %b, %zero : tensor<8x16xf32> * tensor<16x12xf32> -> tensor<8x12xf32>
  tt.store %r, %d : !tt.ptr<tensor<8x12xf32>>
  tt.return
}
tt.func public @fourteen(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %z: !tt.ptr<f32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i64
  %n = arith.constant 14 : i64
  %c8 = arith.constant 8 : i64
  %c16 = arith.constant 16 : i64
  %zero = arith.constant dense<0.0> : tensor<8x14xf32>
  %p = tt.make_tensor_ptr %x, [%c8, %c16], [%c16, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<8x16xf32>>
  %q = tt.make_tensor_ptr %y, [%c16, %n], [%n, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<16x14xf32>>
  %r = tt.make_tensor_ptr %z, [%c8, %n], [%c1, %c8], [%c0, %c0] {order = array<i32: 0, 1>} : <tensor<8x14xf32>>
  %a = tt.load %p : !tt.ptr<tensor<8x16xf32>>
  %b = tt.load %q : !tt.ptr<tensor<16x14xf32>>
  %d = tt.dot %a, %b, %zero : tensor<8x16xf32> * tensor<16x14xf32> -> tensor<8x14xf32>
  tt.store %r, %d : !tt.ptr<tensor<8x14xf32>>
  tt.return
}
