// RUN: spine-triton-opt %s -split-input-file -spine-to-linalg -spine-lower-tiles -canonicalize -cse | FileCheck %s

// A carried tile lives in one buffer that is filled before the loop, rewritten
// at the end of the body and read after it. Scalars are carried as before.

// CHECK-LABEL: func.func @for_loop(
// CHECK:         %[[T:.*]] = spine.scratch {bytes = 64 : i64, id = 0 : i64, name = "carried"
// CHECK:         scf.for
// CHECK:           llvm.store %{{.*}} : vector<8xf32>
// CHECK:         %[[S:.*]] = scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[F:.*]] = %{{.*}}) -> (f32) : i32 {
// CHECK:           scf.for
// CHECK:             %[[AT:.*]] = llvm.getelementptr %[[T]]
// CHECK:             %[[OLD:.*]] = llvm.load %[[AT]]
// CHECK:             %[[FV:.*]] = vector.broadcast %[[F]]
// CHECK:             %[[NEW:.*]] = arith.mulf %[[OLD]], %[[FV]]
// CHECK:             llvm.store %[[NEW]], %[[AT]]
// CHECK:           scf.yield %{{.*}} : f32
// CHECK:         llvm.getelementptr %[[T]]
// CHECK-NOT:   __may_alias
tt.func public @for_loop(%x: !tt.ptr<f32>, %n: i32, %f: f32) {
  %c0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %c1 = arith.constant 1 : i64
  %p = tt.make_tensor_ptr %x, [%c1], [%c1], [%c0] {order = array<i32: 0>} : <tensor<16xf32>>
  %one = arith.constant dense<1.0> : tensor<16xf32>
  %r:2 = scf.for %i = %c0 to %n step %i1 iter_args(%t = %one, %g = %f) -> (tensor<16xf32>, f32) : i32 {
    %s = tt.splat %g : f32 -> tensor<16xf32>
    %u = arith.mulf %t, %s : tensor<16xf32>
    %h = arith.addf %g, %f : f32
    scf.yield %u, %h : tensor<16xf32>, f32
  }
  tt.store %p, %r#0 : !tt.ptr<tensor<16xf32>>
  tt.store %x, %r#1 : !tt.ptr<f32>
  tt.return
}

// -----

// Two tiles that change places: one nest reads both before it writes either.

// CHECK-LABEL: func.func @exchange(
// CHECK:         %[[A:.*]] = spine.scratch {{.*}}name = "carried"
// CHECK:         %[[B:.*]] = spine.scratch {{.*}}name = "carried"
// CHECK-NOT:     name = "next"
// CHECK:         scf.for %{{.*}} : i32 {
// CHECK:           scf.for
// CHECK-DAG:         %[[ATB:.*]] = llvm.getelementptr %[[B]][
// CHECK-DAG:         %[[ATA:.*]] = llvm.getelementptr %[[A]][
// CHECK-DAG:         %[[VB:.*]] = llvm.load %[[ATB]]
// CHECK-DAG:         %[[VA:.*]] = llvm.load %[[ATA]]
// CHECK-DAG:         llvm.store %[[VB]], %[[ATA]]
// CHECK-DAG:         llvm.store %[[VA]], %[[ATB]]
tt.func public @exchange(%x: !tt.ptr<f32>, %n: i32, %f: f32) {
  %c0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %c1 = arith.constant 1 : i64
  %p = tt.make_tensor_ptr %x, [%c1], [%c1], [%c0] {order = array<i32: 0>} : <tensor<16xf32>>
  %one = arith.constant dense<1.0> : tensor<16xf32>
  %s = tt.splat %f : f32 -> tensor<16xf32>
  %r:2 = scf.for %i = %c0 to %n step %i1 iter_args(%t = %one, %u = %s) -> (tensor<16xf32>, tensor<16xf32>) : i32 {
    scf.yield %u, %t : tensor<16xf32>, tensor<16xf32>
  }
  tt.store %p, %r#0 : !tt.ptr<tensor<16xf32>>
  tt.store %p, %r#1 : !tt.ptr<tensor<16xf32>>
  tt.return
}

// -----

// A tile that is computed from other places of itself needs a second buffer.

