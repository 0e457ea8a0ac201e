// RUN: spine-triton-opt %s -spine-drop-unit-batch -cse | FileCheck %s

// The example of the pass's description.

// CHECK-LABEL: tt.func @kernel(
// CHECK-SAME:    %[[P:[^:]*]]: !tt.ptr<f32>, %[[X:[^:]*]]: tensor<1x16x32xf32>, %[[Y:[^:]*]]: tensor<1x32x16xf32>, %[[I:[^:]*]]: i32, %[[M:[^:]*]]: i64, %[[N:[^:]*]]: i64, %[[PITCH:[^:]*]]: i64
// CHECK-NEXT:    %[[B:.*]] = tt.reshape %[[Y]] : tensor<1x32x16xf32> -> tensor<32x16xf32>
// CHECK-NEXT:    %[[A:.*]] = tt.reshape %[[X]] : tensor<1x16x32xf32> -> tensor<16x32xf32>
// CHECK-NEXT:    %[[C0:.*]] = arith.constant 0 : i32
// CHECK-NEXT:    %[[ONE:.*]] = arith.constant 1 : i64
// CHECK-NEXT:    %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<16x16xf32>
// CHECK-NEXT:    %[[Z:.*]] = tt.dot %[[A]], %[[B]], %[[ZERO]] : tensor<16x32xf32> * tensor<32x16xf32> -> tensor<16x16xf32>
// CHECK-NEXT:    %[[BATCH:.*]] = arith.extsi %[[I]] : i32 to i64
// CHECK-NEXT:    %[[STEP:.*]] = arith.muli %[[BATCH]], %[[PITCH]] : i64
// CHECK-NEXT:    %[[R:.*]] = tt.addptr %[[P]], %[[STEP]] : !tt.ptr<f32>, i64
// CHECK-NEXT:    %[[Q:.*]] = tt.make_tensor_ptr %[[R]], [%[[N]], %[[N]]], [%[[N]], %[[ONE]]], [%[[C0]], %[[C0]]] {order = array<i32: 1, 0>} : <tensor<16x16xf32>>
// CHECK-NEXT:    tt.store %[[Q]], %[[Z]] {boundaryCheck = array<i32: 0>} : !tt.ptr<tensor<16x16xf32>>
// CHECK-NEXT:    tt.return
tt.func @kernel(%p: !tt.ptr<f32>, %x: tensor<1x16x32xf32>, %y: tensor<1x32x16xf32>, %i: i32, %m: i64, %n: i64, %pitch: i64) {
  %c0 = arith.constant 0 : i32
  %one = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<1x16x16xf32>
  %z = tt.dot %x, %y, %zero : tensor<1x16x32xf32> * tensor<1x32x16xf32> -> tensor<1x16x16xf32>
  %q = tt.make_tensor_ptr %p, [%m, %n, %n], [%pitch, %n, %one], [%i, %c0, %c0] {order = array<i32: 2, 1, 0>} : <tensor<1x16x16xf32>>
  tt.store %q, %z {boundaryCheck = array<i32: 1>} : !tt.ptr<tensor<1x16x16xf32>>
  tt.return
}
