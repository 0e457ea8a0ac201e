// RUN: spine-triton-opt %s -spine-verify-scratchpad=use-ranges=false | FileCheck %s

// In the final code, where nothing is known of ranges, constants say what is
// never reached.

// CHECK-LABEL: llvm.func @final(
llvm.func @final(%arena: !llvm.ptr) attributes {spine.arena_bytes = 64 : i64, spine.plan = [{id = 0 : i64, offset = 0 : i64, bytes = 64 : i64}]} {
  %false = llvm.mlir.constant(false) : i1
  llvm.cond_br %false, ^bb1, ^bb2
^bb1:
  %0 = llvm.getelementptr %arena[16] : (!llvm.ptr) -> !llvm.ptr, f32
  %1 = llvm.load %0 {spine.buffers = array<i64: 0>} : !llvm.ptr -> f32
  llvm.br ^bb2
^bb2:
  llvm.return
}
