// RUN: spine-triton-opt %s -split-input-file -spine-rebase-tensor-ptr -cse | FileCheck %s

// The pointers of a GEMM: each loop-carried pointer becomes the one offset that
// changes.

// CHECK-LABEL: tt.func @gemm_loop(
// CHECK:         scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %[[KA:.*]] = %{{.*}}, %[[KB:.*]] = %{{.*}}) -> (tensor<64x16xf32>, i64, i64)
// CHECK:           tt.load {{.*}} : !tt.ptr<tensor<64x32xf16>>
// CHECK:           tt.load {{.*}} : !tt.ptr<tensor<32x16xf16>>
// CHECK:           scf.yield {{.*}} : tensor<64x16xf32>, i64, i64
tt.func @gemm_loop(%a: !tt.ptr<f16>, %b: !tt.ptr<f16>, %m: i64, %k: i64, %row: i32, %trips: i32) -> tensor<64x16xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c32 = arith.constant 32 : i32
  %unit = arith.constant 1 : i64
  %n = arith.constant 16 : i64
  %zero = arith.constant dense<0.0> : tensor<64x16xf32>
  %pa = tt.make_tensor_ptr %a, [%m, %k], [%k, %unit], [%row, %c0] {order = array<i32: 1, 0>} : <tensor<64x32xf16>>
  %pb = tt.make_tensor_ptr %b, [%k, %n], [%n, %unit], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<32x16xf16>>
  %r:3 = scf.for %i = %c0 to %trips step %c1 iter_args(%qa = %pa, %qb = %pb, %acc = %zero) -> (!tt.ptr<tensor<64x32xf16>>, !tt.ptr<tensor<32x16xf16>>, tensor<64x16xf32>) : i32 {
    %ta = tt.load %qa {boundaryCheck = array<i32: 0, 1>, padding = 1 : i32} : !tt.ptr<tensor<64x32xf16>>
    %tb = tt.load %qb {boundaryCheck = array<i32: 0, 1>, padding = 1 : i32} : !tt.ptr<tensor<32x16xf16>>
    %d = tt.dot %ta, %tb, %acc : tensor<64x32xf16> * tensor<32x16xf16> -> tensor<64x16xf32>
    %na = tt.advance %qa, [%c0, %c32] : <tensor<64x32xf16>>
    %nb = tt.advance %qb, [%c32, %c0] : <tensor<32x16xf16>>
    scf.yield %na, %nb, %d : !tt.ptr<tensor<64x32xf16>>, !tt.ptr<tensor<32x16xf16>>, tensor<64x16xf32>
  }
  tt.return %r#2 : tensor<64x16xf32>
}

// -----

// A conditional that advances on one side: one i64 comes out of it, and the
// pointer that is used after it is made there.

// CHECK-LABEL: tt.func @one_branch(
// CHECK-SAME:    %{{.*}}: !tt.ptr<f32>, %{{.*}}: i64, %[[O:[^:]*]]: i32, %[[COND:[^:]*]]: i1
// CHECK:         %[[O64:.*]] = arith.extsi %[[O]] : i32 to i64
// CHECK:         %[[R:.*]] = scf.if %[[COND]] -> (i64)
// CHECK:           %[[MOVED:.*]] = arith.addi %[[O64]], %{{.*}} : i64
// CHECK:           scf.yield %[[MOVED]] : i64
// CHECK:           scf.yield %[[O64]] : i64
// CHECK:         arith.minsi %[[R]]
// CHECK:         tt.make_tensor_ptr
// CHECK-NOT:     tt.make_tensor_ptr
tt.func @one_branch(%x: !tt.ptr<f32>, %n: i64, %o: i32, %cond: i1) -> tensor<32xf32> {
  %unit = arith.constant 1 : i64
  %c16 = arith.constant 16 : i32
  %p = tt.make_tensor_ptr %x, [%n], [%unit], [%o] {order = array<i32: 0>} : <tensor<32xf32>>
  %q = scf.if %cond -> (!tt.ptr<tensor<32xf32>>) {
    %r = tt.advance %p, [%c16] : <tensor<32xf32>>
    scf.yield %r : !tt.ptr<tensor<32xf32>>
  } else {
    scf.yield %p : !tt.ptr<tensor<32xf32>>
  }
  %a = tt.load %q {boundaryCheck = array<i32: 0>} : !tt.ptr<tensor<32xf32>>
  tt.return %a : tensor<32xf32>
}

