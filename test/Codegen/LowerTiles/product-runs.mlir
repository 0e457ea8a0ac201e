// RUN: spine-triton-opt %s -split-input-file -spine-to-linalg -spine-lower-tiles=strided-lanes=1 -canonicalize -cse | FileCheck %s
// RUN: spine-triton-opt %s -split-input-file -spine-to-linalg -spine-lower-tiles -canonicalize -cse | FileCheck %s

// Where the left operands of a loop's iterations are is written down while the
// right ones are packed, and what follows on the iteration before is one run
// with it. A block whose rows are inside in all iterations goes from run to run;
// another one visits each iteration, with its rows packed.

// CHECK-LABEL: func.func @checked(
// CHECK-DAG:     %[[ROWS:.*]] = arith.constant 16 : i64
// CHECK-DAG:     %[[BYTES:.*]] = arith.constant 4 : i64
// CHECK:         %[[PACKED:.*]] = spine.scratch {{.*}}name = "dot.rhs"
// CHECK:         %[[RUNS:.*]] = spine.scratch {bytes = 192 : i64, {{.*}}name = "dot.runs", temporary
// CHECK:         scf.for %{{.*}} = %c0_i64 to %{{.*}} step %c8_i64
// CHECK:           %[[FOUND:.*]]:5 = scf.for {{.*}} iter_args(%[[ROW:.*]] = %c0_i64, %[[COUNT:.*]] = %c0_i64, %[[HIGH:.*]] = %[[ROWS]], %[[START:.*]] = %c0_i64, %[[FIRST:.*]] = %c0_i64)
// CHECK:             llvm.store %{{.*}} : vector<8xf32>
// CHECK:             arith.minsi %[[HIGH]],
// CHECK:             %[[ADDRESS:.*]] = llvm.ptrtoint
// CHECK:             %[[STEPS:.*]] = arith.subi %[[ROW]], %[[FIRST]]
// CHECK:             %[[DISTANCE:.*]] = arith.muli %[[STEPS]], %[[BYTES]]
// CHECK-DAG:         %[[ANY:.*]] = arith.cmpi sgt, %[[COUNT]], %c0_i64
// CHECK-DAG:         %[[NEXT:.*]] = arith.addi %[[START]], %[[DISTANCE]]
// CHECK:             %[[HERE:.*]] = arith.cmpi eq, %[[ADDRESS]], %[[NEXT]]
// CHECK:             %[[FOLLOWS:.*]] = arith.andi %[[ANY]], %[[HERE]]
// CHECK-DAG:         arith.select %[[FOLLOWS]], %[[START]], %[[ADDRESS]]
// CHECK-DAG:         arith.select %[[FOLLOWS]], %[[FIRST]], %[[ROW]]
// CHECK-COUNT-3:     llvm.store %{{.*}} : i64
// CHECK:           scf.for %{{.*}} = %c0_i64 to %c16_i64 step %c4_i64
// CHECK:             %[[ABOVE:.*]] = arith.cmpi sle, %{{.*}}, %[[FOUND]]#2
// CHECK:             %[[IN:.*]] = arith.andi %{{.*}}, %[[ABOVE]]
// CHECK:             %[[HOT:.*]] = llvm.intr.expect %[[IN]], %true
// CHECK:             scf.if %[[HOT]]
// CHECK:               scf.for %{{.*}} = %c0_i64 to %[[FOUND]]#1 step %c1_i64
// CHECK-COUNT-2:         llvm.load %{{.*}} -> i64
// CHECK:                 llvm.load %{{.*}} -> !llvm.ptr
// CHECK-NOT:             scf.if
// CHECK:                 llvm.intr.fma
// CHECK:             } else {
// CHECK:               scf.for
// CHECK:                 llvm.intr.fma
// CHECK-LABEL: func.func @checked__may_alias(
// CHECK-NOT:     dot.runs
tt.func public @checked(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %z: !tt.ptr<f32>, %s: i64, %n: i32) {
  %c0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %i32 = arith.constant 32 : i32
  %c1 = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %r = tt.make_tensor_ptr %z, [%s, %s], [%s, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<16x16xf32>>
  %sum = scf.for %i = %c0 to %n step %i1 iter_args(%acc = %zero) -> (tensor<16x16xf32>) : i32 {
    %k = arith.muli %i, %i32 : i32
    %p = tt.make_tensor_ptr %x, [%s, %s], [%s, %c1], [%c0, %k] {order = array<i32: 1, 0>} : <tensor<16x32xf32>>
    %q = tt.make_tensor_ptr %y, [%s, %s], [%s, %c1], [%k, %c0] {order = array<i32: 1, 0>} : <tensor<32x16xf32>>
    %a = tt.load %p {boundaryCheck = array<i32: 0>} : !tt.ptr<tensor<16x32xf32>>
    %b = tt.load %q : !tt.ptr<tensor<32x16xf32>>
    %d = tt.dot %a, %b, %acc : tensor<16x32xf32> * tensor<32x16xf32> -> tensor<16x16xf32>
    scf.yield %d : tensor<16x16xf32>
  }
  tt.store %r, %sum : !tt.ptr<tensor<16x16xf32>>
  tt.return
}

// -----

// Iterations of nine steps, which is known from the tensors' shapes, are runs of
// their own: nothing is compared, and their rows are multiplied without a loop.

// CHECK-LABEL: func.func @known_length(
// CHECK:         spine.scratch {{.*}}name = "dot.runs", temporary
// CHECK:           scf.for
// CHECK-NOT:         arith.select
// CHECK:             llvm.store %{{.*}} : i64
// CHECK:           scf.for %{{.*}} = %c0_i64 to %c16_i64 step %c8_i64
// CHECK:             scf.for %[[PIECE:.*]] = %c0_i64 to %{{.*}} step %c1_i64
// CHECK-DAG:           llvm.load %{{.*}} -> !llvm.ptr
// CHECK-DAG:           arith.muli %[[PIECE]], %c72_i64
// CHECK-NOT:           scf.for
// CHECK-COUNT-72:      llvm.intr.fma
// CHECK-NOT:           llvm.intr.fma
// CHECK:               scf.yield
// CHECK-LABEL: func.func @known_length__may_alias(
tt.func public @known_length(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %z: !tt.ptr<f32>, %s: i64, %n: i32) {
  %c0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %c1 = arith.constant 1 : i64
  %c9 = arith.constant 9 : i64
  %c16 = arith.constant 16 : i64
  %zero = arith.constant dense<0.0> : tensor<16x8xf32>
  %r = tt.make_tensor_ptr %z, [%c16, %s], [%s, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<16x8xf32>>
  %sum = scf.for %i = %c0 to %n step %i1 iter_args(%acc = %zero) -> (tensor<16x8xf32>) : i32 {
    %piece = tt.addptr %x, %i : !tt.ptr<f32>, i32
    %p = tt.make_tensor_ptr %piece, [%c16, %c9], [%s, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<16x16xf32>>
    %q = tt.make_tensor_ptr %y, [%c9, %s], [%s, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<16x8xf32>>
    %a = tt.load %p {boundaryCheck = array<i32: 1>, padding = 1 : i32} : !tt.ptr<tensor<16x16xf32>>
    %b = tt.load %q {boundaryCheck = array<i32: 0>, padding = 1 : i32} : !tt.ptr<tensor<16x8xf32>>
    %d = tt.dot %a, %b, %acc : tensor<16x16xf32> * tensor<16x8xf32> -> tensor<16x8xf32>
    scf.yield %d : tensor<16x8xf32>
  }
  tt.store %r, %sum : !tt.ptr<tensor<16x8xf32>>
  tt.return
}

// -----

// Rows that lie apart by another distance in each iteration make no runs.

// CHECK-LABEL: func.func @other_strides(
// CHECK-NOT:     dot.runs
// CHECK:         llvm.intr.fma
tt.func public @other_strides(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %z: !tt.ptr<f32>, %s: i64, %n: i32) {
  %c0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %c1 = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %r = tt.make_tensor_ptr %z, [%s, %s], [%s, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<16x16xf32>>
  %sum = scf.for %i = %c0 to %n step %i1 iter_args(%acc = %zero) -> (tensor<16x16xf32>) : i32 {
    %wide = arith.extsi %i : i32 to i64
    %t = arith.addi %s, %wide : i64
    %p = tt.make_tensor_ptr %x, [%s, %s], [%t, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<16x32xf32>>
    %q = tt.make_tensor_ptr %y, [%s, %s], [%s, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<32x16xf32>>
    %a = tt.load %p : !tt.ptr<tensor<16x32xf32>>
    %b = tt.load %q : !tt.ptr<tensor<32x16xf32>>
    %d = tt.dot %a, %b, %acc : tensor<16x32xf32> * tensor<32x16xf32> -> tensor<16x16xf32>
    scf.yield %d : tensor<16x16xf32>
  }
  tt.store %r, %sum : !tt.ptr<tensor<16x16xf32>>
  tt.return
}

// -----

// Elements that are converted first are not read in place.

// CHECK-LABEL: func.func @converted(
// CHECK-NOT:     dot.runs
// CHECK:         llvm.intr.fma
tt.func public @converted(%x: !tt.ptr<f16>, %z: !tt.ptr<f32>, %s: i64, %n: i32) {
  %c0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %c1 = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %r = tt.make_tensor_ptr %z, [%s, %s], [%s, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<16x16xf32>>
  %sum = scf.for %i = %c0 to %n step %i1 iter_args(%acc = %zero) -> (tensor<16x16xf32>) : i32 {
    %p = tt.make_tensor_ptr %x, [%s, %s], [%s, %c1], [%c0, %i] {order = array<i32: 1, 0>} : <tensor<16x16xf16>>
    %a = tt.load %p : !tt.ptr<tensor<16x16xf16>>
    %d = tt.dot %a, %a, %acc : tensor<16x16xf16> * tensor<16x16xf16> -> tensor<16x16xf32>
    scf.yield %d : tensor<16x16xf32>
  }
  tt.store %r, %sum : !tt.ptr<tensor<16x16xf32>>
  tt.return
}
