// RUN: spine-triton-opt %s -split-input-file -spine-plan-scratchpad -verify-diagnostics

// expected-error @below {{expects the address of the arena as the last argument of a function that uses scratchpad}}
func.func @no_arguments() {
  %0 = spine.scratch {id = 0 : i64, bytes = 64 : i64} : !llvm.ptr
  return
}

// -----

// expected-error @below {{expects the address of the arena as the last argument of a function that uses scratchpad}}
func.func @last_is_a_number(%arena: !llvm.ptr, %n: i64) {
  %0 = spine.scratch {id = 0 : i64, bytes = 64 : i64} : !llvm.ptr
  return
}
