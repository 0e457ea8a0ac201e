// RUN: spine-triton-opt %s -split-input-file -spine-to-linalg -spine-lower-tiles -canonicalize -cse | FileCheck %s

// Different arguments: read in place, and a second version that copies, for
// launches on which they overlap.

// CHECK-LABEL: func.func @two_tensors(
// CHECK-SAME:    spine.disjoint_arguments = array<i64: 0, 1>
// CHECK-NOT:     spine.scratch
// CHECK-LABEL: func.func @two_tensors__may_alias(
// CHECK:         %[[COPY:.*]] = spine.scratch {bytes = 64 : i64, id = 0 : i64
// CHECK:         scf.for
// CHECK:           llvm.getelementptr %[[COPY]]
// CHECK:           llvm.store
// CHECK:         scf.for
// CHECK:           llvm.getelementptr %[[COPY]]
// CHECK:           llvm.load
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

// A row rewritten in place needs neither: each element is read before it is
// written.

// CHECK-LABEL: func.func @in_place(
// CHECK-NOT:     spine.scratch
// CHECK:         return
// CHECK-NOT:   __may_alias
tt.func public @in_place(%x: !tt.ptr<f32>, %n: i64) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i64
  %p = tt.make_tensor_ptr %x, [%n], [%c1], [%c0] {order = array<i32: 0>} : <tensor<16xf32>>
  %a = tt.load %p {boundaryCheck = array<i32: 0>} : !tt.ptr<tensor<16xf32>>
  %b = arith.mulf %a, %a : tensor<16xf32>
  tt.store %p, %b {boundaryCheck = array<i32: 0>} : !tt.ptr<tensor<16xf32>>
  tt.return
}

// -----

// The same tensor at another place is copied first, in the one version there is.

// CHECK-LABEL: func.func @shifted(
// CHECK:         spine.scratch {bytes = 64
// CHECK:         return
// CHECK-NOT:   __may_alias
tt.func public @shifted(%x: !tt.ptr<f32>, %o: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i64
  %p = tt.make_tensor_ptr %x, [%c1], [%c1], [%c0] {order = array<i32: 0>} : <tensor<16xf32>>
  %q = tt.make_tensor_ptr %x, [%c1], [%c1], [%o] {order = array<i32: 0>} : <tensor<16xf32>>
  %a = tt.load %p : !tt.ptr<tensor<16xf32>>
  tt.store %q, %a : !tt.ptr<tensor<16xf32>>
  tt.return
}

// -----

// In place but not element by element: a stride that may be zero, several rows
// (which may overlap), elements of other places.

// CHECK-LABEL: func.func @any_stride(
// CHECK:         spine.scratch
// CHECK-LABEL: func.func @rows(
// CHECK:         spine.scratch
// CHECK-LABEL: func.func @transposed_row(
// CHECK:         spine.scratch
tt.func public @any_stride(%x: !tt.ptr<f32>, %s: i64) {
  %c0 = arith.constant 0 : i32
  %p = tt.make_tensor_ptr %x, [%s], [%s], [%c0] {order = array<i32: 0>} : <tensor<16xf32>>
  %a = tt.load %p : !tt.ptr<tensor<16xf32>>
  %b = arith.addf %a, %a : tensor<16xf32>
  tt.store %p, %b : !tt.ptr<tensor<16xf32>>
  tt.return
}
tt.func public @rows(%x: !tt.ptr<f32>, %s: i64) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i64
  %p = tt.make_tensor_ptr %x, [%s, %s], [%s, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<2x8xf32>>
  %a = tt.load %p : !tt.ptr<tensor<2x8xf32>>
  %b = arith.addf %a, %a : tensor<2x8xf32>
  tt.store %p, %b : !tt.ptr<tensor<2x8xf32>>
  tt.return
}
tt.func public @transposed_row(%x: !tt.ptr<f32>, %s: i64) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i64
  %p = tt.make_tensor_ptr %x, [%s], [%c1], [%c0] {order = array<i32: 0>} : <tensor<8xf32>>
  %a = tt.load %p : !tt.ptr<tensor<8xf32>>
  %r = tt.reshape %a : tensor<8xf32> -> tensor<2x4xf32>
  %t = tt.trans %r {order = array<i32: 1, 0>} : tensor<2x4xf32> -> tensor<4x2xf32>
  %b = tt.reshape %t : tensor<4x2xf32> -> tensor<8xf32>
  tt.store %p, %b : !tt.ptr<tensor<8xf32>>
  tt.return
}

// -----

// Overwritten between the load and its use: copied. Overwritten before the load
// or after the last use: not.

