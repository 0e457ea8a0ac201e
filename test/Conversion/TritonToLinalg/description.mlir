// RUN: spine-triton-opt %s -convert-triton-to-linalg -cse | FileCheck %s

// The example of the pass's description.

// CHECK:         #[[ID:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-LABEL: tt.func @kernel(
// CHECK-SAME:    %[[X:[^:]*]]: f32, %[[T:[^:]*]]: tensor<16x32xf32>
// CHECK-NEXT:    %[[E:.*]] = tensor.empty() : tensor<16x32xf32>
// CHECK-NEXT:    %[[S:.*]] = linalg.fill ins(%[[X]] : f32) outs(%[[E]] : tensor<16x32xf32>) -> tensor<16x32xf32>
// CHECK-NEXT:    %[[R:.*]] = linalg.generic {indexing_maps = [#[[ID]], #[[ID]], #[[ID]]], iterator_types = ["parallel", "parallel"]} ins(%[[S]], %[[T]] : tensor<16x32xf32>, tensor<16x32xf32>) outs(%[[E]] : tensor<16x32xf32>) {
// CHECK-NEXT:    ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT:      %[[SUM:.*]] = arith.addf %[[A]], %[[B]] : f32
// CHECK-NEXT:      linalg.yield %[[SUM]] : f32
// CHECK-NEXT:    } -> tensor<16x32xf32>
// CHECK-NEXT:    tt.return %[[R]]
tt.func @kernel(%x: f32, %t: tensor<16x32xf32>) -> tensor<16x32xf32> {
  %s = tt.splat %x : f32 -> tensor<16x32xf32>
  %r = arith.addf %s, %t : tensor<16x32xf32>
  tt.return %r : tensor<16x32xf32>
}
