// RUN: spine-triton-opt %s -spine-plan-scratchpad | FileCheck %s

// Constant indices of an address hold 29 bits; larger offsets are 64-bit values.

// CHECK-LABEL: func.func @two_buffers_of_4_gib(
// CHECK-SAME:    spine.arena_bytes = 8589934592 : i64
// CHECK-DAG:     %[[FAR:.*]] = llvm.mlir.constant(4294967296 : i64) : i64
// CHECK-DAG:     llvm.getelementptr %{{.*}}[%[[FAR]]] {spine.id = {{.*}}} : (!llvm.ptr, i64) -> !llvm.ptr, i8
// CHECK-DAG:     llvm.getelementptr %{{.*}}[0] {spine.id = {{.*}}} : (!llvm.ptr) -> !llvm.ptr, i8
func.func @two_buffers_of_4_gib(%arena: !llvm.ptr) {
  %x = arith.constant 0 : i8
  %0 = spine.scratch {id = 0 : i64, bytes = 4294967296 : i64} : !llvm.ptr
  %1 = spine.scratch {id = 1 : i64, bytes = 4294967296 : i64} : !llvm.ptr
  llvm.store %x, %0 : i8, !llvm.ptr
  llvm.store %x, %1 : i8, !llvm.ptr
  return
}
