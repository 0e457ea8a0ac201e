// RUN: spine-triton-opt %s -split-input-file -spine-drop-unit-batch -cse | FileCheck %s

// What an access checks decides what its pointer says. All dimensions: a batch
// that is not there has no rows.

// CHECK-LABEL: tt.func @all(
// CHECK-SAME:    %[[P:[^:]*]]: !tt.ptr<f32>, %[[I:[^:]*]]: i32, %[[ROW:[^:]*]]: i32, %[[M:[^:]*]]: i64, %[[N:[^:]*]]: i64, %[[K:[^:]*]]: i64, %[[PITCH:[^:]*]]: i64
// CHECK-DAG:     %[[C0:.*]] = arith.constant 0 : i32
// CHECK-DAG:     %[[ONE:.*]] = arith.constant 1 : i64
// CHECK-DAG:     %[[NONE:.*]] = arith.constant 0 : i64
// CHECK-DAG:     %[[BATCH:.*]] = arith.extsi %[[I]] : i32 to i64
// CHECK-DAG:     %[[BEHIND:.*]] = arith.cmpi sge, %[[BATCH]], %[[NONE]] : i64
// CHECK-DAG:     %[[BEFORE:.*]] = arith.cmpi slt, %[[BATCH]], %[[M]] : i64
// CHECK:         %[[INSIDE:.*]] = arith.andi %[[BEHIND]], %[[BEFORE]] : i1
// CHECK:         %[[ROWS:.*]] = arith.select %[[INSIDE]], %[[N]], %[[NONE]] : i64
// CHECK:         %[[STEP:.*]] = arith.muli %[[BATCH]], %[[PITCH]] : i64
// CHECK:         %[[BASE:.*]] = tt.addptr %[[P]], %[[STEP]]
// CHECK:         %[[AT:.*]] = tt.make_tensor_ptr %[[BASE]], [%[[ROWS]], %[[K]]], [%[[K]], %[[ONE]]], [%[[ROW]], %[[C0]]] {order = array<i32: 1, 0>} : <tensor<16x16xf32>>
// CHECK:         tt.load %[[AT]] {boundaryCheck = array<i32: 0, 1>, padding = 2 : i32}
// CHECK:         tt.store %[[AT]], %{{.*}} {boundaryCheck = array<i32: 0, 1>}
tt.func @all(%p: !tt.ptr<f32>, %i: i32, %row: i32, %m: i64, %n: i64, %k: i64, %pitch: i64) {
  %c0 = arith.constant 0 : i32
  %one = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<1x16x16xf32>
  %at = tt.make_tensor_ptr %p, [%m, %n, %k], [%pitch, %k, %one], [%i, %row, %c0] {order = array<i32: 2, 1, 0>} : <tensor<1x16x16xf32>>
  %x = tt.load %at {boundaryCheck = array<i32: 0, 1, 2>, padding = 2 : i32} : !tt.ptr<tensor<1x16x16xf32>>
  %z = tt.dot %x, %x, %zero : tensor<1x16x16xf32> * tensor<1x16x16xf32> -> tensor<1x16x16xf32>
  tt.store %at, %z {boundaryCheck = array<i32: 0, 1, 2>} : !tt.ptr<tensor<1x16x16xf32>>
  tt.return
}

// -----

// The batch, but not the rows: the tile has all of its rows or none, and begins
// at the first.

// CHECK-LABEL: tt.func @batch(
// CHECK-SAME:    %[[P:[^:]*]]: !tt.ptr<f32>, %[[I:[^:]*]]: i32, %[[ROW:[^:]*]]: i32, %[[M:[^:]*]]: i64, %[[N:[^:]*]]: i64, %[[K:[^:]*]]: i64, %[[PITCH:[^:]*]]: i64
// CHECK-DAG:     %[[C0:.*]] = arith.constant 0 : i32
// CHECK-DAG:     %[[ALL:.*]] = arith.constant 16 : i64
// CHECK-DAG:     %[[NONE:.*]] = arith.constant 0 : i64
// CHECK-DAG:     %[[FIRST:.*]] = arith.extsi %[[ROW]] : i32 to i64
// CHECK-DAG:     %[[ABOVE:.*]] = arith.muli %[[FIRST]], %[[K]] : i64
// CHECK-DAG:     %[[AT_ROW:.*]] = tt.addptr %[[P]], %[[ABOVE]]
// CHECK:         %[[ROWS:.*]] = arith.select %{{.*}}, %[[ALL]], %[[NONE]] : i64
// CHECK:         %[[BASE:.*]] = tt.addptr %[[AT_ROW]],
// CHECK:         %[[AT:.*]] = tt.make_tensor_ptr %[[BASE]], [%[[ROWS]], %[[K]]], [%[[K]], %{{.*}}], [%[[C0]], %[[C0]]]
// CHECK:         tt.load %[[AT]] cacheModifier = cg {boundaryCheck = array<i32: 0, 1>, isVolatile = true, padding = 1 : i32}
tt.func @batch(%p: !tt.ptr<f32>, %i: i32, %row: i32, %m: i64, %n: i64, %k: i64, %pitch: i64) -> tensor<1x16x16xf32> {
  %c0 = arith.constant 0 : i32
  %one = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<1x16x16xf32>
  %at = tt.make_tensor_ptr %p, [%m, %n, %k], [%pitch, %k, %one], [%i, %row, %c0] {order = array<i32: 2, 1, 0>} : <tensor<1x16x16xf32>>
  %x = tt.load %at cacheModifier = cg {boundaryCheck = array<i32: 0, 2>, isVolatile = true, padding = 1 : i32} : !tt.ptr<tensor<1x16x16xf32>>
  %z = tt.dot %x, %x, %zero : tensor<1x16x16xf32> * tensor<1x16x16xf32> -> tensor<1x16x16xf32>
  tt.return %z : tensor<1x16x16xf32>
}