// CHECK-LABEL: func.func @transposed(
// CHECK:         %[[T:.*]] = spine.scratch {bytes = 256 : i64, {{.*}}name = "carried"
// CHECK:         scf.for %{{.*}} : i32 {
// CHECK:           %[[NEXT:.*]] = spine.scratch {bytes = 256 : i64, {{.*}}name = "next"
// CHECK:           llvm.getelementptr %[[NEXT]]
// CHECK:           llvm.store
// CHECK:           llvm.getelementptr %[[NEXT]]
// CHECK:           llvm.load
// CHECK:           llvm.getelementptr %[[T]]
// CHECK:           llvm.store
tt.func public @transposed(%x: !tt.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %c1 = arith.constant 1 : i64
  %c8 = arith.constant 8 : i64
  %p = tt.make_tensor_ptr %x, [%c8, %c8], [%c8, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<8x8xf32>>
  %a = tt.load %p : !tt.ptr<tensor<8x8xf32>>
  %r = scf.for %i = %c0 to %n step %i1 iter_args(%t = %a) -> (tensor<8x8xf32>) : i32 {
    %u = tt.trans %t {order = array<i32: 1, 0>} : tensor<8x8xf32> -> tensor<8x8xf32>
    %v = arith.addf %t, %u : tensor<8x8xf32>
    scf.yield %v : tensor<8x8xf32>
  }
  tt.store %p, %r : !tt.ptr<tensor<8x8xf32>>
  tt.return
}

// -----

// An initial value that only the loop uses lends its buffer; an accumulator in
// nested loops needs one in all.

// CHECK-LABEL: func.func @nested(
// CHECK:         spine.scratch {bytes = 64 : i64, id = 0 : i64, name = "scan"
// CHECK-NOT:     spine.scratch
// CHECK:         return
tt.func public @nested(%x: !tt.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %c1 = arith.constant 1 : i64
  %p = tt.make_tensor_ptr %x, [%c1], [%c1], [%c0] {order = array<i32: 0>} : <tensor<16xf32>>
  %a = tt.load %p : !tt.ptr<tensor<16xf32>>
  %s = "tt.scan"(%a) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%l: f32, %m: f32):
    %0 = arith.addf %l, %m : f32
    tt.scan.return %0 : f32
  }) : (tensor<16xf32>) -> tensor<16xf32>
  %r = scf.for %i = %c0 to %n step %i1 iter_args(%t = %s) -> (tensor<16xf32>) : i32 {
    %q = scf.for %j = %c0 to %i step %i1 iter_args(%u = %t) -> (tensor<16xf32>) : i32 {
      %v = arith.addf %u, %u : tensor<16xf32>
      scf.yield %v : tensor<16xf32>
    }
    scf.yield %q : tensor<16xf32>
  }
  tt.store %p, %r : !tt.ptr<tensor<16xf32>>
  tt.return
}

// -----

// Branches write their tiles to the result's buffer.

// CHECK-LABEL: func.func @if_else(
// CHECK:         %[[R:.*]] = spine.scratch {{.*}}name = "carried"
// CHECK:         %[[S:.*]] = scf.if %{{.*}} -> (f32) {
// CHECK:           llvm.getelementptr %[[R]]
// CHECK:           llvm.store
// CHECK:           scf.yield %{{.*}} : f32
// CHECK:         } else {
// CHECK:           arith.addf
// CHECK:           llvm.getelementptr %[[R]]
// CHECK:           llvm.store
// CHECK:           scf.yield %{{.*}} : f32
tt.func public @if_else(%x: !tt.ptr<f32>, %c: i1, %f: f32, %g: f32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i64
  %p = tt.make_tensor_ptr %x, [%c1], [%c1], [%c0] {order = array<i32: 0>} : <tensor<16xf32>>
  %a = tt.load %p : !tt.ptr<tensor<16xf32>>
  %r:2 = scf.if %c -> (tensor<16xf32>, f32) {
    %m = math.absf %a : tensor<16xf32>
    scf.yield %m, %f : tensor<16xf32>, f32
  } else {
    %b = arith.addf %a, %a : tensor<16xf32>
    %h = arith.addf %f, %g : f32
    scf.yield %b, %h : tensor<16xf32>, f32
  }
  tt.store %p, %r#0 : !tt.ptr<tensor<16xf32>>
  tt.store %x, %r#1 : !tt.ptr<f32>
  tt.return
}

// -----

// while: one buffer for the tile that the condition sees and one for that of
// the body and the result.

