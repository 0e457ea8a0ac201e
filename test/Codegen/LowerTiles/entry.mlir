// RUN: spine-triton-opt %s -split-input-file -spine-to-linalg -spine-lower-tiles -canonicalize -cse | FileCheck %s

// Every argument has a slot of 8 bytes and is read in its own type; an i1 is a
// byte in memory. Everything is read once, outside of the loop over programs.

// CHECK-LABEL: func.func @arguments(
// CHECK-SAME:    %[[ARGS:[^:]*]]: !llvm.ptr {llvm.noalias}, %[[GRID:[^:]*]]: !llvm.ptr {llvm.noalias}, %[[BEGIN:[^:]*]]: i64, %[[END:[^:]*]]: i64, %[[ARENA:[^:]*]]: !llvm.ptr {llvm.noalias})
// CHECK:         %[[P:.*]] = llvm.load %[[ARGS]] {alignment = 8 : i64} : !llvm.ptr -> !llvm.ptr
// CHECK:         %[[S1:.*]] = llvm.getelementptr %[[ARGS]][1] : (!llvm.ptr) -> !llvm.ptr, i64
// CHECK:         llvm.load %[[S1]] {alignment = 4 : i64} : !llvm.ptr -> f32
// CHECK:         %[[S2:.*]] = llvm.getelementptr %[[ARGS]][2] : (!llvm.ptr) -> !llvm.ptr, i64
// CHECK:         llvm.load %[[S2]] {alignment = 2 : i64} : !llvm.ptr -> bf16
// CHECK:         %[[S3:.*]] = llvm.getelementptr %[[ARGS]][3] : (!llvm.ptr) -> !llvm.ptr, i64
// CHECK:         %[[BYTE:.*]] = llvm.load %[[S3]] {alignment = 1 : i64} : !llvm.ptr -> i8
// CHECK:         %[[BIT:.*]] = arith.cmpi ne, %[[BYTE]], %{{.*}} : i8
// CHECK:         %[[S4:.*]] = llvm.getelementptr %[[ARGS]][4] : (!llvm.ptr) -> !llvm.ptr, i64
// CHECK:         llvm.load %[[S4]] {alignment = 8 : i64} : !llvm.ptr -> i64
// CHECK:         scf.for %{{.*}} = %[[BEGIN]] to %[[END]] step %{{.*}} : i64 {
// CHECK-NOT:       llvm.load
// CHECK:         return
tt.func public @arguments(%p: !tt.ptr<f32>, %a: f32, %b: bf16, %c: i1, %d: i64, %qa: !tt.ptr<f32>, %qb: !tt.ptr<bf16>, %qc: !tt.ptr<i1>, %qd: !tt.ptr<i64>) {
  tt.store %qa, %a : !tt.ptr<f32>
  tt.store %qb, %b : !tt.ptr<bf16>
  tt.store %qc, %c : !tt.ptr<i1>
  tt.store %qd, %d : !tt.ptr<i64>
  tt.store %p, %a : !tt.ptr<f32>
  tt.return
}

// -----

// The number of a program taken apart: planes of nx * ny programs, in them groups
// of 4 * ny, which run through 4 of the first ids for each of the second. Frozen,
// an id hides from LLVM that it comes from a division.