// CHECK-LABEL: func.func @overwritten(
// CHECK-COUNT-1: spine.scratch {bytes = 64 : i64, id = 0 : i64
// CHECK-NOT:     spine.scratch
// CHECK:         return
tt.func public @overwritten(%x: !tt.ptr<f32>, %f: f32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i64
  %p = tt.make_tensor_ptr %x, [%c1], [%c1], [%c0] {order = array<i32: 0>} : <tensor<16xf32>>
  %s = tt.splat %f : f32 -> tensor<16xf32>
  tt.store %p, %s : !tt.ptr<tensor<16xf32>>
  %a = tt.load %p : !tt.ptr<tensor<16xf32>>
  tt.store %p, %s : !tt.ptr<tensor<16xf32>>
  %sum = "tt.reduce"(%a) <{axis = 0 : i32}> ({
  ^bb0(%l: f32, %m: f32):
    %0 = arith.addf %l, %m : f32
    tt.reduce.return %0 : f32
  }) : (tensor<16xf32>) -> f32
  tt.store %x, %sum : !tt.ptr<f32>
  %b = tt.load %p : !tt.ptr<tensor<16xf32>>
  %max = "tt.reduce"(%b) <{axis = 0 : i32}> ({
  ^bb0(%l: f32, %m: f32):
    %0 = arith.maxnumf %l, %m : f32
    tt.reduce.return %0 : f32
  }) : (tensor<16xf32>) -> f32
  tt.store %x, %max : !tt.ptr<f32>
  tt.return
}

// -----

// Two tensors that change places: the tile of the first one is used after the
// first one has been overwritten. Only if the tensors overlap does the other
// tile need a copy too.

// CHECK-LABEL: func.func @swap(
// CHECK-COUNT-1: spine.scratch {bytes = 64 : i64
// CHECK-NOT:     spine.scratch
// CHECK-LABEL: func.func @swap__may_alias(
// CHECK-COUNT-2: spine.scratch {bytes = 64 : i64
// CHECK-NOT:     spine.scratch
// CHECK:         return
tt.func public @swap(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i64
  %p = tt.make_tensor_ptr %x, [%c1], [%c1], [%c0] {order = array<i32: 0>} : <tensor<16xf32>>
  %q = tt.make_tensor_ptr %y, [%c1], [%c1], [%c0] {order = array<i32: 0>} : <tensor<16xf32>>
  %a = tt.load %p : !tt.ptr<tensor<16xf32>>
  %b = tt.load %q : !tt.ptr<tensor<16xf32>>
  tt.store %p, %b : !tt.ptr<tensor<16xf32>>
  tt.store %q, %a : !tt.ptr<tensor<16xf32>>
  tt.return
}

// -----

// A store in a loop behind the load, an atomic, a store under a condition.

// CHECK-LABEL: func.func @in_loop(
// CHECK:         spine.scratch {bytes = 64
// CHECK-LABEL: func.func @atomic(
// CHECK:         spine.scratch {bytes = 64
// CHECK-LABEL: func.func @in_branch(
// CHECK:         spine.scratch {bytes = 64
tt.func public @in_loop(%x: !tt.ptr<f32>, %n: i32, %o: i32) {
  %c0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %c1 = arith.constant 1 : i64
  %p = tt.make_tensor_ptr %x, [%c1], [%c1], [%c0] {order = array<i32: 0>} : <tensor<16xf32>>
  %q = tt.make_tensor_ptr %x, [%c1], [%c1], [%o] {order = array<i32: 0>} : <tensor<16xf32>>
  %a = tt.load %p : !tt.ptr<tensor<16xf32>>
  scf.for %i = %c0 to %n step %i1 : i32 {
    tt.store %q, %a : !tt.ptr<tensor<16xf32>>
  }
  tt.return
}
tt.func public @atomic(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>, %i: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i64
  %true = arith.constant true
  %p = tt.make_tensor_ptr %x, [%c1], [%c1], [%c0] {order = array<i32: 0>} : <tensor<16xi32>>
  %a = tt.load %p : !tt.ptr<tensor<16xi32>>
  %old = tt.atomic_rmw add, acq_rel, gpu, %x, %i, %true : (!tt.ptr<i32>, i32, i1) -> i32
  %q = tt.make_tensor_ptr %y, [%c1], [%c1], [%old] {order = array<i32: 0>} : <tensor<16xi32>>
  tt.store %q, %a : !tt.ptr<tensor<16xi32>>
  tt.return
}
tt.func public @in_branch(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %c: i1, %f: f32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i64
  %p = tt.make_tensor_ptr %x, [%c1], [%c1], [%c0] {order = array<i32: 0>} : <tensor<16xf32>>
  %q = tt.make_tensor_ptr %y, [%c1], [%c1], [%c0] {order = array<i32: 0>} : <tensor<16xf32>>
  %a = tt.load %p : !tt.ptr<tensor<16xf32>>
  scf.if %c {
    tt.store %x, %f : !tt.ptr<f32>
  }
  tt.store %q, %a : !tt.ptr<tensor<16xf32>>
  tt.return
}

