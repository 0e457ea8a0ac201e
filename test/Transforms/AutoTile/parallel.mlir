// RUN: spine-triton-opt %s -split-input-file -spine-auto-tile=capacity=16384 | FileCheck %s

// A product in a loop: M and N are split around it, the accumulator with them;
// K stays whole.

// CHECK-LABEL: tt.func @gemm(
// CHECK-SAME:    attributes {spine.launch_conditions = "[{
// CHECK-DAG:     %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<32x64xf32>
// CHECK-DAG:     %[[C0:.*]] = arith.constant 0 : i32
// CHECK-DAG:     %[[C32:.*]] = arith.constant 32 : i32
// CHECK-DAG:     %[[C128:.*]] = arith.constant 128 : i32
// CHECK:         scf.for %[[M:.*]] = %[[C0]] to %[[C128]] step %[[C32]]  : i32 {
// CHECK-NEXT:      %[[R:.*]]:3 = scf.for {{.*}} iter_args(%[[ACC:.*]] = %[[ZERO]], {{.*}}) -> (tensor<32x64xf32>, i64, i64)
// CHECK:             tt.make_tensor_ptr {{.*}} [%[[M]], %{{.*}}] {order = array<i32: 1, 0>} : <tensor<32x16xf32>>
// CHECK:             %[[A:.*]] = tt.load {{.*}} : !tt.ptr<tensor<32x16xf32>>
// CHECK:             %[[B:.*]] = tt.load {{.*}} : !tt.ptr<tensor<16x64xf32>>
// CHECK:             tt.dot %[[A]], %[[B]], %[[ACC]] : tensor<32x16xf32> * tensor<16x64xf32> -> tensor<32x64xf32>
// CHECK:           }
// CHECK-NEXT:      %[[PC:.*]] = tt.make_tensor_ptr {{.*}} [%[[M]], %[[C0]]] {order = array<i32: 1, 0>} : <tensor<32x64xf32>>
// CHECK-NEXT:      tt.store %[[PC]], %[[R]]#0 {boundaryCheck = array<i32: 0, 1>}
// CHECK-NEXT:    }
// CHECK-NEXT:    tt.return
tt.func @gemm(%A: !tt.ptr<f32>, %B: !tt.ptr<f32>, %C: !tt.ptr<f32>, %m: i64, %n: i64, %k: i64, %trips: i32) {
  %c0 = arith.constant 0 : i32
  %c16 = arith.constant 16 : i32
  %unit = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %pa = tt.make_tensor_ptr %A, [%m, %k], [%k, %unit], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<128x16xf32>>
  %pb = tt.make_tensor_ptr %B, [%k, %n], [%n, %unit], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<16x64xf32>>
  %r:3 = scf.for %i = %c0 to %trips step %c16 iter_args(%acc = %zero, %qa = %pa, %qb = %pb) -> (tensor<128x64xf32>, !tt.ptr<tensor<128x16xf32>>, !tt.ptr<tensor<16x64xf32>>) : i32 {
    %a = tt.load %qa {boundaryCheck = array<i32: 0, 1>, padding = 1 : i32} : !tt.ptr<tensor<128x16xf32>>
    %b = tt.load %qb {boundaryCheck = array<i32: 0, 1>, padding = 1 : i32} : !tt.ptr<tensor<16x64xf32>>
    %d = tt.dot %a, %b, %acc : tensor<128x16xf32> * tensor<16x64xf32> -> tensor<128x64xf32>
    %na = tt.advance %qa, [%c0, %c16] : <tensor<128x16xf32>>
    %nb = tt.advance %qb, [%c16, %c0] : <tensor<16x64xf32>>
    scf.yield %d, %na, %nb : tensor<128x64xf32>, !tt.ptr<tensor<128x16xf32>>, !tt.ptr<tensor<16x64xf32>>
  }
  %pc = tt.make_tensor_ptr %C, [%m, %n], [%n, %unit], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<128x64xf32>>
  tt.store %pc, %r#0 {boundaryCheck = array<i32: 0, 1>} : !tt.ptr<tensor<128x64xf32>>
  tt.return
}

// -----

// Tensors of pointers: the index range is shifted by the part's place. One
// range that serves rows and columns is cut for each of them apart. What does
// not depend on the rows, the scale of each column, is loaded once.

