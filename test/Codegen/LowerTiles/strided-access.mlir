// RUN: spine-triton-opt %s -spine-to-linalg "-spine-lower-tiles=vector-bits=1024 vector-registers=32 strided-lanes=1" -canonicalize -cse | FileCheck %s
// RUN: spine-triton-opt %s -spine-to-linalg "-spine-lower-tiles=vector-bits=1024 vector-registers=32" -canonicalize -cse | FileCheck %s --check-prefix=NONE

// Elements that lie apart in memory are moved by strided loads and stores where
// the target has them. Lanes beyond the end are left out by their number and are
// padding.

// CHECK-LABEL: func.func @apart(
// CHECK-DAG:     %[[ALL:.+]] = arith.constant dense<true> : vector<32xi1>
// CHECK-DAG:     %[[ZERO:.+]] = arith.constant dense<0.000000e+00> : vector<32xf32>
// CHECK:         "llvm.intr.experimental.vp.strided.load"
// CHECK:       } else {
// CHECK:         %[[COUNT:.+]] = arith.trunci
// CHECK:         %[[SOME:.+]] = "llvm.intr.experimental.vp.strided.load"(%{{.*}}, %{{.*}}, %[[ALL]], %[[COUNT]])
// CHECK:         "llvm.intr.vp.merge"(%[[ALL]], %[[SOME]], %[[ZERO]], %[[COUNT]])
// CHECK:         "llvm.intr.experimental.vp.strided.store"
// CHECK-NOT:     masked.scatter
// NONE-LABEL: func.func @apart(
// NONE:         llvm.intr.masked.gather
// NONE:         llvm.intr.masked.scatter
// NONE-NOT:     strided
tt.func public @apart(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %n: i64, %s: i64) {
  %c0 = arith.constant 0 : i32
  %p = tt.make_tensor_ptr %x, [%n], [%s], [%c0] {order = array<i32: 0>} : <tensor<64xf32>>
  %q = tt.make_tensor_ptr %y, [%n], [%s], [%c0] {order = array<i32: 0>} : <tensor<64xf32>>
  %t = tt.load %p {boundaryCheck = array<i32: 0>, padding = 1 : i32} : !tt.ptr<tensor<64xf32>>
  tt.store %q, %t {boundaryCheck = array<i32: 0>} : !tt.ptr<tensor<64xf32>>
  tt.return
}

// 16-bit floats are moved as integers, which every target has vectors of.

// CHECK-LABEL: func.func @halves(
// CHECK:         %[[BITS:.+]] = "llvm.intr.experimental.vp.strided.load"({{.*}} -> vector<32xi16>
// CHECK-NEXT:    arith.bitcast %[[BITS]] : vector<32xi16> to vector<32xf16>
// CHECK:         "llvm.intr.experimental.vp.strided.store"({{.*}}vector<32xi16>
tt.func public @halves(%x: !tt.ptr<f16>, %y: !tt.ptr<f16>, %n: i64, %s: i64) {
  %c0 = arith.constant 0 : i32
  %two = arith.constant dense<2.0> : tensor<64xf16>
  %p = tt.make_tensor_ptr %x, [%n], [%s], [%c0] {order = array<i32: 0>} : <tensor<64xf16>>
  %q = tt.make_tensor_ptr %y, [%n], [%s], [%c0] {order = array<i32: 0>} : <tensor<64xf16>>
  %t = tt.load %p : !tt.ptr<tensor<64xf16>>
  %u = arith.mulf %t, %two : tensor<64xf16>
  tt.store %q, %u : !tt.ptr<tensor<64xf16>>
  tt.return
}
