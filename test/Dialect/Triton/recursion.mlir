// RUN: spine-triton-opt -split-input-file -verify-diagnostics %s

// expected-error@+1 {{'tt.func' op @self is recursive: functions of a kernel must not call themselves, use a loop}}
tt.func @self() {
  // expected-note@+1 {{@self calls @self here}}
  tt.call @self() : () -> ()
  tt.return
}

// -----

// expected-error@+1 {{'tt.func' op @a is recursive}}
tt.func @a(%c: i1) {
  scf.if %c {
    // expected-note@+1 {{@a calls @b here}}
    tt.call @b(%c) : (i1) -> ()
  }
  tt.return
}
tt.func private @b(%c: i1) {
  tt.call @leaf() : () -> ()
  // expected-note@+1 {{@b calls @c here}}
  tt.call @c(%c) : (i1) -> ()
  tt.return
}
tt.func private @c(%c: i1) {
  // expected-note@+1 {{@c calls @a here}}
  tt.call @a(%c) : (i1) -> ()
  tt.return
}
tt.func private @leaf() {
  tt.return
}

// -----

// Calls that share a callee are no recursion.
tt.func @top() {
  tt.call @left() : () -> ()
  tt.call @right() : () -> ()
  tt.call @bottom() : () -> ()
  tt.return
}
tt.func private @left() {
  tt.call @bottom() : () -> ()
  tt.return
}
tt.func private @right() {
  tt.call @bottom() : () -> ()
  tt.return
}
tt.func private @bottom() {
  tt.return
}
