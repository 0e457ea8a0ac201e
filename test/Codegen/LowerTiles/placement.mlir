// RUN: spine-triton-opt %s -split-input-file -spine-to-linalg -spine-lower-tiles -canonicalize -cse | FileCheck %s

// A chain of elementwise operations is one loop without a buffer, also through
// broadcasts and changes of shape that add dimensions of size 1.

// CHECK-LABEL: func.func @chain(
// CHECK-NOT:     spine.scratch
// CHECK:         scf.for %{{.*}} = %c0_i64 to %c4_i64
// CHECK:           scf.for %{{.*}} = %c0_i64 to %c16_i64 step %c8_i64
// CHECK:             llvm.load %{{.*}} : !llvm.ptr -> vector<8xf32>
// CHECK:             arith.addf
// CHECK:             math.exp %{{.*}} : vector<8xf32>
// CHECK:             llvm.store
// CHECK-NOT:     scf.for
// CHECK:         return
tt.func public @chain(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i64
  %c16 = arith.constant 16 : i64
  %p = tt.make_tensor_ptr %x, [%c1], [%c1], [%c0] {order = array<i32: 0>} : <tensor<16xf32>>
  %q = tt.make_tensor_ptr %y, [%c1, %c1], [%c16, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<4x16xf32>>
  %a = tt.load %p : !tt.ptr<tensor<16xf32>>
  %e = tt.expand_dims %a {axis = 0 : i32} : tensor<16xf32> -> tensor<1x16xf32>
  %b = tt.broadcast %e : tensor<1x16xf32> -> tensor<4x16xf32>
  %c = arith.addf %b, %b : tensor<4x16xf32>
  %d = math.exp %c : tensor<4x16xf32>
  tt.store %q, %d : !tt.ptr<tensor<4x16xf32>>
  tt.return
}

// -----

// An expensive tile with two uses is computed once; a cheap one twice.

// CHECK-LABEL: func.func @two_uses(
// CHECK-COUNT-1: spine.scratch {bytes = 64
// CHECK:         math.exp
// CHECK-NOT:     math.exp
// CHECK-COUNT-2: math.absf
// CHECK-NOT:     spine.scratch
// CHECK:         return
tt.func public @two_uses(%x: !tt.ptr<f32>, %f: f32) {
  %c0 = arith.constant 0 : i32
  %i32 = arith.constant 32 : i32
  %c1 = arith.constant 1 : i64
  %p = tt.make_tensor_ptr %x, [%c1], [%c1], [%c0] {order = array<i32: 0>} : <tensor<16xf32>>
  %q = tt.make_tensor_ptr %x, [%c1], [%c1], [%i32] {order = array<i32: 0>} : <tensor<16xf32>>
  %r = tt.make_range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %g = arith.sitofp %r : tensor<16xi32> to tensor<16xf32>
  %e = math.exp %g : tensor<16xf32>
  tt.store %p, %e : !tt.ptr<tensor<16xf32>>
  tt.store %q, %e : !tt.ptr<tensor<16xf32>>
  %m = math.absf %g : tensor<16xf32>
  tt.store %p, %m : !tt.ptr<tensor<16xf32>>
  tt.store %q, %m : !tt.ptr<tensor<16xf32>>
  tt.return
}

// -----

// Computed once too if a loop uses it, or if each element is used at many
// places.

// CHECK-LABEL: func.func @in_loop(
// CHECK:         spine.scratch {bytes = 64
// CHECK:         math.exp
// CHECK:         scf.for %{{.*}} : i32 {
// CHECK-NOT:       math.exp
// CHECK-LABEL: func.func @broadcast(
// CHECK:         spine.scratch {bytes = 64
// CHECK:         math.exp
// CHECK:         scf.for
// CHECK-NOT:       math.exp
// CHECK:         return
tt.func public @in_loop(%x: !tt.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %c1 = arith.constant 1 : i64
  %r = tt.make_range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %g = arith.sitofp %r : tensor<16xi32> to tensor<16xf32>
  %e = math.exp %g : tensor<16xf32>
  scf.for %i = %c0 to %n step %i1 : i32 {
    %p = tt.make_tensor_ptr %x, [%c1], [%c1], [%i] {order = array<i32: 0>} : <tensor<16xf32>>
    tt.store %p, %e : !tt.ptr<tensor<16xf32>>
  }
  tt.return
}
tt.func public @broadcast(%x: !tt.ptr<f32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i64
  %c16 = arith.constant 16 : i64
  %q = tt.make_tensor_ptr %x, [%c1, %c1], [%c16, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<4x16xf32>>
  %r = tt.make_range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %g = arith.sitofp %r : tensor<16xi32> to tensor<16xf32>
  %a = math.exp %g : tensor<16xf32>
  %e = tt.expand_dims %a {axis = 0 : i32} : tensor<16xf32> -> tensor<1x16xf32>
  %b = tt.broadcast %e : tensor<1x16xf32> -> tensor<4x16xf32>
  tt.store %q, %b : !tt.ptr<tensor<4x16xf32>>
  tt.return
}

// -----

// A change of shape is another view of the same buffer; transposes and halves
// are read at other places.

// CHECK-LABEL: func.func @reshape(
// CHECK:         %[[T:.*]] = spine.scratch {bytes = 128
// CHECK-NOT:     spine.scratch
// CHECK:         llvm.getelementptr %[[T]]
// CHECK:         llvm.store
// CHECK:         llvm.getelementptr %[[T]]
// CHECK:         llvm.store
// CHECK-LABEL: func.func @transposed(
// CHECK-NOT:     spine.scratch
// CHECK:         scf.for %[[I:.*]] = %c0_i64 to %c4_i64
// CHECK:         llvm.intr.masked.gather
// CHECK-LABEL: func.func @halves(
// CHECK-NOT:     spine.scratch
// CHECK:         arith.muli %{{.*}}, %c2_i64
// CHECK:         llvm.intr.masked.gather
// CHECK:         return
tt.func public @reshape(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i64
  %c8 = arith.constant 8 : i64
  %c16 = arith.constant 16 : i64
  %p = tt.make_tensor_ptr %x, [%c8, %c8], [%c8, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<4x8xf32>>
  %q = tt.make_tensor_ptr %y, [%c16, %c16], [%c16, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<2x16xf32>>
  %a = tt.load %p : !tt.ptr<tensor<4x8xf32>>
  %b = tt.reshape %a : tensor<4x8xf32> -> tensor<2x16xf32>
  tt.store %q, %b : !tt.ptr<tensor<2x16xf32>>
  tt.return
}
tt.func public @transposed(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i64
  %c8 = arith.constant 8 : i64
  %p = tt.make_tensor_ptr %x, [%c8, %c8], [%c8, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<8x4xf32>>
  %q = tt.make_tensor_ptr %y, [%c8, %c8], [%c8, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<4x8xf32>>
  %a = tt.load %p : !tt.ptr<tensor<8x4xf32>>
  %b = tt.trans %a {order = array<i32: 1, 0>} : tensor<8x4xf32> -> tensor<4x8xf32>
  tt.store %q, %b : !tt.ptr<tensor<4x8xf32>>
  tt.return
}
tt.func public @halves(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i64
  %c2 = arith.constant 2 : i64
  %p = tt.make_tensor_ptr %x, [%c2, %c2], [%c2, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<16x2xf32>>
  %q = tt.make_tensor_ptr %y, [%c1], [%c1], [%c0] {order = array<i32: 0>} : <tensor<16xf32>>
  %a = tt.load %p : !tt.ptr<tensor<16x2xf32>>
  %l, %r = tt.split %a : tensor<16x2xf32> -> tensor<16xf32>
  %d = arith.subf %l, %r : tensor<16xf32>
  tt.store %q, %d : !tt.ptr<tensor<16xf32>>
  tt.return
}
