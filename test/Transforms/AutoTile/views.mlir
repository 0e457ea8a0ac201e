// RUN: spine-triton-opt %s -split-input-file -spine-auto-tile=capacity=4096 | FileCheck %s

// A batched product is split along the batch: nothing is loaded twice.

// CHECK-LABEL: tt.func @batch(
// CHECK:         scf.for %[[I:.*]] = {{.*}}  : i32 {
// CHECK-DAG:       %[[A:.*]] = tt.load {{.*}} : !tt.ptr<tensor<[[T:[0-9]+]]x8x8xf32>>
// CHECK-DAG:       %[[B:.*]] = tt.load {{.*}} : !tt.ptr<tensor<[[T]]x8x8xf32>>
// CHECK:           tt.dot %[[A]], %[[B]], %{{.*}} : tensor<[[T]]x8x8xf32> * tensor<[[T]]x8x8xf32> -> tensor<[[T]]x8x8xf32>
// CHECK:           tt.store
// CHECK-NEXT:    }
tt.func @batch(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %z: !tt.ptr<f32>, %n: i64) {
  %c0 = arith.constant 0 : i32
  %zero = arith.constant dense<0.0> : tensor<32x8x8xf32>
  %pa = tt.make_tensor_ptr %x, [%n, %n, %n], [%n, %n, %n], [%c0, %c0, %c0] {order = array<i32: 2, 1, 0>} : <tensor<32x8x8xf32>>
  %pb = tt.make_tensor_ptr %y, [%n, %n, %n], [%n, %n, %n], [%c0, %c0, %c0] {order = array<i32: 2, 1, 0>} : <tensor<32x8x8xf32>>
  %pc = tt.make_tensor_ptr %z, [%n, %n, %n], [%n, %n, %n], [%c0, %c0, %c0] {order = array<i32: 2, 1, 0>} : <tensor<32x8x8xf32>>
  %a = tt.load %pa : !tt.ptr<tensor<32x8x8xf32>>
  %b = tt.load %pb : !tt.ptr<tensor<32x8x8xf32>>
  %d = tt.dot %a, %b, %zero : tensor<32x8x8xf32> * tensor<32x8x8xf32> -> tensor<32x8x8xf32>
  tt.store %pc, %d : !tt.ptr<tensor<32x8x8xf32>>
  tt.return
}

// -----

// A reshape that keeps the first dimension, a join and what takes it apart
// again, and a gather along the other one: only the first dimension is cut.

// CHECK-LABEL: tt.func @kept(
// CHECK:         scf.for
// CHECK:           %[[A:.*]] = tt.load {{.*}} : tensor<[[T:[0-9]+]]x8x!tt.ptr<f32>>
// CHECK:           %[[R:.*]] = tt.reshape %[[A]] : tensor<[[T]]x8xf32> -> tensor<[[T]]x2x4xf32>
// CHECK:           %[[J:.*]] = tt.join %[[R]], %[[R]] : tensor<[[T]]x2x4xf32> -> tensor<[[T]]x2x4x2xf32>
// CHECK:           %[[L:.*]], %[[H:.*]] = tt.split %[[J]] : tensor<[[T]]x2x4x2xf32> -> tensor<[[T]]x2x4xf32>
// CHECK:           %[[S:.*]] = arith.addf %[[L]], %[[H]]
// CHECK:           %[[B:.*]] = tt.reshape %[[S]] : tensor<[[T]]x2x4xf32> -> tensor<[[T]]x8xf32>
// CHECK:           %[[I:.*]] = tt.load {{.*}} : tensor<[[T]]x8x!tt.ptr<i32>>
// CHECK:           tt.gather %[[B]][%[[I]]] {axis = 1 : i32} : (tensor<[[T]]x8xf32>, tensor<[[T]]x8xi32>) -> tensor<[[T]]x8xf32>
// CHECK:           tt.store
tt.func @kept(%x: !tt.ptr<f32>, %at: !tt.ptr<i32>, %y: !tt.ptr<f32>) {
  %p = tt.splat %x : !tt.ptr<f32> -> tensor<128x8x!tt.ptr<f32>>
  %q = tt.splat %at : !tt.ptr<i32> -> tensor<128x8x!tt.ptr<i32>>
  %o = tt.splat %y : !tt.ptr<f32> -> tensor<128x8x!tt.ptr<f32>>
  %a = tt.load %p : tensor<128x8x!tt.ptr<f32>>
  %r = tt.reshape %a : tensor<128x8xf32> -> tensor<128x2x4xf32>
  %j = tt.join %r, %r : tensor<128x2x4xf32> -> tensor<128x2x4x2xf32>
  %l, %h = tt.split %j : tensor<128x2x4x2xf32> -> tensor<128x2x4xf32>
  %s = arith.addf %l, %h : tensor<128x2x4xf32>
  %b = tt.reshape %s : tensor<128x2x4xf32> -> tensor<128x8xf32>
  %i = tt.load %q : tensor<128x8x!tt.ptr<i32>>
  %g = tt.gather %b[%i] {axis = 1 : i32} : (tensor<128x8xf32>, tensor<128x8xi32>) -> tensor<128x8xf32>
  tt.store %o, %g : tensor<128x8x!tt.ptr<f32>>
  tt.return
}

// -----

