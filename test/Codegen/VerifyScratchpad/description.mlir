// RUN: spine-triton-opt %s -spine-verify-scratchpad | FileCheck %s
// RUN: not spine-triton-opt %s -spine-verify-scratchpad="max-stack-bytes=-1" -o /dev/null 2>&1 | FileCheck %s --check-prefix=STACK

// The example of the pass's description.

// STACK: takes 0 bytes of the stack: at most -1 are allowed

// CHECK-LABEL: func.func @kernel(
// CHECK-NEXT:    %[[T:.*]] = llvm.getelementptr %{{.*}}[0] {spine.id = 0 : i64}
// CHECK-NEXT:    %[[P:.*]] = llvm.getelementptr %[[T]][15]
// CHECK-NEXT:    llvm.load %[[P]]
func.func @kernel(%arena: !llvm.ptr) attributes {spine.arena_bytes = 64 : i64, spine.plan = [{id = 0 : i64, offset = 0 : i64, bytes = 64 : i64}]} {
  %0 = llvm.getelementptr %arena[0] {spine.id = 0 : i64} : (!llvm.ptr) -> !llvm.ptr, i8
  %1 = llvm.getelementptr %0[15] : (!llvm.ptr) -> !llvm.ptr, f32
  %2 = llvm.load %1 : !llvm.ptr -> f32
  return
}
