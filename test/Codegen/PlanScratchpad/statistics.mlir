// RUN: spine-triton-opt %s -spine-plan-scratchpad -mlir-pass-statistics -o /dev/null 2>&1 | FileCheck %s
// REQUIRES: pass-statistics

// Summed over the functions: 192 + 64 bytes of arenas, all of them live at one
// time in each.

// CHECK: SpinePlanScratchpad
// CHECK-DAG: (S) 256 arena-bytes
// CHECK-DAG: (S) 256 live-bytes
func.func @first(%arena: !llvm.ptr) {
  %a = spine.scratch {id = 0 : i64, bytes = 128 : i64} : !llvm.ptr
  %b = spine.scratch {id = 1 : i64, bytes = 64 : i64} : !llvm.ptr
  %0 = llvm.load %a : !llvm.ptr -> f32
  %1 = llvm.load %b : !llvm.ptr -> f32
  return
}
func.func @second(%arena: !llvm.ptr) {
  %a = spine.scratch {id = 0 : i64, bytes = 64 : i64} : !llvm.ptr
  return
}
