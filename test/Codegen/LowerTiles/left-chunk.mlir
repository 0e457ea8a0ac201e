// RUN: spine-triton-opt %s -split-input-file -spine-to-linalg -spine-lower-tiles -canonicalize -cse | FileCheck %s
// RUN: spine-triton-opt %s -split-input-file -spine-to-linalg -spine-lower-tiles="prefetch-rows=24" -canonicalize -cse | FileCheck %s --check-prefix=AHEAD

// The left operand's columns are contiguous: a chunk of rows is packed column by
// column, vector by vector, and the rows of a block lie side by side in it.

// CHECK-LABEL: func.func @transposed(
// CHECK:         %[[CHUNK:.*]] = spine.scratch {bytes = 49152 : i64, {{.*}}name = "dot.lhs.chunk"
// CHECK:         scf.for %[[FIRST:.*]] = %c0_i64 to %c64_i64 step %c48_i64
// CHECK:           arith.subi %c64_i64, %[[FIRST]]
// CHECK:           llvm.load %{{.*}} : !llvm.ptr -> vector<8xf32>
// CHECK:           llvm.store %{{.*}} : vector<8xf32>
// CHECK:           scf.for %{{.*}} = %[[FIRST]] to %{{.*}} step %c6_i64
// CHECK:             llvm.intr.fma
// CHECK-LABEL: func.func @transposed__may_alias(
// CHECK-NOT:     dot.lhs.chunk

// Where the processor fetches ahead, columns that turn out to be few are read
// where they lie, with one prefetch for each of the four steps that go together:
// of the column's next lines.

