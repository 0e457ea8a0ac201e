// RUN: spine-triton-opt %s -spine-to-linalg -spine-to-llvm | FileCheck %s --check-prefixes=CHECK,V256
// RUN: spine-triton-opt %s -pass-pipeline="builtin.module(spine-to-linalg, spine-to-llvm{vector-bits=512 vector-registers=32 alignment=4096})" | FileCheck %s --check-prefixes=CHECK,V512
// RUN: spine-triton-opt %s -spine-to-linalg -spine-to-llvm | mlir-translate --mlir-to-llvmir | FileCheck %s --check-prefix=IR

// What the launcher relies on: the signature, the bytes of arena, both versions.

// CHECK-LABEL: llvm.func @kernel(
// CHECK-SAME:    %[[ARGS:[^:]*]]: !llvm.ptr {llvm.noalias}, %{{[^:]*}}: !llvm.ptr {llvm.noalias}, %{{[^:]*}}: i64, %{{[^:]*}}: i64, %{{[^:]*}}: !llvm.ptr {llvm.noalias}) attributes {spine.arena_bytes = 0 : i64
// CHECK:         llvm.load %[[ARGS]]
// V256:          llvm.intr.exp(%{{.*}}) : (vector<8xf32>) -> vector<8xf32>
// V512:          llvm.intr.exp(%{{.*}}) : (vector<16xf32>) -> vector<16xf32>
// CHECK:         llvm.return
// CHECK-LABEL: llvm.func @kernel__may_alias(
// V256-SAME:     attributes {spine.arena_bytes = 128 : i64
// V512-SAME:     attributes {spine.arena_bytes = 4096 : i64
// CHECK-NOT:     {{ (arith|scf|cf|func|vector|math|tt|linalg|tensor|ub|builtin)\.}}
// CHECK-NOT:     spine.scratch
// CHECK:         llvm.return

// IR-LABEL: define void @kernel(ptr noalias %0, ptr noalias %1, i64 %2, i64 %3, ptr noalias %4)
// IR:         call <8 x float> @llvm.exp.v8f32(
// IR-LABEL: define void @kernel__may_alias(
tt.func public @kernel(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %n: i64) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i64
  %p = tt.make_tensor_ptr %x, [%n], [%c1], [%c0] {order = array<i32: 0>} : <tensor<32xf32>>
  %q = tt.make_tensor_ptr %y, [%n], [%c1], [%c0] {order = array<i32: 0>} : <tensor<32xf32>>
  %a = tt.load %p {boundaryCheck = array<i32: 0>, padding = 1 : i32} : !tt.ptr<tensor<32xf32>>
  %e = math.exp %a : tensor<32xf32>
  tt.store %q, %e {boundaryCheck = array<i32: 0>} : !tt.ptr<tensor<32xf32>>
  tt.return
}