// A loop with a store in it that carries a tile: it goes inside as a whole. The
// reduction along the columns stays a reduction of each part.

// CHECK-LABEL: tt.func @carried(
// CHECK:         scf.for %[[I:.*]] = {{.*}}  : i32 {
// CHECK:           %[[A:.*]] = tt.load {{.*}} : !tt.ptr<tensor<[[T:[0-9]+]]x8xf32>>
// CHECK:           scf.for {{.*}} iter_args(%[[ACC:.*]] = %[[A]]) -> (tensor<[[T]]x8xf32>)
// CHECK:             "tt.reduce"(%[[ACC]]) <{axis = 1 : i32}>
// CHECK:             }) : (tensor<[[T]]x8xf32>) -> tensor<[[T]]xf32>
// CHECK:             tt.store {{.*}} : !tt.ptr<tensor<[[T]]x8xf32>>
// CHECK:             scf.yield
tt.func @carried(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %n: i64, %trips: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %p = tt.make_tensor_ptr %x, [%n, %n], [%n, %n], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<128x8xf32>>
  %a = tt.load %p : !tt.ptr<tensor<128x8xf32>>
  %r = scf.for %i = %c0 to %trips step %c1 iter_args(%t = %a) -> tensor<128x8xf32> : i32 {
    %m = "tt.reduce"(%t) <{axis = 1 : i32}> ({
    ^bb0(%u: f32, %v: f32):
      %w = arith.addf %u, %v : f32
      tt.reduce.return %w : f32
    }) : (tensor<128x8xf32>) -> tensor<128xf32>
    %k = tt.expand_dims %m {axis = 1 : i32} : tensor<128xf32> -> tensor<128x1xf32>
    %b = tt.broadcast %k : tensor<128x1xf32> -> tensor<128x8xf32>
    %s = arith.subf %t, %b : tensor<128x8xf32>
    %q = tt.make_tensor_ptr %y, [%n, %n], [%n, %n], [%c1, %c0] {order = array<i32: 1, 0>} : <tensor<128x8xf32>>
    tt.store %q, %s : !tt.ptr<tensor<128x8xf32>>
    scf.yield %s : tensor<128x8xf32>
  }
  tt.return
}

// -----

// A scan along the columns: rows are split.

// CHECK-LABEL: tt.func @scanned(
// CHECK:         scf.for
// CHECK:           %[[A:.*]] = tt.load {{.*}} : !tt.ptr<tensor<[[T:[0-9]+]]x64xf32>>
// CHECK:           "tt.scan"(%[[A]]) <{axis = 1 : i32, reverse = true}>
// CHECK:           }) : (tensor<[[T]]x64xf32>) -> tensor<[[T]]x64xf32>
// CHECK:           tt.store {{.*}} : !tt.ptr<tensor<[[T]]x64xf32>>
tt.func @scanned(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %n: i64) {
  %c0 = arith.constant 0 : i32
  %unit = arith.constant 1 : i64
  %p = tt.make_tensor_ptr %x, [%n, %n], [%n, %unit], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<64x64xf32>>
  %q = tt.make_tensor_ptr %y, [%n, %n], [%n, %unit], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<64x64xf32>>
  %a = tt.load %p : !tt.ptr<tensor<64x64xf32>>
  %c = "tt.scan"(%a) <{axis = 1 : i32, reverse = true}> ({
  ^bb0(%u: f32, %v: f32):
    %w = arith.addf %u, %v : f32
    tt.scan.return %w : f32
  }) : (tensor<64x64xf32>) -> tensor<64x64xf32>
  tt.store %q, %c : !tt.ptr<tensor<64x64xf32>>
  tt.return
}

// -----

// A loop that carries a row and stores it to the next place each time, which no
// other part reaches: it is executed once per part.

// CHECK-LABEL: tt.func @running(
// CHECK-NOT:     spine.launch_conditions
// CHECK:         scf.for
// CHECK:           scf.for {{.*}} iter_args({{.*}}) -> (tensor<[[T:[0-9]+]]xf32>)
// CHECK:             tt.load {{.*}} : tensor<[[T]]x!tt.ptr<f32>>
// CHECK:             tt.store {{.*}} : tensor<[[T]]x!tt.ptr<f32>>
tt.func @running(%x: !tt.ptr<f32>, %trips: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %c2048 = arith.constant 2048 : i32
  %zero = arith.constant dense<0.0> : tensor<2048xf32>
  %i = tt.make_range {start = 0 : i32, end = 2048 : i32} : tensor<2048xi32>
  %r = scf.for %k = %c0 to %c4 step %c1 iter_args(%sum = %zero) -> tensor<2048xf32> : i32 {
    %row = arith.muli %k, %c2048 : i32
    %f = tt.splat %row : i32 -> tensor<2048xi32>
    %o = arith.addi %f, %i : tensor<2048xi32>
    %s = tt.splat %x : !tt.ptr<f32> -> tensor<2048x!tt.ptr<f32>>
    %p = tt.addptr %s, %o : tensor<2048x!tt.ptr<f32>>, tensor<2048xi32>
    %a = tt.load %p : tensor<2048x!tt.ptr<f32>>
    %b = arith.addf %sum, %a : tensor<2048xf32>
    tt.store %p, %b : tensor<2048x!tt.ptr<f32>>
    scf.yield %b : tensor<2048xf32>
  }
  tt.return
}