// CHECK-LABEL: func.func @while_loop(
// CHECK:         %[[BEFORE:.*]] = spine.scratch {{.*}}name = "carried"
// CHECK:         %[[AFTER:.*]] = spine.scratch {{.*}}name = "carried"
// CHECK:         scf.while (%{{.*}} = %{{.*}}) : (i32) -> i32 {
// CHECK:           llvm.getelementptr %[[BEFORE]]
// CHECK:           llvm.load
// CHECK:           llvm.getelementptr %[[AFTER]]
// CHECK:           llvm.store
// CHECK:           scf.condition
// CHECK:         } do {
// CHECK:           llvm.getelementptr %[[AFTER]]
// CHECK:           llvm.load
// CHECK:           arith.addf
// CHECK:           llvm.getelementptr %[[BEFORE]]
// CHECK:           llvm.store
// CHECK:         llvm.getelementptr %[[AFTER]]
// CHECK:         llvm.load
tt.func public @while_loop(%x: !tt.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %c1 = arith.constant 1 : i64
  %p = tt.make_tensor_ptr %x, [%c1], [%c1], [%c0] {order = array<i32: 0>} : <tensor<16xf32>>
  %a = tt.load %p : !tt.ptr<tensor<16xf32>>
  %r:2 = scf.while (%i = %c0, %t = %a) : (i32, tensor<16xf32>) -> (i32, tensor<16xf32>) {
    %c = arith.cmpi slt, %i, %n : i32
    scf.condition(%c) %i, %t : i32, tensor<16xf32>
  } do {
  ^bb0(%i: i32, %t: tensor<16xf32>):
    %j = arith.addi %i, %i1 : i32
    %u = arith.addf %t, %t : tensor<16xf32>
    scf.yield %j, %u : i32, tensor<16xf32>
  }
  tt.store %p, %r#1 : !tt.ptr<tensor<16xf32>>
  tt.return
}

// -----

// What an early return leaves (see spine-structure-kernels): a switch.

// CHECK-LABEL: func.func @switch(
// CHECK:         %[[R:.*]] = spine.scratch {{.*}}name = "carried"
// CHECK:         scf.index_switch %{{.*}}
// CHECK:         case 1 {
// CHECK:           llvm.getelementptr %[[R]]
// CHECK:           llvm.store
// CHECK:         default {
// CHECK:           llvm.getelementptr %[[R]]
// CHECK:           llvm.store
tt.func public @switch(%x: !tt.ptr<f32>, %i: i32, %f: f32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i64
  %p = tt.make_tensor_ptr %x, [%c1], [%c1], [%c0] {order = array<i32: 0>} : <tensor<16xf32>>
  %one = arith.constant dense<1.0> : tensor<16xf32>
  %k = arith.index_castui %i : i32 to index
  %r = scf.index_switch %k -> tensor<16xf32>
  case 1 {
    scf.yield %one : tensor<16xf32>
  }
  default {
    %s = tt.splat %f : f32 -> tensor<16xf32>
    scf.yield %s : tensor<16xf32>
  }
  tt.store %p, %r : !tt.ptr<tensor<16xf32>>
  tt.return
}

// -----

// CHECK-LABEL: func.func @early_return(
// CHECK:         scf.for
// CHECK:           %[[C:.*]] = arith.cmpi
// CHECK:           scf.if %[[C]] {
// CHECK:             llvm.store
tt.func public @early_return(%x: !tt.ptr<i32>, %n: i32) {
  %id = tt.get_program_id x : i32
  %c = arith.cmpi sge, %id, %n : i32
  cf.cond_br %c, ^bb1, ^bb2
^bb1:
  tt.return
^bb2:
  tt.store %x, %id : !tt.ptr<i32>
  tt.return
}

// -----

// A loop whose induction variable is compared as unsigned stays one.

// CHECK-LABEL: func.func @unsigned(
// CHECK:         scf.for unsigned
tt.func public @unsigned(%x: !tt.ptr<i32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for unsigned %i = %c0 to %n step %c1 : i32 {
    tt.store %x, %i : !tt.ptr<i32>
  }
  tt.return
}

// -----

// A loop that carries a pointer and has a way out in its middle: on the paths
// that are not taken the pointer is null.

// CHECK-LABEL: func.func @pointer_in_loop(
// CHECK:         %[[NULL:.*]] = llvm.mlir.zero : !llvm.ptr
// CHECK:         scf.while {{.*}} : (i32, !llvm.ptr{{.*}}) -> (i32, !llvm.ptr{{.*}})
// CHECK:           scf.yield {{.*}}%[[NULL]]
tt.func public @pointer_in_loop(%p: !tt.ptr<f32>, %n: i32, %q: !tt.ptr<f32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  cf.br ^head(%c0, %p : i32, !tt.ptr<f32>)
^head(%i: i32, %r: !tt.ptr<f32>):
  %more = arith.cmpi slt, %i, %n : i32
  cf.cond_br %more, ^body, ^exit
^body:
  %v = tt.load %r : !tt.ptr<f32>
  %z = arith.constant 0.0 : f32
  %isz = arith.cmpf oeq, %v, %z : f32
  cf.cond_br %isz, ^early, ^next
^early:
  tt.return
^next:
  %j = arith.addi %i, %c1 : i32
  %s = tt.addptr %r, %c1 : !tt.ptr<f32>, i32
  tt.store %q, %v : !tt.ptr<f32>
  cf.br ^head(%j, %s : i32, !tt.ptr<f32>)
^exit:
  tt.return
}
