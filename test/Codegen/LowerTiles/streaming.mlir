// RUN: spine-triton-opt %s -split-input-file -spine-to-linalg "-spine-lower-tiles=prefetch-rows=24" -canonicalize -cse | FileCheck %s

// The result passes an elementwise operation on its way to memory: each block of
// it is multiplied with factors, and there is no buffer for it. Six rows do not
// divide 64: the last block stands over the end. It, and blocks that are not all
// inside, are stored from a small buffer. Rows to come are prefetched.

// CHECK-LABEL: func.func @epilogue(
// CHECK-NOT:     name = "dot"
// CHECK:         %[[EDGE:.*]] = spine.scratch {bytes = 384 : i64, {{.*}}name = "dot.edge"
// CHECK:         scf.for %[[ROW:.*]] = %c0_i64 to %c64_i64 step %c6_i64
// CHECK:           %[[LEFT:.*]] = arith.subi %c64_i64, %[[ROW]]
// CHECK:           %[[VALID:.*]] = arith.minsi %[[LEFT]], %c6_i64
// CHECK:           llvm.intr.prefetch
// CHECK:           llvm.intr.fma
// CHECK:           arith.andi
// CHECK-NEXT:      %[[IN:.*]] = arith.andi
// CHECK-NEXT:      %[[HOT:.*]] = llvm.intr.expect %[[IN]], %true : i1
// CHECK-NEXT:      scf.if %[[HOT]] {
// CHECK:             arith.mulf
// CHECK:             llvm.store %{{.*}} : vector<8xf32>
// CHECK:           } else {
// CHECK:             llvm.store %{{.*}}, %[[EDGE]]
// CHECK:             scf.for %{{.*}} = %c0_i64 to %[[VALID]]
// CHECK:               arith.mulf
// CHECK:               llvm.intr.masked.store
// CHECK-LABEL: func.func @epilogue__may_alias(
// CHECK:         spine.scratch {bytes = 4224 : i64, {{.*}}name = "dot"
tt.func public @epilogue(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %z: !tt.ptr<f32>, %w: !tt.ptr<f32>, %s: i64) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<64x16xf32>
  %p = tt.make_tensor_ptr %x, [%s, %s], [%s, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<64x64xf32>>
  %q = tt.make_tensor_ptr %y, [%s, %s], [%s, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<64x16xf32>>
  %r = tt.make_tensor_ptr %z, [%s, %s], [%s, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<64x16xf32>>
  %v = tt.make_tensor_ptr %w, [%s, %s], [%s, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<64x16xf32>>
  %a = tt.load %p : !tt.ptr<tensor<64x64xf32>>
  %b = tt.load %q : !tt.ptr<tensor<64x16xf32>>
  %d = tt.dot %a, %b, %zero : tensor<64x64xf32> * tensor<64x16xf32> -> tensor<64x16xf32>
  %bias = tt.load %v : !tt.ptr<tensor<64x16xf32>>
  %e = arith.mulf %d, %bias : tensor<64x16xf32>
  tt.store %r, %e {boundaryCheck = array<i32: 0, 1>} : !tt.ptr<tensor<64x16xf32>>
  tt.return
}

// -----

// The sums start with a tile that is added in the registers.

// CHECK-LABEL: func.func @starts_from_tile(
// CHECK-NOT:     name = "dot"
// CHECK-COUNT-8: llvm.load %{{.*}} : !llvm.ptr -> vector<8xf32>
// CHECK:         llvm.intr.fma
// CHECK-LABEL: func.func @starts_from_tile__may_alias(
tt.func public @starts_from_tile(%x: !tt.ptr<f32>, %z: !tt.ptr<f32>, %w: !tt.ptr<f32>, %s: i64) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i64
  %p = tt.make_tensor_ptr %x, [%s, %s], [%s, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<16x16xf32>>
  %r = tt.make_tensor_ptr %z, [%s, %s], [%s, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<16x16xf32>>
  %v = tt.make_tensor_ptr %w, [%s, %s], [%s, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<16x16xf32>>
  %a = tt.load %p : !tt.ptr<tensor<16x16xf32>>
  %c = tt.load %v : !tt.ptr<tensor<16x16xf32>>
  %d = tt.dot %a, %a, %c : tensor<16x16xf32> * tensor<16x16xf32> -> tensor<16x16xf32>
  tt.store %r, %d : !tt.ptr<tensor<16x16xf32>>
  tt.return
}

// -----

// The store overwrites an operand: rows that come later need the old elements.

// CHECK-LABEL: func.func @overwrites_operand(
// CHECK:         name = "dot"
tt.func public @overwrites_operand(%x: !tt.ptr<f32>, %s: i64) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %p = tt.make_tensor_ptr %x, [%s, %s], [%s, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<16x16xf32>>
  %a = tt.load %p : !tt.ptr<tensor<16x16xf32>>
  %d = tt.dot %a, %a, %zero : tensor<16x16xf32> * tensor<16x16xf32> -> tensor<16x16xf32>
  tt.store %p, %d : !tt.ptr<tensor<16x16xf32>>
  tt.return
}

// -----

// Two uses; and what is stored is the transposed result: both need a buffer.

// CHECK-LABEL: func.func @two_stores(
// CHECK:         name = "dot"
// CHECK-LABEL: func.func @transposed(
// CHECK:         name = "dot"
tt.func public @two_stores(%x: !tt.ptr<f32>, %z: !tt.ptr<f32>, %w: !tt.ptr<f32>, %s: i64) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %p = tt.make_tensor_ptr %x, [%s, %s], [%s, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<16x16xf32>>
  %r = tt.make_tensor_ptr %z, [%s, %s], [%s, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<16x16xf32>>
  %v = tt.make_tensor_ptr %w, [%s, %s], [%s, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<16x16xf32>>
  %a = tt.load %p : !tt.ptr<tensor<16x16xf32>>
  %d = tt.dot %a, %a, %zero : tensor<16x16xf32> * tensor<16x16xf32> -> tensor<16x16xf32>
  tt.store %r, %d : !tt.ptr<tensor<16x16xf32>>
  tt.store %v, %d : !tt.ptr<tensor<16x16xf32>>
  tt.return
}
tt.func public @transposed(%x: !tt.ptr<f32>, %z: !tt.ptr<f32>, %s: i64) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %p = tt.make_tensor_ptr %x, [%s, %s], [%s, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<16x16xf32>>
  %r = tt.make_tensor_ptr %z, [%s, %s], [%s, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<16x16xf32>>
  %a = tt.load %p : !tt.ptr<tensor<16x16xf32>>
  %d = tt.dot %a, %a, %zero : tensor<16x16xf32> * tensor<16x16xf32> -> tensor<16x16xf32>
  %t = tt.trans %d {order = array<i32: 1, 0>} : tensor<16x16xf32> -> tensor<16x16xf32>
  tt.store %r, %t : !tt.ptr<tensor<16x16xf32>>
  tt.return
}

// -----

// Something is written between the product and its store, so the product stays
// where it is.

// CHECK-LABEL: func.func @store_between(
// CHECK:         name = "dot"
tt.func public @store_between(%x: !tt.ptr<f32>, %z: !tt.ptr<f32>, %w: !tt.ptr<f32>, %s: i64) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %p = tt.make_tensor_ptr %x, [%s, %s], [%s, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<16x16xf32>>
  %r = tt.make_tensor_ptr %z, [%s, %s], [%s, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<16x16xf32>>
  %v = tt.make_tensor_ptr %w, [%s, %s], [%s, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<16x16xf32>>
  %a = tt.load %p : !tt.ptr<tensor<16x16xf32>>
  %d = tt.dot %a, %a, %zero : tensor<16x16xf32> * tensor<16x16xf32> -> tensor<16x16xf32>
  tt.store %v, %zero : !tt.ptr<tensor<16x16xf32>>
  tt.store %r, %d : !tt.ptr<tensor<16x16xf32>>
  tt.return
}
