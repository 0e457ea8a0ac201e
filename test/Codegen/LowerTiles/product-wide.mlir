// RUN: spine-triton-opt %s -split-input-file -spine-to-linalg "-spine-attach-target=vector-bits=512 vector-registers=32 scratchpad-bytes=1048576" -spine-lower-tiles -canonicalize -cse | FileCheck %s
// RUN: spine-triton-opt %s -split-input-file -spine-to-linalg "-spine-attach-target=vector-bits=512 vector-registers=16 scratchpad-bytes=1048576" -spine-lower-tiles -canonicalize -cse | FileCheck %s --check-prefix=FEW

// Rows that are read in place make blocks of four rows by four vectors: each
// vector of the right operand is used four times, as is each scalar. A group
// has 192 elements of the reduction, six iterations.

// CHECK-LABEL: func.func @in_place(
// CHECK:         bytes = 98304 : i64, {{.*}}name = "dot.rhs"
// CHECK:         scf.for {{.*}} step %c192_i64
// CHECK:         %[[LEFT:.*]] = vector.broadcast %{{.*}} : f32 to vector<16xf32>
// CHECK-NEXT:    llvm.intr.fma(%[[LEFT]],
// CHECK-NEXT:    llvm.intr.fma(%[[LEFT]],
// CHECK-NEXT:    llvm.intr.fma(%[[LEFT]],
// CHECK-NEXT:    llvm.intr.fma(%[[LEFT]],
// CHECK-NEXT:    llvm.getelementptr

// Sixteen registers hold blocks of six rows by two vectors.

// FEW-LABEL: func.func @in_place(
// FEW:         scf.for {{.*}} step %c256_i64
// FEW:         %[[LEFT:.*]] = vector.broadcast %{{.*}} : f32 to vector<16xf32>
// FEW-NEXT:    llvm.intr.fma(%[[LEFT]],
// FEW-NEXT:    llvm.intr.fma(%[[LEFT]],
// FEW-NEXT:    llvm.getelementptr
tt.func public @in_place(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %z: !tt.ptr<f32>, %s: i64, %n: i32) {
  %c0 = arith.constant 0 : i32
  %i32 = arith.constant 32 : i32
  %c1 = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<64x128xf32>
  %r = tt.make_tensor_ptr %z, [%s, %s], [%s, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<64x128xf32>>
  %first = tt.make_tensor_ptr %x, [%s, %s], [%s, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<64x32xf32>>
  %sum:2 = scf.for %k = %c0 to %n step %i32 iter_args(%acc = %zero, %p = %first) -> (tensor<64x128xf32>, !tt.ptr<tensor<64x32xf32>>) : i32 {
    %q = tt.make_tensor_ptr %y, [%s, %s], [%s, %c1], [%k, %c0] {order = array<i32: 1, 0>} : <tensor<32x128xf32>>
    %a = tt.load %p : !tt.ptr<tensor<64x32xf32>>
    %b = tt.load %q : !tt.ptr<tensor<32x128xf32>>
    %d = tt.dot %a, %b, %acc : tensor<64x32xf32> * tensor<32x128xf32> -> tensor<64x128xf32>
    %next = tt.advance %p, [%c0, %i32] : <tensor<64x32xf32>>
    scf.yield %d, %next : tensor<64x128xf32>, !tt.ptr<tensor<64x32xf32>>
  }
  tt.store %r, %sum#0 : !tt.ptr<tensor<64x128xf32>>
  tt.return
}

// -----

// Columns of the result that are contiguous are stored from blocks of eight
// rows by two vectors.

// CHECK-LABEL: func.func @to_columns(
// CHECK:         scf.for {{.*}} step %c256_i64
// CHECK:         %[[LEFT:.*]] = vector.broadcast %{{.*}} : f32 to vector<16xf32>
// CHECK-NEXT:    llvm.intr.fma(%[[LEFT]],
// CHECK-NEXT:    llvm.intr.fma(%[[LEFT]],
// CHECK-NEXT:    llvm.getelementptr
tt.func public @to_columns(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %z: !tt.ptr<f32>, %s: i64, %n: i32) {
  %c0 = arith.constant 0 : i32
  %i32 = arith.constant 32 : i32
  %c1 = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<64x128xf32>
  %r = tt.make_tensor_ptr %z, [%s, %s], [%c1, %s], [%c0, %c0] {order = array<i32: 0, 1>} : <tensor<64x128xf32>>
  %sum = scf.for %k = %c0 to %n step %i32 iter_args(%acc = %zero) -> (tensor<64x128xf32>) : i32 {
    %p = tt.make_tensor_ptr %x, [%s, %s], [%s, %c1], [%c0, %k] {order = array<i32: 1, 0>} : <tensor<64x32xf32>>
    %q = tt.make_tensor_ptr %y, [%s, %s], [%s, %c1], [%k, %c0] {order = array<i32: 1, 0>} : <tensor<32x128xf32>>
    %a = tt.load %p : !tt.ptr<tensor<64x32xf32>>
    %b = tt.load %q : !tt.ptr<tensor<32x128xf32>>
    %d = tt.dot %a, %b, %acc : tensor<64x32xf32> * tensor<32x128xf32> -> tensor<64x128xf32>
    scf.yield %d : tensor<64x128xf32>
  }
  tt.store %r, %sum : !tt.ptr<tensor<64x128xf32>>
  tt.return
}
