// RUN: spine-triton-opt %s -split-input-file -spine-check-residency="capacity=4096" -verify-diagnostics -o /dev/null

// No single block size is enough: three tiles of different sizes.

// expected-error @below {{kernel 'many' does not fit the scratchpad: it needs 16384 bytes, 4096 are available}}
// expected-note @below {{12288 bytes too many: use smaller blocks; no single one is enough, even one element wide with the others unchanged}}
tt.func @many(%p: !tt.ptr<tensor<2048xf32>>, %q: !tt.ptr<tensor<4096xf16>>) {
  // expected-note @below {{tile of 'tt.load': 2048xf32, 8192 bytes}}
  %a = tt.load %p : !tt.ptr<tensor<2048xf32>>
  // expected-note @below {{most bytes are live here}}
  // expected-note @below {{tile of 'tt.load': 4096xf16, 8192 bytes}}
  %b = tt.load %q : !tt.ptr<tensor<4096xf16>>
  tt.store %p, %a : !tt.ptr<tensor<2048xf32>>
  tt.store %q, %b : !tt.ptr<tensor<4096xf16>>
  tt.return
}

// -----

// Dimensions that a reshape makes of others have no size of their own.

// expected-error @below {{kernel 'reshaped' does not fit the scratchpad: it needs 16384 bytes}}
// expected-note @below {{no single one is enough}}
tt.func @reshaped(%p: !tt.ptr<tensor<2048xf32>>, %q: !tt.ptr<tensor<64x32xf32>>) {
  // expected-note @below {{tile of 'tt.load': 2048xf32, 8192 bytes}}
  %a = tt.load %p : !tt.ptr<tensor<2048xf32>>
  %b = tt.reshape %a : tensor<2048xf32> -> tensor<32x64xf32>
  // expected-note @below {{most bytes are live here}}
  // expected-note @below {{tile of 'tt.trans': 64x32xf32, 8192 bytes}}
  %c = tt.trans %b {order = array<i32: 1, 0>} : tensor<32x64xf32> -> tensor<64x32xf32>
  tt.store %q, %c : !tt.ptr<tensor<64x32xf32>>
  tt.return
}
