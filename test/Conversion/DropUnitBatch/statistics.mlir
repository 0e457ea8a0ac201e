// RUN: spine-triton-opt %s -spine-drop-unit-batch -mlir-pass-statistics -o /dev/null 2>&1 | FileCheck %s
// REQUIRES: pass-statistics

// CHECK: SpineDropUnitBatch
// CHECK: (S) 1 num-products
tt.func @kernel(%x: tensor<1x16x16xf32>, %y: tensor<2x16x16xf32>) {
  %one = tt.dot %x, %x, %x : tensor<1x16x16xf32> * tensor<1x16x16xf32> -> tensor<1x16x16xf32>
  %two = tt.dot %y, %y, %y : tensor<2x16x16xf32> * tensor<2x16x16xf32> -> tensor<2x16x16xf32>
  tt.return
}