// -----

// Where a pointer comes from is followed through arithmetic, selects, loops and
// tiles of pointers; where it cannot be followed (a number, memory), it may
// point anywhere, and there is no version that relies on disjoint arguments.

// CHECK-LABEL: func.func @through_select(
// CHECK:         spine.scratch {bytes = 64
// CHECK-LABEL: func.func @from_number(
// CHECK:         spine.scratch {bytes = 64
// CHECK-LABEL: func.func @from_memory(
// CHECK:         spine.scratch {bytes = 64
// CHECK-LABEL: func.func @pointer_tile(
// CHECK-NOT:     spine.scratch
// CHECK-LABEL: func.func @pointer_tile__may_alias(
// CHECK:         spine.scratch {bytes = 64
tt.func public @through_select(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %c: i1, %o: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i64
  %z = arith.select %c, %x, %y : !tt.ptr<f32>
  %w = tt.addptr %z, %o : !tt.ptr<f32>, i32
  %p = tt.make_tensor_ptr %x, [%c1], [%c1], [%c0] {order = array<i32: 0>} : <tensor<16xf32>>
  %q = tt.make_tensor_ptr %w, [%c1], [%c1], [%c0] {order = array<i32: 0>} : <tensor<16xf32>>
  %a = tt.load %p : !tt.ptr<tensor<16xf32>>
  tt.store %q, %a : !tt.ptr<tensor<16xf32>>
  tt.return
}
tt.func public @from_number(%x: !tt.ptr<f32>, %n: i64) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i64
  %z = tt.int_to_ptr %n : i64 -> !tt.ptr<f32>
  %p = tt.make_tensor_ptr %x, [%c1], [%c1], [%c0] {order = array<i32: 0>} : <tensor<16xf32>>
  %q = tt.make_tensor_ptr %z, [%c1], [%c1], [%c0] {order = array<i32: 0>} : <tensor<16xf32>>
  %a = tt.load %p : !tt.ptr<tensor<16xf32>>
  tt.store %q, %a : !tt.ptr<tensor<16xf32>>
  tt.return
}
tt.func public @from_memory(%x: !tt.ptr<f32>, %y: !tt.ptr<!tt.ptr<f32>>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i64
  %z = tt.load %y : !tt.ptr<!tt.ptr<f32>>
  %p = tt.make_tensor_ptr %x, [%c1], [%c1], [%c0] {order = array<i32: 0>} : <tensor<16xf32>>
  %q = tt.make_tensor_ptr %z, [%c1], [%c1], [%c0] {order = array<i32: 0>} : <tensor<16xf32>>
  %a = tt.load %p : !tt.ptr<tensor<16xf32>>
  tt.store %q, %a : !tt.ptr<tensor<16xf32>>
  tt.return
}
tt.func public @pointer_tile(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %r = tt.make_range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<16x!tt.ptr<f32>>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<16x!tt.ptr<f32>>
  %p = tt.addptr %xs, %r : tensor<16x!tt.ptr<f32>>, tensor<16xi32>
  %q = tt.addptr %ys, %r : tensor<16x!tt.ptr<f32>>, tensor<16xi32>
  %a = tt.load %p : tensor<16x!tt.ptr<f32>>
  tt.store %q, %a : tensor<16x!tt.ptr<f32>>
  tt.return
}

// -----

// Only what is written has to be apart from what is read: `%x` and `%y` may be
// views of one tensor.

// CHECK-LABEL: func.func @two_inputs(
// CHECK-SAME:    spine.disjoint_arguments = array<i64: 0, 2, 1, 2>
// CHECK-NOT:     spine.scratch
// CHECK-LABEL: func.func @two_inputs__may_alias(
// CHECK-NOT:     spine.disjoint_arguments
tt.func public @two_inputs(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %z: !tt.ptr<f32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i64
  %p = tt.make_tensor_ptr %x, [%c1], [%c1], [%c0] {order = array<i32: 0>} : <tensor<16xf32>>
  %q = tt.make_tensor_ptr %y, [%c1], [%c1], [%c0] {order = array<i32: 0>} : <tensor<16xf32>>
  %r = tt.make_tensor_ptr %z, [%c1], [%c1], [%c0] {order = array<i32: 0>} : <tensor<16xf32>>
  %a = tt.load %p : !tt.ptr<tensor<16xf32>>
  %b = tt.load %q : !tt.ptr<tensor<16xf32>>
  %s = arith.addf %a, %b : tensor<16xf32>
  tt.store %r, %s : !tt.ptr<tensor<16xf32>>
  tt.return
}
