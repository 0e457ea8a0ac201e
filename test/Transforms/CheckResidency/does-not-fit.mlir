// RUN: spine-triton-opt %s -split-input-file -spine-check-residency="capacity=10000 reserve=1000 target=board" -verify-diagnostics -o /dev/null
// RUN: not spine-triton-opt %s -split-input-file -spine-check-residency="capacity=10000" -o /dev/null 2>&1 | FileCheck %s --check-prefix=PLAIN

// Tiles at the peak, the largest first.

// PLAIN: error: kernel 'two_tiles' does not fit the scratchpad: it needs 12288 bytes, 10000 are available{{$}}

// expected-error @below {{kernel 'two_tiles' does not fit the scratchpad: it needs 12288 bytes, 9000 are available on board (10000 less 1000 in reserve)}}
// expected-note @below {{3288 bytes too many: use smaller blocks; each of these would fit with the others unchanged: 128 instead of 1024 in dimension 0 of 'tt.load'; 1024 instead of 2048 in dimension 0 of 'tt.load'}}
tt.func @two_tiles(%p: !tt.ptr<tensor<1024xf32>>, %q: !tt.ptr<tensor<2048xf32>>) {
  // expected-note @below {{tile of 'tt.load': 1024xf32, 4096 bytes, loaded, packed (dense}}
  %a = tt.load %p : !tt.ptr<tensor<1024xf32>>
  // expected-note @below {{most bytes are live here}}
  // expected-note @below {{tile of 'tt.load': 2048xf32, 8192 bytes, loaded, packed (dense}}
  %b = tt.load %q : !tt.ptr<tensor<2048xf32>>
  tt.store %p, %a : !tt.ptr<tensor<1024xf32>>
  tt.store %q, %b : !tt.ptr<tensor<2048xf32>>
  tt.return
}

// -----

// One message per kernel.

// expected-error @below {{kernel 'first' does not fit the scratchpad: it needs 16384 bytes}}
// expected-note @below {{each of these would fit with the others unchanged: 16 instead of 32 in dimension 0 of 'tt.load'; 64 instead of 128 in dimension 1 of 'tt.load'}}
tt.func @first(%p: !tt.ptr<tensor<32x128xf32>>) {
  // expected-note @below {{most bytes are live here}}
  // expected-note @below {{tile of 'tt.load': 32x128xf32, 16384 bytes, loaded, packed (dense}}
  %a = tt.load %p : !tt.ptr<tensor<32x128xf32>>
  tt.store %p, %a : !tt.ptr<tensor<32x128xf32>>
  tt.return
}

// expected-error @below {{kernel 'second' does not fit the scratchpad: it needs 16384 bytes}}
// expected-note @below {{use smaller blocks}}
tt.func @second(%p: !tt.ptr<tensor<4096xi32>>, %n: i32) {
  // expected-note @below {{tile of 'tt.splat': 4096xi32, 16384 bytes, stored, packed (dense 16384; its strides are not known)}}
  %a = tt.splat %n : i32 -> tensor<4096xi32>
  // expected-note @below {{most bytes are live here}}
  tt.store %p, %a : !tt.ptr<tensor<4096xi32>>
  tt.return
}

// -----

// expected-error @below {{kernel 'caller' does not fit the scratchpad: it needs 12288 bytes}}
// expected-note @below {{use smaller blocks}}
tt.func @caller(%p: !tt.ptr<tensor<1024xf32>>, %q: !tt.ptr<tensor<2048xf32>>) {
  // expected-note @below {{tile of 'tt.load': 1024xf32, 4096 bytes, loaded, packed (dense}}
  %a = tt.load %p : !tt.ptr<tensor<1024xf32>>
  // expected-note @below {{most bytes are live here}}
  // expected-note @below {{function 'callee': 8192 bytes while it is called here}}
  tt.call @callee(%q) : (!tt.ptr<tensor<2048xf32>>) -> ()
  tt.store %p, %a : !tt.ptr<tensor<1024xf32>>
  tt.return
}
tt.func private @callee(%q: !tt.ptr<tensor<2048xf32>>) attributes {noinline = true} {
  %b = tt.load %q : !tt.ptr<tensor<2048xf32>>
  tt.store %q, %b : !tt.ptr<tensor<2048xf32>>
  tt.return
}

// -----

// expected-error @below {{kernel 'only_calls' does not fit the scratchpad: it needs 16384 bytes}}
// expected-note @below {{make the blocks of the function that is called smaller}}
tt.func @only_calls(%q: !tt.ptr<tensor<4096xf32>>) {
  // expected-note @below {{most bytes are live here}}
  // expected-note @below {{function 'works': 16384 bytes while it is called here}}
  tt.call @works(%q) : (!tt.ptr<tensor<4096xf32>>) -> ()
  tt.return
}
tt.func private @works(%q: !tt.ptr<tensor<4096xf32>>) attributes {noinline = true} {
  %b = tt.load %q : !tt.ptr<tensor<4096xf32>>
  tt.store %q, %b : !tt.ptr<tensor<4096xf32>>
  tt.return
}

// -----

// What cannot be bounded is not taken to fit.

// expected-error @below {{kernel 'calls_unknown' may not fit the scratchpad on board: the bytes that it needs cannot be bounded}}
// expected-note @below {{inline the function, or give it a body that calls nothing again; strides have to be arguments or constants}}
tt.func @calls_unknown() {
  // expected-note @below {{the function that is called here has no body}}
  tt.call @unknown() : () -> ()
  tt.return
}
tt.func private @unknown()

// -----

// What the access reaches in memory, where strides are known: a strip of four
// columns of a wide matrix, each row in a cache line of its own (or in two: the
// alignment is not known).

// expected-error @below {{kernel 'strip' does not fit the scratchpad: it needs 16384 bytes}}
// expected-note @below {{use smaller blocks}}
tt.func @strip(%x: !tt.ptr<f32>, %pitch: i64) {
  %c0 = arith.constant 0 : i32
  %unit = arith.constant 1 : i64
  %n = arith.constant 518400 : i64
  %p = tt.make_tensor_ptr %x, [%pitch, %n], [%n, %unit], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<512x4xf32>>
  %q = tt.make_tensor_ptr %x, [%pitch, %n], [%pitch, %unit], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<512x4xf32>>
  // expected-note @below {{tile of 'tt.load': 512x4xf32, 8192 bytes, loaded, packed (dense 8192, span 1059609616, granules 65536)}}
  %a = tt.load %p : !tt.ptr<tensor<512x4xf32>>
  // expected-note @below {{most bytes are live here}}
  // expected-note-re @below {{tile of 'tt.load': 512x4xf32, 8192 bytes, loaded, packed (dense 8192, span (4 + 511 * abs(arg1)) * 4, granules granule_bytes((512, 4), (arg1, 1), 4)){{$}}}}
  %b = tt.load %q : !tt.ptr<tensor<512x4xf32>>
  tt.store %q, %a : !tt.ptr<tensor<512x4xf32>>
  tt.store %p, %b : !tt.ptr<tensor<512x4xf32>>
  tt.return
}