// AHEAD-LABEL: func.func @transposed(
// AHEAD:         %[[FEW:.*]] = arith.cmpi sle, %{{.*}}, %c32_i64
// AHEAD:         scf.if %[[FEW]] {
// AHEAD-NOT:       dot.lhs.chunk
// AHEAD:           scf.for %[[K:.*]] = %c0_i64 to %{{.*}} step %c4_i64 iter_args
// AHEAD:             %[[AT:.*]] = arith.muli %[[K]], %[[PITCH:.*]] : i64
// AHEAD:             %[[DOWN:.*]] = arith.addi %[[AT]], %c64_i64
// AHEAD:             %[[LINE:.*]] = llvm.getelementptr %{{.*}}[%[[DOWN]]]
// AHEAD:             "llvm.intr.prefetch"(%[[LINE]])
// AHEAD-COUNT-3:     "llvm.intr.prefetch"
// AHEAD-NOT:         "llvm.intr.prefetch"
// AHEAD:             llvm.intr.fma
// AHEAD:         } else {
// AHEAD:           spine.scratch {{.*}}name = "dot.lhs.chunk"
// AHEAD-LABEL: func.func @transposed__may_alias(
// AHEAD-NOT:     dot.lhs.chunk
// AHEAD-LABEL: func.func @many_columns(
tt.func public @transposed(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %z: !tt.ptr<f32>, %s: i64, %n: i32) {
  %c0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %i32 = arith.constant 32 : i32
  %c1 = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<64x16xf32>
  %r = tt.make_tensor_ptr %z, [%s, %s], [%s, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<64x16xf32>>
  %sum = scf.for %i = %c0 to %n step %i1 iter_args(%acc = %zero) -> (tensor<64x16xf32>) : i32 {
    %k = arith.muli %i, %i32 : i32
    %p = tt.make_tensor_ptr %x, [%s, %s], [%c1, %s], [%c0, %k] {order = array<i32: 0, 1>} : <tensor<64x32xf32>>
    %q = tt.make_tensor_ptr %y, [%s, %s], [%s, %c1], [%k, %c0] {order = array<i32: 1, 0>} : <tensor<32x16xf32>>
    %a = tt.load %p : !tt.ptr<tensor<64x32xf32>>
    %b = tt.load %q : !tt.ptr<tensor<32x16xf32>>
    %d = tt.dot %a, %b, %acc : tensor<64x32xf32> * tensor<32x16xf32> -> tensor<64x16xf32>
    scf.yield %d : tensor<64x16xf32>
  }
  tt.store %r, %sum : !tt.ptr<tensor<64x16xf32>>
  tt.return
}

// -----

// Eight groups of columns read the rows of a chunk: it is packed row by row. Two
// groups read them in place.

// CHECK-LABEL: func.func @many_columns(
// CHECK:         %[[CHUNK:.*]] = spine.scratch {bytes = 33792 : i64, {{.*}}name = "dot.lhs.chunk"
// CHECK-LABEL: func.func @few_columns(
// CHECK-NOT:     dot.lhs.chunk
tt.func public @many_columns(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %z: !tt.ptr<f32>, %s: i64, %n: i32) {
  %c0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %i32 = arith.constant 32 : i32
  %c1 = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<64x128xf32>
  %r = tt.make_tensor_ptr %z, [%s, %s], [%s, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<64x128xf32>>
  %sum = scf.for %i = %c0 to %n step %i1 iter_args(%acc = %zero) -> (tensor<64x128xf32>) : i32 {
    %k = arith.muli %i, %i32 : i32
    %p = tt.make_tensor_ptr %x, [%s, %s], [%s, %c1], [%c0, %k] {order = array<i32: 1, 0>} : <tensor<64x32xf32>>
    %q = tt.make_tensor_ptr %y, [%s, %s], [%s, %c1], [%k, %c0] {order = array<i32: 1, 0>} : <tensor<32x128xf32>>
    %a = tt.load %p : !tt.ptr<tensor<64x32xf32>>
    %b = tt.load %q : !tt.ptr<tensor<32x128xf32>>
    %d = tt.dot %a, %b, %acc : tensor<64x32xf32> * tensor<32x128xf32> -> tensor<64x128xf32>
    scf.yield %d : tensor<64x128xf32>
  }
  tt.store %r, %sum : !tt.ptr<tensor<64x128xf32>>
  tt.return
}
tt.func public @few_columns(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %z: !tt.ptr<f32>, %s: i64, %n: i32) {
  %c0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %i32 = arith.constant 32 : i32
  %c1 = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<64x32xf32>
  %r = tt.make_tensor_ptr %z, [%s, %s], [%s, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<64x32xf32>>
  %sum = scf.for %i = %c0 to %n step %i1 iter_args(%acc = %zero) -> (tensor<64x32xf32>) : i32 {
    %k = arith.muli %i, %i32 : i32
    %p = tt.make_tensor_ptr %x, [%s, %s], [%s, %c1], [%c0, %k] {order = array<i32: 1, 0>} : <tensor<64x32xf32>>
    %q = tt.make_tensor_ptr %y, [%s, %s], [%s, %c1], [%k, %c0] {order = array<i32: 1, 0>} : <tensor<32x32xf32>>
    %a = tt.load %p : !tt.ptr<tensor<64x32xf32>>
    %b = tt.load %q : !tt.ptr<tensor<32x32xf32>>
    %d = tt.dot %a, %b, %acc : tensor<64x32xf32> * tensor<32x32xf32> -> tensor<64x32xf32>
    scf.yield %d : tensor<64x32xf32>
  }
  tt.store %r, %sum : !tt.ptr<tensor<64x32xf32>>
  tt.return
}

// -----

// Rows that have to be converted are packed ahead even for one group of columns,
// as many as a first-level cache holds. While they are multiplied the next ones
// are fetched: of those that a cache line's 32 elements belong to, one with
// every four steps of the reduction.

// CHECK-LABEL: func.func @converted(
// CHECK:         spine.scratch {bytes = 24576 : i64, {{.*}}name = "dot.lhs.chunk"
// CHECK:         arith.extf %{{.*}} : vector<8xf16> to vector<8xf32>
// CHECK:         llvm.intr.fma
// CHECK-LABEL: func.func @converted__may_alias(
// AHEAD-LABEL: func.func @converted(
// AHEAD:         scf.for %[[K:.*]] = %c0_i64 to %{{.*}} step %c4_i64 iter_args
// AHEAD:           %[[TURN:.*]] = arith.remui
// AHEAD:           "llvm.intr.prefetch"
// AHEAD-NOT:       "llvm.intr.prefetch"
// AHEAD:           llvm.intr.fma
// AHEAD-LABEL: func.func @converted__may_alias(
tt.func public @converted(%x: !tt.ptr<f16>, %y: !tt.ptr<f16>, %z: !tt.ptr<f32>, %s: i64, %n: i32) {
  %c0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %i32 = arith.constant 32 : i32
  %c1 = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<64x16xf32>
  %r = tt.make_tensor_ptr %z, [%s, %s], [%s, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<64x16xf32>>
  %sum = scf.for %i = %c0 to %n step %i1 iter_args(%acc = %zero) -> (tensor<64x16xf32>) : i32 {
    %k = arith.muli %i, %i32 : i32
    %p = tt.make_tensor_ptr %x, [%s, %s], [%s, %c1], [%c0, %k] {order = array<i32: 1, 0>} : <tensor<64x32xf16>>
    %q = tt.make_tensor_ptr %y, [%s, %s], [%s, %c1], [%k, %c0] {order = array<i32: 1, 0>} : <tensor<32x16xf16>>
    %a = tt.load %p : !tt.ptr<tensor<64x32xf16>>
    %b = tt.load %q : !tt.ptr<tensor<32x16xf16>>
    %d = tt.dot %a, %b, %acc : tensor<64x32xf16> * tensor<32x16xf16> -> tensor<64x16xf32>
    scf.yield %d : tensor<64x16xf32>
  }
  tt.store %r, %sum : !tt.ptr<tensor<64x16xf32>>
  tt.return
}