// -----

// Neither: nothing is compared. The order is one of two dimensions.

// CHECK-LABEL: tt.func @columns_or_nothing(
// CHECK-SAME:    %[[P:[^:]*]]: !tt.ptr<f32>, %[[Q:[^:]*]]: !tt.ptr<f32>, %[[I:[^:]*]]: i32, %[[ROW:[^:]*]]: i32, %[[M:[^:]*]]: i64, %[[N:[^:]*]]: i64, %[[K:[^:]*]]: i64
// CHECK-NOT:     arith.cmpi
// CHECK:         %[[FROM:.*]] = tt.make_tensor_ptr %{{.*}}, [%[[N]], %[[K]]], [%[[K]], %{{.*}}], [%[[ROW]], %{{.*}}] {order = array<i32: 0, 1>}
// CHECK:         tt.load %[[FROM]] {boundaryCheck = array<i32: 1>}
// CHECK:         tt.load %[[FROM]] : !tt.ptr<tensor<16x16xf32>>
tt.func @columns_or_nothing(%p: !tt.ptr<f32>, %q: !tt.ptr<f32>, %i: i32, %row: i32, %m: i64, %n: i64, %k: i64, %pitch: i64) -> tensor<1x16x16xf32> {
  %c0 = arith.constant 0 : i32
  %one = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<1x16x16xf32>
  %at = tt.make_tensor_ptr %p, [%m, %n, %k], [%pitch, %k, %one], [%i, %row, %c0] {order = array<i32: 1, 2, 0>} : <tensor<1x16x16xf32>>
  %x = tt.load %at {boundaryCheck = array<i32: 2>} : !tt.ptr<tensor<1x16x16xf32>>
  %y = tt.load %at : !tt.ptr<tensor<1x16x16xf32>>
  %z = tt.dot %x, %y, %zero : tensor<1x16x16xf32> * tensor<1x16x16xf32> -> tensor<1x16x16xf32>
  tt.return %z : tensor<1x16x16xf32>
}

// -----

// Tiles of pointers, with masks.

// CHECK-LABEL: tt.func @gather(
// CHECK:         %[[PTRS:.*]] = tt.splat %{{.*}} : !tt.ptr<f32> -> tensor<16x16x!tt.ptr<f32>>
// CHECK:         %[[AT:.*]] = tt.addptr %[[PTRS]], %{{.*}} : tensor<16x16x!tt.ptr<f32>>, tensor<16x16xi32>
// CHECK:         tt.load %[[AT]], %{{.*}}, %{{.*}} : tensor<16x16x!tt.ptr<f32>>
// CHECK:         tt.store %[[AT]], %{{.*}}, %{{.*}} : tensor<16x16x!tt.ptr<f32>>
tt.func @gather(%p: !tt.ptr<f32>, %offsets: tensor<16x16xi32>, %mask: tensor<1x16x16xi1>) {
  %zero = arith.constant dense<0.0> : tensor<1x16x16xf32>
  %ptrs = tt.splat %p : !tt.ptr<f32> -> tensor<1x16x16x!tt.ptr<f32>>
  %by = tt.expand_dims %offsets {axis = 0 : i32} : tensor<16x16xi32> -> tensor<1x16x16xi32>
  %at = tt.addptr %ptrs, %by : tensor<1x16x16x!tt.ptr<f32>>, tensor<1x16x16xi32>
  %x = tt.load %at, %mask, %zero : tensor<1x16x16x!tt.ptr<f32>>
  %z = tt.dot %x, %x, %zero : tensor<1x16x16xf32> * tensor<1x16x16xf32> -> tensor<1x16x16xf32>
  tt.store %at, %z, %mask : tensor<1x16x16x!tt.ptr<f32>>
  tt.return
}
