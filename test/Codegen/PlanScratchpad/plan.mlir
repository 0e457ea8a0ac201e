// RUN: spine-triton-opt %s -split-input-file -spine-plan-scratchpad | FileCheck %s

// No buffer: nothing is needed. Declarations are left alone.

// CHECK-LABEL: func.func @none(
// CHECK-SAME:    attributes {spine.arena_bytes = 0 : i64, spine.live_bytes = 0 : i64}
// CHECK-LABEL: func.func private @declared(!llvm.ptr)
// CHECK-NOT:   attributes
func.func @none(%n: i64) {
  return
}
func.func private @declared(!llvm.ptr)

// -----

// One after the other: the same bytes. At the same time: side by side, the
// larger one first.

// CHECK-LABEL: func.func @sequence(
// CHECK-SAME:    spine.arena_bytes = 192 : i64, spine.live_bytes = 192 : i64
// CHECK:         llvm.getelementptr %{{.*}}[0]
// CHECK:         llvm.load
// CHECK:         %[[SMALL:.*]] = llvm.getelementptr %{{.*}}[128] {spine.id = {{[0-9]+}} : i64} : (!llvm.ptr) -> !llvm.ptr, i8
// CHECK:         %[[LARGE:.*]] = llvm.getelementptr %{{.*}}[0] {spine.id = {{[0-9]+}} : i64} : (!llvm.ptr) -> !llvm.ptr, i8
// CHECK:         llvm.load %[[SMALL]]
// CHECK:         llvm.load %[[LARGE]]
func.func @sequence(%arena: !llvm.ptr) {
  %a = spine.scratch {id = 0 : i64, bytes = 128 : i64} : !llvm.ptr
  %0 = llvm.load %a : !llvm.ptr -> f32
  %b = spine.scratch {id = 1 : i64, bytes = 64 : i64} : !llvm.ptr
  %c = spine.scratch {id = 2 : i64, bytes = 128 : i64} : !llvm.ptr
  %1 = llvm.load %b : !llvm.ptr -> f32
  %2 = llvm.load %c : !llvm.ptr -> f32
  return
}

// -----

// The arena is the last argument.

// CHECK-LABEL: func.func @last_argument(
// CHECK-SAME:    %{{[^:]*}}: !llvm.ptr, %{{[^:]*}}: i64, %[[ARENA:[^:]*]]: !llvm.ptr)
// CHECK:         llvm.getelementptr %[[ARENA]][0]
func.func @last_argument(%args: !llvm.ptr, %n: i64, %arena: !llvm.ptr) {
  %a = spine.scratch {id = 0 : i64, bytes = 4 : i64} : !llvm.ptr
  llvm.store %n, %a : i64, !llvm.ptr
  return
}

// -----

// Sizes are rounded up to the alignment, and every place is aligned.

// CHECK-LABEL: func.func @alignment(
// CHECK-SAME:    spine.arena_bytes = 576 : i64
// CHECK-DAG:     llvm.getelementptr %{{.*}}[0]
// CHECK-DAG:     llvm.getelementptr %{{.*}}[256]
// CHECK-DAG:     llvm.getelementptr %{{.*}}[512]
func.func @alignment(%arena: !llvm.ptr) {
  %a = spine.scratch {id = 0 : i64, bytes = 1 : i64} : !llvm.ptr
  %b = spine.scratch {id = 1 : i64, bytes = 200 : i64, alignment = 256 : i64} : !llvm.ptr
  %c = spine.scratch {id = 2 : i64, bytes = 129 : i64, alignment = 256 : i64} : !llvm.ptr
  %0 = llvm.load %a : !llvm.ptr -> i8
  %1 = llvm.load %b : !llvm.ptr -> i8
  %2 = llvm.load %c : !llvm.ptr -> i8
  return
}

// -----

// A buffer that a loop uses lives through all of its iterations; one made in
// the loop only inside of it. The third one comes after the loop.

// CHECK-LABEL: func.func @loops(
// CHECK-SAME:    spine.arena_bytes = 192 : i64, spine.live_bytes = 192 : i64
// CHECK:         llvm.getelementptr %{{.*}}[0]
// CHECK:         scf.for
// CHECK:           llvm.getelementptr %{{.*}}[128]
// CHECK:         llvm.getelementptr %{{.*}}[0]
func.func @loops(%n: i64, %arena: !llvm.ptr) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %a = spine.scratch {id = 0 : i64, bytes = 128 : i64} : !llvm.ptr
  scf.for %i = %c0 to %n step %c1 : i64 {
    %0 = llvm.load %a : !llvm.ptr -> i8
    %b = spine.scratch {id = 1 : i64, bytes = 64 : i64} : !llvm.ptr
    llvm.store %0, %b : i8, !llvm.ptr
  }
  %c = spine.scratch {id = 2 : i64, bytes = 128 : i64} : !llvm.ptr
  llvm.store %n, %c : i64, !llvm.ptr
  return
}

