// RUN: spine-triton-opt %s -split-input-file -spine-to-linalg -spine-lower-tiles -canonicalize | FileCheck %s --check-prefixes=DISJOINT,ANY
// RUN: spine-triton-opt %s -split-input-file -pass-pipeline="builtin.module(spine-to-linalg,spine-lower-tiles{variants=disjoint},canonicalize)" | FileCheck %s --check-prefixes=DISJOINT,NO-ANY
// RUN: spine-triton-opt %s -split-input-file -pass-pipeline="builtin.module(spine-to-linalg,spine-lower-tiles{variants=may-alias},canonicalize)" | FileCheck %s --check-prefixes=NO-DISJOINT,ANY
// RUN: spine-triton-opt %s -split-input-file -pass-pipeline="builtin.module(spine-to-linalg,spine-to-llvm{variants=may-alias})" | FileCheck %s --check-prefix=LLVM

// One of the two versions of a kernel may be made alone.

// DISJOINT-LABEL:  func.func @two_tensors(
// DISJOINT-SAME:     spine.disjoint_arguments = array<i64: 0, 1>
// NO-DISJOINT-NOT: @two_tensors(
// ANY-LABEL:       func.func @two_tensors__may_alias(
// NO-ANY-NOT:      __may_alias
// LLVM-NOT:        @two_tensors(
// LLVM:            llvm.func @two_tensors__may_alias(
// LLVM-NOT:        @two_tensors(
tt.func public @two_tensors(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i64
  %p = tt.make_tensor_ptr %x, [%c1], [%c1], [%c0] {order = array<i32: 0>} : <tensor<16xf32>>
  %q = tt.make_tensor_ptr %y, [%c1], [%c1], [%c0] {order = array<i32: 0>} : <tensor<16xf32>>
  %a = tt.load %p : !tt.ptr<tensor<16xf32>>
  tt.store %q, %a : !tt.ptr<tensor<16xf32>>
  tt.return
}

// -----

// A kernel that serves for all arguments has one version, whichever is asked for.

// DISJOINT-LABEL:    func.func @in_place(
// NO-DISJOINT-LABEL: func.func @in_place(
// LLVM:              llvm.func @in_place(
tt.func public @in_place(%x: !tt.ptr<f32>, %n: i64) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i64
  %p = tt.make_tensor_ptr %x, [%n], [%c1], [%c0] {order = array<i32: 0>} : <tensor<16xf32>>
  %a = tt.load %p {boundaryCheck = array<i32: 0>} : !tt.ptr<tensor<16xf32>>
  %b = arith.mulf %a, %a : tensor<16xf32>
  tt.store %p, %b {boundaryCheck = array<i32: 0>} : !tt.ptr<tensor<16xf32>>
  tt.return
}
