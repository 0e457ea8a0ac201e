// RUN: not spine-triton-opt %s -spine-lower-tiles=alignment=48 2>&1 | FileCheck %s

// CHECK: error: 'spine.scratch' op expects an alignment that is a power of two, got 48
tt.func public @kernel(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i64
  %p = tt.make_tensor_ptr %x, [%c1], [%c1], [%c0] {order = array<i32: 0>} : <tensor<16xf32>>
  %a = tt.load %p {isVolatile = true} : !tt.ptr<tensor<16xf32>>
  tt.store %p, %a : !tt.ptr<tensor<16xf32>>
  tt.return
}
