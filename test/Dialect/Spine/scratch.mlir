// RUN: spine-triton-opt %s | FileCheck %s
// RUN: spine-triton-opt %s | spine-triton-opt | FileCheck %s
// RUN: spine-triton-opt %s -mlir-print-op-generic | spine-triton-opt | FileCheck %s

// The default alignment is not printed. A buffer is memory: two equal ones are
// neither merged nor moved out of loops.

// RUN: spine-triton-opt %s -cse -loop-invariant-code-motion | FileCheck %s

// CHECK-LABEL: func.func @scratch(
// CHECK:         spine.scratch {bytes = 128 : i64, id = 3 : i64} : !llvm.ptr
// CHECK-NEXT:    spine.scratch {bytes = 128 : i64, id = 3 : i64} : !llvm.ptr
// CHECK-NEXT:    spine.scratch {alignment = 4096 : i64, bytes = 16384 : i64, id = 4 : i64, name = "acc"} : !llvm.ptr
// CHECK-NEXT:    spine.scratch {bytes = 0 : i64, id = 5 : i64} : {{(!llvm.ptr)?}}<3>
// CHECK:         scf.for
// CHECK-NEXT:      spine.scratch {bytes = 64 : i64, id = 6 : i64}
func.func @scratch(%n: i64, %f: f32) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %a = spine.scratch {id = 3 : i64, bytes = 128 : i64} : !llvm.ptr
  %b = spine.scratch {id = 3 : i64, bytes = 128 : i64, alignment = 64 : i64} : !llvm.ptr
  %c = spine.scratch {id = 4 : i64, bytes = 16384 : i64, alignment = 4096 : i64, name = "acc"} : !llvm.ptr
  %d = spine.scratch {id = 5 : i64, bytes = 0 : i64} : !llvm.ptr<3>
  llvm.store %f, %a : f32, !llvm.ptr
  llvm.store %f, %b : f32, !llvm.ptr
  llvm.store %f, %c : f32, !llvm.ptr
  llvm.store %f, %d : f32, !llvm.ptr<3>
  scf.for %i = %c0 to %n step %c1 : i64 {
    %e = spine.scratch {id = 6 : i64, bytes = 64 : i64} : !llvm.ptr
    llvm.store %f, %e : f32, !llvm.ptr
  }
  return
}
