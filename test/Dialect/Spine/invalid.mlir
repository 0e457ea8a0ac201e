// RUN: spine-triton-opt %s -split-input-file -verify-diagnostics

func.func @negative() {
  // expected-error @below {{'spine.scratch' op expects a size that is not negative, got -64 bytes}}
  %0 = spine.scratch {id = 0 : i64, bytes = -64 : i64} : !llvm.ptr
  return
}

// -----

func.func @alignment_three() {
  // expected-error @below {{'spine.scratch' op expects an alignment that is a power of two, got 3}}
  %0 = spine.scratch {id = 0 : i64, bytes = 64 : i64, alignment = 3 : i64} : !llvm.ptr
  return
}

// -----

func.func @alignment_zero() {
  // expected-error @below {{'spine.scratch' op expects an alignment that is a power of two, got 0}}
  %0 = spine.scratch {id = 0 : i64, bytes = 64 : i64, alignment = 0 : i64} : !llvm.ptr
  return
}

// -----

func.func @no_size() {
  // expected-error @below {{'spine.scratch' op requires attribute 'bytes'}}
  %0 = spine.scratch {id = 0 : i64} : !llvm.ptr
  return
}

// -----

func.func @no_id() {
  // expected-error @below {{'spine.scratch' op requires attribute 'id'}}
  %0 = spine.scratch {bytes = 64 : i64} : !llvm.ptr
  return
}

// -----

func.func @narrow_size() {
  // expected-error @below {{attribute 'bytes' failed to satisfy constraint: 64-bit signless integer attribute}}
  %0 = spine.scratch {id = 0 : i64, bytes = 64 : i32} : !llvm.ptr
  return
}

// -----

func.func @no_pointer() {
  // expected-error @below {{'spine.scratch' op result #0 must be LLVM pointer type}}
  %0 = "spine.scratch"() <{id = 0 : i64, bytes = 64 : i64}> : () -> i64
  return
}
