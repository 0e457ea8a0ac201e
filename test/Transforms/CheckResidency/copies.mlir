// RUN: spine-triton-opt %s -spine-check-residency | FileCheck %s --check-prefixes=CHECK,ONE
// RUN: spine-triton-opt %s -spine-check-residency="num-stages=3" | FileCheck %s --check-prefixes=CHECK,THREE
// RUN: not spine-triton-opt %s -spine-check-residency="capacity=5000" -o /dev/null 2>&1 | FileCheck %s --check-prefix=NOTE
// RUN: not spine-triton-opt %s -spine-check-residency="capacity=9000" -o /dev/null 2>&1 | FileCheck %s --check-prefix=FEWER
// RUN: not spine-triton-opt %s -spine-check-residency="capacity=17000 num-stages=9" -o /dev/null 2>&1 | FileCheck %s --check-prefix=MOST

// One that fits with fewer copies says with how many at most.

// MOST:      kernel 'default_stages' does not fit the scratchpad: it needs 40960 bytes, 17000 are available
// MOST:      ; or keep fewer copies: num_stages=3{{$}}
// NOTE:      kernel 'own_stages' does not fit
// FEWER:     kernel 'own_stages' does not fit the scratchpad: it needs 12288 bytes, 9000 are available
// FEWER:     ; or keep fewer copies: num_stages=1{{$}}

// A tile that a loop loads has as many copies as the loop has stages; what the
// loop carries has one.

// CHECK-LABEL: tt.func @default_stages(
// ONE-SAME:      peak_bytes = 8192 : i64
// THREE-SAME:    peak_bytes = 16384 : i64
tt.func @default_stages(%p: !tt.ptr<tensor<1024xf32>>, %trips: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<1024xf32>
  %r = scf.for %i = %c0 to %trips step %c1 iter_args(%s = %zero) -> (tensor<1024xf32>) : i32 {
    %a = tt.load %p : !tt.ptr<tensor<1024xf32>>
    %u = arith.addf %s, %a : tensor<1024xf32>
    scf.yield %u : tensor<1024xf32>
  }
  tt.store %p, %r : !tt.ptr<tensor<1024xf32>>
  tt.return
}

// CHECK-LABEL: tt.func @own_stages(
// CHECK-SAME:    peak_bytes = 12288 : i64
// NOTE: tile of 'tt.load': 1024xf32, 8192 bytes, loaded, packed, 2 copies (dense 4096; its strides are not known)
tt.func @own_stages(%p: !tt.ptr<tensor<1024xf32>>, %trips: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<1024xf32>
  %r = scf.for %i = %c0 to %trips step %c1 iter_args(%s = %zero) -> (tensor<1024xf32>) : i32 {
    %a = tt.load %p : !tt.ptr<tensor<1024xf32>>
    %u = arith.addf %s, %a : tensor<1024xf32>
    scf.yield %u : tensor<1024xf32>
  } {tt.num_stages = 2 : i32}
  tt.store %p, %r : !tt.ptr<tensor<1024xf32>>
  tt.return
}