// -----

// Addresses that are computed, selected, carried by a loop or returned by a
// branch keep the buffer alive.

// CHECK-LABEL: func.func @derived(
// CHECK-SAME:    spine.arena_bytes = 256 : i64
// CHECK:         llvm.getelementptr %{{.*}}[{{0|64|128}}]
// CHECK:         llvm.getelementptr %{{.*}}[192]
func.func @derived(%n: i64, %cond: i1, %arena: !llvm.ptr) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %a = spine.scratch {id = 0 : i64, bytes = 64 : i64} : !llvm.ptr
  %b = spine.scratch {id = 1 : i64, bytes = 64 : i64} : !llvm.ptr
  %c = spine.scratch {id = 2 : i64, bytes = 64 : i64} : !llvm.ptr
  %a1 = llvm.getelementptr %a[%n] : (!llvm.ptr, i64) -> !llvm.ptr, i8
  %bc = scf.if %cond -> !llvm.ptr {
    scf.yield %b : !llvm.ptr
  } else {
    scf.yield %a1 : !llvm.ptr
  }
  %moved = scf.for %i = %c0 to %n step %c1 iter_args(%p = %c) -> !llvm.ptr : i64 {
    %q = llvm.getelementptr %p[1] : (!llvm.ptr) -> !llvm.ptr, i8
    scf.yield %q : !llvm.ptr
  }
  %s = arith.select %cond, %bc, %moved : !llvm.ptr
  %d = spine.scratch {id = 3 : i64, bytes = 64 : i64} : !llvm.ptr
  llvm.store %n, %d : i64, !llvm.ptr
  llvm.store %n, %s : i64, !llvm.ptr
  return
}

// -----

// An empty buffer, and one that nobody uses.

// CHECK-LABEL: func.func @empty(
// CHECK-SAME:    spine.arena_bytes = 64 : i64
// CHECK-NOT:     spine.scratch
func.func @empty(%arena: !llvm.ptr) {
  %a = spine.scratch {id = 0 : i64, bytes = 0 : i64} : !llvm.ptr
  %b = spine.scratch {id = 1 : i64, bytes = 64 : i64} : !llvm.ptr
  return
}

// -----

// Arenas are planned function by function.

// CHECK-LABEL: func.func @first(
// CHECK-SAME:    spine.arena_bytes = 64 : i64
// CHECK-LABEL: func.func @second(
// CHECK-SAME:    spine.arena_bytes = 128 : i64
func.func @first(%arena: !llvm.ptr) {
  %a = spine.scratch {id = 0 : i64, bytes = 64 : i64} : !llvm.ptr
  return
}
func.func @second(%arena: !llvm.ptr) {
  %a = spine.scratch {id = 0 : i64, bytes = 128 : i64} : !llvm.ptr
  return
}

// -----

// What is kept lies behind the arena, in the order of the numbers, and shares
// no bytes.

// CHECK-LABEL: func.func @kept(
// CHECK-SAME:    spine.arena_bytes = 64 : i64, spine.kept_at = 4096 : i64, spine.kept_bytes = 768 : i64
// CHECK-SAME:    {{.*}}id = 0 : i64, kept, {{[^}]*}}offset = 4096 : i64}
// CHECK-SAME:    {{.*}}id = 1 : i64, {{[^}]*}}offset = 0 : i64}
// CHECK-SAME:    {{.*}}id = 2 : i64, kept, {{[^}]*}}offset = 4608 : i64}
func.func @kept(%x: i8, %arena: !llvm.ptr) {
  %a = spine.scratch {id = 2 : i64, bytes = 192 : i64, alignment = 256 : i64, kept} : !llvm.ptr
  llvm.store %x, %a : i8, !llvm.ptr
  %b = spine.scratch {id = 0 : i64, bytes = 320 : i64, kept} : !llvm.ptr
  llvm.store %x, %b : i8, !llvm.ptr
  %c = spine.scratch {id = 1 : i64, bytes = 60 : i64} : !llvm.ptr
  llvm.store %x, %c : i8, !llvm.ptr
  return
}
