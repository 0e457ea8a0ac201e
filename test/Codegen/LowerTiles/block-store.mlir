// RUN: spine-triton-opt %s -split-input-file -spine-to-linalg -spine-lower-tiles -canonicalize -cse | FileCheck %s

// Rows outside are not visited at all; in a row, whole vectors are written as
// such and others under a mask.

// CHECK-LABEL: func.func @both_ends(
// CHECK-DAG:     %[[BEFORE0:.*]] = arith.maxsi %{{.*}}, %c-4_i64 : i64
// CHECK-DAG:     %[[LOW0:.*]] = arith.subi %c0_i64, %[[BEFORE0]] : i64
// CHECK-DAG:     %[[HIGH0:.*]] = arith.addi %[[LOW0]], %{{.*}} : i64
// CHECK-DAG:     %[[BEFORE1:.*]] = arith.maxsi %{{.*}}, %c-16_i64 : i64
// CHECK-DAG:     %[[LOW1:.*]] = arith.subi %c0_i64, %[[BEFORE1]] : i64
// CHECK-DAG:     %[[HIGH1:.*]] = arith.addi %[[LOW1]], %{{.*}} : i64
// CHECK:         scf.for %[[I:.*]] = %[[LOW0]] to %[[HIGH0]] step %c1_i64
// CHECK:           %[[FIRST:.*]] = arith.divui %[[LOW1]], %c8_i64
// CHECK:           %[[FROM:.*]] = arith.muli %[[FIRST]], %c8_i64
// CHECK:           arith.addi %[[HIGH1]], %c7_i64
// CHECK:           %[[TO:.*]] = arith.minsi %{{.*}}, %c16_i64
// CHECK:           scf.for %[[J:.*]] = %[[FROM]] to %[[TO]] step %c8_i64
// CHECK:             %[[LAST:.*]] = arith.addi %[[J]], %c8_i64
// CHECK-DAG:         %[[ENDS:.*]] = arith.cmpi sle, %[[LAST]], %[[HIGH1]]
// CHECK-DAG:         %[[STARTS:.*]] = arith.cmpi sge, %[[J]], %[[LOW1]]
// CHECK:             %[[WHOLE:.*]] = arith.andi %[[ENDS]], %[[STARTS]]
// CHECK:             scf.if %[[WHOLE]] {
// CHECK:               llvm.store %[[V:[^,]*]], %{{.*}} {alignment = 4 : i64} : vector<8xf32>, !llvm.ptr
// CHECK:             } else {
// CHECK:               %[[MASK:.*]] = arith.andi %{{.*}}, %{{.*}} : vector<8xi1>
// CHECK:               llvm.intr.masked.store %[[V]], %{{.*}}, %[[MASK]] {alignment = 4 : i32}
tt.func public @both_ends(%x: !tt.ptr<f32>, %n: i64, %o: i32, %f: f32) {
  %c1 = arith.constant 1 : i64
  %p = tt.make_tensor_ptr %x, [%n, %n], [%n, %c1], [%o, %o] {order = array<i32: 1, 0>} : <tensor<4x16xf32>>
  %t = tt.splat %f : f32 -> tensor<4x16xf32>
  tt.store %p, %t {boundaryCheck = array<i32: 0, 1>} : !tt.ptr<tensor<4x16xf32>>
  tt.return
}

// -----

// No check: no bounds, no mask. A tile whose elements are all the same needs no
// memory.

// CHECK-LABEL: func.func @unchecked(
// CHECK-NOT:     spine.scratch
// CHECK-NOT:     arith.minsi
// CHECK:         scf.for %{{.*}} = %c0_i64 to %c4_i64
// CHECK:           scf.for %{{.*}} = %c0_i64 to %c16_i64 step %c8_i64
// CHECK:             llvm.store %{{.*}}, %{{.*}} {alignment = 8 : i64} : vector<8xf64>, !llvm.ptr
// CHECK-NOT:     masked
tt.func public @unchecked(%x: !tt.ptr<f64>, %n: i64, %o: i32) {
  %c1 = arith.constant 1 : i64
  %p = tt.make_tensor_ptr %x, [%n, %n], [%n, %c1], [%o, %o] {order = array<i32: 1, 0>} : <tensor<4x16xf64>>
  %t = arith.constant dense<1.0> : tensor<4x16xf64>
  tt.store %p, %t : !tt.ptr<tensor<4x16xf64>>
  tt.return
}

