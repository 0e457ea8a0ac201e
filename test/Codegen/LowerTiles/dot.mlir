// RUN: spine-triton-opt %s -split-input-file -spine-to-linalg -spine-lower-tiles -canonicalize -cse | FileCheck %s

// fp32 from zero. The right operand's columns are packed two vectors at a time;
// four rows of the left one are read where they lie; eight vectors of sums stay
// in registers and go from there to memory; k is unrolled by four.

// CHECK-LABEL: func.func @fp32(
// CHECK-DAG:     %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : vector<8xf32>
// CHECK:         %[[X:.*]] = llvm.load %arg0
// CHECK-NOT:     name = "dot"
// CHECK:         scf.for %{{.*}} = %c0_i64 to %c32_i64 step %c16_i64
// CHECK:           %[[RIGHT:.*]] = spine.scratch {bytes = 4096 : i64, {{.*}}name = "dot.rhs"
// CHECK:           scf.for %{{.*}} = %c0_i64 to %c64_i64 step %c1_i64
// CHECK:             scf.for %{{.*}} = %c0_i64 to %c16_i64 step %c8_i64
// CHECK:               llvm.store %{{.*}} : vector<8xf32>
// CHECK:           scf.for %[[ROW:.*]] = %c0_i64 to %c32_i64 step %c4_i64
// CHECK-NOT:         scf.if
// CHECK:             %[[SUMS:.*]]:8 = scf.for %{{.*}} = %c0_i64 to %c64_i64 step %c4_i64 iter_args(%{{.*}} = %[[ZERO]], {{.*}}) -> (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>)
// CHECK-COUNT-32:      llvm.intr.fma({{.*}}) : (vector<8xf32>, vector<8xf32>, vector<8xf32>) -> vector<8xf32>
// CHECK-NOT:           llvm.intr.fma
// CHECK-COUNT-8:     llvm.store %[[SUMS]]#{{.*}} : vector<8xf32>
// CHECK-LABEL: func.func @fp32__may_alias(
// CHECK:         spine.scratch {bytes = 4096 : i64, id = 0 : i64, name = "dot"
tt.func public @fp32(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %z: !tt.ptr<f32>, %s: i64) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %p = tt.make_tensor_ptr %x, [%s, %s], [%s, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<32x64xf32>>
  %q = tt.make_tensor_ptr %y, [%s, %s], [%s, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<64x32xf32>>
  %r = tt.make_tensor_ptr %z, [%s, %s], [%s, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<32x32xf32>>
  %a = tt.load %p : !tt.ptr<tensor<32x64xf32>>
  %b = tt.load %q : !tt.ptr<tensor<64x32xf32>>
  %d = tt.dot %a, %b, %zero : tensor<32x64xf32> * tensor<64x32xf32> -> tensor<32x32xf32>
  tt.store %r, %d : !tt.ptr<tensor<32x32xf32>>
  tt.return
}

// -----

// Boundary checks with zeros for padding: the reduction ends with the valid
// elements, and rows that are not all inside are packed.

// CHECK-LABEL: func.func @checked(
// CHECK:         %[[ENDA:.*]] = arith.minsi %{{.*}}, %c32_i64 : i64
// CHECK:         %[[ENDB:.*]] = arith.minsi %{{.*}}, %c32_i64 : i64
// CHECK:         %[[END:.*]] = arith.maxsi %[[ENDA]], %[[ENDB]] : i64
// CHECK:         %[[PACKED:.*]] = spine.scratch {{.*}}name = "dot.lhs"
// CHECK:         spine.scratch {{.*}}name = "dot.rhs"
// CHECK:         scf.for %{{.*}} = %c0_i64 to %[[END]] step %c1_i64
// CHECK:         arith.select %[[IN:.*]], %{{.*}}, %[[PACKED]] : !llvm.ptr
// CHECK:         scf.if %[[IN]] {
// CHECK-NEXT:    } else {
// CHECK:           llvm.getelementptr %[[PACKED]]
// CHECK:           llvm.store
// CHECK:         %[[UNROLLED:.*]] = arith.andi %[[END]], %c-4_i64
// CHECK:         scf.for %{{.*}} = %c0_i64 to %[[UNROLLED]] step %c4_i64
// CHECK:         scf.for %{{.*}} = %[[UNROLLED]] to %[[END]] step %c1_i64
tt.func public @checked(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %z: !tt.ptr<f32>, %m: i64, %k: i64, %l: i64) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %p = tt.make_tensor_ptr %x, [%m, %k], [%k, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<16x32xf32>>
  %q = tt.make_tensor_ptr %y, [%l, %m], [%m, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<32x16xf32>>
  %r = tt.make_tensor_ptr %z, [%m, %m], [%m, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<16x16xf32>>
  %a = tt.load %p {boundaryCheck = array<i32: 0, 1>, padding = 1 : i32} : !tt.ptr<tensor<16x32xf32>>
  %b = tt.load %q {boundaryCheck = array<i32: 0, 1>, padding = 1 : i32} : !tt.ptr<tensor<32x16xf32>>
  %d = tt.dot %a, %b, %zero : tensor<16x32xf32> * tensor<32x16xf32> -> tensor<16x16xf32>
  tt.store %r, %d {boundaryCheck = array<i32: 0, 1>} : !tt.ptr<tensor<16x16xf32>>
  tt.return
}

// -----

// NaN padding takes part in the product: the reduction is not cut short.

// CHECK-LABEL: func.func @nan_padding(
// CHECK:         scf.for {{.*}} = %c0_i64 to %c32_i64 step %c4_i64 iter_args
tt.func public @nan_padding(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %z: !tt.ptr<f32>, %m: i64, %k: i64) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %p = tt.make_tensor_ptr %x, [%m, %k], [%k, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<16x32xf32>>
  %q = tt.make_tensor_ptr %y, [%k, %m], [%m, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<32x16xf32>>
  %r = tt.make_tensor_ptr %z, [%m, %m], [%m, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<16x16xf32>>
  %a = tt.load %p {boundaryCheck = array<i32: 0, 1>, padding = 2 : i32} : !tt.ptr<tensor<16x32xf32>>
  %b = tt.load %q {boundaryCheck = array<i32: 0, 1>, padding = 1 : i32} : !tt.ptr<tensor<32x16xf32>>
  %d = tt.dot %a, %b, %zero : tensor<16x32xf32> * tensor<32x16xf32> -> tensor<16x16xf32>
  tt.store %r, %d : !tt.ptr<tensor<16x16xf32>>
  tt.return
}

// -----

// fp16 inputs are widened where they are packed, once; the accumulator is fp32 in
// all of the loop and is rounded after it.

// CHECK-LABEL: func.func @fp16_accumulate(
// CHECK:         spine.scratch {bytes = 1024 : i64, id = 0 : i64, name = "accumulator"
// CHECK:         arith.extf %{{.*}} : vector<8xf16> to vector<8xf32>
// CHECK:         name = "dot.lhs.chunk"
// CHECK:         arith.extf %{{.*}} : vector<8xf16> to vector<8xf32>
// CHECK-NOT:     arith.truncf
// CHECK:         scf.for {{.*}} vector<8xf32>
// CHECK-NOT:     arith.truncf
// CHECK:           llvm.intr.fma{{.*}} vector<8xf32>
// CHECK:         arith.truncf %{{.*}} : vector<8xf32> to vector<8xf16>
tt.func public @fp16_accumulate(%x: !tt.ptr<f16>, %y: !tt.ptr<f16>, %z: !tt.ptr<f16>, %s: i64, %trips: i32) {
  %c0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %c1 = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %p = tt.make_tensor_ptr %x, [%s, %s], [%s, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<16x16xf16>>
  %q = tt.make_tensor_ptr %y, [%s, %s], [%s, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<16x16xf16>>
  %r = tt.make_tensor_ptr %z, [%s, %s], [%s, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<16x16xf16>>
  %sum = scf.for %i = %c0 to %trips step %i1 iter_args(%acc = %zero) -> (tensor<16x16xf32>) : i32 {
    %a = tt.load %p : !tt.ptr<tensor<16x16xf16>>
    %b = tt.load %q : !tt.ptr<tensor<16x16xf16>>
    %d = tt.dot %a, %b, %zero : tensor<16x16xf16> * tensor<16x16xf16> -> tensor<16x16xf32>
    %next = arith.addf %acc, %d : tensor<16x16xf32>
    scf.yield %next : tensor<16x16xf32>
  }
  %h = arith.truncf %sum : tensor<16x16xf32> to tensor<16x16xf16>
  tt.store %r, %h : !tt.ptr<tensor<16x16xf16>>
  tt.return
}

// -----

// A 16-bit result is rounded once, from sums in fp32.

// CHECK-LABEL: func.func @bf16_result(
// CHECK:         spine.scratch {bytes = 256 : i64, id = 0 : i64, name = "dot"
// CHECK:         llvm.intr.fma{{.*}} vector<8xf32>
// CHECK:         spine.scratch {bytes = 128 : i64, {{.*}}name = "dot"
// CHECK:         arith.truncf %{{.*}} : vector<8xf32> to vector<8xbf16>
tt.func public @bf16_result(%x: !tt.ptr<bf16>, %s: i64) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<8x8xbf16>
  %p = tt.make_tensor_ptr %x, [%s, %s], [%s, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<8x8xbf16>>
  %a = tt.load %p : !tt.ptr<tensor<8x8xbf16>>
  %d = tt.dot %a, %a, %zero : tensor<8x8xbf16> * tensor<8x8xbf16> -> tensor<8x8xbf16>
  tt.store %p, %d : !tt.ptr<tensor<8x8xbf16>>
  tt.return
}

// -----

// int8 to int32, on top of a tile that has to be loaded first.

// CHECK-LABEL: func.func @int8(
// CHECK:         %[[OUT:.*]] = spine.scratch {bytes = 256 : i64, id = 0 : i64, name = "dot"
// CHECK:         llvm.load %{{.*}} : !llvm.ptr -> vector<8xi32>
// CHECK:         llvm.store %{{.*}} : vector<8xi32>
// CHECK:         arith.extsi %{{.*}} : vector<8xi8> to vector<8xi32>
// CHECK:         arith.muli %{{.*}}, %{{.*}} : vector<8xi32>
// CHECK:         arith.addi %{{.*}}, %{{.*}} : vector<8xi32>
// CHECK-NOT:     fma
tt.func public @int8(%x: !tt.ptr<i8>, %y: !tt.ptr<i32>, %z: !tt.ptr<i32>, %s: i64) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i64
  %p = tt.make_tensor_ptr %x, [%s, %s], [%s, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<8x8xi8>>
  %q = tt.make_tensor_ptr %y, [%s, %s], [%s, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<8x8xi32>>
  %r = tt.make_tensor_ptr %z, [%s, %s], [%s, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<8x8xi32>>
  %a = tt.load %p : !tt.ptr<tensor<8x8xi8>>
  %c = tt.load %q : !tt.ptr<tensor<8x8xi32>>
  %d = tt.dot %a, %a, %c : tensor<8x8xi8> * tensor<8x8xi8> -> tensor<8x8xi32>
  tt.store %r, %d : !tt.ptr<tensor<8x8xi32>>
  tt.return
}

// -----

// Batches are a loop around the same code; here a checked one, so a batch that
// is not there is not read in place.

// CHECK-LABEL: func.func @batched(
// CHECK:         scf.for %[[B:.*]] = %c0_i64 to %c4_i64 step %c1_i64
// CHECK:           name = "dot.rhs"
// CHECK:           %[[IN:.*]] = arith.cmpi slt, %[[B]], %{{.*}} : i64
// CHECK:           arith.select %{{.*}}, %{{.*}}, %{{.*}} : !llvm.ptr
// CHECK:           llvm.intr.fma{{.*}} vector<4xf64>
tt.func public @batched(%x: !tt.ptr<f64>, %z: !tt.ptr<f64>, %n: i64) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i64
  %c8 = arith.constant 8 : i64
  %c64 = arith.constant 64 : i64
  %zero = arith.constant dense<0.0> : tensor<4x8x8xf64>
  %p = tt.make_tensor_ptr %x, [%n, %c8, %c8], [%c64, %c8, %c1], [%c0, %c0, %c0] {order = array<i32: 2, 1, 0>} : <tensor<4x8x8xf64>>
  %r = tt.make_tensor_ptr %z, [%n, %c8, %c8], [%c64, %c8, %c1], [%c0, %c0, %c0] {order = array<i32: 2, 1, 0>} : <tensor<4x8x8xf64>>
  %a = tt.load %p {boundaryCheck = array<i32: 0>, padding = 1 : i32} : !tt.ptr<tensor<4x8x8xf64>>
  %d = tt.dot %a, %a, %zero : tensor<4x8x8xf64> * tensor<4x8x8xf64> -> tensor<4x8x8xf64>
  tt.store %r, %d {boundaryCheck = array<i32: 0>} : !tt.ptr<tensor<4x8x8xf64>>
  tt.return
}

// -----

// A transposed operand is not copied first: rows are packed from columns.

// CHECK-LABEL: func.func @transposed(
// CHECK-NOT:     spine.scratch {bytes = 4096
// CHECK:         name = "dot.lhs"
// CHECK:         name = "dot.rhs"
tt.func public @transposed(%x: !tt.ptr<f32>, %z: !tt.ptr<f32>, %s: i64) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %p = tt.make_tensor_ptr %x, [%s, %s], [%s, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<64x16xf32>>
  %r = tt.make_tensor_ptr %z, [%s, %s], [%s, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<16x16xf32>>
  %a = tt.load %p : !tt.ptr<tensor<64x16xf32>>
  %t = tt.trans %a {order = array<i32: 1, 0>} : tensor<64x16xf32> -> tensor<16x64xf32>
  %d = tt.dot %t, %a, %zero : tensor<16x64xf32> * tensor<64x16xf32> -> tensor<16x16xf32>
  tt.store %r, %d : !tt.ptr<tensor<16x16xf32>>
  tt.return
}

// -----

// Sizes of one.

// CHECK-LABEL: func.func @one_by_one(
// CHECK:         llvm.intr.fma{{.*}} vector<1xf32>
tt.func public @one_by_one(%x: !tt.ptr<f32>, %s: i64) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i64
  %one = arith.constant dense<1.0> : tensor<1x1xf32>
  %p = tt.make_tensor_ptr %x, [%s, %s], [%s, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<1x1xf32>>
  %a = tt.load %p : !tt.ptr<tensor<1x1xf32>>
  %d = tt.dot %a, %a, %one : tensor<1x1xf32> * tensor<1x1xf32> -> tensor<1x1xf32>
  tt.store %p, %d : !tt.ptr<tensor<1x1xf32>>
  tt.return
}