// -----

// Branches that make different pointers: what differs comes out, base and extent
// here; the stride and the offset are the same.

// CHECK-LABEL: tt.func @different_tensors(
// CHECK:         %[[R:.*]]:2 = scf.if %{{.*}} -> (!tt.ptr<f32>, i64)
// CHECK:         tt.make_tensor_ptr
tt.func @different_tensors(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %n: i64, %o: i32, %cond: i1) -> tensor<32xf32> {
  %unit = arith.constant 1 : i64
  %q = scf.if %cond -> (!tt.ptr<tensor<32xf32>>) {
    tt.print "x: " {hex = false, isSigned = array<i32: 0>} : %n : i64
    %p = tt.make_tensor_ptr %x, [%n], [%unit], [%o] {order = array<i32: 0>} : <tensor<32xf32>>
    scf.yield %p : !tt.ptr<tensor<32xf32>>
  } else {
    %m = arith.addi %n, %n : i64
    %p = tt.make_tensor_ptr %y, [%m], [%unit], [%o] {order = array<i32: 0>} : <tensor<32xf32>>
    scf.yield %p : !tt.ptr<tensor<32xf32>>
  }
  %a = tt.load %q {boundaryCheck = array<i32: 0>} : !tt.ptr<tensor<32xf32>>
  tt.return %a : tensor<32xf32>
}

// -----

// arith.select between two pointers selects what differs.

// CHECK-LABEL: tt.func @select(
// CHECK-SAME:    %[[X:[^:]*]]: !tt.ptr<f32>, %[[Y:[^:]*]]: !tt.ptr<f32>, %[[N:[^:]*]]: i64, %[[O:[^:]*]]: i32, %[[COND:[^:]*]]: i1
// CHECK:         %[[BASE:.*]] = arith.select %[[COND]], %[[X]], %[[Y]] : !tt.ptr<f32>
// CHECK-NOT:     arith.select
// CHECK:         tt.addptr %[[BASE]]
tt.func @select(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %n: i64, %o: i32, %cond: i1) -> tensor<32xf32> {
  %unit = arith.constant 1 : i64
  %p = tt.make_tensor_ptr %x, [%n], [%unit], [%o] {order = array<i32: 0>} : <tensor<32xf32>>
  %q = tt.make_tensor_ptr %y, [%n], [%unit], [%o] {order = array<i32: 0>} : <tensor<32xf32>>
  %r = arith.select %cond, %p, %q : !tt.ptr<tensor<32xf32>>
  %a = tt.load %r : !tt.ptr<tensor<32xf32>>
  tt.return %a : tensor<32xf32>
}

// -----

// Two loops: the outer one advances rows, the inner one columns of a copy. The
// inner loop carries the column only.

// CHECK-LABEL: tt.func @nested(
// CHECK:         scf.for {{.*}} iter_args({{.*}}) -> (tensor<8x16xf32>, i64)
// CHECK:           scf.for {{.*}} iter_args({{.*}}) -> (tensor<8x16xf32>, i64)
// CHECK:             tt.make_tensor_ptr
// CHECK:             scf.yield {{.*}} : tensor<8x16xf32>, i64
// CHECK:           scf.yield {{.*}} : tensor<8x16xf32>, i64
tt.func @nested(%x: !tt.ptr<f32>, %m: i64, %n: i64, %trips: i32) -> tensor<8x16xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c8 = arith.constant 8 : i32
  %c16 = arith.constant 16 : i32
  %unit = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<8x16xf32>
  %p = tt.make_tensor_ptr %x, [%m, %n], [%n, %unit], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<8x16xf32>>
  %r:2 = scf.for %i = %c0 to %trips step %c1 iter_args(%rows = %p, %acc = %zero) -> (!tt.ptr<tensor<8x16xf32>>, tensor<8x16xf32>) : i32 {
    %s:2 = scf.for %j = %c0 to %trips step %c1 iter_args(%q = %rows, %inner = %acc) -> (!tt.ptr<tensor<8x16xf32>>, tensor<8x16xf32>) : i32 {
      %a = tt.load %q {boundaryCheck = array<i32: 0, 1>, padding = 1 : i32} : !tt.ptr<tensor<8x16xf32>>
      %sum = arith.addf %inner, %a : tensor<8x16xf32>
      %next = tt.advance %q, [%c0, %c16] : <tensor<8x16xf32>>
      scf.yield %next, %sum : !tt.ptr<tensor<8x16xf32>>, tensor<8x16xf32>
    }
    %below = tt.advance %rows, [%c8, %c0] : <tensor<8x16xf32>>
    scf.yield %below, %s#1 : !tt.ptr<tensor<8x16xf32>>, tensor<8x16xf32>
  }
  tt.return %r#1 : tensor<8x16xf32>
}