// CHECK-LABEL: tt.func @pointers(
// CHECK-DAG:     %[[RANGE:.*]] = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
// CHECK-DAG:     %[[COLUMN:.*]] = tt.load {{.*}} : tensor<64x!tt.ptr<f32>>
// CHECK:         scf.for %[[I:.*]] = {{.*}}  : i32 {
// CHECK:           %[[SHIFT:.*]] = tt.splat %[[I]] : i32 -> tensor<[[T:[0-9]+]]xi32>
// CHECK:           %[[ROWS:.*]] = arith.addi %{{.*}}, %[[SHIFT]] : tensor<[[T]]xi32>
// CHECK:           tt.expand_dims %[[ROWS]] {axis = 1 : i32}
// CHECK:           %[[X:.*]] = tt.load {{.*}} : tensor<[[T]]x64x!tt.ptr<f32>>
// CHECK:           arith.mulf %[[X]], {{.*}} : tensor<[[T]]x64xf32>
// CHECK:           tt.store {{.*}} : tensor<[[T]]x64x!tt.ptr<f32>>
tt.func @pointers(%x: !tt.ptr<f32>, %w: !tt.ptr<f32>, %stride: i32) {
  %r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %s = tt.splat %stride : i32 -> tensor<64x1xi32>
  %pw = tt.splat %w : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %qw = tt.addptr %pw, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %scale = tt.load %qw : tensor<64x!tt.ptr<f32>>
  %scale1 = tt.expand_dims %scale {axis = 0 : i32} : tensor<64xf32> -> tensor<1x64xf32>
  %scale2 = tt.broadcast %scale1 : tensor<1x64xf32> -> tensor<64x64xf32>
  %m = tt.expand_dims %r {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %n = tt.expand_dims %r {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %ms = arith.muli %m, %s : tensor<64x1xi32>
  %mb = tt.broadcast %ms : tensor<64x1xi32> -> tensor<64x64xi32>
  %nb = tt.broadcast %n : tensor<1x64xi32> -> tensor<64x64xi32>
  %at = arith.addi %mb, %nb : tensor<64x64xi32>
  %p = tt.splat %x : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %q = tt.addptr %p, %at : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  %a = tt.load %q : tensor<64x64x!tt.ptr<f32>>
  %b = arith.mulf %a, %scale2 : tensor<64x64xf32>
  tt.store %q, %b : tensor<64x64x!tt.ptr<f32>>
  tt.return
}

// -----

// A transposed tile is cut in the dimension that its source has there, and a
// conditional hands on parts.

// CHECK-LABEL: tt.func @trans(
// CHECK:         scf.for %[[I:.*]] = {{.*}}  : i32 {
// CHECK:           tt.make_tensor_ptr {{.*}} [%[[I]], %{{.*}}] {{.*}} : <tensor<32x64xf32>>
// CHECK:           %[[A:.*]] = tt.load {{.*}} : !tt.ptr<tensor<32x64xf32>>
// CHECK:           %[[T:.*]] = tt.trans %[[A]] {order = array<i32: 1, 0>} : tensor<32x64xf32> -> tensor<64x32xf32>
// CHECK:           scf.if %{{.*}} -> (tensor<64x32xf32>) {
// CHECK:             math.exp %[[T]] : tensor<64x32xf32>
// CHECK:           tt.make_tensor_ptr {{.*}} [%{{.*}}, %[[I]]] {{.*}} : <tensor<64x32xf32>>
// CHECK:           tt.store
tt.func @trans(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %n: i64, %c: i1) {
  %c0 = arith.constant 0 : i32
  %p = tt.make_tensor_ptr %x, [%n, %n], [%n, %n], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<64x64xf32>>
  %q = tt.make_tensor_ptr %y, [%n, %n], [%n, %n], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<64x64xf32>>
  %a = tt.load %p : !tt.ptr<tensor<64x64xf32>>
  %t = tt.trans %a {order = array<i32: 1, 0>} : tensor<64x64xf32> -> tensor<64x64xf32>
  %r = scf.if %c -> tensor<64x64xf32> {
    %e = math.exp %t : tensor<64x64xf32>
    scf.yield %e : tensor<64x64xf32>
  } else {
    scf.yield %t : tensor<64x64xf32>
  }
  tt.store %q, %r : !tt.ptr<tensor<64x64xf32>>
  tt.return
}

// -----

// A size that nothing suitable divides: a smaller part follows the loop.

// CHECK-LABEL: tt.func @remainder(
// CHECK-DAG:     %[[END:.*]] = arith.constant 4096 : i32
// CHECK:         scf.for {{.*}} to %[[END]] {{.*}} {
// CHECK:           tt.load {{.*}} : !tt.ptr<tensor<2048xf32>>
// CHECK:         }
// CHECK:         tt.make_tensor_ptr {{.*}} [%[[END]]] {{.*}} : <tensor<1003xf32>>
// CHECK:         tt.load {{.*}} : !tt.ptr<tensor<1003xf32>>
// CHECK:         tt.store
tt.func @remainder(%x: !tt.ptr<f32>, %n: i64) {
  %c0 = arith.constant 0 : i32
  %unit = arith.constant 1 : i64
  %p = tt.make_tensor_ptr %x, [%n], [%unit], [%c0] {order = array<i32: 0>} : <tensor<5099xf32>>
  %a = tt.load %p {boundaryCheck = array<i32: 0>} : !tt.ptr<tensor<5099xf32>>
  %b = math.exp %a : tensor<5099xf32>
  tt.store %p, %b {boundaryCheck = array<i32: 0>} : !tt.ptr<tensor<5099xf32>>
  tt.return
}
