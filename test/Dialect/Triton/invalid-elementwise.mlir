// RUN: spine-triton-opt -split-input-file -verify-diagnostics %s

// Elementwise operations whose parts do not fit.
tt.func @f(%p: !tt.ptr<f32>, %pp: tensor<16x!tt.ptr<f32>>, %i: i32, %l: i64, %f: f32, %h: f16, %v: tensor<16xf32>, %w: tensor<8xf32>, %s: tensor<4x4xf32>) {
  // expected-error@+1 {{from 'f32' to 'i64': source and result have different widths}}
  %0 = tt.bitcast %f : f32 -> i64
  tt.return
}

// -----

tt.func @f(%p: !tt.ptr<f32>, %pp: tensor<16x!tt.ptr<f32>>, %i: i32, %l: i64, %f: f32, %h: f16, %v: tensor<16xf32>, %w: tensor<8xf32>, %s: tensor<4x4xf32>) {
  // expected-error@+1 {{from '!tt.ptr<f32>' to 'i64': between pointers and numbers use tt.ptr_to_int or tt.int_to_ptr}}
  %0 = tt.bitcast %p : !tt.ptr<f32> -> i64
  tt.return
}

// -----

tt.func @f(%p: !tt.ptr<f32>, %pp: tensor<16x!tt.ptr<f32>>, %i: i32, %l: i64, %f: f32, %h: f16, %v: tensor<16xf32>, %w: tensor<8xf32>, %s: tensor<4x4xf32>) {
  // expected-error@+1 {{from address space 1 to 3: a cast keeps the address space}}
  %0 = tt.bitcast %p : !tt.ptr<f32> -> !tt.ptr<f32, 3>
  tt.return
}

// -----

tt.func @f(%p: !tt.ptr<f32>, %pp: tensor<16x!tt.ptr<f32>>, %i: i32, %l: i64, %f: f32, %h: f16, %v: tensor<16xf32>, %w: tensor<8xf32>, %s: tensor<4x4xf32>) {
  // expected-error@+1 {{all non-scalar operands/results must have the same shape and base type}}
  %0 = tt.bitcast %v : tensor<16xf32> -> tensor<8xi32>
  tt.return
}

// -----

tt.func @f(%p: !tt.ptr<f32>, %pp: tensor<16x!tt.ptr<f32>>, %i: i32, %l: i64, %f: f32, %h: f16, %v: tensor<16xf32>, %w: tensor<8xf32>, %s: tensor<4x4xf32>) {
  // expected-error@+1 {{from 'f32' to 'f16' needs a rounding mode}}
  %0 = tt.fp_to_fp %f : f32 -> f16
  tt.return
}

// -----

tt.func @f(%p: !tt.ptr<f32>, %pp: tensor<16x!tt.ptr<f32>>, %i: i32, %l: i64, %f: f32, %h: f16, %v: tensor<16xf32>, %w: tensor<8xf32>, %s: tensor<4x4xf32>) {
  // expected-error@+1 {{from 'f16' to 'f32' does not round: a rounding mode is for narrower results only}}
  %0 = tt.fp_to_fp %h, rounding = rtz : f16 -> f32
  tt.return
}

// -----

tt.func @f(%p: !tt.ptr<f32>, %pp: tensor<16x!tt.ptr<f32>>, %i: i32, %l: i64, %f: f32, %h: f16, %v: tensor<16xf32>, %w: tensor<8xf32>, %s: tensor<4x4xf32>) {
  // expected-error@+1 {{requires the same shape for all operands and results}}
  %0 = tt.addptr %pp, %i : tensor<16x!tt.ptr<f32>>, i32
  tt.return
}

// -----

tt.func @f(%p: !tt.ptr<f32>, %pp: tensor<16x!tt.ptr<f32>>, %i: i32, %l: i64, %f: f32, %h: f16, %v: tensor<16xf32>, %w: tensor<8xf32>, %s: tensor<4x4xf32>) {
  // expected-error@+1 {{failed to verify that all of {ptr, result} have same type}}
  %0 = "tt.addptr"(%p, %i) : (!tt.ptr<f32>, i32) -> !tt.ptr<i32>
  tt.return
}

