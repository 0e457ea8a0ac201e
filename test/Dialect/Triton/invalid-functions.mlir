// RUN: spine-triton-opt -split-input-file -verify-diagnostics %s

tt.func @f() {
  // expected-error@+1 {{calls @g, which is not a tt.func of this module}}
  tt.call @g() : () -> ()
  tt.return
}

// -----

tt.func @f() {
  // expected-error@+1 {{calls @g, which is not a tt.func of this module}}
  tt.call @g() : () -> ()
  tt.return
}
func.func private @g()

// -----

tt.func @f(%a: i32) {
  // expected-error@+1 {{has 1 operands, but @g has 2}}
  tt.call @g(%a) : (i32) -> ()
  tt.return
}
tt.func private @g(i32, i32)

// -----

tt.func @f(%a: i32) {
  // expected-error@+1 {{operand 1 is of type 'i32', but @g declares 'f32'}}
  tt.call @g(%a, %a) : (i32, i32) -> ()
  tt.return
}
tt.func private @g(i32, f32)

// -----

tt.func @f() {
  // expected-error@+1 {{has 1 results, but @g has 0}}
  %0 = tt.call @g() : () -> i32
  tt.return
}
tt.func private @g()

// -----

tt.func @f() {
  // expected-error@+1 {{result 0 is of type 'i32', but @g declares 'f32'}}
  %0 = tt.call @g() : () -> i32
  tt.return
}
tt.func private @g() -> f32

// -----

tt.func @f(%a: i32) -> i32 {
  // expected-error@+1 {{returns 2 values, but @f has 1 results}}
  tt.return %a, %a : i32, i32
}

// -----

tt.func @f(%a: i32) -> f32 {
  // expected-error@+1 {{value 0 is of type 'i32', but @f declares 'f32'}}
  tt.return %a : i32
}

// -----

func.func @f() {
  // expected-error@+1 {{'tt.return' op expects parent op 'tt.func'}}
  tt.return
}

// -----

tt.func @f() {
  // expected-error@+1 {{'tt.func' op expects parent op 'builtin.module'}}
  tt.func private @g()
  tt.return
}
