// RUN: spine-triton-opt %s -spine-check-residency | FileCheck %s

// The report's GEMM, K = 144 padded to 256: A 262144, B 16384, the accumulator
// (one tile in all iterations, its zeros and its result included) 16384.

// CHECK-LABEL: tt.func @gemm(
// CHECK-SAME:    peak_bytes = 294912 : i64
tt.func @gemm(%pa: !tt.ptr<tensor<256x256xf32>>, %pb: !tt.ptr<tensor<256x16xf32>>, %pc: !tt.ptr<tensor<256x16xf32>>, %trips: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<256x16xf32>
  %r = scf.for %i = %c0 to %trips step %c1 iter_args(%acc = %zero) -> (tensor<256x16xf32>) : i32 {
    %a = tt.load %pa : !tt.ptr<tensor<256x256xf32>>
    %b = tt.load %pb : !tt.ptr<tensor<256x16xf32>>
    %d = tt.dot %a, %b, %acc : tensor<256x256xf32> * tensor<256x16xf32> -> tensor<256x16xf32>
    scf.yield %d : tensor<256x16xf32>
  }
  tt.store %pc, %r : !tt.ptr<tensor<256x16xf32>>
  tt.return
}

// Unrolled blocks of a row: each is dead after its store.

// CHECK-LABEL: tt.func @unrolled_copy(
// CHECK-SAME:    peak_bytes = 4096 : i64
tt.func @unrolled_copy(%p: !tt.ptr<tensor<1024xf32>>) {
  %a = tt.load %p : !tt.ptr<tensor<1024xf32>>
  tt.store %p, %a : !tt.ptr<tensor<1024xf32>>
  %b = tt.load %p : !tt.ptr<tensor<1024xf32>>
  tt.store %p, %b : !tt.ptr<tensor<1024xf32>>
  %c = tt.load %p : !tt.ptr<tensor<1024xf32>>
  tt.store %p, %c : !tt.ptr<tensor<1024xf32>>
  tt.return
}

// An unrolled sum: the running sum is a tile that is updated in place, and one
// loaded tile is there at a time. The first sum is no update: loaded tiles are
// not overwritten, so that three tiles are live there.

// CHECK-LABEL: tt.func @unrolled_sum(
// CHECK-SAME:    peak_bytes = 12288 : i64
tt.func @unrolled_sum(%p: !tt.ptr<tensor<1024xf32>>) {
  %a = tt.load %p : !tt.ptr<tensor<1024xf32>>
  %b = tt.load %p : !tt.ptr<tensor<1024xf32>>
  %s1 = arith.addf %a, %b : tensor<1024xf32>
  %c = tt.load %p : !tt.ptr<tensor<1024xf32>>
  %s2 = arith.addf %s1, %c : tensor<1024xf32>
  %d = tt.load %p : !tt.ptr<tensor<1024xf32>>
  %s3 = arith.addf %s2, %d : tensor<1024xf32>
  %e = tt.load %p : !tt.ptr<tensor<1024xf32>>
  %s4 = arith.addf %s3, %e : tensor<1024xf32>
  tt.store %p, %s4 : !tt.ptr<tensor<1024xf32>>
  tt.return
}

// A chain of elementwise operations is one loop over the elements: the loaded
// tile lives until the stored one is made, what is in between costs nothing.

// CHECK-LABEL: tt.func @chain(
// CHECK-SAME:    peak_bytes = 6144 : i64
tt.func @chain(%p: !tt.ptr<tensor<1024xf32>>, %q: !tt.ptr<tensor<1024xf16>>) {
  %a = tt.load %p : !tt.ptr<tensor<1024xf32>>
  %b = math.exp %a : tensor<1024xf32>
  %c = arith.mulf %b, %b : tensor<1024xf32>
  %d = arith.truncf %c : tensor<1024xf32> to tensor<1024xf16>
  tt.store %q, %d : !tt.ptr<tensor<1024xf16>>
  tt.return
}

// i1 takes a byte, and a rank of zero has one element.

// CHECK-LABEL: tt.func @bytes(
// CHECK-SAME:    peak_bytes = 514 : i64
tt.func @bytes(%p: !tt.ptr<tensor<512xi1>>, %q: !tt.ptr<tensor<1xf16>>) {
  %a = tt.load %p : !tt.ptr<tensor<512xi1>>
  %b = tt.load %q : !tt.ptr<tensor<1xf16>>
  tt.store %p, %a : !tt.ptr<tensor<512xi1>>
  tt.store %q, %b : !tt.ptr<tensor<1xf16>>
  tt.return
}

// Two branches: the larger one counts, and a tile that only one of them uses is
// not live in the other. Before it: 4096. In the first branch it and a stored
// tile: 8192. In the second one, a tile of its own: 8192, without the first.

