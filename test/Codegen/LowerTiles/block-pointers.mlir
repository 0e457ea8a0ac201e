// RUN: spine-triton-opt %s -split-input-file -spine-to-linalg -spine-lower-tiles -canonicalize -cse | FileCheck %s

// A block pointer is its parts: base, shape, strides, offsets. Only what
// changes is carried by a loop: the offset, in 64 bits.

// CHECK-LABEL: func.func @advanced_in_loop(
// CHECK:         scf.for {{.*}} iter_args(%[[O:.*]] = %c0_i64) -> (i64) : i32 {
// CHECK:           %[[AT:.*]] = llvm.getelementptr %{{.*}}[%[[O]]] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK:           %[[NEXT:.*]] = arith.addi %[[O]], %c16_i64 : i64
// CHECK:           scf.yield %[[NEXT]] : i64
tt.func public @advanced_in_loop(%x: !tt.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %i16 = arith.constant 16 : i32
  %c1 = arith.constant 1 : i64
  %one = arith.constant dense<1.0> : tensor<8xf32>
  %p = tt.make_tensor_ptr %x, [%c1], [%c1], [%c0] {order = array<i32: 0>} : <tensor<8xf32>>
  %r = scf.for %i = %c0 to %n step %i1 iter_args(%q = %p) -> (!tt.ptr<tensor<8xf32>>) : i32 {
    tt.store %q, %one : !tt.ptr<tensor<8xf32>>
    %next = tt.advance %q, [%i16] : <tensor<8xf32>>
    scf.yield %next : !tt.ptr<tensor<8xf32>>
  }
  tt.return
}

// -----

// select: every part that differs is selected.

// CHECK-LABEL: func.func @select(
// CHECK-COUNT-1:   arith.select %{{.*}}, %{{.*}}, %{{.*}} : !llvm.ptr
// CHECK-COUNT-1:   arith.select %{{.*}}, %{{.*}}, %{{.*}} : i64
// CHECK-NOT:     arith.select
// CHECK:         llvm.store %{{.*}} : vector<8xf32>
tt.func public @select(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %n: i64, %o: i32, %c: i1, %f: f32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i64
  %one = arith.constant dense<1.0> : tensor<8xf32>
  %p = tt.make_tensor_ptr %x, [%n], [%c1], [%c0] {order = array<i32: 0>} : <tensor<8xf32>>
  %q = tt.make_tensor_ptr %y, [%n], [%c1], [%o] {order = array<i32: 0>} : <tensor<8xf32>>
  %r = arith.select %c, %p, %q : !tt.ptr<tensor<8xf32>>
  tt.store %r, %one : !tt.ptr<tensor<8xf32>>
  tt.return
}

// -----

// Through an if, of rank 2: base, two extents, two strides, two offsets. (What
// does not differ or can be selected is found by canonicalisation.)

// RUN: spine-triton-opt %s -split-input-file -spine-to-linalg -spine-lower-tiles | FileCheck %s --check-prefix=RAW

// CHECK-LABEL: func.func @if_else(
// RAW-LABEL: func.func @if_else(
// RAW:         scf.if %{{.*}} -> (!llvm.ptr, i64, i64, i64, i64, i64, i64) {
// RAW:           scf.yield %{{.*}} : !llvm.ptr, i64, i64, i64, i64, i64, i64
// RAW:         } else {
// RAW:           scf.yield %{{.*}} : !llvm.ptr, i64, i64, i64, i64, i64, i64
tt.func public @if_else(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %n: i64, %m: i64, %o: i32, %c: i1, %f: f32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i64
  %one = arith.constant dense<1.0> : tensor<8x8xf32>
  %r = scf.if %c -> !tt.ptr<tensor<8x8xf32>> {
    %p = tt.make_tensor_ptr %x, [%n, %m], [%m, %c1], [%c0, %o] {order = array<i32: 1, 0>} : <tensor<8x8xf32>>
    tt.store %x, %f : !tt.ptr<f32>
    scf.yield %p : !tt.ptr<tensor<8x8xf32>>
  } else {
    %q = tt.make_tensor_ptr %y, [%m, %n], [%c1, %n], [%o, %c0] {order = array<i32: 0, 1>} : <tensor<8x8xf32>>
    tt.store %y, %f : !tt.ptr<f32>
    scf.yield %q : !tt.ptr<tensor<8x8xf32>>
  }
  tt.store %r, %one {boundaryCheck = array<i32: 0, 1>} : !tt.ptr<tensor<8x8xf32>>
  tt.return
}

// -----

// Through a while.

// CHECK-LABEL: func.func @while_loop(
// CHECK:         scf.while (%{{.*}} = %{{.*}}, %[[O:.*]] = %c0_i64) : (i32, i64) -> (i32, i64)
// CHECK:         llvm.getelementptr %{{.*}}[%{{.*}}#1]
tt.func public @while_loop(%x: !tt.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i64
  %one = arith.constant dense<1.0> : tensor<8xf32>
  %p = tt.make_tensor_ptr %x, [%c1], [%c1], [%c0] {order = array<i32: 0>} : <tensor<8xf32>>
  %r:2 = scf.while (%i = %c0, %q = %p) : (i32, !tt.ptr<tensor<8xf32>>) -> (i32, !tt.ptr<tensor<8xf32>>) {
    %c = arith.cmpi slt, %i, %n : i32
    scf.condition(%c) %i, %q : i32, !tt.ptr<tensor<8xf32>>
  } do {
  ^bb0(%i: i32, %q: !tt.ptr<tensor<8xf32>>):
    %v = tt.load %x : !tt.ptr<f32>
    %j = arith.fptosi %v : f32 to i32
    %k = arith.addi %i, %j : i32
    %next = tt.advance %q, [%j] : <tensor<8xf32>>
    scf.yield %k, %next : i32, !tt.ptr<tensor<8xf32>>
  }
  tt.store %r#1, %one : !tt.ptr<tensor<8xf32>>
  tt.return
}

// -----

// A pointer on a path that is never taken (poison) is a null pointer.

// CHECK-LABEL: func.func @poison(
// CHECK:         llvm.mlir.zero : !llvm.ptr
// CHECK:         return
tt.func public @poison(%x: !tt.ptr<f32>, %n: i64, %c: i1, %f: f32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i64
  %one = arith.constant dense<1.0> : tensor<8xf32>
  %r = scf.if %c -> !tt.ptr<tensor<8xf32>> {
    %p = tt.make_tensor_ptr %x, [%n], [%c1], [%c0] {order = array<i32: 0>} : <tensor<8xf32>>
    scf.yield %p : !tt.ptr<tensor<8xf32>>
  } else {
    tt.store %x, %f : !tt.ptr<f32>
    %q = ub.poison : !tt.ptr<tensor<8xf32>>
    scf.yield %q : !tt.ptr<tensor<8xf32>>
  }
  tt.store %r, %one : !tt.ptr<tensor<8xf32>>
  tt.return
}
