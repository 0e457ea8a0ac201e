// RUN: spine-triton-opt %s -spine-to-linalg | FileCheck %s
// RUN: spine-triton-opt %s -pass-pipeline="builtin.module(spine-to-linalg)" | FileCheck %s

// Early returns and calls first, then clean-up, then linalg, whose equal parts
// are merged.

// CHECK-LABEL: tt.func public @kernel(
// CHECK-SAME:    %[[P:[^:]*]]: !tt.ptr<f32>, %[[N:[^:]*]]: i32
// CHECK-NOT:     tt.call
// CHECK:         scf.if
// CHECK-COUNT-1:   tensor.empty() : tensor<16xi32>
// CHECK-NOT:       tensor.empty() : tensor<16xi32>
// CHECK:           tt.load
// CHECK:           linalg.generic
// CHECK:             arith.addf
// CHECK:           tt.store
// CHECK:         tt.return
// CHECK-NOT:   tt.func
tt.func public @kernel(%p: !tt.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %done = arith.cmpi eq, %n, %c0 : i32
  cf.cond_br %done, ^bb1, ^bb2
^bb1:
  tt.return
^bb2:
  %r = tt.make_range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %ns = tt.splat %n : i32 -> tensor<16xi32>
  %m = arith.cmpi slt, %r, %ns : tensor<16xi32>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<16x!tt.ptr<f32>>
  %q = tt.addptr %ps, %r : tensor<16x!tt.ptr<f32>>, tensor<16xi32>
  %a = tt.load %q, %m : tensor<16x!tt.ptr<f32>>
  %b = tt.call @double(%a) : (tensor<16xf32>) -> tensor<16xf32>
  tt.store %q, %b, %m : tensor<16x!tt.ptr<f32>>
  tt.return
}
tt.func private @double(%a: tensor<16xf32>) -> tensor<16xf32> {
  %b = arith.addf %a, %a : tensor<16xf32>
  tt.return %b : tensor<16xf32>
}
