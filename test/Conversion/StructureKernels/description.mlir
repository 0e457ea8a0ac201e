// RUN: spine-triton-opt %s -spine-structure-kernels -cse | FileCheck %s

// The example of the pass's description.

// CHECK-LABEL: tt.func public @kernel(
// CHECK-SAME:    %[[P:[^:]*]]: !tt.ptr<f32>, %[[N:[^:]*]]: i32
// CHECK-NEXT:    %[[C0:.*]] = arith.constant 0 : i32
// CHECK-NEXT:    %[[DONE:.*]] = arith.cmpi eq, %[[N]], %[[C0]] : i32
// CHECK-NEXT:    scf.if %[[DONE]] {
// CHECK-NEXT:    } else {
// CHECK-NEXT:      %[[X:.*]] = arith.constant 1.000000e+00 : f32
// CHECK-NEXT:      tt.store %[[P]], %[[X]] : !tt.ptr<f32>
// CHECK-NEXT:    }
// CHECK-NEXT:    tt.return
tt.func public @kernel(%p: !tt.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %done = arith.cmpi eq, %n, %c0 : i32
  cf.cond_br %done, ^bb1, ^bb2
^bb1:
  tt.return
^bb2:
  %x = arith.constant 1.0 : f32
  tt.store %p, %x : !tt.ptr<f32>
  tt.return
}
