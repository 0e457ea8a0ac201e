// RUN: spine-triton-opt %s -spine-to-linalg -spine-lower-tiles -canonicalize | FileCheck %s --check-prefixes=CHECK,V256
// RUN: spine-triton-opt %s -spine-to-linalg -spine-lower-tiles=vector-bits=128 -canonicalize | FileCheck %s --check-prefixes=CHECK,V128
// RUN: spine-triton-opt %s -spine-to-linalg "-spine-lower-tiles=vector-bits=1024 vector-registers=32 alignment=256" -canonicalize | FileCheck %s --check-prefixes=CHECK,V1024
// RUN: spine-triton-opt %s -spine-to-linalg -spine-lower-tiles=vector-bits=32 -canonicalize | FileCheck %s --check-prefixes=CHECK,V32

// The width of the registers gives the lanes, their number the rows of a
// product that are computed together; buffers are aligned as asked for.

// CHECK-LABEL: func.func @kernel(
// V256:          spine.scratch {bytes = 1024 : i64, id = 0 : i64, name = "dot.lhs"
// V256:          scf.for %{{.*}} = %c0_i64 to %c16_i64 step %c4_i64
// V256:            scf.for {{.*}} -> (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>)
// V256:          llvm.store %{{.*}} : vector<8xf32>

// V128:          spine.scratch {bytes = 1024 : i64, id = 0 : i64, name = "dot.lhs"
// V128:          scf.for %{{.*}} = %c0_i64 to %c16_i64 step %c4_i64
// V128:            scf.for {{.*}} -> (vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>)
// V128:          llvm.store %{{.*}} : vector<4xf32>

// V1024:         spine.scratch {alignment = 256 : i64, bytes = 2048 : i64, id = 0 : i64, name = "dot.lhs"
// V1024:         scf.for %{{.*}} = %c0_i64 to %c16_i64 step %c8_i64
// V1024:           scf.for {{.*}} -> (vector<32xf32>,
// V1024:         llvm.store %{{.*}} : vector<32xf32>

// V32:           vector<1xf32>
// V32:           scf.for %{{.*}} = %c0_i64 to %c64_i64 step %c1_i64
// V32:             llvm.store %{{.*}} : f32
tt.func public @kernel(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %z: !tt.ptr<f32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i64
  %c64 = arith.constant 64 : i64
  %zero = arith.constant dense<0.0> : tensor<16x64xf32>
  %p = tt.make_tensor_ptr %x, [%c64, %c64], [%c64, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<16x64xf32>>
  %q = tt.make_tensor_ptr %y, [%c64, %c64], [%c64, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<64x64xf32>>
  %r = tt.make_tensor_ptr %z, [%c64, %c64], [%c64, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<16x64xf32>>
  %a = tt.load %p : !tt.ptr<tensor<16x64xf32>>
  %b = tt.load %q : !tt.ptr<tensor<64x64xf32>>
  %d = tt.dot %a, %b, %zero : tensor<16x64xf32> * tensor<64x64xf32> -> tensor<16x64xf32>
  tt.store %r, %d : !tt.ptr<tensor<16x64xf32>>
  tt.return
}
