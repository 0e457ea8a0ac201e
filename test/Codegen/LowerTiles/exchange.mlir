// RUN: spine-triton-opt %s -split-input-file -spine-to-linalg -spine-lower-tiles -canonicalize -cse | FileCheck %s
// RUN: spine-triton-opt %s -split-input-file -spine-to-linalg -spine-lower-tiles="vector-bits=1024 vector-registers=32 strided-lanes=32" | FileCheck %s --check-prefix=STRIDED

// The right operand's columns are contiguous. Blocks of 8 x 8 are read as
// columns, exchanged and stored as rows; the last one ends with the reduction.
// What is not inside, or less than a block, is packed element by element.

// CHECK-LABEL: func.func @columns(
// CHECK:         %[[FITS:.*]] = arith.cmpi sge, %[[END:[0-9]+]], %c8_i64
// CHECK:         %[[BOTH:.*]] = arith.andi %{{.*}}, %[[FITS]]
// CHECK:         %[[LIKELY:.*]] = llvm.intr.expect %[[BOTH]], %true
// CHECK:         scf.if %[[LIKELY]] {
// CHECK:           scf.for %{{.*}} = %c0_i64 to %c16_i64 step %c8_i64
// CHECK:             %[[FREE:.*]] = arith.subi %[[END]], %c8_i64
// CHECK:             %[[LAST:.*]] = arith.maxsi %[[FREE]], %c0_i64
// CHECK:             scf.for %[[I:.*]] = %c0_i64 to %[[END]] step %c8_i64
// CHECK:               %[[K:.*]] = arith.minsi %[[I]], %[[LAST]]
// CHECK-COUNT-8:       llvm.load %{{.*}} : !llvm.ptr -> vector<8xf32>
// CHECK-NOT:           llvm.load
// CHECK-COUNT-24:      vector.shuffle
// CHECK-COUNT-8:       llvm.store %{{.*}} : vector<8xf32>, !llvm.ptr
// CHECK:             } {loop_annotation
// CHECK:         } else {
// CHECK:           llvm.intr.masked.load
// CHECK:           vector.extract
// CHECK:           llvm.store %{{.*}} : f32, !llvm.ptr
// CHECK-LABEL: func.func @columns__may_alias(
// CHECK-NOT:     vector.shuffle

// Where elements can be stored with a stride, nothing is exchanged.

// STRIDED-LABEL: func.func @columns(
// STRIDED-NOT:     vector.shuffle
tt.func public @columns(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %z: !tt.ptr<f32>, %s: i64) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<64x16xf32>
  %p = tt.make_tensor_ptr %x, [%s, %s], [%s, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<64x32xf32>>
  %q = tt.make_tensor_ptr %y, [%s, %s], [%c1, %s], [%c0, %c0] {order = array<i32: 0, 1>} : <tensor<32x16xf32>>
  %r = tt.make_tensor_ptr %z, [%s, %s], [%s, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<64x16xf32>>
  %a = tt.load %p {boundaryCheck = array<i32: 0, 1>, padding = 1 : i32} : !tt.ptr<tensor<64x32xf32>>
  %b = tt.load %q {boundaryCheck = array<i32: 0, 1>, padding = 1 : i32} : !tt.ptr<tensor<32x16xf32>>
  %d = tt.dot %a, %b, %zero : tensor<64x32xf32> * tensor<32x16xf32> -> tensor<64x16xf32>
  tt.store %r, %d {boundaryCheck = array<i32: 0, 1>} : !tt.ptr<tensor<64x16xf32>>
  tt.return
}

// -----

// 16-bit elements are converted before they are exchanged. A tile that is
// transposed by an operation is read the same way; it is inside as a whole or
// not at all. Four columns make squares of four: rows of eight are two of them.

// CHECK-LABEL: func.func @computed(
// CHECK:           scf.for %{{.*}} = %c0_i64 to %c32_i64 step %c8_i64
// CHECK-COUNT-4:     arith.extf %{{.*}} : vector<8xf16> to vector<8xf32>
// CHECK-NOT:         arith.extf
// CHECK:             vector.shuffle %{{.*}} [0, 1, 8, 9, 4, 5, 12, 13] : vector<8xf32>
// CHECK-COUNT-7:     vector.shuffle
// CHECK-NOT:         vector.shuffle
// CHECK:             vector.extract_strided_slice %{{.*}} {offsets = [0], sizes = [4], strides = [1]}
// CHECK-COUNT-8:     llvm.store %{{.*}} : vector<4xf32>, !llvm.ptr
tt.func public @computed(%x: !tt.ptr<f16>, %y: !tt.ptr<f16>, %z: !tt.ptr<f32>, %s: i64) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<64x4xf32>
  %p = tt.make_tensor_ptr %x, [%s, %s], [%s, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<64x32xf16>>
  %q = tt.make_tensor_ptr %y, [%s, %s], [%s, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<4x32xf16>>
  %r = tt.make_tensor_ptr %z, [%s, %s], [%s, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<64x4xf32>>
  %a = tt.load %p : !tt.ptr<tensor<64x32xf16>>
  %b = tt.load %q {boundaryCheck = array<i32: 0>, padding = 1 : i32} : !tt.ptr<tensor<4x32xf16>>
  %t = tt.trans %b {order = array<i32: 1, 0>} : tensor<4x32xf16> -> tensor<32x4xf16>
  %d = tt.dot %a, %t, %zero : tensor<64x32xf16> * tensor<32x4xf16> -> tensor<64x4xf32>
  tt.store %r, %d : !tt.ptr<tensor<64x4xf32>>
  tt.return
}
