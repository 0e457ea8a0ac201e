// RUN: spine-triton-opt %s -spine-to-linalg "-spine-attach-target=prefetch-rows=24 vector-bits=512 vector-registers=32 scratchpad-bytes=1048576" -spine-lower-tiles -canonicalize -cse | FileCheck %s

// Rows that are read in place are fetched ahead while the first group of 32
// columns is multiplied with them. The groups behind it find them in the cache:
// if there are four, those have a loop without prefetches. (With fewer than 128
// elements of the reduction in a tile, groups would have 64 columns.)

// CHECK-LABEL: func.func @four(
// CHECK:         %[[FIRST:.*]] = arith.cmpi eq, %{{.*}}, %c0_i64
// CHECK:         scf.if %[[FIRST]]
// CHECK-COUNT-2:   "llvm.intr.prefetch"
// CHECK-COUNT-64:  llvm.intr.fma
// CHECK:         } else {
// CHECK-NOT:       llvm.intr.prefetch
// CHECK-COUNT-64:  llvm.intr.fma
// CHECK-NOT:       llvm.intr.prefetch
// CHECK-LABEL: func.func @four__may_alias(
tt.func public @four(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %z: !tt.ptr<f32>, %s: i64, %n: i32) {
  %c0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %i128 = arith.constant 128 : i32
  %c1 = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<64x128xf32>
  %r = tt.make_tensor_ptr %z, [%s, %s], [%s, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<64x128xf32>>
  %sum = scf.for %i = %c0 to %n step %i1 iter_args(%acc = %zero) -> (tensor<64x128xf32>) : i32 {
    %k = arith.muli %i, %i128 : i32
    %p = tt.make_tensor_ptr %x, [%s, %s], [%s, %c1], [%c0, %k] {order = array<i32: 1, 0>} : <tensor<64x128xf32>>
    %q = tt.make_tensor_ptr %y, [%s, %s], [%s, %c1], [%k, %c0] {order = array<i32: 1, 0>} : <tensor<128x128xf32>>
    %a = tt.load %p : !tt.ptr<tensor<64x128xf32>>
    %b = tt.load %q : !tt.ptr<tensor<128x128xf32>>
    %d = tt.dot %a, %b, %acc : tensor<64x128xf32> * tensor<128x128xf32> -> tensor<64x128xf32>
    scf.yield %d : tensor<64x128xf32>
  }
  tt.store %r, %sum : !tt.ptr<tensor<64x128xf32>>
  tt.return
}

// With two groups there is one loop, which fetches rows ahead.

// CHECK-LABEL: func.func @two(
// CHECK-COUNT-2:   "llvm.intr.prefetch"
// CHECK-COUNT-64:  llvm.intr.fma
// CHECK-NOT:       llvm.intr.prefetch
// CHECK-LABEL: func.func @two__may_alias(
tt.func public @two(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %z: !tt.ptr<f32>, %s: i64, %n: i32) {
  %c0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %i128 = arith.constant 128 : i32
  %c1 = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %r = tt.make_tensor_ptr %z, [%s, %s], [%s, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<64x64xf32>>
  %sum = scf.for %i = %c0 to %n step %i1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %k = arith.muli %i, %i128 : i32
    %p = tt.make_tensor_ptr %x, [%s, %s], [%s, %c1], [%c0, %k] {order = array<i32: 1, 0>} : <tensor<64x128xf32>>
    %q = tt.make_tensor_ptr %y, [%s, %s], [%s, %c1], [%k, %c0] {order = array<i32: 1, 0>} : <tensor<128x64xf32>>
    %a = tt.load %p : !tt.ptr<tensor<64x128xf32>>
    %b = tt.load %q : !tt.ptr<tensor<128x64xf32>>
    %d = tt.dot %a, %b, %acc : tensor<64x128xf32> * tensor<128x64xf32> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tt.store %r, %sum : !tt.ptr<tensor<64x64xf32>>
  tt.return
}

// Rows that overlap are one piece of memory: each of the 8 groups of steps
// fetches one of the 8 lines that 16 of them have.

// CHECK-LABEL: func.func @overlapping(
// CHECK:         scf.for %[[K:.*]] = %c0_i64 to %{{.*}} step %c4_i64
// CHECK:           %[[GROUP:.*]] = arith.divui %[[K]], %c4_i64
// CHECK:           %[[LINE:.*]] = arith.muli %[[GROUP]], %c16_i64
// CHECK:           %[[AHEAD:.*]] = arith.addi %[[LINE]], %c192_i64
// CHECK:           %[[ADDRESS:.*]] = llvm.getelementptr %{{.*}}[%[[AHEAD]]]
// CHECK-NEXT:      "llvm.intr.prefetch"(%[[ADDRESS]])
// CHECK-NOT:       llvm.intr.prefetch
// CHECK-COUNT-64:  llvm.intr.fma
// CHECK-NOT:       llvm.intr.prefetch
// CHECK-LABEL: func.func @overlapping__may_alias(
tt.func public @overlapping(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %z: !tt.ptr<f32>, %s: i64, %n: i32) {
  %c0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %i32 = arith.constant 32 : i32
  %c1 = arith.constant 1 : i64
  %c8 = arith.constant 8 : i64
  %zero = arith.constant dense<0.0> : tensor<64x16xf32>
  %r = tt.make_tensor_ptr %z, [%s, %s], [%s, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<64x16xf32>>
  %sum = scf.for %i = %c0 to %n step %i1 iter_args(%acc = %zero) -> (tensor<64x16xf32>) : i32 {
    %k = arith.muli %i, %i32 : i32
    %p = tt.make_tensor_ptr %x, [%s, %s], [%c8, %c1], [%k, %c0] {order = array<i32: 1, 0>} : <tensor<64x32xf32>>
    %q = tt.make_tensor_ptr %y, [%s, %s], [%s, %c1], [%k, %c0] {order = array<i32: 1, 0>} : <tensor<32x16xf32>>
    %a = tt.load %p : !tt.ptr<tensor<64x32xf32>>
    %b = tt.load %q : !tt.ptr<tensor<32x16xf32>>
    %d = tt.dot %a, %b, %acc : tensor<64x32xf32> * tensor<32x16xf32> -> tensor<64x16xf32>
    scf.yield %d : tensor<64x16xf32>
  }
  tt.store %r, %sum : !tt.ptr<tensor<64x16xf32>>
  tt.return
}
