// RUN: spine-triton-opt %s -spine-to-linalg -spine-attach-target="vector-bits=1024 vector-registers=32 alignment=256 prefetch-rows=0 strided-lanes=0" -spine-lower-tiles -canonicalize | FileCheck %s --check-prefix=V1024
// RUN: spine-triton-opt %s -spine-to-linalg -spine-attach-target="vector-bits=1024 alignment=256" -spine-lower-tiles="vector-bits=128 alignment=64" -canonicalize | FileCheck %s --check-prefix=V128
// RUN: spine-triton-opt %s -spine-to-linalg -spine-attach-target="vector-bits=1024" -spine-to-llvm | FileCheck %s --check-prefix=FINAL
// RUN: spine-triton-opt %s -spine-to-linalg -spine-attach-target="name=unknown" -spine-lower-tiles -canonicalize | FileCheck %s --check-prefix=V256

// Code has the vectors of the module's target; options come first, and what
// neither says is as without a target.

// V1024: spine.scratch {alignment = 256 : i64,
// V1024: arith.addf %{{.*}} : vector<32xf32>
// V128-NOT: scratch {alignment
// V128:  arith.addf %{{.*}} : vector<4xf32>
// FINAL: module attributes {dlti.target_system_spec =
// FINAL: llvm.fadd %{{.*}} : vector<32xf32>
// V256-NOT: scratch {alignment
// V256:  arith.addf %{{.*}} : vector<8xf32>
tt.func public @kernel(%x: !tt.ptr<f32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i64
  %c64 = arith.constant 64 : i64
  %p = tt.make_tensor_ptr %x, [%c64], [%c1], [%c0] {order = array<i32: 0>} : <tensor<64xf32>>
  %a = tt.load %p : !tt.ptr<tensor<64xf32>>
  %d = arith.addf %a, %a : tensor<64xf32>
  %s = "tt.scan"(%d) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%l: f32, %r: f32):
    %sum = arith.mulf %l, %r : f32
    tt.scan.return %sum : f32
  }) : (tensor<64xf32>) -> tensor<64xf32>
  tt.store %p, %s : !tt.ptr<tensor<64xf32>>
  %b = tt.load %p : !tt.ptr<tensor<64xf32>>
  %e = arith.addf %b, %b : tensor<64xf32>
  tt.store %p, %e : !tt.ptr<tensor<64xf32>>
  tt.return
}
