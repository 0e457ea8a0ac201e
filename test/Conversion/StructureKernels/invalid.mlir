// RUN: spine-triton-opt %s -split-input-file -spine-structure-kernels -verify-diagnostics

tt.func public @no_body(%x: f32) {
  // expected-error @below {{the called function 'elsewhere' has no body in this module}}
  %y = tt.call @elsewhere(%x) : (f32) -> f32
  tt.return
}
tt.func private @elsewhere(f32) -> f32


// -----

// A branch that only another dialect knows.

// expected-error @below {{the control flow of this function cannot be expressed by loops and branches}}
tt.func public @foreign_branch(%p: !tt.ptr<i32>, %c: i1, %v: i32) {
  llvm.cond_br %c, ^bb1, ^bb2
^bb1:
  tt.return
^bb2:
  tt.store %p, %v : !tt.ptr<i32>
  tt.return
}