// -----

tt.func @f(%p: !tt.ptr<f32>, %pp: tensor<16x!tt.ptr<f32>>, %i: i32, %l: i64, %f: f32, %h: f16, %v: tensor<16xf32>, %w: tensor<8xf32>, %s: tensor<4x4xf32>) {
  // expected-error@+1 {{all non-scalar operands/results must have the same shape and base type}}
  %0 = tt.extern_elementwise %v, %w {libname = "", libpath = "", pure = true, symbol = "f"} : (tensor<16xf32>, tensor<8xf32>) -> tensor<16xf32>
  tt.return
}

// -----

tt.func @f(%p: !tt.ptr<f32>, %pp: tensor<16x!tt.ptr<f32>>, %i: i32, %l: i64, %f: f32, %h: f16, %v: tensor<16xf32>, %w: tensor<8xf32>, %s: tensor<4x4xf32>) {
  // expected-error@+1 {{all non-scalar operands/results must have the same shape and base type}}
  %0 = tt.elementwise_inline_asm "x" {constraints = "", packed_element = 1 : i32, pure = true} %v : tensor<16xf32> -> tensor<4x4xf32>
  tt.return
}

// -----

tt.func @f(%p: !tt.ptr<f32>, %pp: tensor<16x!tt.ptr<f32>>, %i: i32, %l: i64, %f: f32, %h: f16, %v: tensor<16xf32>, %w: tensor<8xf32>, %s: tensor<4x4xf32>) {
  // expected-error@+1 {{expects a positive packed_element, got 0}}
  %0 = tt.elementwise_inline_asm "x" {constraints = "", packed_element = 0 : i32, pure = true} %v : tensor<16xf32> -> tensor<16xf32>
  tt.return
}

// -----

tt.func @f(%p: !tt.ptr<f32>, %pp: tensor<16x!tt.ptr<f32>>, %i: i32, %l: i64, %f: f32, %h: f16, %v: tensor<16xf32>, %w: tensor<8xf32>, %s: tensor<4x4xf32>) {
  // expected-error@+1 {{expects at least one result}}
  "tt.elementwise_inline_asm"(%f) <{asm_string = "x", constraints = "", packed_element = 1 : i32, pure = true}> : (f32) -> ()
  tt.return
}

// -----

tt.func @f(%p: !tt.ptr<f32>, %pp: tensor<16x!tt.ptr<f32>>, %i: i32, %l: i64, %f: f32, %h: f16, %v: tensor<16xf32>, %w: tensor<8xf32>, %s: tensor<4x4xf32>) {
  // expected-error@+1 {{expects one entry of isSigned per operand, got 1 for 2 operands}}
  tt.print "x" {hex = false, isSigned = array<i32: 1>} : %i, %f : i32, f32
  tt.return
}

// -----

tt.func @f(%p: !tt.ptr<f32>, %pp: tensor<16x!tt.ptr<f32>>, %i: i32, %l: i64, %f: f32, %h: f16, %v: tensor<16xf32>, %w: tensor<8xf32>, %s: tensor<4x4xf32>) {
  // expected-error@+1 {{operand #0 must be 1-bit signless integer or ranked tensor of 1-bit signless integer values, but got 'i32'}}
  "tt.assert"(%i) <{message = "x"}> : (i32) -> ()
  tt.return
}

// -----

tt.func @f(%p: !tt.ptr<f32>, %pp: tensor<16x!tt.ptr<f32>>, %i: i32, %l: i64, %f: f32, %h: f16, %v: tensor<16xf32>, %w: tensor<8xf32>, %s: tensor<4x4xf32>) {
  // expected-error@+1 {{operand #0 must be 64-bit signless integer or ranked tensor of 64-bit signless integer values, but got 'i32'}}
  %0 = tt.int_to_ptr %i : i32 -> !tt.ptr<f32>
  tt.return
}
