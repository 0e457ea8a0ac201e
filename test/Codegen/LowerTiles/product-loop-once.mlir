// RUN: spine-triton-opt %s -spine-to-linalg -spine-lower-tiles="variants=disjoint" -canonicalize -cse | FileCheck %s --strict-whitespace

// Columns of one panel are packed at once, without a loop around it. The loops
// around the product (blocks of rows, groups of iterations, programs) are not
// for LLVM to unroll.

// CHECK:#loop_unroll = #llvm.loop_unroll<disable = true>
// CHECK-LABEL:func.func @checked(
// CHECK-NOT:step %c32_i64
// CHECK:scf.for {{.*}} to %c16_i64 step %c4_i64
// CHECK:{{^        }}} {loop_annotation = #loop_annotation}
// CHECK-NEXT:{{^      }}} {loop_annotation = #loop_annotation}
// CHECK-NEXT:{{^    }}} {loop_annotation = #loop_annotation}
// CHECK-NEXT:    return
tt.func public @checked(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %z: !tt.ptr<f32>, %s: i64, %n: i32) {
  %c0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %i32 = arith.constant 32 : i32
  %c1 = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %r = tt.make_tensor_ptr %z, [%s, %s], [%s, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<16x16xf32>>
  %sum = scf.for %i = %c0 to %n step %i1 iter_args(%acc = %zero) -> (tensor<16x16xf32>) : i32 {
    %k = arith.muli %i, %i32 : i32
    %p = tt.make_tensor_ptr %x, [%s, %s], [%s, %c1], [%c0, %k] {order = array<i32: 1, 0>} : <tensor<16x32xf32>>
    %q = tt.make_tensor_ptr %y, [%s, %s], [%s, %c1], [%k, %c0] {order = array<i32: 1, 0>} : <tensor<32x16xf32>>
    %a = tt.load %p {boundaryCheck = array<i32: 0, 1>, padding = 1 : i32} : !tt.ptr<tensor<16x32xf32>>
    %b = tt.load %q {boundaryCheck = array<i32: 0, 1>, padding = 1 : i32} : !tt.ptr<tensor<32x16xf32>>
    %d = tt.dot %a, %b, %acc : tensor<16x32xf32> * tensor<32x16xf32> -> tensor<16x16xf32>
    scf.yield %d : tensor<16x16xf32>
  }
  tt.store %r, %sum {boundaryCheck = array<i32: 0, 1>} : !tt.ptr<tensor<16x16xf32>>
  tt.return
}
