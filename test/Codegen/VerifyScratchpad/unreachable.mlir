// RUN: spine-triton-opt %s -spine-verify-scratchpad | FileCheck %s

// What is never reached may access what it likes: a constant says so, or the
// range of an index.

// CHECK-LABEL: func.func @never(
func.func @never(%arena: !llvm.ptr) attributes {spine.arena_bytes = 64 : i64, spine.plan = [{id = 0 : i64, offset = 0 : i64, bytes = 64 : i64}]} {
  %false = arith.constant false
  %0 = llvm.getelementptr %arena[0] {spine.id = 0 : i64} : (!llvm.ptr) -> !llvm.ptr, i8
  scf.if %false {
    %1 = llvm.getelementptr %0[16] : (!llvm.ptr) -> !llvm.ptr, f32
    %2 = llvm.load %1 : !llvm.ptr -> f32
    %3 = llvm.getelementptr %arena[32] : (!llvm.ptr) -> !llvm.ptr, i8
    %4 = llvm.load %3 : !llvm.ptr -> f32
  }
  return
}

// CHECK-LABEL: func.func @out_of_range(
func.func @out_of_range(%arena: !llvm.ptr) attributes {spine.arena_bytes = 64 : i64, spine.plan = [{id = 0 : i64, offset = 0 : i64, bytes = 64 : i64}]} {
  %c0 = arith.constant 0 : i64
  %c4 = arith.constant 4 : i64
  %c16 = arith.constant 16 : i64
  %0 = llvm.getelementptr %arena[0] {spine.id = 0 : i64} : (!llvm.ptr) -> !llvm.ptr, i8
  scf.for %i = %c0 to %c16 step %c4 : i64 {
    %beyond = arith.cmpi sge, %i, %c16 : i64
    scf.if %beyond {
      %1 = llvm.getelementptr %0[16] : (!llvm.ptr) -> !llvm.ptr, f32
      %2 = llvm.load %1 : !llvm.ptr -> f32
    }
  }
  return
}
