// RUN: spine-triton-opt %s -spine-check-residency | FileCheck %s

// The example of the pass's description: the loaded and the stored tile.

// CHECK-LABEL: tt.func @scale(
// CHECK-SAME:    attributes {spine.residency = {arena_bytes = 8192 : i64, capacity_bytes = 393216 : i64, fits = true, peak_bytes = 8192 : i64, policy = "stage-all", reserve_bytes = 0 : i64}}
tt.func @scale(%x: !tt.ptr<f32>, %n: i64) {
  %c0 = arith.constant 0 : i32
  %unit = arith.constant 1 : i64
  %two = arith.constant dense<2.0> : tensor<1024xf32>
  %p = tt.make_tensor_ptr %x, [%n], [%unit], [%c0] {order = array<i32: 0>} : <tensor<1024xf32>>
  %a = tt.load %p {boundaryCheck = array<i32: 0>} : !tt.ptr<tensor<1024xf32>>
  %b = arith.mulf %a, %two : tensor<1024xf32>
  tt.store %p, %b {boundaryCheck = array<i32: 0>} : !tt.ptr<tensor<1024xf32>>
  tt.return
}
