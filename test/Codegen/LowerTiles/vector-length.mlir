// RUN: spine-triton-opt %s -spine-to-linalg "-spine-lower-tiles=vector-bits=1024 vector-registers=32 strided-lanes=1" -canonicalize -cse | FileCheck %s
// RUN: spine-triton-opt %s -spine-to-linalg "-spine-lower-tiles=vector-bits=1024 vector-registers=32" -canonicalize -cse | FileCheck %s --check-prefix=NONE

// Where an instruction can be told how many lanes it is for, the end of a tensor
// needs no mask.

// CHECK-LABEL: func.func @ends(
// CHECK-DAG:     %[[ALL:.+]] = arith.constant dense<true> : vector<32xi1>
// CHECK-DAG:     %[[ZERO:.+]] = arith.constant dense<0.000000e+00> : vector<32xf32>
// CHECK:         } else {
// CHECK:           %[[LEFT:.+]] = arith.subi %[[HIGH:.+]], %[[I:.+]] : i64
// CHECK:           %[[SOME:.+]] = arith.maxsi %[[LEFT]], %c0_i64 : i64
// CHECK:           %[[FEW:.+]] = arith.minsi %[[SOME]], %c32_i64 : i64
// CHECK:           %[[COUNT:.+]] = arith.trunci %[[FEW]] : i64 to i32
// CHECK:           %[[LOADED:.+]] = "llvm.intr.vp.load"(%{{.*}}, %[[ALL]], %[[COUNT]])
// CHECK:           "llvm.intr.vp.merge"(%[[ALL]], %[[LOADED]], %[[ZERO]], %[[COUNT]])
// CHECK:           "llvm.intr.vp.store"(%{{.*}}, %{{.*}}, %[[ALL]], %{{.*}})
// CHECK-NOT:     masked
// CHECK:         return
// NONE-LABEL:  func.func @ends(
// NONE-NOT:      intr.vp
// NONE:          llvm.intr.masked.load
// NONE:          llvm.intr.masked.store
tt.func public @ends(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %n: i64) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i64
  %p = tt.make_tensor_ptr %x, [%n], [%c1], [%c0] {order = array<i32: 0>} : <tensor<64xf32>>
  %q = tt.make_tensor_ptr %y, [%n], [%c1], [%c0] {order = array<i32: 0>} : <tensor<64xf32>>
  %t = tt.load %p {boundaryCheck = array<i32: 0>, padding = 1 : i32} : !tt.ptr<tensor<64xf32>>
  tt.store %q, %t {boundaryCheck = array<i32: 0>} : !tt.ptr<tensor<64xf32>>
  tt.return
}

// Lanes in front of the tensor take a mask. 16-bit floats are moved as integers,
// for targets that have no arithmetic on them.

// CHECK-LABEL: func.func @begins(
// CHECK:         %[[FROM:.+]] = arith.cmpi {{.*}} : vector<32xi32>
// CHECK:         %[[BITS:.+]] = "llvm.intr.vp.load"(%{{.*}}, %[[FROM]], %[[COUNT:.+]]) : {{.*}} -> vector<32xi16>
// CHECK:         %[[WITH:.+]] = "llvm.intr.vp.merge"(%[[FROM]], %[[BITS]], %{{.*}}, %[[COUNT]])
// CHECK:         arith.bitcast %[[WITH]] : vector<32xi16> to vector<32xf16>
tt.func public @begins(%x: !tt.ptr<f16>, %y: !tt.ptr<f16>, %n: i64, %o: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i64
  %p = tt.make_tensor_ptr %x, [%n], [%c1], [%o] {order = array<i32: 0>} : <tensor<64xf16>>
  %q = tt.make_tensor_ptr %y, [%n], [%c1], [%c0] {order = array<i32: 0>} : <tensor<64xf16>>
  %t = tt.load %p {boundaryCheck = array<i32: 0>, padding = 1 : i32} : !tt.ptr<tensor<64xf16>>
  tt.store %q, %t : !tt.ptr<tensor<64xf16>>
  tt.return
}
