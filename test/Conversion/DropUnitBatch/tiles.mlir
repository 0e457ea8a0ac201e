// RUN: spine-triton-opt %s -split-input-file -spine-drop-unit-batch -cse | FileCheck %s

// The tiles around a product are matrices too.

// CHECK-LABEL: tt.func @computed(
// CHECK-DAG:     %[[B:.*]] = tt.reshape %{{.*}} : tensor<1x32x1xf32> -> tensor<32x1xf32>
// CHECK:         tt.broadcast %[[B]] : tensor<32x1xf32> -> tensor<32x16xf32>
// CHECK:         arith.extf %{{.*}} : tensor<16x16xf16> to tensor<16x16xf32>
// CHECK:         arith.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<32x16xf32>
// CHECK:         %[[T:.*]] = tt.trans %{{.*}} {order = array<i32: 1, 0>} : tensor<32x16xf32> -> tensor<16x32xf32>
// CHECK:         %[[D:.*]] = tt.dot %[[T]], %{{.*}}, %{{.*}}, inputPrecision = tf32 : tensor<16x32xf32> * tensor<32x16xf32> -> tensor<16x16xf32>
// CHECK:         tt.return %[[D]]
tt.func @computed(%x: tensor<1x32x1xf32>, %y: tensor<1x16x16xf16>, %c: i1) -> tensor<16x16xf32> {
  %one = arith.constant dense<1.0> : tensor<1x32x16xf32>
  %wide = tt.broadcast %x : tensor<1x32x1xf32> -> tensor<1x32x16xf32>
  %acc = arith.extf %y : tensor<1x16x16xf16> to tensor<1x16x16xf32>
  %b = arith.select %c, %wide, %one : tensor<1x32x16xf32>
  %t = tt.trans %wide {order = array<i32: 0, 2, 1>} : tensor<1x32x16xf32> -> tensor<1x16x32xf32>
  %d = tt.dot %t, %b, %acc, inputPrecision = tf32 : tensor<1x16x32xf32> * tensor<1x32x16xf32> -> tensor<1x16x16xf32>
  %r = tt.reshape %d : tensor<1x16x16xf32> -> tensor<16x16xf32>
  tt.return %r : tensor<16x16xf32>
}

// -----

// What a loop or a branch hands on.

// CHECK-LABEL: tt.func @carried(
// CHECK:         %[[FOR:.*]]:2 = scf.for {{.*}} iter_args(%[[ACC:.*]] = %{{.*}}, %{{.*}} = %{{.*}}) -> (tensor<16x16xf32>, i64)
// CHECK:           %[[D:.*]] = tt.dot %{{.*}}, %{{.*}}, %[[ACC]] : tensor<16x16xf32> * tensor<16x16xf32> -> tensor<16x16xf32>
// CHECK:           scf.yield %[[D]], %{{.*}} : tensor<16x16xf32>, i64
// CHECK:         scf.if %{{.*}} -> (tensor<16x16xf32>)
// CHECK:         scf.while {{.*}} : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NOT:     tensor<1x16x16xf32>
tt.func @carried(%n: i32, %p: !tt.ptr<tensor<1x16x16xf32>>, %q: !tt.ptr<f32>, %c: i1) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %w = arith.constant 16 : i64
  %zero = arith.constant dense<0.0> : tensor<1x16x16xf32>
  %at = tt.make_tensor_ptr %q, [%w, %w, %w], [%w, %w, %w], [%c0, %c0, %c0] {order = array<i32: 2, 1, 0>} : <tensor<1x16x16xf32>>
  %x = tt.load %at : !tt.ptr<tensor<1x16x16xf32>>
  %for:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %k = %w) -> (tensor<1x16x16xf32>, i64) : i32 {
    %d = tt.dot %x, %x, %acc : tensor<1x16x16xf32> * tensor<1x16x16xf32> -> tensor<1x16x16xf32>
    %next = arith.addi %k, %w : i64
    scf.yield %d, %next : tensor<1x16x16xf32>, i64
  }
  %if = scf.if %c -> tensor<1x16x16xf32> {
    scf.yield %for#0 : tensor<1x16x16xf32>
  } else {
    scf.yield %x : tensor<1x16x16xf32>
  }
  %while = scf.while (%t = %if) : (tensor<1x16x16xf32>) -> tensor<1x16x16xf32> {
    scf.condition(%c) %t : tensor<1x16x16xf32>
  } do {
  ^bb0(%t: tensor<1x16x16xf32>):
    %more = arith.addf %t, %x : tensor<1x16x16xf32>
    scf.yield %more : tensor<1x16x16xf32>
  }
  tt.store %at, %while : !tt.ptr<tensor<1x16x16xf32>>
  tt.return
}
