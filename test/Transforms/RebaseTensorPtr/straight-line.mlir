// RUN: spine-triton-opt %s -split-input-file -spine-rebase-tensor-ptr -canonicalize -cse | FileCheck %s

// A pointer with constant fields: all of it folds. The tile 8x16 at (30, -5) of
// a tensor 33 x 100 with row pitch 100: 3 rows, 11 columns, the base at row 30.

// CHECK-LABEL: tt.func @constants(
// CHECK-SAME:    %[[X:[^:]*]]: !tt.ptr<f16>
// CHECK-DAG:     %[[STEP:.*]] = arith.constant 3000 : i64
// CHECK-DAG:     %[[ROWS:.*]] = arith.constant 3 : i64
// CHECK-DAG:     %[[COLUMNS:.*]] = arith.constant 11 : i64
// CHECK-DAG:     %[[PITCH:.*]] = arith.constant 100 : i64
// CHECK-DAG:     %[[UNIT:.*]] = arith.constant 1 : i64
// CHECK-DAG:     %[[ZERO:.*]] = arith.constant 0 : i32
// CHECK-DAG:     %[[BEFORE:.*]] = arith.constant -5 : i32
// CHECK-DAG:     %[[BASE:.*]] = tt.addptr %[[X]], %[[STEP]] : !tt.ptr<f16>, i64
// CHECK:         %[[P:.*]] = tt.make_tensor_ptr %[[BASE]], [%[[ROWS]], %[[COLUMNS]]], [%[[PITCH]], %[[UNIT]]], [%[[ZERO]], %[[BEFORE]]] {order = array<i32: 0, 1>}
// CHECK:         tt.load %[[P]] {boundaryCheck = array<i32: 0, 1>, padding = 2 : i32}
tt.func @constants(%x: !tt.ptr<f16>) -> tensor<8x16xf16> {
  %m = arith.constant 33 : i64
  %n = arith.constant 100 : i64
  %unit = arith.constant 1 : i64
  %row = arith.constant 30 : i32
  %column = arith.constant -5 : i32
  %p = tt.make_tensor_ptr %x, [%m, %n], [%n, %unit], [%row, %column] {order = array<i32: 0, 1>} : <tensor<8x16xf16>>
  %a = tt.load %p {boundaryCheck = array<i32: 0, 1>, padding = 2 : i32} : !tt.ptr<tensor<8x16xf16>>
  tt.return %a : tensor<8x16xf16>
}

// -----

// Advances are folded in, in 64 bits. Without a check the extent is the tile's
// and all of the offset goes into the base.

// CHECK-LABEL: tt.func @advanced(
// CHECK-SAME:    %[[X:[^:]*]]: !tt.ptr<f32>, %[[N:[^:]*]]: i64, %[[O:[^:]*]]: i32, %[[D:[^:]*]]: i32
// CHECK-DAG:     %[[SIZE:.*]] = arith.constant 32 : i64
// CHECK-DAG:     %[[UNIT:.*]] = arith.constant 1 : i64
// CHECK-DAG:     %[[ZERO:.*]] = arith.constant 0 : i32
// CHECK-DAG:     %[[O64:.*]] = arith.extsi %[[O]] : i32 to i64
// CHECK-DAG:     %[[D64:.*]] = arith.extsi %[[D]] : i32 to i64
// CHECK:         %[[SUM:.*]] = arith.addi %[[O64]], %[[D64]] : i64
// CHECK:         %[[SUM2:.*]] = arith.addi %[[SUM]], %[[D64]] : i64
// CHECK:         %[[BASE:.*]] = tt.addptr %[[X]], %[[SUM2]] : !tt.ptr<f32>, i64
// CHECK:         %[[P:.*]] = tt.make_tensor_ptr %[[BASE]], [%[[SIZE]]], [%[[UNIT]]], [%[[ZERO]]]
// CHECK:         tt.load %[[P]] : !tt.ptr<tensor<32xf32>>
tt.func @advanced(%x: !tt.ptr<f32>, %n: i64, %o: i32, %d: i32) -> tensor<32xf32> {
  %unit = arith.constant 1 : i64
  %p = tt.make_tensor_ptr %x, [%n], [%unit], [%o] {order = array<i32: 0>} : <tensor<32xf32>>
  %q = tt.advance %p, [%d] : <tensor<32xf32>>
  %r = tt.advance %q, [%d] : <tensor<32xf32>>
  %a = tt.load %r : !tt.ptr<tensor<32xf32>>
  tt.return %a : tensor<32xf32>
}