// -----

// A stride that is not known: a scatter, masked at the edge.

// CHECK-LABEL: func.func @any_stride(
// CHECK-DAG:     %[[ALL:.*]] = arith.constant dense<true> : vector<8xi1>
// CHECK:         scf.if %{{.*}} {
// CHECK:           %[[AT:.*]] = llvm.getelementptr %{{.*}}[%{{.*}}] : (!llvm.ptr, vector<8xi64>) -> vector<8x!llvm.ptr>, f32
// CHECK:           llvm.intr.masked.scatter %{{.*}}, %[[AT]], %[[ALL]] {alignment = 4 : i32}
// CHECK:         } else {
// CHECK:           %[[MASK:.*]] = arith.cmpi sgt
// CHECK:           llvm.intr.masked.scatter %{{.*}}, %{{.*}}, %[[MASK]] {alignment = 4 : i32}
tt.func public @any_stride(%x: !tt.ptr<f32>, %n: i64, %f: f32) {
  %c0 = arith.constant 0 : i32
  %p = tt.make_tensor_ptr %x, [%n], [%n], [%c0] {order = array<i32: 0>} : <tensor<16xf32>>
  %t = tt.splat %f : f32 -> tensor<16xf32>
  tt.store %p, %t {boundaryCheck = array<i32: 0>} : !tt.ptr<tensor<16xf32>>
  tt.return
}

// -----

// The dimension of stride 1 is the vectors' dimension, be it the first one.

// CHECK-LABEL: func.func @column_major(
// CHECK:         scf.for %{{.*}} = %c0_i64 to %c2_i64 step %c1_i64
// CHECK:           scf.for %{{.*}} = %c0_i64 to %c32_i64 step %c8_i64
// CHECK:             llvm.store %{{.*}} : vector<8xi32>, !llvm.ptr
tt.func public @column_major(%x: !tt.ptr<i32>, %n: i64, %i: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i64
  %p = tt.make_tensor_ptr %x, [%n, %n], [%c1, %n], [%c0, %c0] {order = array<i32: 0, 1>} : <tensor<32x2xi32>>
  %t = tt.splat %i : i32 -> tensor<32x2xi32>
  tt.store %p, %t : !tt.ptr<tensor<32x2xi32>>
  tt.return
}

// -----

// i1 becomes bytes 0 and 1. One element is a plain store that the loops' bounds
// guard.

// CHECK-LABEL: func.func @bits(
// CHECK:         %[[B:.*]] = arith.extui %{{.*}} : vector<8xi1> to vector<8xi8>
// CHECK:         llvm.store %[[B]], %{{.*}} {alignment = 1 : i64} : vector<8xi8>, !llvm.ptr
// CHECK:         scf.for %{{.*}} = %{{.*}} to %{{.*}} step %c1_i64
// CHECK:           llvm.store %{{.*}}, %{{.*}} {alignment = 1 : i64} : i8, !llvm.ptr
// CHECK-NOT:     masked
tt.func public @bits(%x: !tt.ptr<i1>, %n: i64, %i: i32, %c: i1) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i64
  %p = tt.make_tensor_ptr %x, [%n], [%c1], [%c0] {order = array<i32: 0>} : <tensor<16xi1>>
  %q = tt.make_tensor_ptr %x, [%n], [%c1], [%i] {order = array<i32: 0>} : <tensor<1xi1>>
  %r = tt.make_range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %s = tt.splat %i : i32 -> tensor<16xi32>
  %t = arith.cmpi eq, %r, %s : tensor<16xi32>
  tt.store %p, %t : !tt.ptr<tensor<16xi1>>
  %u = tt.splat %c : i1 -> tensor<1xi1>
  tt.store %q, %u {boundaryCheck = array<i32: 0>} : !tt.ptr<tensor<1xi1>>
  tt.return
}
