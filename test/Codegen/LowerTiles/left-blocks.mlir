// RUN: spine-triton-opt %s -split-input-file -spine-to-linalg -spine-lower-tiles="vector-bits=512 vector-registers=32" -canonicalize -cse | FileCheck %s
// RUN: spine-triton-opt %s -split-input-file -spine-to-linalg -spine-lower-tiles="vector-bits=256 vector-registers=16" -canonicalize -cse | FileCheck %s --check-prefix=SIX

// Eight groups of columns read blocks of eight rows. They are packed so that
// each is read from its begin to its end: rows are exchanged with columns in
// registers, or, if it is columns that are contiguous, vectors of sixteen rows
// are stored as parts of two blocks, or of four if blocks have four rows.

// CHECK-LABEL: func.func @rows(
// CHECK:         spine.scratch {{.*}}name = "dot.lhs.chunk"
// CHECK-COUNT-8: llvm.load %{{.*}} : !llvm.ptr -> vector<16xf32>
// CHECK:         vector.shuffle
// CHECK:         llvm.store %{{.*}} : vector<8xf32>, !llvm.ptr
// CHECK:         llvm.intr.fma

// Blocks of six rows, of which vectors of eight are no whole ones.

// SIX-LABEL: func.func @rows(
// SIX:         vector.shuffle
// SIX:         llvm.store %{{.*}} : vector<4xf32>, !llvm.ptr
// SIX:         llvm.intr.fma
tt.func public @rows(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %z: !tt.ptr<f32>, %s: i64, %n: i32) {
  %c0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %i32 = arith.constant 32 : i32
  %c1 = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<64x256xf32>
  %r = tt.make_tensor_ptr %z, [%s, %s], [%s, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<64x256xf32>>
  %sum = scf.for %i = %c0 to %n step %i1 iter_args(%acc = %zero) -> (tensor<64x256xf32>) : i32 {
    %k = arith.muli %i, %i32 : i32
    %p = tt.make_tensor_ptr %x, [%s, %s], [%s, %c1], [%c0, %k] {order = array<i32: 1, 0>} : <tensor<64x32xf32>>
    %q = tt.make_tensor_ptr %y, [%s, %s], [%s, %c1], [%k, %c0] {order = array<i32: 1, 0>} : <tensor<32x256xf32>>
    %a = tt.load %p : !tt.ptr<tensor<64x32xf32>>
    %b = tt.load %q : !tt.ptr<tensor<32x256xf32>>
    %d = tt.dot %a, %b, %acc : tensor<64x32xf32> * tensor<32x256xf32> -> tensor<64x256xf32>
    scf.yield %d : tensor<64x256xf32>
  }
  tt.store %r, %sum : !tt.ptr<tensor<64x256xf32>>
  tt.return
}

// -----

// CHECK-LABEL: func.func @columns(
// CHECK:         spine.scratch {{.*}}name = "dot.lhs.chunk"
// CHECK:         %[[COLUMN:.*]] = llvm.load %{{.*}} : !llvm.ptr -> vector<16xf32>
// CHECK-DAG:     %[[FIRST:.*]] = vector.extract_strided_slice %[[COLUMN]] {offsets = [0], sizes = [4]
// CHECK-DAG:     %[[LAST:.*]] = vector.extract_strided_slice %[[COLUMN]] {offsets = [12], sizes = [4]
// CHECK-DAG:     llvm.store %[[FIRST]], %{{.*}} : vector<4xf32>, !llvm.ptr
// CHECK-DAG:     llvm.store %[[LAST]], %{{.*}} : vector<4xf32>, !llvm.ptr
// CHECK:         llvm.intr.fma

// SIX-LABEL: func.func @columns(
// SIX-NOT:     vector.extract_strided_slice
// SIX:         llvm.intr.fma
tt.func public @columns(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %z: !tt.ptr<f32>, %s: i64, %n: i32) {
  %c0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %i32 = arith.constant 32 : i32
  %c1 = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<64x256xf32>
  %r = tt.make_tensor_ptr %z, [%s, %s], [%s, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<64x256xf32>>
  %sum = scf.for %i = %c0 to %n step %i1 iter_args(%acc = %zero) -> (tensor<64x256xf32>) : i32 {
    %k = arith.muli %i, %i32 : i32
    %p = tt.make_tensor_ptr %x, [%s, %s], [%c1, %s], [%c0, %k] {order = array<i32: 0, 1>} : <tensor<64x32xf32>>
    %q = tt.make_tensor_ptr %y, [%s, %s], [%s, %c1], [%k, %c0] {order = array<i32: 1, 0>} : <tensor<32x256xf32>>
    %a = tt.load %p : !tt.ptr<tensor<64x32xf32>>
    %b = tt.load %q : !tt.ptr<tensor<32x256xf32>>
    %d = tt.dot %a, %b, %acc : tensor<64x32xf32> * tensor<32x256xf32> -> tensor<64x256xf32>
    scf.yield %d : tensor<64x256xf32>
  }
  tt.store %r, %sum : !tt.ptr<tensor<64x256xf32>>
  tt.return
}

// -----

// CHECK-LABEL: func.func @half_the_columns(
// CHECK:         spine.scratch {{.*}}name = "dot.lhs.chunk"
// CHECK:         %[[COLUMN:.*]] = llvm.load %{{.*}} : !llvm.ptr -> vector<16xf32>
// CHECK-DAG:     %[[UPPER:.*]] = vector.extract_strided_slice %[[COLUMN]] {offsets = [0], sizes = [8]
// CHECK-DAG:     %[[LOWER:.*]] = vector.extract_strided_slice %[[COLUMN]] {offsets = [8], sizes = [8]
// CHECK-DAG:     llvm.store %[[UPPER]], %{{.*}} : vector<8xf32>, !llvm.ptr
// CHECK-DAG:     llvm.store %[[LOWER]], %{{.*}} : vector<8xf32>, !llvm.ptr
// CHECK:         llvm.intr.fma
tt.func public @half_the_columns(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %z: !tt.ptr<f32>, %s: i64, %n: i32) {
  %c0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %i32 = arith.constant 32 : i32
  %c1 = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<64x128xf32>
  %r = tt.make_tensor_ptr %z, [%s, %s], [%s, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<64x128xf32>>
  %sum = scf.for %i = %c0 to %n step %i1 iter_args(%acc = %zero) -> (tensor<64x128xf32>) : i32 {
    %k = arith.muli %i, %i32 : i32
    %p = tt.make_tensor_ptr %x, [%s, %s], [%c1, %s], [%c0, %k] {order = array<i32: 0, 1>} : <tensor<64x32xf32>>
    %q = tt.make_tensor_ptr %y, [%s, %s], [%s, %c1], [%k, %c0] {order = array<i32: 1, 0>} : <tensor<32x128xf32>>
    %a = tt.load %p : !tt.ptr<tensor<64x32xf32>>
    %b = tt.load %q : !tt.ptr<tensor<32x128xf32>>
    %d = tt.dot %a, %b, %acc : tensor<64x32xf32> * tensor<32x128xf32> -> tensor<64x128xf32>
    scf.yield %d : tensor<64x128xf32>
  }
  tt.store %r, %sum : !tt.ptr<tensor<64x128xf32>>
  tt.return
}