// CHECK-LABEL: tt.func @branches(
// CHECK-SAME:    peak_bytes = 8192 : i64
tt.func @branches(%p: !tt.ptr<tensor<1024xf32>>, %q: !tt.ptr<tensor<2048xf32>>, %cond: i1) {
  %a = tt.load %p : !tt.ptr<tensor<1024xf32>>
  scf.if %cond {
    %b = arith.addf %a, %a : tensor<1024xf32>
    tt.store %p, %b : !tt.ptr<tensor<1024xf32>>
  } else {
    %c = tt.load %q : !tt.ptr<tensor<2048xf32>>
    tt.store %q, %c : !tt.ptr<tensor<2048xf32>>
  }
  tt.return
}

// A tile from outside of a loop lives as long as the loop: the load in it comes
// on top, although it follows the last use in the text.

// CHECK-LABEL: tt.func @used_in_loop(
// CHECK-SAME:    peak_bytes = 12288 : i64
tt.func @used_in_loop(%p: !tt.ptr<tensor<1024xf32>>, %q: !tt.ptr<tensor<2048xf32>>, %trips: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a = tt.load %p : !tt.ptr<tensor<1024xf32>>
  scf.for %i = %c0 to %trips step %c1 : i32 {
    tt.store %p, %a : !tt.ptr<tensor<1024xf32>>
    %b = tt.load %q : !tt.ptr<tensor<2048xf32>>
    tt.store %q, %b : !tt.ptr<tensor<2048xf32>>
  }
  tt.return
}

// A constant that is stored is there while it is stored, wherever it is made.

// CHECK-LABEL: tt.func @stored_constant(
// CHECK-SAME:    peak_bytes = 8192 : i64
tt.func @stored_constant(%p: !tt.ptr<tensor<1024xf32>>, %q: !tt.ptr<tensor<2048xf32>>) {
  %zero = arith.constant dense<0.0> : tensor<1024xf32>
  %b = tt.load %q : !tt.ptr<tensor<2048xf32>>
  tt.store %q, %b : !tt.ptr<tensor<2048xf32>>
  tt.store %p, %zero : !tt.ptr<tensor<1024xf32>>
  tt.return
}

// Two accumulators that begin with the same constant are two tiles.

// CHECK-LABEL: tt.func @two_accumulators(
// CHECK-SAME:    peak_bytes = 12288 : i64
tt.func @two_accumulators(%p: !tt.ptr<tensor<1024xf32>>, %trips: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<1024xf32>
  %r:2 = scf.for %i = %c0 to %trips step %c1 iter_args(%s = %zero, %t = %zero) -> (tensor<1024xf32>, tensor<1024xf32>) : i32 {
    %a = tt.load %p : !tt.ptr<tensor<1024xf32>>
    %u = arith.addf %s, %a : tensor<1024xf32>
    %v = arith.maximumf %t, %a : tensor<1024xf32>
    scf.yield %u, %v : tensor<1024xf32>, tensor<1024xf32>
  }
  tt.store %p, %r#0 : !tt.ptr<tensor<1024xf32>>
  tt.store %p, %r#1 : !tt.ptr<tensor<1024xf32>>
  tt.return
}

// Loop-carried tiles that change places cannot share memory with what comes in:
// two tiles, and nothing else.

// CHECK-LABEL: tt.func @swap(
// CHECK-SAME:    peak_bytes = 8192 : i64
tt.func @swap(%p: !tt.ptr<tensor<1024xf32>>, %trips: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a = tt.load %p : !tt.ptr<tensor<1024xf32>>
  %b = tt.load %p : !tt.ptr<tensor<1024xf32>>
  %r:2 = scf.for %i = %c0 to %trips step %c1 iter_args(%s = %a, %t = %b) -> (tensor<1024xf32>, tensor<1024xf32>) : i32 {
    scf.yield %t, %s : tensor<1024xf32>, tensor<1024xf32>
  }
  tt.store %p, %r#0 : !tt.ptr<tensor<1024xf32>>
  tt.store %p, %r#1 : !tt.ptr<tensor<1024xf32>>
  tt.return
}

// A transposed tile is not updated in place: the carried tile, and the one that
// is yielded, which reads all over it.

// CHECK-LABEL: tt.func @transposed_update(
// CHECK-SAME:    peak_bytes = 8192 : i64
tt.func @transposed_update(%p: !tt.ptr<tensor<32x32xf32>>, %trips: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %r = scf.for %i = %c0 to %trips step %c1 iter_args(%s = %zero) -> (tensor<32x32xf32>) : i32 {
    %t = tt.trans %s {order = array<i32: 1, 0>} : tensor<32x32xf32> -> tensor<32x32xf32>
    %u = arith.addf %s, %t : tensor<32x32xf32>
    scf.yield %u : tensor<32x32xf32>
  }
  tt.store %p, %r : !tt.ptr<tensor<32x32xf32>>
  tt.return
}