// -----

// One pointer through both loops, used after them: the inner loop carries the
// column, the outer one both.

// CHECK-LABEL: tt.func @nested_rewind(
// CHECK:         %[[R:.*]]:3 = scf.for {{.*}} iter_args({{.*}}) -> (tensor<8x16xf32>, i64, i64)
// CHECK:           scf.for {{.*}} iter_args({{.*}}) -> (tensor<8x16xf32>, i64)
// CHECK:         tt.make_tensor_ptr
// CHECK:         tt.store
tt.func @nested_rewind(%x: !tt.ptr<f32>, %m: i64, %n: i64, %trips: i32, %back: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c8 = arith.constant 8 : i32
  %c16 = arith.constant 16 : i32
  %unit = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<8x16xf32>
  %p = tt.make_tensor_ptr %x, [%m, %n], [%n, %unit], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<8x16xf32>>
  %r:2 = scf.for %i = %c0 to %trips step %c1 iter_args(%rows = %p, %acc = %zero) -> (!tt.ptr<tensor<8x16xf32>>, tensor<8x16xf32>) : i32 {
    %s:2 = scf.for %j = %c0 to %trips step %c1 iter_args(%q = %rows, %inner = %acc) -> (!tt.ptr<tensor<8x16xf32>>, tensor<8x16xf32>) : i32 {
      %a = tt.load %q {boundaryCheck = array<i32: 0, 1>, padding = 1 : i32} : !tt.ptr<tensor<8x16xf32>>
      %sum = arith.addf %inner, %a : tensor<8x16xf32>
      %next = tt.advance %q, [%c0, %c16] : <tensor<8x16xf32>>
      scf.yield %next, %sum : !tt.ptr<tensor<8x16xf32>>, tensor<8x16xf32>
    }
    %below = tt.advance %s#0, [%c8, %back] : <tensor<8x16xf32>>
    scf.yield %below, %s#1 : !tt.ptr<tensor<8x16xf32>>, tensor<8x16xf32>
  }
  tt.store %r#0, %r#1 {boundaryCheck = array<i32: 0, 1>} : !tt.ptr<tensor<8x16xf32>>
  tt.return
}

// -----

// CHECK-LABEL: tt.func @while_loop(
// CHECK:         %[[R:.*]]:2 = scf.while (%[[I:.*]] = %{{.*}}, %[[O:.*]] = %{{.*}}) : (i32, i64) -> (i32, i64)
// CHECK:           scf.condition(%{{.*}}) %[[I]], %[[O]] : i32, i64
// CHECK:         ^bb0(%[[J:.*]]: i32, %[[P:.*]]: i64):
// CHECK:           tt.make_tensor_ptr
// CHECK:           tt.store
// CHECK:           scf.yield %{{.*}}, %{{.*}} : i32, i64
// CHECK:         tt.make_tensor_ptr
// CHECK:         tt.store
tt.func @while_loop(%x: !tt.ptr<f32>, %n: i64, %o: i32, %trips: i32, %value: tensor<32xf32>) {
  %unit = arith.constant 1 : i64
  %c1 = arith.constant 1 : i32
  %p = tt.make_tensor_ptr %x, [%n], [%unit], [%o] {order = array<i32: 0>} : <tensor<32xf32>>
  %r:2 = scf.while (%q = %p, %i = %o) : (!tt.ptr<tensor<32xf32>>, i32) -> (!tt.ptr<tensor<32xf32>>, i32) {
    %go = arith.cmpi slt, %i, %trips : i32
    scf.condition(%go) %q, %i : !tt.ptr<tensor<32xf32>>, i32
  } do {
  ^bb0(%q: !tt.ptr<tensor<32xf32>>, %i: i32):
    tt.store %q, %value {boundaryCheck = array<i32: 0>} : !tt.ptr<tensor<32xf32>>
    %next = tt.advance %q, [%i] : <tensor<32xf32>>
    %j = arith.addi %i, %c1 : i32
    scf.yield %next, %j : !tt.ptr<tensor<32xf32>>, i32
  }
  tt.store %r#0, %value {boundaryCheck = array<i32: 0>} : !tt.ptr<tensor<32xf32>>
  tt.return
}

