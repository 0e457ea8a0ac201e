// RUN: spine-triton-opt %s -split-input-file -convert-triton-to-linalg | FileCheck %s

// CHECK-LABEL: tt.func @two_and_three_dimensions(
// CHECK-SAME:    %[[A:[^:]*]]: tensor<16x32xf16>, %[[B:[^:]*]]: tensor<32x8xf16>, %[[C:[^:]*]]: tensor<16x8xf32>
// CHECK:         linalg.matmul ins(%[[A]], %[[B]] : tensor<16x32xf16>, tensor<32x8xf16>) outs(%[[C]] : tensor<16x8xf32>) -> tensor<16x8xf32>
// CHECK:         linalg.batch_matmul ins(%{{.*}}, %{{.*}} : tensor<2x4x8xi8>, tensor<2x8x4xi8>) outs(%{{.*}} : tensor<2x4x4xi32>) -> tensor<2x4x4xi32>
tt.func @two_and_three_dimensions(%a: tensor<16x32xf16>, %b: tensor<32x8xf16>, %c: tensor<16x8xf32>, %x: tensor<2x4x8xi8>, %y: tensor<2x8x4xi8>, %z: tensor<2x4x4xi32>) -> (tensor<16x8xf32>, tensor<2x4x4xi32>) {
  %d = tt.dot %a, %b, %c : tensor<16x32xf16> * tensor<32x8xf16> -> tensor<16x8xf32>
  %e = tt.dot %x, %y, %z : tensor<2x4x8xi8> * tensor<2x8x4xi8> -> tensor<2x4x4xi32>
  tt.return %d, %e : tensor<16x8xf32>, tensor<2x4x4xi32>
}

// -----

// `acc += dot(a, b)`: the product accumulates into acc, on either side.

// CHECK-LABEL: tt.func @fused(
// CHECK-SAME:    %[[A:[^:]*]]: tensor<4x8xf32>, %[[B:[^:]*]]: tensor<8x4xf32>, %[[ACC:[^:]*]]: tensor<4x4xf32>
// CHECK-NOT:     arith.addf
// CHECK:         %[[ONE:.*]] = linalg.matmul ins(%[[A]], %[[B]] : {{.*}}) outs(%[[ACC]] :
// CHECK-NEXT:    %[[TWO:.*]] = linalg.matmul ins(%[[A]], %[[B]] : {{.*}}) outs(%[[ONE]] :
// CHECK-NEXT:    tt.return %[[TWO]]
tt.func @fused(%a: tensor<4x8xf32>, %b: tensor<8x4xf32>, %acc: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %zero = arith.constant dense<0.0> : tensor<4x4xf32>
  %d = tt.dot %a, %b, %zero : tensor<4x8xf32> * tensor<8x4xf32> -> tensor<4x4xf32>
  %one = arith.addf %acc, %d : tensor<4x4xf32>
  %e = tt.dot %a, %b, %zero : tensor<4x8xf32> * tensor<8x4xf32> -> tensor<4x4xf32>
  %two = arith.addf %e, %one : tensor<4x4xf32>
  tt.return %two : tensor<4x4xf32>
}

// -----

// Integers too; the accumulator may be made after the product.

// CHECK-LABEL: tt.func @fused_integers(
// CHECK:         %[[ACC:.*]] = linalg.fill
// CHECK:         linalg.matmul {{.*}} outs(%[[ACC]] :
// CHECK-NOT:     arith.addi
tt.func @fused_integers(%a: tensor<4x8xi8>, %b: tensor<8x4xi8>, %x: i32) -> tensor<4x4xi32> {
  %zero = arith.constant dense<0> : tensor<4x4xi32>
  %d = tt.dot %a, %b, %zero : tensor<4x8xi8> * tensor<8x4xi8> -> tensor<4x4xi32>
  %acc = tt.splat %x : i32 -> tensor<4x4xi32>
  %r = arith.addi %d, %acc : tensor<4x4xi32>
  tt.return %r : tensor<4x4xi32>
}

// -----

// Not fused: an accumulator already, a second use, a product added to itself,
// another block.

// CHECK-LABEL: tt.func @not_fused(
// CHECK-SAME:    %[[C:[^:]*]]: tensor<4x4xf32>, %[[COND:[^:]*]]: i1
// CHECK-DAG:     %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<4x4xf32>
// CHECK:         linalg.matmul {{.*}} outs(%[[C]] :
// CHECK:         arith.addf
// CHECK:         linalg.matmul {{.*}} outs(%[[ZERO]] :
// CHECK:         arith.addf
// CHECK:         arith.mulf
// CHECK:         linalg.matmul {{.*}} outs(%[[ZERO]] :
// CHECK:         arith.addf
// CHECK:         linalg.matmul {{.*}} outs(%[[ZERO]] :
// CHECK:         scf.if %[[COND]]
// CHECK:           arith.addf
tt.func @not_fused(%c: tensor<4x4xf32>, %cond: i1, %a: tensor<4x8xf32>, %b: tensor<8x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) {
  %zero = arith.constant dense<0.0> : tensor<4x4xf32>
  %d = tt.dot %a, %b, %c : tensor<4x8xf32> * tensor<8x4xf32> -> tensor<4x4xf32>
  %one = arith.addf %d, %c : tensor<4x4xf32>
  %e = tt.dot %a, %b, %zero : tensor<4x8xf32> * tensor<8x4xf32> -> tensor<4x4xf32>
  %sum = arith.addf %e, %c : tensor<4x4xf32>
  %two = arith.mulf %sum, %e : tensor<4x4xf32>
  %f = tt.dot %a, %b, %zero : tensor<4x8xf32> * tensor<8x4xf32> -> tensor<4x4xf32>
  %three = arith.addf %f, %f : tensor<4x4xf32>
  %g = tt.dot %a, %b, %zero : tensor<4x8xf32> * tensor<8x4xf32> -> tensor<4x4xf32>
  %four = scf.if %cond -> tensor<4x4xf32> {
    %inside = arith.addf %g, %c : tensor<4x4xf32>
    scf.yield %inside : tensor<4x4xf32>
  } else {
    scf.yield %c : tensor<4x4xf32>
  }
  tt.return %one, %two, %three, %four : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
}
