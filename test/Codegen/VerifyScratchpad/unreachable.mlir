// RUN: spine-triton-opt %s -spine-verify-scratchpad -spine-verify-scratchpad=use-ranges=false | FileCheck %s
// RUN: not spine-triton-opt %s -spine-verify-scratchpad=use-ranges=false -o /dev/null 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// What is never reached may access what it likes: a constant says so, or the
// range of an index. A mark tells this to the verification of the final code.

// UNKNOWN: error: access to bytes [64, 68) of the arena leaves tile (id 0)

// CHECK-LABEL: func.func @never(
// CHECK-COUNT-2: spine.unreachable
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
// CHECK:         llvm.load %{{.*}} {spine.unreachable}
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

// CHECK-LABEL: llvm.func @final(
llvm.func @final(%c: i1, %arena: !llvm.ptr) attributes {spine.arena_bytes = 64 : i64, spine.plan = [{id = 0 : i64, offset = 0 : i64, bytes = 64 : i64}]} {
  llvm.cond_br %c, ^bb1, ^bb2
^bb1:
  %0 = llvm.getelementptr %arena[16] {spine.unreachable} : (!llvm.ptr) -> !llvm.ptr, f32
  %1 = llvm.load %0 {spine.unreachable} : !llvm.ptr -> f32
  llvm.br ^bb2
^bb2:
  llvm.return
}