// A reduction's result is a tile, and so is the broadcast of it that is stored.

// CHECK-LABEL: tt.func @reduction(
// CHECK-SAME:    peak_bytes = 8320 : i64
tt.func @reduction(%p: !tt.ptr<tensor<32x32xf32>>) {
  %a = tt.load %p : !tt.ptr<tensor<32x32xf32>>
  %m = "tt.reduce"(%a) <{axis = 1 : i32}> ({
  ^bb0(%x: f32, %y: f32):
    %s = arith.addf %x, %y : f32
    tt.reduce.return %s : f32
  }) : (tensor<32x32xf32>) -> tensor<32xf32>
  %e = tt.expand_dims %m {axis = 1 : i32} : tensor<32xf32> -> tensor<32x1xf32>
  %b = tt.broadcast %e : tensor<32x1xf32> -> tensor<32x32xf32>
  %d = arith.subf %a, %b : tensor<32x32xf32>
  tt.store %p, %d : !tt.ptr<tensor<32x32xf32>>
  tt.return
}

// Tensors of pointers, offsets and masks are no tiles; what is loaded through
// them is.

// CHECK-LABEL: tt.func @pointer_tensors(
// CHECK-SAME:    peak_bytes = 4096 : i64
tt.func @pointer_tensors(%x: !tt.ptr<f32>, %n: i32, %trips: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %range = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
  %limit = tt.splat %n : i32 -> tensor<1024xi32>
  %mask = arith.cmpi slt, %range, %limit : tensor<1024xi32>
  %base = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %first = tt.addptr %base, %range : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %r = scf.for %i = %c0 to %trips step %c1 iter_args(%q = %first) -> (tensor<1024x!tt.ptr<f32>>) : i32 {
    %a = tt.load %q, %mask : tensor<1024x!tt.ptr<f32>>
    tt.store %q, %a, %mask : tensor<1024x!tt.ptr<f32>>
    %next = tt.addptr %q, %range : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
    scf.yield %next : tensor<1024x!tt.ptr<f32>>
  }
  tt.return
}

// A function that is not inlined adds its own peak where it is called. It gets
// no attribute: it is no kernel.

// CHECK-LABEL: tt.func @caller(
// CHECK-SAME:    peak_bytes = 12288 : i64
tt.func @caller(%p: !tt.ptr<tensor<1024xf32>>, %q: !tt.ptr<tensor<2048xf32>>) {
  %a = tt.load %p : !tt.ptr<tensor<1024xf32>>
  tt.call @callee(%q) : (!tt.ptr<tensor<2048xf32>>) -> ()
  tt.store %p, %a : !tt.ptr<tensor<1024xf32>>
  tt.return
}
// CHECK-LABEL: tt.func private @callee(
// CHECK-NOT:     spine.residency
tt.func private @callee(%q: !tt.ptr<tensor<2048xf32>>) attributes {noinline = true} {
  %b = tt.load %q : !tt.ptr<tensor<2048xf32>>
  tt.store %q, %b : !tt.ptr<tensor<2048xf32>>
  tt.return
}

// scf.while, and branches between blocks.

// CHECK-LABEL: tt.func @while_loop(
// CHECK-SAME:    peak_bytes = 8192 : i64
tt.func @while_loop(%p: !tt.ptr<tensor<1024xf32>>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %zero = arith.constant dense<0.0> : tensor<1024xf32>
  %r:2 = scf.while (%s = %zero, %i = %n) : (tensor<1024xf32>, i32) -> (tensor<1024xf32>, i32) {
    %go = arith.cmpi sgt, %i, %c0 : i32
    scf.condition(%go) %s, %i : tensor<1024xf32>, i32
  } do {
  ^bb0(%s: tensor<1024xf32>, %i: i32):
    %a = tt.load %p : !tt.ptr<tensor<1024xf32>>
    %t = arith.addf %s, %a : tensor<1024xf32>
    %j = arith.subi %i, %n : i32
    scf.yield %t, %j : tensor<1024xf32>, i32
  }
  tt.store %p, %r#0 : !tt.ptr<tensor<1024xf32>>
  tt.return
}

// CHECK-LABEL: tt.func @blocks(
// CHECK-SAME:    peak_bytes = 4096 : i64
tt.func @blocks(%p: !tt.ptr<tensor<1024xf32>>, %cond: i1) {
  cf.cond_br %cond, ^bb1, ^bb2
^bb1:
  %a = tt.load %p : !tt.ptr<tensor<1024xf32>>
  cf.br ^bb3(%a : tensor<1024xf32>)
^bb2:
  %b = tt.load %p : !tt.ptr<tensor<1024xf32>>
  cf.br ^bb3(%b : tensor<1024xf32>)
^bb3(%c: tensor<1024xf32>):
  tt.store %p, %c : !tt.ptr<tensor<1024xf32>>
  tt.return
}
