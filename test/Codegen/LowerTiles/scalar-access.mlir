// RUN: spine-triton-opt %s -split-input-file -spine-to-linalg -spine-lower-tiles -canonicalize -cse | FileCheck %s

// CHECK-LABEL: func.func @plain(
// CHECK:         scf.for
// CHECK:           %[[O:.*]] = arith.extsi %{{.*}} : i32 to i64
// CHECK:           %[[P:.*]] = llvm.getelementptr %{{.*}}[%[[O]]] : (!llvm.ptr, i64) -> !llvm.ptr, f64
// CHECK:           %[[V:.*]] = llvm.load %[[P]] {alignment = 8 : i64} : !llvm.ptr -> f64
// CHECK:           llvm.store %[[V]], %{{.*}} {alignment = 8 : i64} : f64, !llvm.ptr
tt.func public @plain(%x: !tt.ptr<f64>, %i: i32) {
  %p = tt.addptr %x, %i : !tt.ptr<f64>, i32
  %v = tt.load %p : !tt.ptr<f64>
  tt.store %x, %v : !tt.ptr<f64>
  tt.return
}

// -----

// Under a mask, with and without a value instead; i1 and pointers.

// CHECK-LABEL: func.func @masked(
// CHECK-DAG:     %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-DAG:     %[[NULL:.*]] = llvm.mlir.zero : !llvm.ptr
// CHECK:         %[[V:.*]] = scf.if %{{.*}} -> (f32) {
// CHECK:           llvm.load %{{.*}} : !llvm.ptr -> f32
// CHECK:         } else {
// CHECK:           scf.yield %[[ZERO]]
// CHECK:         %[[W:.*]] = scf.if %{{.*}} -> (f32) {
// CHECK:           llvm.load
// CHECK:         } else {
// CHECK:           scf.yield %[[V]]
// CHECK:         %[[BIT:.*]] = scf.if %{{.*}} -> (i1) {
// CHECK:           llvm.load %{{.*}} {alignment = 1 : i64} : !llvm.ptr -> i8
// CHECK:           arith.cmpi ne
// CHECK:         %[[P:.*]] = scf.if %{{.*}} -> (!llvm.ptr) {
// CHECK:           llvm.load %{{.*}} {alignment = 8 : i64} : !llvm.ptr -> !llvm.ptr
// CHECK:         } else {
// CHECK:           scf.yield %[[NULL]]
// CHECK:         scf.if %{{.*}} {
// CHECK:           llvm.store %[[W]], %[[P]]
// CHECK:         %[[BYTE:.*]] = arith.extui %[[BIT]] : i1 to i8
// CHECK:         llvm.store %[[BYTE]], %{{.*}} {alignment = 1 : i64} : i8
tt.func public @masked(%x: !tt.ptr<f32>, %b: !tt.ptr<i1>, %pp: !tt.ptr<!tt.ptr<f32>>, %c0: i1, %c1: i1, %c2: i1, %c3: i1, %c4: i1) {
  %v = tt.load %x, %c0 : !tt.ptr<f32>
  %w = tt.load %x, %c1, %v : !tt.ptr<f32>
  %bit = tt.load %b, %c2 : !tt.ptr<i1>
  %p = tt.load %pp, %c3 : !tt.ptr<!tt.ptr<f32>>
  tt.store %p, %w, %c4 : !tt.ptr<f32>
  tt.store %b, %bit : !tt.ptr<i1>
  tt.return
}

// -----

// Pointers as numbers and of other types, chosen by a condition.

// CHECK-LABEL: func.func @pointers(
// CHECK:         %[[I:.*]] = llvm.ptrtoint %{{.*}} : !llvm.ptr to i64
// CHECK:         %[[J:.*]] = arith.addi %[[I]], %{{.*}} : i64
// CHECK:         %[[Q:.*]] = llvm.inttoptr %[[J]] : i64 to !llvm.ptr
// CHECK:         %[[R:.*]] = arith.select %{{.*}}, %{{.*}}, %[[Q]] : !llvm.ptr
// CHECK:         llvm.load %[[R]] {alignment = 4 : i64} : !llvm.ptr -> i32
tt.func public @pointers(%x: !tt.ptr<f32>, %n: i64, %c: i1, %y: !tt.ptr<i32>) {
  %i = tt.ptr_to_int %x : !tt.ptr<f32> -> i64
  %j = arith.addi %i, %n : i64
  %q = tt.int_to_ptr %j : i64 -> !tt.ptr<f32>
  %r = arith.select %c, %x, %q : !tt.ptr<f32>
  %s = tt.bitcast %r : !tt.ptr<f32> -> !tt.ptr<i32>
  %v = tt.load %s : !tt.ptr<i32>
  tt.store %y, %v : !tt.ptr<i32>
  tt.return
}

// -----

// The only element of a tile as a scalar. A barrier is nothing.

// CHECK-LABEL: func.func @unsplat_and_barrier(
// CHECK-NOT:     barrier
// CHECK:         %[[V:.*]] = llvm.load %{{.*}} : !llvm.ptr -> f32
// CHECK:         llvm.store %[[V]]
// CHECK-NOT:     barrier
tt.func public @unsplat_and_barrier(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %p = tt.splat %x : !tt.ptr<f32> -> tensor<1x!tt.ptr<f32>>
  %t = tt.load %p : tensor<1x!tt.ptr<f32>>
  ttg.barrier local
  %v = tt.unsplat %t : tensor<1xf32>
  tt.store %y, %v : !tt.ptr<f32>
  tt.return
}

// -----

// The only pointer of a tile, read from memory as a number.

// CHECK-LABEL: func.func @unsplat_pointer(
// CHECK:         %[[I:.*]] = llvm.load %{{.*}} : !llvm.ptr -> i64
// CHECK:         %[[P:.*]] = llvm.inttoptr %[[I]] : i64 to !llvm.ptr
// CHECK:         llvm.load %[[P]] {{.*}} : !llvm.ptr -> f32
tt.func public @unsplat_pointer(%x: !tt.ptr<!tt.ptr<f32>>, %y: !tt.ptr<f32>) {
  %p = tt.splat %x : !tt.ptr<!tt.ptr<f32>> -> tensor<1x!tt.ptr<!tt.ptr<f32>>>
  %t = tt.load %p : tensor<1x!tt.ptr<!tt.ptr<f32>>>
  %q = tt.unsplat %t : tensor<1x!tt.ptr<f32>>
  %v = tt.load %q : !tt.ptr<f32>
  tt.store %y, %v : !tt.ptr<f32>
  tt.return
}

// -----

// Scalar arithmetic stays; bf16 is computed in fp32.

// CHECK-LABEL: func.func @arithmetic(
// CHECK:         arith.mului_extended %{{.*}}, %{{.*}} : i32
// CHECK:         %[[WIDE:.*]] = arith.extf %{{.*}} : bf16 to f32
// CHECK:         %[[SUM:.*]] = arith.addf %[[WIDE]], %[[WIDE]] : f32
// CHECK:         arith.truncf %[[SUM]] : f32 to bf16
// CHECK:         math.sqrt %{{.*}} : f32
tt.func public @arithmetic(%x: !tt.ptr<bf16>, %a: bf16, %i: i32, %p: !tt.ptr<i32>, %f: f32, %q: !tt.ptr<f32>) {
  %h = tt.mulhiui %i, %i : i32
  %s = arith.addf %a, %a : bf16
  %r = tt.precise_sqrt %f : f32
  tt.store %p, %h : !tt.ptr<i32>
  tt.store %x, %s : !tt.ptr<bf16>
  tt.store %q, %r : !tt.ptr<f32>
  tt.return
}
