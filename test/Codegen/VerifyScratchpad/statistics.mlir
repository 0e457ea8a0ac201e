// RUN: spine-triton-opt %s -spine-verify-scratchpad -mlir-pass-statistics -o /dev/null 2>&1 | FileCheck %s
// REQUIRES: pass-statistics

// CHECK: SpineVerifyScratchpad
// CHECK-DAG: (S) 1 kernels
// CHECK-DAG: (S) 2 references
// CHECK-DAG: (S) 1 proved
// CHECK-DAG: (S) 1 unproved
// CHECK-DAG: (S) 0 unreachable
// CHECK-DAG: (S) 4 stack-bytes
func.func @kernel(%n: i64, %arena: !llvm.ptr) attributes {spine.arena_bytes = 64 : i64, spine.plan = [{id = 0 : i64, offset = 0 : i64, bytes = 64 : i64}]} {
  %one = arith.constant 1 : i64
  %s = llvm.alloca %one x f32 : (i64) -> !llvm.ptr
  %0 = llvm.getelementptr %arena[0] {spine.id = 0 : i64} : (!llvm.ptr) -> !llvm.ptr, i8
  %1 = llvm.load %0 : !llvm.ptr -> f32
  %2 = llvm.getelementptr %0[%n] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %3 = llvm.load %2 : !llvm.ptr -> f32
  return
}
