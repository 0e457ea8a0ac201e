// RUN: not spine-triton-opt %s -spine-check-residency="capacity=20000" -o /dev/null 2>&1 | FileCheck %s

// Tiles go by the variables that the frontend noted, each at its own place in
// the kernel's source, the largest first. An accumulator's place is that of the
// dot, not that of the loop that carries it.

// CHECK:      kernel.py:1:0: error: kernel 'gemm' does not fit the scratchpad: it needs 22528 bytes, 20000 are available
// CHECK-NEXT: kernel.py:4:12: note: most bytes are live here
// CHECK-NEXT: kernel.py:5:12: note: tile 'acc': 64x64xf32, 16384 bytes, accumulated
// CHECK-NEXT: kernel.py:3:12: note: tile 'a': 64x32xf16, 4096 bytes, loaded
// CHECK-NEXT: kernel.py:4:12: note: tile 'b': 32x64xi8, 2048 bytes, loaded
// CHECK-NEXT: kernel.py:1:0: note: 2528 bytes too many: use smaller blocks, to begin with 32 instead of 64 in 'acc', which frees 8192 bytes in that tile alone

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
