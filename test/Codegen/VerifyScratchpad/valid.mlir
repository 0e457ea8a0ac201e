// RUN: spine-triton-opt %s -spine-verify-scratchpad | FileCheck %s
// RUN: spine-triton-opt %s -spine-verify-scratchpad="use-ranges=false" -o /dev/null

// What is not known to be outside is accepted, and nothing is changed.

// CHECK-LABEL: func.func @kernel(
// CHECK-SAME:    spine.plan = [{bytes = 64 : i64, id = 0 : i64, offset = 0 : i64}, {bytes = 64 : i64, id = 1 : i64, offset = 0 : i64}]
func.func @kernel(%n: i64, %arena: !llvm.ptr) attributes {spine.arena_bytes = 64 : i64, spine.plan = [{id = 0 : i64, offset = 0 : i64, bytes = 64 : i64}, {id = 1 : i64, offset = 0 : i64, bytes = 64 : i64}]} {
  %c0 = arith.constant 0 : i64
  %c4 = arith.constant 4 : i64
  %c16 = arith.constant 16 : i64
  %0 = llvm.getelementptr %arena[0] {spine.id = 0 : i64} : (!llvm.ptr) -> !llvm.ptr, i8
  scf.for %i = %c0 to %c16 step %c4 : i64 {
    %1 = llvm.getelementptr %0[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    %2 = llvm.load %1 : !llvm.ptr -> f32
  }
  // An index that may be too large, and one of which nothing is known.
  scf.for %i = %c0 to %n step %c4 : i64 {
    %1 = llvm.getelementptr %0[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    %2 = llvm.load %1 : !llvm.ptr -> f32
  }
  %3 = llvm.getelementptr %0[%n] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %4 = llvm.load %3 : !llvm.ptr -> f32
  // Through control flow.
  %5 = llvm.getelementptr %arena[0] {spine.id = 1 : i64} : (!llvm.ptr) -> !llvm.ptr, i8
  %6:2 = scf.for %i = %c0 to %c16 step %c4 iter_args(%p = %0, %q = %5) -> (!llvm.ptr, !llvm.ptr) : i64 {
    %7 = llvm.load %p : !llvm.ptr -> f32
    scf.yield %q, %p : !llvm.ptr, !llvm.ptr
  }
  // Through an operation that hides where an address comes from.
  %8 = llvm.intr.launder.invariant.group %0 : !llvm.ptr
  %9 = llvm.getelementptr %8[15] : (!llvm.ptr) -> !llvm.ptr, f32
  %10 = llvm.load %9 : !llvm.ptr -> f32
  return
}

// Without a plan there is nothing to hold code against.

// CHECK-LABEL: func.func @other(
func.func @other(%arena: !llvm.ptr) {
  %0 = llvm.load %arena : !llvm.ptr -> f32
  return
}

// The final code: the address of a tile at the arena's begin is the arena's own.

// CHECK-LABEL: llvm.func @final(
llvm.func @final(%arena: !llvm.ptr) attributes {spine.arena_bytes = 64 : i64, spine.plan = [{id = 0 : i64, offset = 0 : i64, bytes = 64 : i64}]} {
  %0 = llvm.load %arena : !llvm.ptr -> f32
  %1 = llvm.getelementptr %arena[15] : (!llvm.ptr) -> !llvm.ptr, f32
  llvm.br ^bb1(%1 : !llvm.ptr)
^bb1(%p: !llvm.ptr):
  %2 = llvm.load %p : !llvm.ptr -> f32
  llvm.return
}

// An address folded with an index into tile 0 is where tile 1, which is not
// live then, begins.

// CHECK-LABEL: llvm.func @folded(
llvm.func @folded(%arena: !llvm.ptr) attributes {spine.arena_bytes = 128 : i64, spine.plan = [{id = 0 : i64, offset = 0 : i64, bytes = 128 : i64}, {id = 1 : i64, offset = 64 : i64, bytes = 16 : i64}]} {
  %0 = llvm.getelementptr %arena[64] : (!llvm.ptr) -> !llvm.ptr, i8
  %1 = llvm.load %0 : !llvm.ptr -> vector<8xf32>
  llvm.return
}

// Rows that are read where they lie or from the arena's begin are fetched ahead
// either way, here from behind everything that is planned: nothing is accessed.

// CHECK-LABEL: llvm.func @fetched_ahead(
llvm.func @fetched_ahead(%rows: !llvm.ptr, %inPlace: i1, %arena: !llvm.ptr) attributes {spine.arena_bytes = 64 : i64, spine.plan = [{id = 0 : i64, offset = 0 : i64, bytes = 64 : i64}]} {
  %0 = llvm.select %inPlace, %rows, %arena : i1, !llvm.ptr
  %1 = llvm.getelementptr %0[288] : (!llvm.ptr) -> !llvm.ptr, f32
  "llvm.intr.prefetch"(%1) <{cache = 1 : i32, hint = 3 : i32, rw = 0 : i32}> : (!llvm.ptr) -> ()
  %2 = llvm.load %0 : !llvm.ptr -> f32
  llvm.return
}
