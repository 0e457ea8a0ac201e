// RUN: spine-triton-opt %s | FileCheck %s
// RUN: spine-triton-opt %s | spine-triton-opt | FileCheck %s
// RUN: spine-triton-opt -mlir-print-op-generic %s | spine-triton-opt | FileCheck %s
// RUN: spine-triton-opt -emit-bytecode %s | spine-triton-opt | FileCheck %s

// Functions, calls, and the discardable attributes that frontends attach.

// CHECK: module attributes {some.attribute = 3 : i32} {
module attributes {some.attribute = 3 : i32} {
  // CHECK: tt.func public @kernel(%{{.*}}: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %{{.*}}: !tt.ptr<i8> {tt.nv_tma_desc = 1 : i32, tt.pointer_range = 32 : i32}, %{{.*}}: i32) attributes {noinline = false} {
  tt.func public @kernel(%a: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %b: !tt.ptr<i8> {tt.nv_tma_desc = 1 : i32, tt.pointer_range = 32 : i32}, %n: i32) attributes {noinline = false} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    // CHECK: %{{.*}}:2 = tt.call @pair(%{{.*}}, %{{.*}}) : (i32, !tt.ptr<f32>) -> (!tt.ptr<f32>, i32)
    %0:2 = tt.call @pair(%n, %a) : (i32, !tt.ptr<f32>) -> (!tt.ptr<f32>, i32)
    // CHECK: tt.call @"quoted(name)"() {some.attribute} : () -> ()
    tt.call @"quoted(name)"() {some.attribute} : () -> ()
    // CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%{{.*}} = %{{.*}}) -> (!tt.ptr<f32>) : i32 {
    %1 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %0#0) -> (!tt.ptr<f32>) : i32 {
      %q = tt.addptr %p, %i : !tt.ptr<f32>, i32
      scf.yield %q : !tt.ptr<f32>
    // CHECK: } {tt.disallow_acc_multi_buffer, tt.flatten, tt.loop_unroll_factor = 2 : i32, tt.num_stages = 3 : i32, tt.warp_specialize}
    } {tt.disallow_acc_multi_buffer, tt.flatten, tt.loop_unroll_factor = 2 : i32, tt.num_stages = 3 : i32, tt.warp_specialize}
    // CHECK: tt.return
    tt.return
  }
  // CHECK: tt.func private @pair(%{{.*}}: i32, %{{.*}}: !tt.ptr<f32>) -> (!tt.ptr<f32>, i32) attributes {noinline = true} {
  tt.func private @pair(%n: i32, %p: !tt.ptr<f32>) -> (!tt.ptr<f32>, i32) attributes {noinline = true} {
    // CHECK: tt.return %{{.*}}, %{{.*}} : !tt.ptr<f32>, i32
    tt.return %p, %n : !tt.ptr<f32>, i32
  // CHECK: ^bb1:
  ^bb1:
    %0 = ub.poison : !tt.ptr<f32>
    %1 = ub.poison : i32
    tt.return %0, %1 : !tt.ptr<f32>, i32
  }
  // CHECK: tt.func private @"quoted(name)"()
  tt.func private @"quoted(name)"()
}
