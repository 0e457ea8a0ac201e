// RUN: spine-triton-opt %s -split-input-file -spine-to-linalg -spine-to-llvm | FileCheck %s

// bf16 leaves no arithmetic of its own type behind: it is widened and rounded
// with integer operations.

// CHECK-LABEL: llvm.func @bf16(
// CHECK-NOT:     llvm.fadd %{{.*}} : vector<8xbf16>
// CHECK-NOT:     llvm.fptrunc %{{.*}} : vector<8xf32> to vector<8xbf16>
// CHECK:         llvm.fadd %{{.*}} : vector<8xf32>
// CHECK:         llvm.lshr %{{.*}} : vector<8xi32>
// CHECK:         llvm.trunc %{{.*}} : vector<8xi32> to vector<8xi16>
// CHECK:         llvm.return
tt.func public @bf16(%x: !tt.ptr<bf16>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i64
  %p = tt.make_tensor_ptr %x, [%c1], [%c1], [%c0] {order = array<i32: 0>} : <tensor<16xbf16>>
  %a = tt.load %p : !tt.ptr<tensor<16xbf16>>
  %s = arith.addf %a, %a : tensor<16xbf16>
  tt.store %p, %s : !tt.ptr<tensor<16xbf16>>
  tt.return
}

// -----

// Functions without an intrinsic are calls to the math library.

// CHECK:       llvm.func @erff(f32) -> f32
// CHECK-LABEL: llvm.func @libm(
// CHECK:         llvm.call @erff(
tt.func public @libm(%x: !tt.ptr<f32>) {
  %v = tt.load %x : !tt.ptr<f32>
  %e = math.erf %v : f32
  tt.store %x, %e : !tt.ptr<f32>
  tt.return
}
