// RUN: spine-triton-opt %s -spine-rebase-tensor-ptr -mlir-pass-statistics -o /dev/null 2>&1 | FileCheck %s
// REQUIRES: pass-statistics

// CHECK: SpineRebaseTensorPtr
// CHECK-DAG: (S) 1 carried-pointers
// CHECK-DAG: (S) 1 left-alone
// CHECK-DAG: (S) 1 rebased
tt.func @kernel(%x: !tt.ptr<f32>, %n: i64, %o: i32, %trips: i32, %value: tensor<32xf32>) {
  %unit = arith.constant 1 : i64
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %p = tt.make_tensor_ptr %x, [%n], [%unit], [%o] {order = array<i32: 0>} : <tensor<32xf32>>
  %r = scf.for %i = %c0 to %trips step %c1 iter_args(%q = %p) -> (!tt.ptr<tensor<32xf32>>) : i32 {
    tt.store %q, %value : !tt.ptr<tensor<32xf32>>
    %next = tt.advance %q, [%o] : <tensor<32xf32>>
    scf.yield %next : !tt.ptr<tensor<32xf32>>
  }
  %s = tt.make_tensor_ptr %x, [%n], [%unit], [%o] {order = array<i32: 0>} : <tensor<32xf32>>
  tt.call @callee(%s) : (!tt.ptr<tensor<32xf32>>) -> ()
  tt.return
}
tt.func private @callee(%p: !tt.ptr<tensor<32xf32>>) {
  tt.return
}
