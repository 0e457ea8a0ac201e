// RUN: spine-triton-opt %s -split-input-file -spine-auto-tile=capacity=4096 | FileCheck %s

// A product along K: it is split before the few rows and columns are, which would
// have the other factor read again. The accumulator goes through the loop, and nothing else of
// the program is repeated.

// CHECK-LABEL: tt.func @dot(
// CHECK-DAG:     %[[C0:.*]] = arith.constant 0 : i32
// CHECK-DAG:     %[[C1024:.*]] = arith.constant 1024 : i32
// CHECK-DAG:     %[[C:.*]] = tt.load {{.*}} : !tt.ptr<tensor<4x4xf32>>
// CHECK:         %[[D:.*]] = scf.for %[[K:.*]] = %[[C0]] to %[[C1024]] step %{{.*}} iter_args(%[[ACC:.*]] = %[[C]]) -> (tensor<4x4xf32>)
// CHECK:           tt.make_tensor_ptr {{.*}} [%[[C0]], %[[K]]] {{.*}} : <tensor<4x[[T:[0-9]+]]xf32>>
// CHECK:           %[[A:.*]] = tt.load {{.*}} : !tt.ptr<tensor<4x[[T]]xf32>>
// CHECK:           tt.make_tensor_ptr {{.*}} [%[[K]], %[[C0]]] {{.*}} : <tensor<[[T]]x4xf32>>
// CHECK:           %[[B:.*]] = tt.load {{.*}} : !tt.ptr<tensor<[[T]]x4xf32>>
// CHECK:           %[[NEXT:.*]] = tt.dot %[[A]], %[[B]], %[[ACC]] : tensor<4x[[T]]xf32> * tensor<[[T]]x4xf32> -> tensor<4x4xf32>
// CHECK:           scf.yield %[[NEXT]] : tensor<4x4xf32>
// CHECK:         }
// CHECK:         tt.store %{{.*}}, %[[D]]
tt.func @dot(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %z: !tt.ptr<f32>, %n: i64) {
  %c0 = arith.constant 0 : i32
  %unit = arith.constant 1 : i64
  %pa = tt.make_tensor_ptr %x, [%n, %n], [%n, %unit], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<4x1024xf32>>
  %pb = tt.make_tensor_ptr %y, [%n, %n], [%n, %unit], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<1024x4xf32>>
  %pc = tt.make_tensor_ptr %z, [%n, %n], [%n, %unit], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<4x4xf32>>
  %c = tt.load %pc : !tt.ptr<tensor<4x4xf32>>
  %a = tt.load %pa : !tt.ptr<tensor<4x1024xf32>>
  %b = tt.load %pb : !tt.ptr<tensor<1024x4xf32>>
  %d = tt.dot %a, %b, %c : tensor<4x1024xf32> * tensor<1024x4xf32> -> tensor<4x4xf32>
  tt.store %pc, %d : !tt.ptr<tensor<4x4xf32>>
  tt.return
}

// -----

// A softmax in three loops: the maximum, the sum of the exponentials, and the
// quotients. The row is loaded in each.

