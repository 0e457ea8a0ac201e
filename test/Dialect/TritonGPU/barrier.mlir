// RUN: spine-triton-opt -split-input-file -verify-diagnostics %s | FileCheck %s
// RUN: spine-triton-opt -split-input-file -verify-diagnostics -mlir-print-op-generic %s | spine-triton-opt -split-input-file | FileCheck %s

// What tl.debug_barrier becomes.

// CHECK-LABEL: tt.func @triton_3_7
tt.func @triton_3_7() {
  // CHECK: ttg.barrier all
  ttg.barrier all
  // CHECK: ttg.barrier local{{$}}
  ttg.barrier local
  // CHECK: ttg.barrier local|global_read {some.attribute}
  ttg.barrier local|global_read {some.attribute}
  // CHECK: ttg.barrier global_write|tensor_read|tensor_write
  ttg.barrier global_write|tensor_read|tensor_write
  // CHECK: ttg.barrier none
  ttg.barrier none
  // CHECK: ttg.barrier local|global_write
  "ttg.barrier"() <{addrSpace = 5 : i32}> : () -> ()
  tt.return
}

// CHECK-LABEL: tt.func @triton_3_6
tt.func @triton_3_6() {
  // CHECK: gpu.barrier
  gpu.barrier
  tt.return
}

// -----

tt.func @unknown_space() {
  // expected-error@+1 {{expects none, local, global_read, global_write, tensor_read, tensor_write or all, got shared}}
  ttg.barrier local|shared
  tt.return
}
