// RUN: spine-triton-opt %s -split-input-file -spine-structure-kernels -cse | FileCheck %s

// Every call is replaced, that of a `noinline` function too, and one inside of
// a region; nested calls as well. Functions that are no kernels go.

// CHECK-LABEL: tt.func public @kernel(
// CHECK-SAME:    %[[P:[^:]*]]: !tt.ptr<f32>, %[[X:[^:]*]]: f32, %[[C:[^:]*]]: i1
// CHECK-NOT:     tt.call
// CHECK:         %[[DOUBLE:.*]] = arith.addf %[[X]], %[[X]] : f32
// CHECK:         %[[SQUARE:.*]] = arith.mulf %[[DOUBLE]], %[[DOUBLE]] : f32
// CHECK:         tt.store %[[P]], %[[SQUARE]]
// CHECK:         scf.if %[[C]] {
// CHECK:           arith.mulf %[[SQUARE]], %[[SQUARE]]
// CHECK-NOT:     tt.call
// CHECK:         tt.return
// CHECK-NOT:     tt.func
tt.func public @kernel(%p: !tt.ptr<f32>, %x: f32, %c: i1) {
  %y = tt.call @square_of_double(%x) : (f32) -> f32
  tt.store %p, %y : !tt.ptr<f32>
  scf.if %c {
    %z = tt.call @square(%y) : (f32) -> f32
    tt.store %p, %z : !tt.ptr<f32>
  }
  tt.return
}
tt.func private @square_of_double(%x: f32) -> f32 attributes {noinline = true} {
  %y = arith.addf %x, %x : f32
  %z = tt.call @square(%y) : (f32) -> f32
  tt.return %z : f32
}
tt.func private @square(%x: f32) -> f32 attributes {noinline = false} {
  %y = arith.mulf %x, %x : f32
  tt.return %y : f32
}

// -----

// The callee's branches are structured before it is copied. Results: none, one
// that is an argument, several.

// CHECK-LABEL: tt.func public @branches(
// CHECK-SAME:    %[[P:[^:]*]]: !tt.ptr<i32>, %[[A:[^:]*]]: i32, %[[B:[^:]*]]: i32, %[[C:[^:]*]]: i1
// CHECK:         %[[R:.*]]:2 = scf.if %[[C]] -> (i32, i32) {
// CHECK-NEXT:      scf.yield %[[A]], %[[B]]
// CHECK-NEXT:    } else {
// CHECK-NEXT:      scf.yield %[[B]], %[[A]]
// CHECK:         tt.store %[[P]], %[[R]]#0
// CHECK-NEXT:    tt.store %[[P]], %[[R]]#1
// CHECK-NEXT:    tt.store %[[P]], %[[B]]
// CHECK-NEXT:    tt.return
tt.func public @branches(%p: !tt.ptr<i32>, %a: i32, %b: i32, %c: i1) {
  %r:2 = tt.call @order(%a, %b, %c) : (i32, i32, i1) -> (i32, i32)
  %second = tt.call @second(%a, %b) : (i32, i32) -> i32
  tt.call @put(%p, %r#0) : (!tt.ptr<i32>, i32) -> ()
  tt.call @put(%p, %r#1) : (!tt.ptr<i32>, i32) -> ()
  tt.call @put(%p, %second) : (!tt.ptr<i32>, i32) -> ()
  tt.return
}
tt.func private @order(%a: i32, %b: i32, %c: i1) -> (i32, i32) {
  cf.cond_br %c, ^bb1, ^bb2
^bb1:
  tt.return %a, %b : i32, i32
^bb2:
  tt.return %b, %a : i32, i32
}
tt.func private @second(%a: i32, %b: i32) -> i32 {
  tt.return %b : i32
}
tt.func private @put(%p: !tt.ptr<i32>, %a: i32) {
  tt.store %p, %a : !tt.ptr<i32>
  tt.return
}

// -----

// Calls in combine regions, as the frontend prints them.

// CHECK-LABEL: tt.func public @region(
// CHECK:         "tt.reduce"
// CHECK-NEXT:    ^bb0(%[[L:.*]]: f32, %[[R:.*]]: f32):
// CHECK-NEXT:      %[[S:.*]] = arith.addf %[[L]], %[[R]] : f32
// CHECK-NEXT:      tt.reduce.return %[[S]]
tt.func public @region(%p: !tt.ptr<f32>, %t: tensor<8xf32>) {
  %r = "tt.reduce"(%t) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = tt.call @add(%a, %b) : (f32, f32) -> f32
    tt.reduce.return %c : f32
  }) : (tensor<8xf32>) -> f32
  tt.store %p, %r : !tt.ptr<f32>
  tt.return
}
tt.func private @add(%a: f32, %b: f32) -> f32 {
  %c = arith.addf %a, %b : f32
  tt.return %c : f32
}

// -----

// Two kernels in one module stay; a declaration nobody calls goes.

// CHECK-LABEL: tt.func public @first(
// CHECK-LABEL: tt.func @second(
// CHECK-NOT:   @unused
tt.func public @first() {
  tt.return
}
tt.func @second() {
  tt.return
}
tt.func private @unused(i32)