// -----

// An offset that is itself a result of a loop that is rewritten.

// CHECK-LABEL: tt.func @offset_of_loop(
// CHECK:         %[[R:.*]]:2 = scf.for {{.*}} -> (i32, i64)
// CHECK:         %[[O:.*]] = arith.extsi %[[R]]#0 : i32 to i64
// CHECK:         tt.addptr %{{.*}}, %[[O]]
tt.func @offset_of_loop(%x: !tt.ptr<f32>, %n: i64, %o: i32, %trips: i32, %value: tensor<32xf32>) {
  %unit = arith.constant 1 : i64
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %p = tt.make_tensor_ptr %x, [%n], [%unit], [%o] {order = array<i32: 0>} : <tensor<32xf32>>
  %r:2 = scf.for %i = %c0 to %trips step %c1 iter_args(%q = %p, %s = %c0) -> (!tt.ptr<tensor<32xf32>>, i32) : i32 {
    tt.store %q, %value {boundaryCheck = array<i32: 0>} : !tt.ptr<tensor<32xf32>>
    %next = tt.advance %q, [%s] : <tensor<32xf32>>
    %t = arith.addi %s, %o : i32
    scf.yield %next, %t : !tt.ptr<tensor<32xf32>>, i32
  }
  %q = tt.make_tensor_ptr %x, [%n], [%unit], [%r#1] {order = array<i32: 0>} : <tensor<32xf32>>
  tt.store %q, %value : !tt.ptr<tensor<32xf32>>
  tt.return
}

// -----

// Branches between blocks, as a kernel with an early return has them.

// CHECK-LABEL: tt.func @blocks(
// CHECK:         cf.cond_br %{{.*}}, ^[[A:.*]], ^[[B:.*]]
// CHECK:         cf.br ^[[END:.*]](%{{.*}} : i64)
// CHECK:         cf.br ^[[END]](%{{.*}} : i64)
// CHECK:       ^[[END]](%[[O:.*]]: i64):
// CHECK:         tt.make_tensor_ptr
tt.func @blocks(%x: !tt.ptr<f32>, %n: i64, %o: i32, %cond: i1) {
  %unit = arith.constant 1 : i64
  %c16 = arith.constant 16 : i32
  %p = tt.make_tensor_ptr %x, [%n], [%unit], [%o] {order = array<i32: 0>} : <tensor<32xf32>>
  cf.cond_br %cond, ^bb1, ^bb2
^bb1:
  tt.print "advanced" {hex = false, isSigned = array<i32>}
  %r = tt.advance %p, [%c16] : <tensor<32xf32>>
  cf.br ^bb3(%r : !tt.ptr<tensor<32xf32>>)
^bb2:
  tt.print "as it was" {hex = false, isSigned = array<i32>}
  cf.br ^bb3(%p : !tt.ptr<tensor<32xf32>>)
^bb3(%q: !tt.ptr<tensor<32xf32>>):
  %a = tt.load %q {boundaryCheck = array<i32: 0>} : !tt.ptr<tensor<32xf32>>
  tt.store %q, %a {boundaryCheck = array<i32: 0>} : !tt.ptr<tensor<32xf32>>
  tt.return
}
