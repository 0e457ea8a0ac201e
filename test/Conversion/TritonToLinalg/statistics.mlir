// RUN: spine-triton-opt %s -convert-triton-to-linalg -mlir-pass-statistics -o /dev/null 2>&1 | FileCheck %s
// REQUIRES: pass-statistics

// The fused product counts once; the load and the constant are not converted.

// CHECK: ConvertTritonToLinalg
// CHECK-DAG: (S) 2 num-converted
// CHECK-DAG: (S) 1 num-fused-accumulators
tt.func @kernel(%a: tensor<4x8xf32>, %p: tensor<8x4x!tt.ptr<f32>>, %acc: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %zero = arith.constant dense<0.0> : tensor<4x4xf32>
  %b = tt.load %p : tensor<8x4x!tt.ptr<f32>>
  %d = tt.dot %a, %b, %zero : tensor<4x8xf32> * tensor<8x4xf32> -> tensor<4x4xf32>
  %sum = arith.addf %acc, %d : tensor<4x4xf32>
  %r = arith.negf %sum : tensor<4x4xf32>
  tt.return %r : tensor<4x4xf32>
}