// -----

// A load and a store of one pointer that check different dimensions: one
// make_tensor_ptr each, and one for both accesses that check the same.

// CHECK-LABEL: tt.func @groups(
// CHECK-DAG:     %[[C4:.*]] = arith.constant 4 : i64
// CHECK-DAG:     %[[C8:.*]] = arith.constant 8 : i64
// CHECK-DAG:     %[[STORE:.*]] = tt.make_tensor_ptr {{.*}}, [%[[C4]], %{{.*}}], [
// CHECK-DAG:     %[[LOAD:.*]] = tt.make_tensor_ptr {{.*}}, [%{{.*}}, %[[C8]]], [
// CHECK:         %[[A:.*]] = tt.load %[[LOAD]] {boundaryCheck = array<i32: 0>}
// CHECK:         tt.store %[[STORE]], %[[A]] {boundaryCheck = array<i32: 1>}
// CHECK:         tt.store %[[LOAD]], %[[A]] {boundaryCheck = array<i32: 0>}
tt.func @groups(%x: !tt.ptr<f32>, %m: i64, %n: i64, %i: i32, %j: i32) {
  %unit = arith.constant 1 : i64
  %p = tt.make_tensor_ptr %x, [%m, %n], [%n, %unit], [%i, %j] {order = array<i32: 1, 0>} : <tensor<4x8xf32>>
  %a = tt.load %p {boundaryCheck = array<i32: 0>} : !tt.ptr<tensor<4x8xf32>>
  tt.store %p, %a {boundaryCheck = array<i32: 1>} : !tt.ptr<tensor<4x8xf32>>
  tt.store %p, %a {boundaryCheck = array<i32: 0>} : !tt.ptr<tensor<4x8xf32>>
  tt.return
}

// -----

// An extent that was widened from 32 bits needs no guard against wrapping
// around; one of any size does. Five dimensions.

// CHECK-LABEL: tt.func @widened_extent(
// CHECK-SAME:    %{{.*}}: !tt.ptr<i8>, %[[E:[^:]*]]: i32, %[[F:[^:]*]]: i64
// CHECK-DAG:     %[[E64:.*]] = arith.extsi %[[E]] : i32 to i64
// CHECK-NOT:     arith.maxsi %[[E64]]
// CHECK:         arith.subi %[[E64]]
// CHECK:         arith.maxsi %[[F]]
// CHECK:         tt.make_tensor_ptr {{.*}} {order = array<i32: 4, 3, 2, 1, 0>} : <tensor<1x2x4x8x16xi8>>
tt.func @widened_extent(%x: !tt.ptr<i8>, %e: i32, %f: i64, %o: i32) -> tensor<1x2x4x8x16xi8> {
  %unit = arith.constant 1 : i64
  %e64 = arith.extsi %e : i32 to i64
  %p = tt.make_tensor_ptr %x, [%e64, %f, %f, %f, %f], [%unit, %unit, %unit, %unit, %unit], [%o, %o, %o, %o, %o] {order = array<i32: 4, 3, 2, 1, 0>} : <tensor<1x2x4x8x16xi8>>
  %a = tt.load %p {boundaryCheck = array<i32: 0, 4>, padding = 1 : i32} : !tt.ptr<tensor<1x2x4x8x16xi8>>
  tt.return %a : tensor<1x2x4x8x16xi8>
}

// -----

// Code that is never reached does not hinder the rest.

// CHECK-LABEL: tt.func @unreachable(
// CHECK:         tt.return
// CHECK-NOT:     tt.advance
tt.func @unreachable(%x: !tt.ptr<f32>, %n: i64, %o: i32) {
  %unit = arith.constant 1 : i64
  %p = tt.make_tensor_ptr %x, [%n], [%unit], [%o] {order = array<i32: 0>} : <tensor<32xf32>>
  %a = tt.load %p : !tt.ptr<tensor<32xf32>>
  tt.store %p, %a : !tt.ptr<tensor<32xf32>>
  tt.return
^bb1(%q: !tt.ptr<tensor<32xf32>>):
  %r = tt.advance %q, [%o] : <tensor<32xf32>>
  cf.br ^bb1(%r : !tt.ptr<tensor<32xf32>>)
}
