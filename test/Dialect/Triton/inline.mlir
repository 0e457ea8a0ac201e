// RUN: spine-triton-opt -inline %s | FileCheck %s

// CHECK-LABEL: tt.func public @kernel
// CHECK-SAME: (%[[P:.*]]: !tt.ptr<f32>, %[[N:.*]]: i32, %[[T:.*]]: tensor<16xf32>)
tt.func public @kernel(%p: !tt.ptr<f32>, %n: i32, %t: tensor<16xf32>) {
  // CHECK: ttg.barrier all
  // CHECK: %[[Q:.*]] = tt.addptr %[[P]], %[[N]]
  %0 = tt.call @inlined(%p, %n) : (!tt.ptr<f32>, i32) -> !tt.ptr<f32>
  // CHECK: %[[S:.*]] = "tt.reduce"(%[[T]])
  %1 = "tt.reduce"(%t) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    // CHECK: %[[SUM:.*]] = arith.addf
    // CHECK: tt.reduce.return %[[SUM]]
    %s = tt.call @sum(%a, %b) : (f32, f32) -> f32
    tt.reduce.return %s : f32
  }) : (tensor<16xf32>) -> f32
  // CHECK: tt.call @kept(%[[Q]], %[[S]])
  tt.call @kept(%0, %1) : (!tt.ptr<f32>, f32) -> ()
  // An early return becomes a branch.
  // CHECK: cf.cond_br
  // CHECK: tt.store
  // CHECK-NOT: tt.call
  tt.call @early(%0, %n) : (!tt.ptr<f32>, i32) -> ()
  // CHECK: tt.return
  tt.return
}

// The frontend puts an unreachable block behind a function's last return.
tt.func private @inlined(%p: !tt.ptr<f32>, %n: i32) -> !tt.ptr<f32> attributes {noinline = false} {
  ttg.barrier all
  %0 = tt.addptr %p, %n : !tt.ptr<f32>, i32
  tt.return %0 : !tt.ptr<f32>
^bb1:
  %1 = ub.poison : !tt.ptr<f32>
  tt.return %1 : !tt.ptr<f32>
}

tt.func private @sum(%a: f32, %b: f32) -> f32 {
  %0 = arith.addf %a, %b : f32
  tt.return %0 : f32
^bb1:
  %1 = ub.poison : f32
  tt.return %1 : f32
}

// CHECK: tt.func private @kept
tt.func private @kept(%p: !tt.ptr<f32>, %f: f32) attributes {noinline = true} {
  tt.store %p, %f : !tt.ptr<f32>
  tt.return
}

tt.func private @early(%p: !tt.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %f0 = arith.constant 0.0 : f32
  %c = arith.cmpi eq, %n, %c0 : i32
  cf.cond_br %c, ^bb1, ^bb2
^bb1:
  tt.return
^bb2:
  tt.store %p, %f0 : !tt.ptr<f32>
  tt.return
}
