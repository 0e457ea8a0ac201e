// RUN: spine-triton-opt %s -split-input-file -spine-structure-kernels -verify-diagnostics

tt.func public @no_body(%x: f32) {
  // expected-error @below {{the called function 'elsewhere' has no body in this module}}
  %y = tt.call @elsewhere(%x) : (f32) -> f32
  tt.return
}
tt.func private @elsewhere(f32) -> f32

