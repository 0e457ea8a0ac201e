// RUN: spine-triton-opt %s -split-input-file -spine-to-linalg "-spine-lower-tiles=vector-bits=1024 vector-registers=32 strided-lanes=32" -canonicalize -cse | FileCheck %s --check-prefixes=CHECK,COLUMNS
// RUN: spine-triton-opt %s -split-input-file -spine-to-linalg "-spine-lower-tiles=vector-bits=1024 vector-registers=32 strided-lanes=1" -canonicalize -cse | FileCheck %s --check-prefixes=CHECK,ROWS
// RUN: spine-triton-opt %s -split-input-file -spine-to-linalg "-spine-lower-tiles=vector-bits=1024 vector-registers=32" -canonicalize -cse | FileCheck %s --check-prefixes=CHECK,NONE

// A product with 16 columns fills half a register of 32 lanes. Where strided
// loads are fast, vectors lie along the columns: four registers of rows at a
// time, by six columns and then twice by five, which is all that the registers
// hold. The columns are packed all together. Fences, which are no instructions,
// keep LLVM from beginning the loads of several steps at once.

// CHECK-LABEL: func.func @few_columns(
// COLUMNS-DAG:     %[[PITCH:.+]] = arith.constant 256 : i64
// COLUMNS-DAG:     %[[LANES:.+]] = llvm.mlir.constant(128 : i32) : i32
// COLUMNS:         spine.scratch {bytes = 32768 : i64, id = 0 : i64, name = "dot.lhs"
// COLUMNS:         %[[RHS:.+]] = spine.scratch {bytes = 4096 : i64, id = {{[0-9]+}} : i64, name = "dot.rhs"
// COLUMNS:           scf.for %{{.*}} = %c0_i64 to %c256_i64 step %c128_i64
// COLUMNS:             scf.for {{.*}} step %c8_i64 iter_args(%[[S0:[^ ]+]] = %{{[^,]*}}, {{.*}}) -> (vector<128xf32>, vector<128xf32>, vector<128xf32>, vector<128xf32>, vector<128xf32>, vector<128xf32>)
// COLUMNS:               %[[A:.+]] = "llvm.intr.experimental.vp.strided.load"(%{{.*}}, %[[PITCH]], %{{.*}}, %[[LANES]])
// COLUMNS:               %[[B:.+]] = llvm.load %{{.*}} : !llvm.ptr -> f32
// COLUMNS:               %[[SPLAT:.+]] = vector.broadcast %[[B]] : f32 to vector<128xf32>
// COLUMNS:               llvm.intr.fma(%[[A]], %[[SPLAT]], %[[S0]])
// COLUMNS-COUNT-5:       llvm.intr.fma(%[[A]],
// COLUMNS-NEXT:          llvm.fence syncscope("singlethread") seq_cst
// COLUMNS:             "llvm.intr.experimental.vp.strided.store"({{.*}}) : (vector<128xf32>, !llvm.ptr, i64, vector<128xi1>, i32) -> ()
// COLUMNS:         scf.for %{{.*}} = %c6_i64 to %c16_i64 step %c5_i64
// COLUMNS:           scf.for %{{.*}} = %c0_i64 to %c256_i64 step %c128_i64
// COLUMNS:             scf.for {{.*}} step %c8_i64 iter_args({{.*}}) -> (vector<128xf32>, vector<128xf32>, vector<128xf32>, vector<128xf32>, vector<128xf32>)

// Where they are slow, or there are none, along the rows. Scalars are loaded by
// instructions of their own: sixteen rows share a vector of the right operand,
// and sixteen steps the address of a row, which is made from the row's before it.
// ROWS-NOT:        strided.load
// ROWS:            scf.for %{{.*}} = %c0_i64 to %c256_i64 step %c16_i64
// ROWS:              scf.for {{.*}} step %c16_i64 iter_args({{.*}}) -> (vector<16xf32>,
// ROWS:                %[[NEXT:.+]] = llvm.getelementptr %{{.*}}[64] : (!llvm.ptr) -> !llvm.ptr, f32
// ROWS-NEXT:           %[[ROW:.+]] = llvm.intr.launder.invariant.group %[[NEXT]]
// ROWS-NEXT:           llvm.getelementptr %[[ROW]][64] : (!llvm.ptr) -> !llvm.ptr, f32
// ROWS-COUNT-14:       llvm.intr.launder.invariant.group
// ROWS-NOT:            llvm.intr.launder.invariant.group
// ROWS-COUNT-256:      llvm.intr.fma
// ROWS-NOT:        strided.load
// NONE-NOT:        strided
// NONE:            scf.for {{.*}} -> (vector<16xf32>,
// NONE-NOT:        strided
tt.func public @few_columns(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %z: !tt.ptr<f32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i64
  %c16 = arith.constant 16 : i64
  %c64 = arith.constant 64 : i64
  %c256 = arith.constant 256 : i64
  %zero = arith.constant dense<0.0> : tensor<256x16xf32>
  %p = tt.make_tensor_ptr %x, [%c256, %c64], [%c64, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<256x64xf32>>
  %q = tt.make_tensor_ptr %y, [%c64, %c16], [%c16, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<64x16xf32>>
  %r = tt.make_tensor_ptr %z, [%c256, %c16], [%c16, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<256x16xf32>>
  %a = tt.load %p : !tt.ptr<tensor<256x64xf32>>
  %b = tt.load %q : !tt.ptr<tensor<64x16xf32>>
  %d = tt.dot %a, %b, %zero : tensor<256x64xf32> * tensor<64x16xf32> -> tensor<256x16xf32>
  tt.store %r, %d : !tt.ptr<tensor<256x16xf32>>
  tt.return
}

// -----

// A tile of few rows keeps the other form.

// CHECK-LABEL: func.func @few_rows(
// CHECK-NOT:     strided.load
// CHECK:         scf.for {{.*}} -> (vector<16xf32>,
tt.func public @few_rows(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %z: !tt.ptr<f32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i64
  %c16 = arith.constant 16 : i64
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %p = tt.make_tensor_ptr %x, [%c16, %c16], [%c16, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<16x16xf32>>
  %q = tt.make_tensor_ptr %y, [%c16, %c16], [%c16, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<16x16xf32>>
  %r = tt.make_tensor_ptr %z, [%c16, %c16], [%c16, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<16x16xf32>>
  %a = tt.load %p : !tt.ptr<tensor<16x16xf32>>
  %b = tt.load %q : !tt.ptr<tensor<16x16xf32>>
  %d = tt.dot %a, %b, %zero : tensor<16x16xf32> * tensor<16x16xf32> -> tensor<16x16xf32>
  tt.store %r, %d : !tt.ptr<tensor<16x16xf32>>
  tt.return
}
