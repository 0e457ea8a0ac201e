// RUN: spine-triton-opt %s -split-input-file -spine-to-linalg -spine-lower-tiles -canonicalize -cse | FileCheck %s

// A loop that only accumulates a product keeps each block of results in
// registers over many iterations: their right operands are packed first, then
// the rows run through them. The results of the last group go from the registers
// to memory, those of the others to a buffer. At least one group runs, so that
// zeros are stored if there is no iteration.

// CHECK-LABEL: func.func @accumulate(
// CHECK:         %[[OUT:.*]] = spine.scratch {bytes = 1024 : i64, {{.*}}name = "accumulator"
// CHECK-NOT:     scf.if
// CHECK:         %[[PACKED:.*]] = spine.scratch {bytes = 16384 : i64, {{.*}}name = "dot.rhs"
// CHECK:         %[[END:.*]] = arith.maxsi
// CHECK:         scf.for %[[FIRST:.*]] = %c0_i64 to %[[END]] step %c8_i64
// CHECK:           scf.for {{.*}} iter_args
// CHECK-NOT:         llvm.intr.fma
// CHECK:             llvm.store %{{.*}} : vector<8xf32>
// CHECK:           scf.for {{.*}} = %c0_i64 to %c16_i64 step %c4_i64
// CHECK:             scf.if %{{.*}} -> ({{.*}}vector<8xf32>
// CHECK:             %[[SUMS:.*]]:8 = scf.for {{.*}} -> (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>)
// CHECK:               llvm.intr.fma
// CHECK:             %[[LAST:.*]] = arith.cmpi {{sge|sle}}
// CHECK-NEXT:        scf.if %[[LAST]] {
// CHECK-COUNT-8:      llvm.store %[[SUMS]]#
// CHECK:             } else {
// CHECK-COUNT-8:      llvm.store %[[SUMS]]#
// CHECK-LABEL: func.func @accumulate__may_alias(
// CHECK:         %[[NONE:.*]] = arith.cmpi {{sge|sle}}
// CHECK:         scf.if %[[NONE]] {
tt.func public @accumulate(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %z: !tt.ptr<f32>, %s: i64, %n: i32) {
  %c0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %i32 = arith.constant 32 : i32
  %c1 = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %r = tt.make_tensor_ptr %z, [%s, %s], [%s, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<16x16xf32>>
  %sum = scf.for %i = %c0 to %n step %i1 iter_args(%acc = %zero) -> (tensor<16x16xf32>) : i32 {
    %k = arith.muli %i, %i32 : i32
    %p = tt.make_tensor_ptr %x, [%s, %s], [%s, %c1], [%c0, %k] {order = array<i32: 1, 0>} : <tensor<16x32xf32>>
    %q = tt.make_tensor_ptr %y, [%s, %s], [%s, %c1], [%k, %c0] {order = array<i32: 1, 0>} : <tensor<32x16xf32>>
    %a = tt.load %p : !tt.ptr<tensor<16x32xf32>>
    %b = tt.load %q : !tt.ptr<tensor<32x16xf32>>
    %d = tt.dot %a, %b, %acc : tensor<16x32xf32> * tensor<32x16xf32> -> tensor<16x16xf32>
    scf.yield %d : tensor<16x16xf32>
  }
  tt.store %r, %sum : !tt.ptr<tensor<16x16xf32>>
  tt.return
}

// -----

// A loop that does more (here it stores) is lowered as it stands, with the
// accumulator in one buffer.

// CHECK-LABEL: func.func @stores(
// CHECK:         %[[ACC:.*]] = spine.scratch {bytes = 1024 : i64, {{.*}}name = "carried"
// CHECK:         scf.for %{{.*}} : i32 {
// CHECK:           llvm.getelementptr %[[ACC]]
// CHECK:           llvm.load
// CHECK:           llvm.intr.fma
tt.func public @stores(%x: !tt.ptr<f32>, %z: !tt.ptr<f32>, %s: i64, %n: i32) {
  %c0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %c1 = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %p = tt.make_tensor_ptr %x, [%s, %s], [%s, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<16x16xf32>>
  %r = tt.make_tensor_ptr %z, [%s, %s], [%s, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<16x16xf32>>
  %sum = scf.for %i = %c0 to %n step %i1 iter_args(%acc = %zero) -> (tensor<16x16xf32>) : i32 {
    %a = tt.load %p : !tt.ptr<tensor<16x16xf32>>
    %d = tt.dot %a, %a, %acc : tensor<16x16xf32> * tensor<16x16xf32> -> tensor<16x16xf32>
    tt.store %r, %a : !tt.ptr<tensor<16x16xf32>>
    scf.yield %d : tensor<16x16xf32>
  }
  tt.store %r, %sum : !tt.ptr<tensor<16x16xf32>>
  tt.return
}
