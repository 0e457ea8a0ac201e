// RUN: spine-triton-opt %s -split-input-file -spine-to-linalg -spine-lower-tiles -canonicalize -cse | FileCheck %s

// One element after the other, each under its mask. The old values are kept
// only if somebody uses them; a masked element yields zero.

// CHECK-LABEL: func.func @tiles(
// CHECK:         scf.for %[[I:.*]] = %c0_i64 to %c16_i64 step %c1_i64
// CHECK:           %[[MASK:.*]] = arith.cmpi slt
// CHECK:           scf.if %[[MASK]] {
// CHECK:             llvm.atomicrmw add %{{.*}}, %{{.*}} acq_rel : !llvm.ptr, i32
// CHECK-NOT:         llvm.store
// CHECK:         %[[OLD:.*]] = spine.scratch {bytes = 64 : i64
// CHECK:         scf.for %{{.*}} = %c0_i64 to %c16_i64 step %c1_i64
// CHECK:           %[[V:.*]] = llvm.atomicrmw umax %{{.*}}, %{{.*}} acq_rel : !llvm.ptr, i32
// CHECK:           llvm.store %[[V]], %{{.*}} : i32
// CHECK:         llvm.load %{{.*}} : !llvm.ptr -> vector<8xi32>
// CHECK:         scf.for %{{.*}} = %c0_i64 to %c16_i64 step %c1_i64
// CHECK:           scf.if %{{.*}} -> (i32) {
// CHECK:             llvm.atomicrmw xchg
// CHECK:           } else {
// CHECK:             scf.yield %c0_i32
tt.func public @tiles(%x: !tt.ptr<i32>, %n: i32) {
  %r = tt.make_range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %s = tt.splat %x : !tt.ptr<i32> -> tensor<16x!tt.ptr<i32>>
  %p = tt.addptr %s, %r : tensor<16x!tt.ptr<i32>>, tensor<16xi32>
  %ns = tt.splat %n : i32 -> tensor<16xi32>
  %m = arith.cmpi slt, %r, %ns : tensor<16xi32>
  %unused = tt.atomic_rmw add, acq_rel, gpu, %p, %r, %m : (tensor<16x!tt.ptr<i32>>, tensor<16xi32>, tensor<16xi1>) -> tensor<16xi32>
  %old = tt.atomic_rmw umax, relaxed, gpu, %p, %r : (tensor<16x!tt.ptr<i32>>, tensor<16xi32>) -> tensor<16xi32>
  tt.store %p, %old : tensor<16x!tt.ptr<i32>>
  %last = tt.atomic_rmw exch, acq_rel, gpu, %p, %r, %m : (tensor<16x!tt.ptr<i32>>, tensor<16xi32>, tensor<16xi1>) -> tensor<16xi32>
  tt.store %p, %last : tensor<16x!tt.ptr<i32>>
  tt.return
}

// -----

// CHECK-LABEL: func.func @kinds(
// CHECK:         llvm.atomicrmw _and
// CHECK:         llvm.atomicrmw _or
// CHECK:         llvm.atomicrmw _xor
// CHECK:         llvm.atomicrmw add
// CHECK:         llvm.atomicrmw max
// CHECK:         llvm.atomicrmw min
// CHECK:         llvm.atomicrmw umin
// CHECK:         llvm.atomicrmw xchg
// CHECK:         llvm.atomicrmw fadd %{{.*}}, %{{.*}} acq_rel : !llvm.ptr, f32
tt.func public @kinds(%x: !tt.ptr<i64>, %i: i64, %y: !tt.ptr<f32>, %f: f32) {
  %c = arith.constant true
  %0 = tt.atomic_rmw and, acq_rel, gpu, %x, %i, %c : (!tt.ptr<i64>, i64, i1) -> i64
  %1 = tt.atomic_rmw or, acq_rel, gpu, %x, %i, %c : (!tt.ptr<i64>, i64, i1) -> i64
  %2 = tt.atomic_rmw xor, acq_rel, gpu, %x, %i, %c : (!tt.ptr<i64>, i64, i1) -> i64
  %3 = tt.atomic_rmw add, acq_rel, gpu, %x, %i, %c : (!tt.ptr<i64>, i64, i1) -> i64
  %4 = tt.atomic_rmw max, acq_rel, gpu, %x, %i, %c : (!tt.ptr<i64>, i64, i1) -> i64
  %5 = tt.atomic_rmw min, acq_rel, gpu, %x, %i, %c : (!tt.ptr<i64>, i64, i1) -> i64
  %6 = tt.atomic_rmw umin, acq_rel, gpu, %x, %i, %c : (!tt.ptr<i64>, i64, i1) -> i64
  %7 = tt.atomic_rmw exch, acq_rel, gpu, %x, %i, %c : (!tt.ptr<i64>, i64, i1) -> i64
  %8 = tt.atomic_rmw fadd, acq_rel, gpu, %y, %f, %c : (!tt.ptr<f32>, f32, i1) -> f32
  tt.return
}

// -----

// Compare and swap; floats by their bits.

// CHECK-LABEL: func.func @compare_and_swap(
// CHECK:         %[[PAIR:.*]] = llvm.cmpxchg %{{.*}}, %{{.*}}, %{{.*}} acq_rel acquire : !llvm.ptr, i32
// CHECK:         %[[OLD:.*]] = llvm.extractvalue %[[PAIR]][0]
// CHECK:         llvm.store %[[OLD]]
// CHECK:         %[[FROM:.*]] = arith.bitcast %{{.*}} : f32 to i32
// CHECK:         llvm.cmpxchg %{{.*}}, %[[FROM]], %{{.*}} : !llvm.ptr, i32
// CHECK:         %[[BITS:.*]] = llvm.extractvalue %{{.*}}[0]
// CHECK:         %[[F:.*]] = arith.bitcast %[[BITS]] : i32 to f32
// CHECK:         llvm.store %[[F]]
tt.func public @compare_and_swap(%x: !tt.ptr<i32>, %i: i32, %j: i32, %y: !tt.ptr<f32>, %f: f32) {
  %old = tt.atomic_cas acq_rel, gpu, %x, %i, %j : (!tt.ptr<i32>, i32, i32) -> i32
  tt.store %x, %old : !tt.ptr<i32>
  %g = tt.atomic_cas acq_rel, gpu, %y, %f, %f : (!tt.ptr<f32>, f32, f32) -> f32
  tt.store %y, %g : !tt.ptr<f32>
  tt.return
}
