// RUN: not spine-triton-opt %s -spine-check-residency="capacity=20000" -o /dev/null 2>&1 | FileCheck %s
// RUN: not spine-triton-opt %s -spine-check-residency="capacity=20000 constexprs=BLOCK_M=64,BLOCK_N=64,BLOCK_K=32,STAGES=3 auto-tile-hint=true" -o /dev/null 2>&1 | FileCheck %s --check-prefix=NAMED

// Tiles go by the variables that the frontend noted, each at its own place in
// the kernel's source, the largest first. An accumulator's place is that of the
// dot, not that of the loop that carries it.

// CHECK:      kernel.py:1:0: error: kernel 'gemm' does not fit the scratchpad: it needs 22528 bytes, 20000 are available
// CHECK-NEXT: kernel.py:4:12: note: most bytes are live here
// CHECK-NEXT: kernel.py:5:12: note: tile 'acc': 64x64xf32, 16384 bytes, accumulated, packed (dense 16384; its strides are not known)
// CHECK-NEXT: kernel.py:3:12: note: tile 'a': 64x32xf16, 4096 bytes, loaded, packed (dense 4096; its strides are not known)
// CHECK-NEXT: kernel.py:4:12: note: tile 'b': 32x64xi8, 2048 bytes, loaded, packed (dense 2048; its strides are not known)
// CHECK-NEXT: kernel.py:1:0: note: 2528 bytes too many: use smaller blocks; each of these would fit with the others unchanged: 32 instead of 64 in dimension 0 of 'acc' and of 'a'; 32 instead of 64 in dimension 1 of 'acc' and of 'b'; 16 instead of 32 in dimension 1 of 'a', dimension 0 of 'b'

// With the kernel's constants given, block sizes go by their names, by all of
// them where several are equal.

// NAMED: BLOCK_M or BLOCK_N=32 instead of 64 (dimension 0 of 'acc' and of 'a'); BLOCK_M or BLOCK_N=32 instead of 64 (dimension 1 of 'acc' and of 'b'); BLOCK_K=16 instead of 32 (dimension 1 of 'a', dimension 0 of 'b'); or let the compiler split the tiles: auto_tile=True

tt.func @gemm(%pa: !tt.ptr<tensor<64x32xf16>>, %pb: !tt.ptr<tensor<32x64xi8>>, %pc: !tt.ptr<tensor<64x64xf32>>, %trips: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %r = scf.for %i = %c0 to %trips step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %a = tt.load %pa : !tt.ptr<tensor<64x32xf16>> loc("a"("kernel.py":3:12))
    %b = tt.load %pb : !tt.ptr<tensor<32x64xi8>> loc("b"("kernel.py":4:12))
    %w = arith.sitofp %b : tensor<32x64xi8> to tensor<32x64xf16>
    %d = tt.dot %a, %w, %acc : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32> loc("acc"("kernel.py":5:12))
    scf.yield %d : tensor<64x64xf32>
  } loc("loop"("kernel.py":2:4))
  tt.store %pc, %r : !tt.ptr<tensor<64x64xf32>>
  tt.return
} loc("kernel.py":1:0)
