// RUN: spine-triton-opt %s -spine-verify-scratchpad="remark-unproved=true" -split-input-file -verify-diagnostics -o /dev/null

// What is neither known to be right nor to be wrong is accepted, and says why
// on demand.

func.func @masked(%mask: vector<8xi1>, %v: vector<8xf32>, %arena: !llvm.ptr) attributes {spine.arena_bytes = 64 : i64, spine.plan = [{id = 0 : i64, offset = 0 : i64, bytes = 64 : i64}]} {
  %0 = llvm.getelementptr %arena[0] {spine.id = 0 : i64} : (!llvm.ptr) -> !llvm.ptr, i8
  // All lanes are inside: the mask plays no part.
  %1 = llvm.getelementptr %0[8] : (!llvm.ptr) -> !llvm.ptr, f32
  %2 = llvm.intr.masked.load %1, %mask, %v {alignment = 4 : i32} : (!llvm.ptr, vector<8xi1>, vector<8xf32>) -> vector<8xf32>
  llvm.intr.masked.store %v, %1, %mask {alignment = 4 : i32} : vector<8xf32>, vector<8xi1> into !llvm.ptr
  // The last lanes are not.
  %3 = llvm.getelementptr %0[9] : (!llvm.ptr) -> !llvm.ptr, f32
  // expected-remark @+1 {{is not proved to stay inside of its buffer: without its mask, it could reach bytes [36, 68) of the arena; it is for tile (id 0), which has bytes [0, 64)}}
  %4 = llvm.intr.masked.load %3, %mask, %v {alignment = 4 : i32} : (!llvm.ptr, vector<8xi1>, vector<8xf32>) -> vector<8xf32>
  // expected-remark @+1 {{without its mask, it could reach bytes [36, 68) of the arena}}
  llvm.intr.masked.store %v, %3, %mask {alignment = 4 : i32} : vector<8xf32>, vector<8xi1> into !llvm.ptr
  return
}

// -----

func.func @indices(%n: i64, %trips: i64, %which: i1, %arena: !llvm.ptr) attributes {spine.arena_bytes = 128 : i64, spine.plan = [{id = 0 : i64, offset = 0 : i64, bytes = 64 : i64}, {id = 1 : i64, offset = 64 : i64, bytes = 64 : i64}]} {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c17 = arith.constant 17 : i64
  %0 = llvm.getelementptr %arena[0] {spine.id = 0 : i64} : (!llvm.ptr) -> !llvm.ptr, i8
  %1 = llvm.getelementptr %arena[64] {spine.id = 1 : i64} : (!llvm.ptr) -> !llvm.ptr, i8
  %2 = llvm.getelementptr %0[%n] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  // expected-remark @+1 {{nothing bounds the index}}
  %3 = llvm.load %2 : !llvm.ptr -> f32
  scf.for %i = %c0 to %c17 step %c1 : i64 {
    %4 = llvm.getelementptr %0[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    // expected-remark @+1 {{bounds of the index allow bytes [0, 68) of the arena; it is for tile (id 0)}}
    %5 = llvm.load %4 : !llvm.ptr -> f32
  }
  %6 = arith.select %which, %0, %1 : !llvm.ptr
  // expected-remark @+1 {{the address may be in several of them}}
  %7 = llvm.load %6 : !llvm.ptr -> f32
  return
}

// -----

func.func @gather(%mask: vector<4xi1>, %v: vector<4xf32>, %places: vector<4xi64>, %arena: !llvm.ptr) attributes {spine.arena_bytes = 64 : i64, spine.plan = [{id = 0 : i64, offset = 0 : i64, bytes = 64 : i64}]} {
  %0 = llvm.getelementptr %arena[0] {spine.id = 0 : i64} : (!llvm.ptr) -> !llvm.ptr, i8
  %1 = llvm.getelementptr %0[%places] : (!llvm.ptr, vector<4xi64>) -> vector<4x!llvm.ptr>, f32
  // expected-remark @+1 {{it is no load or store of contiguous bytes}}
  %2 = llvm.intr.masked.gather %1, %mask, %v {alignment = 4 : i32} : (vector<4x!llvm.ptr>, vector<4xi1>, vector<4xf32>) -> vector<4xf32>
  return
}
