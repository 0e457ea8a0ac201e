// RUN: spine-triton-opt %s -spine-lower-tiles -mlir-pass-statistics -o /dev/null 2>&1 | FileCheck %s
// REQUIRES: pass-statistics

// %a and its copy through the generic are virtual, %b is overwritten before it
// is used. What is counted is the version that takes arguments to be disjoint.

// CHECK: SpineLowerTiles
// CHECK-DAG: (S) 1 num-buffers
// CHECK-DAG: (S) 1 num-in-place-loads
// CHECK-DAG: (S) 1 num-packed-loads
// CHECK-DAG: (S) 2 num-virtual
#id = affine_map<(d0) -> (d0)>
tt.func public @kernel(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i64
  %p = tt.make_tensor_ptr %x, [%c1], [%c1], [%c0] {order = array<i32: 0>} : <tensor<16xf32>>
  %q = tt.make_tensor_ptr %y, [%c1], [%c1], [%c0] {order = array<i32: 0>} : <tensor<16xf32>>
  %a = tt.load %p : !tt.ptr<tensor<16xf32>>
  %b = tt.load %q : !tt.ptr<tensor<16xf32>>
  %n = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%a : tensor<16xf32>) outs(%a : tensor<16xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.negf %in : f32
    linalg.yield %0 : f32
  } -> tensor<16xf32>
  tt.store %q, %n : !tt.ptr<tensor<16xf32>>
  tt.store %p, %b : !tt.ptr<tensor<16xf32>>
  tt.return
}