// CHECK-LABEL: tt.func @softmax(
// CHECK-DAG:     %[[ZERO:.*]] = arith.constant -0.000000e+00 : f32
// CHECK-DAG:     %[[NAN:.*]] = arith.constant 0x7FC00000 : f32
// CHECK:         %[[MAX:.*]] = scf.for {{.*}} iter_args(%[[M:.*]] = %[[NAN]]) -> (f32)
// CHECK:           tt.load {{.*}} : !tt.ptr<tensor<[[T:[0-9]+]]xf32>>
// CHECK:           %[[PART:.*]] = "tt.reduce"
// CHECK:           arith.maxnumf %[[M]], %[[PART]] : f32
// CHECK:         %[[MAXES:.*]] = tt.splat %[[MAX]] : f32 -> tensor<[[T]]xf32>
// CHECK:         %[[SUM:.*]] = scf.for {{.*}} iter_args(%[[S:.*]] = %[[ZERO]]) -> (f32)
// CHECK:           tt.load {{.*}} : !tt.ptr<tensor<[[T]]xf32>>
// CHECK:           math.exp
// CHECK:           %[[PART:.*]] = "tt.reduce"
// CHECK:           arith.addf %[[S]], %[[PART]] : f32
// CHECK:         scf.for
// CHECK:           tt.load {{.*}} : !tt.ptr<tensor<[[T]]xf32>>
// CHECK:           math.exp
// CHECK:           arith.divf
// CHECK:           tt.store
tt.func @softmax(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %n: i64) {
  %c0 = arith.constant 0 : i32
  %unit = arith.constant 1 : i64
  %p = tt.make_tensor_ptr %x, [%n], [%unit], [%c0] {order = array<i32: 0>} : <tensor<4096xf32>>
  %q = tt.make_tensor_ptr %y, [%n], [%unit], [%c0] {order = array<i32: 0>} : <tensor<4096xf32>>
  %a = tt.load %p {boundaryCheck = array<i32: 0>} : !tt.ptr<tensor<4096xf32>>
  %m = "tt.reduce"(%a) <{axis = 0 : i32}> ({
  ^bb0(%u: f32, %v: f32):
    %w = arith.maxnumf %u, %v : f32
    tt.reduce.return %w : f32
  }) : (tensor<4096xf32>) -> f32
  %ms = tt.splat %m : f32 -> tensor<4096xf32>
  %s = arith.subf %a, %ms : tensor<4096xf32>
  %e = math.exp %s : tensor<4096xf32>
  %sum = "tt.reduce"(%e) <{axis = 0 : i32}> ({
  ^bb0(%u: f32, %v: f32):
    %w = arith.addf %u, %v : f32
    tt.reduce.return %w : f32
  }) : (tensor<4096xf32>) -> f32
  %ss = tt.splat %sum : f32 -> tensor<4096xf32>
  %o = arith.divf %e, %ss : tensor<4096xf32>
  tt.store %q, %o {boundaryCheck = array<i32: 0>} : !tt.ptr<tensor<4096xf32>>
  tt.return
}

// -----

// A reduction whose body has no neutral element begins with the first part; its
// body puts the parts of a column together, too.

// CHECK-LABEL: tt.func @no_neutral_element(
// CHECK:         tt.load {{.*}} : !tt.ptr<tensor<[[T:[0-9]+]]x4xf32>>
// CHECK:         %[[FIRST:.*]] = "tt.reduce"
// CHECK:         %[[R:.*]] = scf.for {{.*}} iter_args(%[[ACC:.*]] = %[[FIRST]]) -> (tensor<4xf32>)
// CHECK:           %[[PART:.*]] = "tt.reduce"
// CHECK:           %[[LESS:.*]] = arith.cmpf olt, %[[ACC]], %[[PART]] : tensor<4xf32>
// CHECK:           arith.select %[[LESS]], %[[ACC]], %[[PART]] : tensor<4xi1>, tensor<4xf32>
// CHECK:         tt.store %{{.*}}, %[[R]]
tt.func @no_neutral_element(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %n: i64) {
  %c0 = arith.constant 0 : i32
  %unit = arith.constant 1 : i64
  %p = tt.make_tensor_ptr %x, [%n, %n], [%n, %unit], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<1024x4xf32>>
  %q = tt.make_tensor_ptr %y, [%n], [%unit], [%c0] {order = array<i32: 0>} : <tensor<4xf32>>
  %a = tt.load %p : !tt.ptr<tensor<1024x4xf32>>
  %m = "tt.reduce"(%a) <{axis = 0 : i32}> ({
  ^bb0(%u: f32, %v: f32):
    %l = arith.cmpf olt, %u, %v : f32
    %w = arith.select %l, %u, %v : f32
    tt.reduce.return %w : f32
  }) : (tensor<1024x4xf32>) -> tensor<4xf32>
  tt.store %q, %m : !tt.ptr<tensor<4xf32>>
  tt.return
}
