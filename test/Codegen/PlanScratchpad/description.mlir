// RUN: spine-triton-opt %s -spine-plan-scratchpad | FileCheck %s

// The example of the pass's description.

// CHECK-LABEL: func.func @kernel(
// CHECK-SAME:    %[[ARENA:[^:]*]]: !llvm.ptr) -> !llvm.ptr attributes {spine.arena_bytes = 256 : i64, spine.live_bytes = 256 : i64, spine.plan = [{begin = 1 : i64, bytes = 256 : i64, end = 4 : i64, id = 0 : i64, loc = #{{.*}}, offset = 0 : i64}]} {
// CHECK-NEXT:    %[[P:.*]] = llvm.getelementptr %[[ARENA]][0] {spine.id = 0 : i64} : (!llvm.ptr) -> !llvm.ptr, i8
// CHECK-NEXT:    return %[[P]] : !llvm.ptr
func.func @kernel(%arena: !llvm.ptr) -> !llvm.ptr {
  %0 = spine.scratch {id = 0 : i64, bytes = 256 : i64} : !llvm.ptr
  return %0 : !llvm.ptr
}
