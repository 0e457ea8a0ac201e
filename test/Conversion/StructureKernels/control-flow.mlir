// RUN: spine-triton-opt %s -split-input-file -spine-structure-kernels -cse | FileCheck %s

// A function of one block is left as it is, whatever its regions hold.

// CHECK-LABEL: tt.func public @structured(
// CHECK-NEXT:    %[[C:.*]] = arith.cmpi
// CHECK-NEXT:    scf.if %[[C]] {
// CHECK-NEXT:      tt.store
// CHECK-NEXT:    }
// CHECK-NEXT:    tt.return
tt.func public @structured(%p: !tt.ptr<i32>, %n: i32) {
  %c = arith.cmpi eq, %n, %n : i32
  scf.if %c {
    tt.store %p, %n : !tt.ptr<i32>
  }
  tt.return
}

// -----

// A loop made of branches with a way out in its middle.

// CHECK-LABEL: tt.func public @loop(
// CHECK-SAME:    %[[P:[^:]*]]: !tt.ptr<i32>, %[[N:[^:]*]]: i32
// CHECK:         scf.while ({{.*}}) : (i32
// CHECK:           %[[MORE:.*]] = arith.cmpi slt
// CHECK:           scf.if %[[MORE]]
// CHECK:             %[[V:.*]] = tt.load
// CHECK:             %[[STOP:.*]] = arith.cmpi eq, %[[V]]
// CHECK:             scf.if %[[STOP]]
// CHECK:             } else {
// CHECK:               tt.store
// CHECK:           scf.condition
// CHECK-NOT:     {{ cf\.}}
// CHECK-COUNT-1: tt.return
// CHECK-NOT:     tt.return
tt.func public @loop(%p: !tt.ptr<i32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  cf.br ^head(%c0 : i32)
^head(%i: i32):
  %more = arith.cmpi slt, %i, %n : i32
  cf.cond_br %more, ^body, ^exit
^body:
  %q = tt.addptr %p, %i : !tt.ptr<i32>, i32
  %v = tt.load %q : !tt.ptr<i32>
  %stop = arith.cmpi eq, %v, %c0 : i32
  cf.cond_br %stop, ^early, ^next
^early:
  tt.return
^next:
  tt.store %q, %i : !tt.ptr<i32>
  %j = arith.addi %i, %c1 : i32
  cf.br ^head(%j : i32)
^exit:
  tt.return
}

// -----

// Values that the branches leave in different ways, tiles and block pointers
// among them.

// CHECK-LABEL: tt.func public @values(
// CHECK:         %[[R:.*]]:2 = scf.if %{{.*}} -> (tensor<8xf32>, !tt.ptr<tensor<8xf32>>) {
// CHECK:           scf.yield %{{.*}}, %{{.*}} : tensor<8xf32>, !tt.ptr<tensor<8xf32>>
// CHECK:         } else {
// CHECK:           %[[A:.*]] = tt.advance
// CHECK:           scf.yield %{{.*}}, %[[A]]
// CHECK:         tt.store %[[R]]#1, %[[R]]#0
tt.func public @values(%x: !tt.ptr<f32>, %n: i64, %o: i32, %c: i1, %s: f32) {
  %c1 = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<8xf32>
  %p = tt.make_tensor_ptr %x, [%n], [%c1], [%o] {order = array<i32: 0>} : <tensor<8xf32>>
  cf.cond_br %c, ^last(%zero, %p : tensor<8xf32>, !tt.ptr<tensor<8xf32>>), ^other
^other:
  %t = tt.splat %s : f32 -> tensor<8xf32>
  %q = tt.advance %p, [%o] : <tensor<8xf32>>
  cf.br ^last(%t, %q : tensor<8xf32>, !tt.ptr<tensor<8xf32>>)
^last(%v: tensor<8xf32>, %w: !tt.ptr<tensor<8xf32>>):
  tt.store %w, %v : !tt.ptr<tensor<8xf32>>
  tt.return
}

// -----

// An endless loop has no block that returns; the function gets its return.

// CHECK-LABEL: tt.func public @endless(
// CHECK:         scf.while
// CHECK:         tt.return
tt.func public @endless(%p: !tt.ptr<i32>, %n: i32) {
  cf.br ^head
^head:
  tt.store %p, %n : !tt.ptr<i32>
  cf.br ^head
}

// -----

// A jump into the middle of a loop (two entries) becomes one loop as well.

// CHECK-LABEL: tt.func public @two_entries(
// CHECK-NOT:     {{ cf\.}}
// CHECK:         scf.while
// CHECK-NOT:     {{ cf\.}}
// CHECK:         tt.return
tt.func public @two_entries(%p: !tt.ptr<i32>, %c: i1, %d: i1) {
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  cf.cond_br %c, ^a, ^b
^a:
  tt.store %p, %c1 : !tt.ptr<i32>
  cf.br ^b
^b:
  tt.store %p, %c2 : !tt.ptr<i32>
  cf.cond_br %d, ^a, ^end
^end:
  tt.return
}

// -----

// The frontend leaves a block behind that nothing jumps to.

// CHECK-LABEL: tt.func public @unreachable(
// CHECK-NEXT:    tt.store
// CHECK-NEXT:    tt.return
// CHECK-NEXT:  }
tt.func public @unreachable(%p: !tt.ptr<i32>, %v: i32) {
  tt.store %p, %v : !tt.ptr<i32>
  tt.return
^bb1:
  tt.store %p, %v : !tt.ptr<i32>
  tt.return
}
