// RUN: spine-triton-opt %s -spine-auto-tile=capacity=8192 | FileCheck %s
// RUN: spine-triton-opt %s -spine-auto-tile=capacity=32768 | FileCheck %s --check-prefix=FITS

// The example of the pass's description.

// CHECK-LABEL: tt.func @scale(
// CHECK-SAME:    %[[X:.*]]: !tt.ptr<f32>
// CHECK-DAG:     %[[TWO:.*]] = arith.constant dense<2.000000e+00> : tensor<1024xf32>
// CHECK-DAG:     %[[C0:.*]] = arith.constant 0 : i32
// CHECK-DAG:     %[[UNIT:.*]] = arith.constant 1 : i64
// CHECK-DAG:     %[[C1024:.*]] = arith.constant 1024 : i32
// CHECK-DAG:     %[[C4096:.*]] = arith.constant 4096 : i32
// CHECK:         scf.for %[[I:.*]] = %[[C0]] to %[[C4096]] step %[[C1024]]  : i32 {
// CHECK-NEXT:      %[[Q:.*]] = tt.make_tensor_ptr %[[X]], [%[[E:.*]]], [%[[UNIT]]], [%[[I]]] {order = array<i32: 0>} : <tensor<1024xf32>>
// CHECK-NEXT:      %[[A:.*]] = tt.load %[[Q]] {boundaryCheck = array<i32: 0>} : !tt.ptr<tensor<1024xf32>>
// CHECK-NEXT:      %[[B:.*]] = arith.mulf %[[A]], %[[TWO]] : tensor<1024xf32>
// CHECK-NEXT:      tt.store %[[Q]], %[[B]] {boundaryCheck = array<i32: 0>} : !tt.ptr<tensor<1024xf32>>
// CHECK-NEXT:    }
// CHECK-NEXT:    tt.return

// What fits stays as it is.
// FITS-NOT:      scf.for
// FITS:          tt.load {{.*}} : !tt.ptr<tensor<4096xf32>>
tt.func @scale(%x: !tt.ptr<f32>, %n: i64) {
  %c0 = arith.constant 0 : i32
  %unit = arith.constant 1 : i64
  %two = arith.constant dense<2.0> : tensor<4096xf32>
  %p = tt.make_tensor_ptr %x, [%n], [%unit], [%c0] {order = array<i32: 0>} : <tensor<4096xf32>>
  %a = tt.load %p {boundaryCheck = array<i32: 0>} : !tt.ptr<tensor<4096xf32>>
  %b = arith.mulf %a, %two : tensor<4096xf32>
  tt.store %p, %b {boundaryCheck = array<i32: 0>} : !tt.ptr<tensor<4096xf32>>
  tt.return
}