// CHECK-LABEL: func.func @program_ids(
// CHECK-SAME:    %{{[^:]*}}: !llvm.ptr {{.*}}, %[[GRID:[^:]*]]: !llvm.ptr {{.*}}, %[[BEGIN:[^:]*]]: i64, %[[END:[^:]*]]: i64
// CHECK:         %[[NX:.*]] = llvm.load %[[GRID]] {alignment = 4 : i64} : !llvm.ptr -> i32
// CHECK:         %[[NX64:.*]] = arith.extsi %[[NX]] : i32 to i64
// CHECK:         %[[GY:.*]] = llvm.getelementptr %[[GRID]][1] : (!llvm.ptr) -> !llvm.ptr, i32
// CHECK:         %[[NY:.*]] = llvm.load %[[GY]]
// CHECK:         %[[NY64:.*]] = arith.extsi %[[NY]] : i32 to i64
// CHECK:         %[[GZ:.*]] = llvm.getelementptr %[[GRID]][2] : (!llvm.ptr) -> !llvm.ptr, i32
// CHECK:         %[[NZ:.*]] = llvm.load %[[GZ]]
// CHECK:         scf.for %[[ID:.*]] = %[[BEGIN]] to %[[END]]
// CHECK-DAG:       %[[PLANE:.*]] = arith.muli %[[NX64]], %[[NY64]] : i64
// CHECK-DAG:       %[[Z64:.*]] = arith.divui %[[ID]], %[[PLANE]] : i64
// CHECK-DAG:       %[[IN_PLANE:.*]] = arith.remui %[[ID]], %[[PLANE]] : i64
// CHECK-DAG:       %[[PER_GROUP:.*]] = arith.muli %[[NY64]], %c4_i64 : i64
// CHECK-DAG:       %[[GROUP:.*]] = arith.divui %[[IN_PLANE]], %[[PER_GROUP]] : i64
// CHECK-DAG:       %[[IN_GROUP:.*]] = arith.remui %[[IN_PLANE]], %[[PER_GROUP]] : i64
// CHECK-DAG:       %[[FIRST:.*]] = arith.muli %[[GROUP]], %c4_i64 : i64
// CHECK-DAG:       %[[LEFT:.*]] = arith.subi %[[NX64]], %[[FIRST]] : i64
// CHECK-DAG:       %[[SIZE:.*]] = arith.minsi %[[LEFT]], %c4_i64 : i64
// CHECK-DAG:       %[[Y64:.*]] = arith.divui %[[IN_GROUP]], %[[SIZE]] : i64
// CHECK-DAG:       %[[IN_ROW:.*]] = arith.remui %[[IN_GROUP]], %[[SIZE]] : i64
// CHECK-DAG:       %[[X64:.*]] = arith.addi %[[FIRST]], %[[IN_ROW]] : i64
// CHECK-DAG:       %[[X32:.*]] = arith.trunci %[[X64]] : i64 to i32
// CHECK-DAG:       %[[X:.*]] = llvm.freeze %[[X32]]
// CHECK-DAG:       %[[Y32:.*]] = arith.trunci %[[Y64]] : i64 to i32
// CHECK-DAG:       %[[Y:.*]] = llvm.freeze %[[Y32]]
// CHECK-DAG:       %[[Z32:.*]] = arith.trunci %[[Z64]] : i64 to i32
// CHECK-DAG:       %[[Z:.*]] = llvm.freeze %[[Z32]]
// CHECK:           llvm.store %[[X]]
// CHECK:           llvm.store %[[Y]]
// CHECK:           llvm.store %[[Z]]
// CHECK:           llvm.store %[[NX]]
// CHECK:           llvm.store %[[NY]]
// CHECK:           llvm.store %[[NZ]]
tt.func public @program_ids(%p: !tt.ptr<i32>) {
  %x = tt.get_program_id x : i32
  %y = tt.get_program_id y : i32
  %z = tt.get_program_id z : i32
  %nx = tt.get_num_programs x : i32
  %ny = tt.get_num_programs y : i32
  %nz = tt.get_num_programs z : i32
  tt.store %p, %x : !tt.ptr<i32>
  tt.store %p, %y : !tt.ptr<i32>
  tt.store %p, %z : !tt.ptr<i32>
  tt.store %p, %nx : !tt.ptr<i32>
  tt.store %p, %ny : !tt.ptr<i32>
  tt.store %p, %nz : !tt.ptr<i32>
  tt.return
}

// -----

// Kernels that do nothing, two in a module. Whatever they computed and nobody
// uses leaves no code, and no second version is needed.

// CHECK-LABEL: func.func @nothing(
// CHECK:         return
// CHECK-LABEL: func.func @unused(
// CHECK-NOT:     spine.scratch
// CHECK-NOT:     llvm.load {{.*}} vector
// CHECK:         return
// CHECK-NOT:   __may_alias
tt.func public @nothing() {
  tt.return
}
tt.func public @unused(%x: !tt.ptr<f32>, %n: i64) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i64
  %p = tt.make_tensor_ptr %x, [%n], [%c1], [%c0] {order = array<i32: 0>} : <tensor<16xf32>>
  %t = tt.load %p {boundaryCheck = array<i32: 0>} : !tt.ptr<tensor<16xf32>>
  %e = math.exp %t : tensor<16xf32>
  tt.return
}
