// RUN: spine-triton-opt %s -spine-to-linalg "-spine-lower-tiles=vector-bits=1024 vector-registers=32 strided-lanes=32 widens-f16=1" -canonicalize -cse | FileCheck %s --check-prefixes=CHECK,F16
// RUN: spine-triton-opt %s -spine-to-linalg "-spine-lower-tiles=vector-bits=1024 vector-registers=32 strided-lanes=32 widens-bf16=1" -canonicalize -cse | FileCheck %s --check-prefixes=CHECK,NONE
// RUN: spine-triton-opt %s -spine-to-linalg "-spine-lower-tiles=vector-bits=1024 vector-registers=32 widens-f16=1 widens-bf16=1" -canonicalize -cse | FileCheck %s --check-prefixes=CHECK,ROWS

// Where a multiply-add takes fp16 as it is, operands stay what they are in
// memory: the left one is read in place, the right one is packed as fp16, and
// both are extended where they are multiplied.

// CHECK-LABEL: func.func @halves(
// F16:           spine.scratch {bytes = 2048 : i64, id = {{[0-9]+}} : i64, name = "dot.rhs"
// F16:           %[[A:.+]] = "llvm.intr.experimental.vp.strided.load"{{.*}} -> vector<128xf16>
// F16:           %[[LEFT:.+]] = llvm.fpext %[[A]] : vector<128xf16> to vector<128xf32>
// F16:           llvm.intr.fma(%[[LEFT]], %{{.*}}, %{{.*}}) : {{.*}}vector<128xf32>

// ROWS:          spine.scratch {bytes = 2048 : i64, id = {{[0-9]+}} : i64, name = "dot.rhs"
// ROWS:          scf.for {{.*}} -> (vector<16xf32>,
// ROWS:            llvm.fpext %{{.*}} : vector<16xf16> to vector<16xf32>

// Elsewhere they are converted once, when they are packed.
// NONE:          spine.scratch {bytes = 4096 : i64, id = {{[0-9]+}} : i64, name = "dot.rhs"
// NONE:          scf.for {{.*}} -> (vector<128xf32>,
// NONE-NOT:        fpext
// NONE:            llvm.intr.fma
tt.func public @halves(%x: !tt.ptr<f16>, %y: !tt.ptr<f16>, %z: !tt.ptr<f32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i64
  %c16 = arith.constant 16 : i64
  %c64 = arith.constant 64 : i64
  %c256 = arith.constant 256 : i64
  %zero = arith.constant dense<0.0> : tensor<256x16xf32>
  %p = tt.make_tensor_ptr %x, [%c256, %c64], [%c64, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<256x64xf16>>
  %q = tt.make_tensor_ptr %y, [%c64, %c16], [%c16, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<64x16xf16>>
  %r = tt.make_tensor_ptr %z, [%c256, %c16], [%c16, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<256x16xf32>>
  %a = tt.load %p : !tt.ptr<tensor<256x64xf16>>
  %b = tt.load %q : !tt.ptr<tensor<64x16xf16>>
  %d = tt.dot %a, %b, %zero : tensor<256x64xf16> * tensor<64x16xf16> -> tensor<256x16xf32>
  tt.store %r, %d : !tt.ptr<tensor<256x16xf32>>
  tt.return
}
