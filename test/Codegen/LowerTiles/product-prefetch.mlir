// RUN: spine-triton-opt %s -spine-to-linalg -spine-lower-tiles="prefetch-rows=24" -canonicalize -cse | FileCheck %s
// RUN: spine-triton-opt %s -spine-to-linalg -spine-lower-tiles="prefetch-rows=0" | FileCheck %s --check-prefix=NONE

// The operands of the next group of iterations, if there is one, are fetched
// while this one is multiplied: a line of each per block of 6 x 16 results.

// CHECK-LABEL: func.func @rows(
// CHECK:         scf.for
// CHECK:           %[[LAST:.*]] = arith.minsi
// CHECK:           %[[THERE:.*]] = arith.cmpi slt, %[[LAST]],
// CHECK:           %[[STRIDE:.*]] = arith.select %[[THERE]], %{{.*}}, %c0_i64
// CHECK:           %[[NEXT:.*]]:2 = scf.if %[[THERE]] -> (!llvm.ptr, !llvm.ptr)
// CHECK:           scf.for
// CHECK:             %[[LEFT:.*]] = arith.muli %{{.*}}, %[[STRIDE]]
// CHECK:             llvm.getelementptr %[[NEXT]]#0
// CHECK:             "llvm.intr.prefetch"
// CHECK:             llvm.getelementptr %[[NEXT]]#1
// CHECK:             "llvm.intr.prefetch"
// CHECK:             llvm.intr.fma
// CHECK-LABEL: func.func @rows__may_alias(
// CHECK-NOT:     llvm.intr.prefetch
// NONE-NOT:      llvm.intr.prefetch
tt.func public @rows(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %z: !tt.ptr<f32>, %s: i64, %n: i32) {
  %c0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %i32 = arith.constant 32 : i32
  %c1 = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<64x128xf32>
  %r = tt.make_tensor_ptr %z, [%s, %s], [%s, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<64x128xf32>>
  %sum = scf.for %i = %c0 to %n step %i1 iter_args(%acc = %zero) -> (tensor<64x128xf32>) : i32 {
    %k = arith.muli %i, %i32 : i32
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
