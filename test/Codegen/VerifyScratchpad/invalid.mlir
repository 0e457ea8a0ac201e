// RUN: spine-triton-opt %s -split-input-file -spine-verify-scratchpad -verify-diagnostics -o /dev/null

func.func @no_tile_begins(%arena: !llvm.ptr) attributes {spine.arena_bytes = 128 : i64, spine.plan = [{id = 0 : i64, offset = 64 : i64, bytes = 64 : i64}]} {
  // expected-error @below {{makes an address in the arena where no tile of the plan begins}}
  %0 = llvm.getelementptr %arena[32] : (!llvm.ptr) -> !llvm.ptr, i8
  %1 = llvm.load %0 : !llvm.ptr -> f32
  return
}

// -----

// The tile that an address was made for is at another place.

func.func @other_tile(%arena: !llvm.ptr) attributes {spine.arena_bytes = 128 : i64, spine.plan = [{id = 0 : i64, offset = 0 : i64, bytes = 64 : i64}, {id = 1 : i64, offset = 64 : i64, bytes = 64 : i64}]} {
  // expected-error @below {{makes an address in the arena where no tile of the plan begins}}
  %0 = llvm.getelementptr %arena[64] {spine.id = 0 : i64} : (!llvm.ptr) -> !llvm.ptr, i8
  %1 = llvm.load %0 : !llvm.ptr -> f32
  return
}

// -----

func.func @unplanned(%arena: !llvm.ptr) attributes {spine.arena_bytes = 0 : i64} {
  // expected-error @below {{accesses the arena where no tile of the plan is}}
  %0 = llvm.load %arena : !llvm.ptr -> f32
  return
}

// -----

// An operation that hides where an address comes from does not hide it here.

func.func @hidden(%arena: !llvm.ptr) attributes {spine.arena_bytes = 64 : i64, spine.plan = [{id = 0 : i64, offset = 0 : i64, bytes = 64 : i64, name = "a"}]} {
  %0 = llvm.getelementptr %arena[0] {spine.id = 0 : i64} : (!llvm.ptr) -> !llvm.ptr, i8
  %1 = llvm.intr.launder.invariant.group %0 : !llvm.ptr
  %2 = llvm.getelementptr %1[16] : (!llvm.ptr) -> !llvm.ptr, f32
  // expected-error @below {{access to bytes [64, 68) of the arena leaves tile 'a' (id 0), which has bytes [0, 64)}}
  %3 = llvm.load %2 : !llvm.ptr -> f32
  return
}

// -----

func.func @beyond(%x: vector<4xf32>, %arena: !llvm.ptr) attributes {spine.arena_bytes = 128 : i64, spine.plan = [{id = 0 : i64, offset = 0 : i64, bytes = 64 : i64, name = "a"}, {id = 1 : i64, offset = 64 : i64, bytes = 64 : i64}]} {
  %0 = llvm.getelementptr %arena[0] {spine.id = 0 : i64} : (!llvm.ptr) -> !llvm.ptr, i8
  %1 = llvm.getelementptr %0[15] : (!llvm.ptr) -> !llvm.ptr, f32
  // expected-error @below {{access to bytes [60, 76) of the arena leaves tile 'a' (id 0), which has bytes [0, 64)}}
  llvm.store %x, %1 : vector<4xf32>, !llvm.ptr
  return
}

// -----

func.func @before(%arena: !llvm.ptr) attributes {spine.arena_bytes = 128 : i64, spine.plan = [{id = 0 : i64, offset = 0 : i64, bytes = 64 : i64}, {id = 1 : i64, offset = 64 : i64, bytes = 64 : i64}]} {
  %0 = llvm.getelementptr %arena[64] {spine.id = 1 : i64} : (!llvm.ptr) -> !llvm.ptr, i8
  %1 = llvm.getelementptr %0[-1] : (!llvm.ptr) -> !llvm.ptr, f32
  // expected-error @below {{access to bytes [60, 64) of the arena leaves tile (id 1), which has bytes [64, 128)}}
  %2 = llvm.load %1 : !llvm.ptr -> f32
  return
}

// -----

// A whole range that is outside.

