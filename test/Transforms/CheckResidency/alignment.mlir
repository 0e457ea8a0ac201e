// RUN: spine-triton-opt %s -spine-check-residency="alignment=128" | FileCheck %s
// RUN: not spine-triton-opt %s -spine-check-residency="alignment=96" -o /dev/null 2>&1 | FileCheck %s --check-prefix=INVALID
// RUN: not spine-triton-opt %s -spine-check-residency="num-stages=0" -o /dev/null 2>&1 | FileCheck %s --check-prefix=STAGES

// INVALID: error: spine-check-residency expects powers of two as alignment and granule and a positive number of stages, got 96, 64 and 1
// STAGES: got 1, 64 and 0

// Each tile is rounded up: 256 bytes take 256, 2 take 128.

// CHECK-LABEL: tt.func @rounded(
// CHECK-SAME:    arena_bytes = 384 : i64
// CHECK-SAME:    peak_bytes = 384 : i64
tt.func @rounded(%p: !tt.ptr<tensor<256xi1>>, %q: !tt.ptr<tensor<1xf16>>) {
  %a = tt.load %p : !tt.ptr<tensor<256xi1>>
  %b = tt.load %q : !tt.ptr<tensor<1xf16>>
  tt.store %p, %a : !tt.ptr<tensor<256xi1>>
  tt.store %q, %b : !tt.ptr<tensor<1xf16>>
  tt.return
}
