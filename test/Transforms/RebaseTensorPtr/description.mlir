// RUN: spine-triton-opt %s -spine-rebase-tensor-ptr -canonicalize | FileCheck %s

// The example of the pass's description.

// CHECK-LABEL: tt.func @sum(
// CHECK-SAME:    %[[X:[^:]*]]: !tt.ptr<f32>, %[[M:[^:]*]]: i64, %[[N:[^:]*]]: i64, %[[TRIPS:[^:]*]]: i32
// CHECK-DAG:     %[[C0:.*]] = arith.constant 0 : i64
// CHECK-DAG:     %[[C1:.*]] = arith.constant 1 : i64
// CHECK-DAG:     %[[C8:.*]] = arith.constant 8 : i64
// CHECK-DAG:     %[[C16:.*]] = arith.constant 16 : i64
// CHECK-DAG:     %[[CM16:.*]] = arith.constant -16 : i64
// CHECK-DAG:     %[[C0_I32:.*]] = arith.constant 0 : i32
// CHECK:         %[[S:.*]]:2 = scf.for {{.*}} iter_args(%[[ACC:.*]] = {{.*}}, %[[O:.*]] = %[[C0]]) -> (tensor<8x16xf32>, i64)
// CHECK-DAG:       %[[BEFORE0:.*]] = arith.minsi %[[O]], %[[C0]] : i64
// CHECK-DAG:       %[[BEFORE:.*]] = arith.maxsi %[[BEFORE0]], %[[CM16]] : i64
// CHECK-DAG:       %[[N0:.*]] = arith.maxsi %[[N]], %[[C0]] : i64
// CHECK-DAG:       %[[FIRST:.*]] = arith.maxsi %[[O]], %[[C0]] : i64
// CHECK-DAG:       %[[INSIDE:.*]] = arith.subi %[[N0]], %[[FIRST]] : i64
// CHECK-DAG:       %[[ROOM:.*]] = arith.addi %[[BEFORE]], %[[C16]] : i64
// CHECK-DAG:       %[[STEP:.*]] = arith.subi %[[O]], %[[BEFORE]] : i64
// CHECK-DAG:       %[[OFFSET:.*]] = arith.trunci %[[BEFORE]] : i64 to i32
// CHECK-DAG:       %[[EXTENT0:.*]] = arith.minsi %[[INSIDE]], %[[ROOM]] : i64
// CHECK-DAG:       %[[EXTENT:.*]] = arith.maxsi %[[EXTENT0]], %[[C0]] : i64
// CHECK-DAG:       %[[BASE:.*]] = tt.addptr %[[X]], %[[STEP]] : !tt.ptr<f32>, i64
// CHECK:           %[[Q:.*]] = tt.make_tensor_ptr %[[BASE]], [%[[C8]], %[[EXTENT]]], [%[[N]], %[[C1]]], [%[[C0_I32]], %[[OFFSET]]] {order = array<i32: 1, 0>}
// CHECK:           tt.load %[[Q]] {boundaryCheck = array<i32: 1>}
// CHECK:           %[[NEXT:.*]] = arith.addi %[[O]], %[[C16]] : i64
// CHECK:           scf.yield {{.*}}, %[[NEXT]] : tensor<8x16xf32>, i64
// CHECK-NOT:     tt.advance
tt.func @sum(%x: !tt.ptr<f32>, %m: i64, %n: i64, %trips: i32) -> tensor<8x16xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c16 = arith.constant 16 : i32
  %unit = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<8x16xf32>
  %p = tt.make_tensor_ptr %x, [%m, %n], [%n, %unit], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<8x16xf32>>
  %s:2 = scf.for %i = %c0 to %trips step %c1 iter_args(%q = %p, %acc = %zero) -> (!tt.ptr<tensor<8x16xf32>>, tensor<8x16xf32>) : i32 {
    %tile = tt.load %q {boundaryCheck = array<i32: 1>} : !tt.ptr<tensor<8x16xf32>>
    %sum = arith.addf %acc, %tile : tensor<8x16xf32>
    %next = tt.advance %q, [%c0, %c16] : <tensor<8x16xf32>>
    scf.yield %next, %sum : !tt.ptr<tensor<8x16xf32>>, tensor<8x16xf32>
  }
  tt.return %s#1 : tensor<8x16xf32>
}