func.func @loop_outside(%arena: !llvm.ptr) attributes {spine.arena_bytes = 128 : i64, spine.plan = [{id = 0 : i64, offset = 0 : i64, bytes = 64 : i64}, {id = 1 : i64, offset = 64 : i64, bytes = 64 : i64}]} {
  %c16 = arith.constant 16 : i64
  %c20 = arith.constant 20 : i64
  %c1 = arith.constant 1 : i64
  %0 = llvm.getelementptr %arena[0] {spine.id = 0 : i64} : (!llvm.ptr) -> !llvm.ptr, i8
  scf.for %i = %c16 to %c20 step %c1 : i64 {
    %1 = llvm.getelementptr %0[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    // expected-error @below {{access to bytes [64, 80) of the arena leaves tile (id 0)}}
    %2 = llvm.load %1 : !llvm.ptr -> f32
  }
  return
}

// -----

func.func @escapes(%out: !llvm.ptr, %arena: !llvm.ptr) attributes {spine.arena_bytes = 64 : i64, spine.plan = [{id = 0 : i64, offset = 0 : i64, bytes = 64 : i64}]} {
  %0 = llvm.getelementptr %arena[0] {spine.id = 0 : i64} : (!llvm.ptr) -> !llvm.ptr, i8
  // expected-error @below {{stores an address in the arena: nothing would know what is done with it}}
  llvm.store %0, %out : !llvm.ptr, !llvm.ptr
  return
}

// -----

llvm.func @malloc(i64) -> !llvm.ptr
func.func @allocates(%n: i64, %arena: !llvm.ptr) attributes {spine.arena_bytes = 0 : i64} {
  // expected-error @below {{calls 'malloc': every scratch byte has to come from the arena}}
  %0 = llvm.call @malloc(%n) : (i64) -> !llvm.ptr
  return
}

// -----

// expected-error @below {{takes 8192 bytes of the stack: at most 4096 are allowed}}
func.func @stack(%arena: !llvm.ptr) attributes {spine.arena_bytes = 0 : i64} {
  %n = arith.constant 2048 : i64
  %0 = llvm.alloca %n x f32 : (i64) -> !llvm.ptr
  return
}

// -----

func.func @unknown_stack(%n: i64, %arena: !llvm.ptr) attributes {spine.arena_bytes = 0 : i64} {
  // expected-error @below {{takes stack memory of a size that is not known}}
  %0 = llvm.alloca %n x f32 : (i64) -> !llvm.ptr
  return
}

// -----

// expected-error @below {{tile 'a' (id 3), which has bytes [64, 192), lies outside of the arena}}
func.func @outside(%arena: !llvm.ptr) attributes {spine.arena_bytes = 128 : i64, spine.plan = [{id = 3 : i64, offset = 64 : i64, bytes = 128 : i64, name = "a"}]} {
  return
}

// -----

// expected-error @below {{tile 'k' (id 0), which has bytes [64, 192), lies outside of the kept memory}}
func.func @outside_of_kept(%arena: !llvm.ptr) attributes {spine.arena_bytes = 128 : i64, spine.kept_at = 128 : i64, spine.kept_bytes = 128 : i64, spine.plan = [{id = 0 : i64, offset = 64 : i64, bytes = 128 : i64, name = "k", kept}]} {
  return
}

// -----

// A buffer for nothing, for an unknown tile, and for a tile that the plan has
// elsewhere. What a temporary holds is no tile.

// expected-error @below {{tile 'a' (id 0), which has bytes [0, 64), is there for no tile of the plan}}
func.func @no_tile(%arena: !llvm.ptr) attributes {spine.arena_bytes = 64 : i64, spine.tiles = [], spine.plan = [{id = 0 : i64, offset = 0 : i64, bytes = 64 : i64, name = "a"}]} {
  return
}

// -----

// expected-error @below {{tile (id 0), which has bytes [0, 64), is there for no tile of the plan}}
func.func @unknown_tile(%arena: !llvm.ptr) attributes {spine.arena_bytes = 64 : i64, spine.tiles = [{id = 0 : i64, placement = "packed"}], spine.plan = [{id = 0 : i64, offset = 0 : i64, bytes = 64 : i64, tile_id = 1 : i64}]} {
  return
}

// -----

// expected-error @below {{tile (id 0), which has bytes [0, 64), holds tile #3 of the plan, which is to be 'in_place'}}
func.func @not_packed(%arena: !llvm.ptr) attributes {spine.arena_bytes = 64 : i64, spine.tiles = [{id = 3 : i64, placement = "in_place"}], spine.plan = [{id = 0 : i64, offset = 0 : i64, bytes = 64 : i64, tile_id = 3 : i64}]} {
  return
}

// -----

func.func @unmarked(%arena: !llvm.ptr) attributes {spine.arena_bytes = 64 : i64, spine.tiles = [{id = 0 : i64, placement = "in_place"}], spine.plan = [{id = 0 : i64, offset = 0 : i64, bytes = 64 : i64, tile_id = 0 : i64, temporary}]} {
  %0 = llvm.getelementptr %arena[0] {spine.id = 0 : i64} : (!llvm.ptr) -> !llvm.ptr, i8
  // expected-error @below {{uses the arena for no buffer of the plan}}
  %1 = llvm.load %0 : !llvm.ptr -> f32
  return
}

// -----

// The address of the second buffer is folded with an index: without the mark of
// the access it would be one inside of the first.

llvm.func @marked(%arena: !llvm.ptr) attributes {spine.arena_bytes = 128 : i64, spine.plan = [{id = 0 : i64, offset = 0 : i64, bytes = 128 : i64}, {id = 1 : i64, offset = 0 : i64, bytes = 64 : i64}]} {
  %0 = llvm.getelementptr %arena[16] : (!llvm.ptr) -> !llvm.ptr, f32
  // expected-error @below {{access to bytes [64, 68) of the arena leaves tile (id 1), which has bytes [0, 64)}}
  %1 = llvm.load %0 {spine.buffers = array<i64: 1>} : !llvm.ptr -> f32
  llvm.return
}

// -----

func.func @unknown_buffer(%arena: !llvm.ptr) attributes {spine.arena_bytes = 64 : i64, spine.plan = [{id = 0 : i64, offset = 0 : i64, bytes = 64 : i64}]} {
  // expected-error @below {{accesses the arena where no tile of the plan is}}
  %0 = llvm.load %arena {spine.buffers = array<i64: 7>} : !llvm.ptr -> f32
  return
}

// -----

// Of code that may be reached, everything counts.

func.func @reached(%c: i1, %arena: !llvm.ptr) attributes {spine.arena_bytes = 64 : i64, spine.plan = [{id = 0 : i64, offset = 0 : i64, bytes = 64 : i64}]} {
  %0 = llvm.getelementptr %arena[0] {spine.id = 0 : i64} : (!llvm.ptr) -> !llvm.ptr, i8
  scf.if %c {
    %1 = llvm.getelementptr %0[16] : (!llvm.ptr) -> !llvm.ptr, f32
    // expected-error @below {{access to bytes [64, 68) of the arena leaves tile (id 0)}}
    %2 = llvm.load %1 : !llvm.ptr -> f32
  }
  return
}
