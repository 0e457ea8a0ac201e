// RUN: spine-triton-opt %s -split-input-file -spine-to-linalg -spine-lower-tiles="kept-bytes=16777216" -canonicalize -cse | FileCheck %s
// RUN: spine-triton-opt %s -split-input-file -spine-to-linalg -spine-lower-tiles | FileCheck %s --check-prefix=NONE
// RUN: spine-triton-opt %s -split-input-file -spine-to-linalg -spine-attach-target="kept-bytes=16777216" -spine-lower-tiles | FileCheck %s --check-prefix=TARGET

// Both operands are kept. Words that are zero when a launch begins come first.
// Of each group of iterations the keys are noted; they are looked for, the left
// operand's in four ways; and what is not found is packed. The version for
// arguments that overlap keeps nothing.

// TARGET-LABEL: func.func @both(
// TARGET:         spine.scratch {{.*}}kept
// NONE-NOT:     kept, name

// CHECK-LABEL: func.func @both(
// CHECK-DAG:     spine.scratch {{{.*}}bytes = 4096 : i64, {{.*}}kept, name = "kept.states"
// CHECK-DAG:     %[[RIGHT:.*]] = spine.scratch {{{.*}}kept, name = "dot.rhs.kept"
// CHECK-DAG:     %[[LEFT:.*]] = spine.scratch {{{.*}}kept, name = "dot.lhs.kept"
// CHECK:         llvm.ptrtoint
// CHECK:         scf.for %[[WAY:.*]] = %c0_i64 to %c4_i64
// CHECK:           arith.cmpi eq, %{{.*}}, %{{.*}} : vector<8xi64>
// CHECK:           vector.reduction <and>
// CHECK:         %[[LEFT_MISSING:.*]] = arith.cmpi slt, %{{.*}}, %c0_i64
// CHECK:         arith.cmpi eq, %{{.*}}, %{{.*}} : vector<8xi64>
// CHECK:         %[[RIGHT_MISSING:.*]] = arith.cmpi slt, %{{.*}}, %c0_i64
// CHECK:         scf.if %[[RIGHT_MISSING]] {
// CHECK:         scf.if %[[LEFT_MISSING]] {
// CHECK-LABEL: func.func @both__may_alias(
// CHECK-NOT:     kept, name
tt.func public @both(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %z: !tt.ptr<f32>, %s: i64, %n: i32) {
  %c0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %i32 = arith.constant 32 : i32
  %c1 = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<64x128xf32>
  %r = tt.make_tensor_ptr %z, [%s, %s], [%s, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<64x128xf32>>
  %sum = scf.for %i = %c0 to %n step %i1 iter_args(%acc = %zero) -> (tensor<64x128xf32>) : i32 {
    %k = arith.muli %i, %i32 : i32
    %p = tt.make_tensor_ptr %x, [%s, %s], [%s, %c1], [%c0, %k] {order = array<i32: 1, 0>} : <tensor<64x32xf32>>
    %q = tt.make_tensor_ptr %y, [%s, %s], [%s, %c1], [%k, %c0] {order = array<i32: 1, 0>} : <tensor<32x128xf32>>
    %a = tt.load %p {boundaryCheck = array<i32: 0, 1>, padding = 1 : i32} : !tt.ptr<tensor<64x32xf32>>
    %b = tt.load %q {boundaryCheck = array<i32: 0, 1>, padding = 1 : i32} : !tt.ptr<tensor<32x128xf32>>
    %d = tt.dot %a, %b, %acc : tensor<64x32xf32> * tensor<32x128xf32> -> tensor<64x128xf32>
    scf.yield %d : tensor<64x128xf32>
  }
  tt.store %r, %sum : !tt.ptr<tensor<64x128xf32>>
  tt.return
}

// -----

// The kernel writes to the left operand's argument, and the right operand is
// volatile: neither is kept.

// CHECK-LABEL: func.func @written(
// CHECK-NOT:     kept, name
tt.func public @written(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %s: i64, %n: i32) {
  %c0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %i32 = arith.constant 32 : i32
  %c1 = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<64x128xf32>
  %r = tt.make_tensor_ptr %x, [%s, %s], [%s, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<64x128xf32>>
  %sum = scf.for %i = %c0 to %n step %i1 iter_args(%acc = %zero) -> (tensor<64x128xf32>) : i32 {
    %k = arith.muli %i, %i32 : i32
    %p = tt.make_tensor_ptr %x, [%s, %s], [%s, %c1], [%c0, %k] {order = array<i32: 1, 0>} : <tensor<64x32xf32>>
    %q = tt.make_tensor_ptr %y, [%s, %s], [%s, %c1], [%k, %c0] {order = array<i32: 1, 0>} : <tensor<32x128xf32>>
    %a = tt.load %p : !tt.ptr<tensor<64x32xf32>>
    %b = tt.load %q {isVolatile = true} : !tt.ptr<tensor<32x128xf32>>
    %d = tt.dot %a, %b, %acc : tensor<64x32xf32> * tensor<32x128xf32> -> tensor<64x128xf32>
    scf.yield %d : tensor<64x128xf32>
  }
  tt.store %r, %sum : !tt.ptr<tensor<64x128xf32>>
  tt.return
}

// -----

// An atomic that orders memory may let a program see what another one stored.

// CHECK-LABEL: func.func @ordered(
// CHECK-NOT:     kept, name
tt.func public @ordered(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %z: !tt.ptr<f32>, %l: !tt.ptr<i32>, %s: i64, %n: i32) {
  %c0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %i32 = arith.constant 32 : i32
  %c1 = arith.constant 1 : i64
  %true = arith.constant true
  %zero = arith.constant dense<0.0> : tensor<64x128xf32>
  %old = tt.atomic_rmw add, acq_rel, gpu, %l, %i1, %true : (!tt.ptr<i32>, i32, i1) -> i32
  %r = tt.make_tensor_ptr %z, [%s, %s], [%s, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<64x128xf32>>
  %sum = scf.for %i = %c0 to %n step %i1 iter_args(%acc = %zero) -> (tensor<64x128xf32>) : i32 {
    %k = arith.muli %i, %i32 : i32
    %p = tt.make_tensor_ptr %x, [%s, %s], [%s, %c1], [%c0, %k] {order = array<i32: 1, 0>} : <tensor<64x32xf32>>
    %q = tt.make_tensor_ptr %y, [%s, %s], [%s, %c1], [%k, %c0] {order = array<i32: 1, 0>} : <tensor<32x128xf32>>
    %a = tt.load %p : !tt.ptr<tensor<64x32xf32>>
    %b = tt.load %q : !tt.ptr<tensor<32x128xf32>>
    %d = tt.dot %a, %b, %acc : tensor<64x32xf32> * tensor<32x128xf32> -> tensor<64x128xf32>
    scf.yield %d : tensor<64x128xf32>
  }
  tt.store %r, %sum : !tt.ptr<tensor<64x128xf32>>
  tt.return
}
