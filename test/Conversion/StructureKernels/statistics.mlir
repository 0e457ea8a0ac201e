// RUN: spine-triton-opt %s -spine-structure-kernels -mlir-pass-statistics -o /dev/null 2>&1 | FileCheck %s
// REQUIRES: pass-statistics

// CHECK: SpineStructureKernels
// CHECK-DAG: (S) 2 num-inlined
// CHECK-DAG: (S) 1 num-structured
tt.func public @kernel(%p: !tt.ptr<i32>, %a: i32, %c: i1) {
  %x = tt.call @choose(%a, %c) : (i32, i1) -> i32
  %y = tt.call @choose(%x, %c) : (i32, i1) -> i32
  tt.store %p, %y : !tt.ptr<i32>
  tt.return
}
tt.func private @choose(%a: i32, %c: i1) -> i32 {
  cf.cond_br %c, ^bb1, ^bb2
^bb1:
  tt.return %a : i32
^bb2:
  %b = arith.addi %a, %a : i32
  tt.return %b : i32
}
