// RUN: spine-triton-opt %s -spine-check-residency="capacity=5000 severity=warning" -mlir-pass-statistics -o /dev/null 2>&1 | FileCheck %s
// REQUIRES: pass-statistics

// CHECK: SpineCheckResidency
// CHECK-DAG: (S) 2 kernels
// CHECK-DAG: (S) 1 misfits
// CHECK-DAG: (S) 2 tiles
// CHECK-DAG: (S) 2 packed
// CHECK-DAG: (S) 0 mirrored
// CHECK-DAG: (S) 0 copied
// CHECK-DAG: (S) 12288 arena-bytes
tt.func @small(%p: !tt.ptr<tensor<1024xf32>>) {
  %a = tt.load %p : !tt.ptr<tensor<1024xf32>>
  tt.store %p, %a : !tt.ptr<tensor<1024xf32>>
  tt.return
}
tt.func @large(%p: !tt.ptr<tensor<2048xf32>>) {
  %a = tt.load %p : !tt.ptr<tensor<2048xf32>>
  tt.store %p, %a : !tt.ptr<tensor<2048xf32>>
  tt.return
}
