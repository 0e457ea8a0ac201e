// RUN: spine-triton-opt %s -split-input-file -spine-to-linalg -spine-lower-tiles -canonicalize -cse | FileCheck %s

// Where an integer division would trap (by zero, or the smallest number by -1)
// it divides by one instead: the lanes that a mask turns off must do no harm.

// CHECK-LABEL: func.func @signed(
// CHECK-DAG:     %[[ONE:.*]] = arith.constant dense<1> : vector<8xi32>
// CHECK-DAG:     %[[MIN:.*]] = arith.constant dense<-2147483648> : vector<8xi32>
// CHECK:         %[[ZERO:.*]] = arith.cmpi eq, %[[D:.*]], %{{.*}} : vector<8xi32>
// CHECK-DAG:     %[[MINUS:.*]] = arith.cmpi eq, %[[D]], %{{.*}} : vector<8xi32>
// CHECK-DAG:     %[[SMALLEST:.*]] = arith.cmpi eq, %{{.*}}, %[[MIN]] : vector<8xi32>
// CHECK:         %[[BOTH:.*]] = arith.andi
// CHECK:         %[[TRAPS:.*]] = arith.ori %[[ZERO]], %[[BOTH]]
// CHECK:         %[[SAFE:.*]] = arith.select %[[TRAPS]], %[[ONE]], %[[D]]
// CHECK:         arith.divsi %{{.*}}, %[[SAFE]]
tt.func public @signed(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i64
  %p = tt.make_tensor_ptr %x, [%c1], [%c1], [%c0] {order = array<i32: 0>} : <tensor<16xi32>>
  %q = tt.make_tensor_ptr %y, [%c1], [%c1], [%c0] {order = array<i32: 0>} : <tensor<16xi32>>
  %a = tt.load %p : !tt.ptr<tensor<16xi32>>
  %b = tt.load %q : !tt.ptr<tensor<16xi32>>
  %d = arith.divsi %a, %b : tensor<16xi32>
  tt.store %p, %d : !tt.ptr<tensor<16xi32>>
  tt.return
}

// -----

// CHECK-LABEL: func.func @unsigned(
// CHECK:         %[[ZERO:.*]] = arith.cmpi eq, %[[D:.*]], %{{.*}} : i32
// CHECK-NOT:     arith.ori
// CHECK:         %[[SAFE:.*]] = arith.select %[[ZERO]], %{{.*}}, %[[D]] : i32
// CHECK:         arith.remui %{{.*}}, %[[SAFE]] : i32
tt.func public @unsigned(%x: !tt.ptr<i32>, %a: i32, %b: i32) {
  %r = arith.remui %a, %b : i32
  tt.store %x, %r : !tt.ptr<i32>
  tt.return
}

// -----

// A divisor that is known and harmless needs nothing.

// CHECK-LABEL: func.func @known(
// CHECK:         scf.for
// CHECK-NOT:       arith.cmpi eq
// CHECK:           arith.divsi
tt.func public @known(%x: !tt.ptr<i32>, %a: i32) {
  %c3 = arith.constant 3 : i32
  %r = arith.divsi %a, %c3 : i32
  tt.store %x, %r : !tt.ptr<i32>
  tt.return
}
