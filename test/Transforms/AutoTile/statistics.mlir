// RUN: spine-triton-opt %s -spine-auto-tile=capacity=4096 -mlir-pass-statistics -o /dev/null 2>&1 | FileCheck %s
// REQUIRES: pass-statistics

// CHECK: SpineAutoTile
// CHECK-DAG: (S) 1 axes
// CHECK-DAG: (S) 1 kernels
// CHECK-DAG: (S) 1 loops
tt.func @small(%x: tensor<8x!tt.ptr<f32>>) {
  %a = tt.load %x : tensor<8x!tt.ptr<f32>>
  tt.store %x, %a : tensor<8x!tt.ptr<f32>>
  tt.return
}
tt.func @large(%x: !tt.ptr<f32>) {
  %s = tt.splat %x : !tt.ptr<f32> -> tensor<2048x!tt.ptr<f32>>
  %a = tt.load %s : tensor<2048x!tt.ptr<f32>>
  tt.store %s, %a : tensor<2048x!tt.ptr<f32>>
  tt.return
}
