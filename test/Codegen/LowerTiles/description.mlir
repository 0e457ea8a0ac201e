// RUN: spine-triton-opt %s -spine-lower-tiles -canonicalize -cse | FileCheck %s

// The example of the pass's description.

// CHECK-LABEL: func.func @add_one(
// CHECK-SAME:    %[[ARGS:[^:]*]]: !llvm.ptr {llvm.noalias}, %[[GRID:[^:]*]]: !llvm.ptr {llvm.noalias}, %[[BEGIN:[^:]*]]: i64, %[[END:[^:]*]]: i64, %[[ARENA:[^:]*]]: !llvm.ptr {llvm.noalias})
// CHECK-DAG:     %[[ONE:.*]] = arith.constant dense<1.000000e+00> : vector<8xf32>
// CHECK-DAG:     %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : vector<8xf32>
// CHECK:         %[[X:.*]] = llvm.load %[[ARGS]] {{.*}} : !llvm.ptr -> !llvm.ptr
// CHECK:         %[[Y:.*]] = llvm.load %{{.*}} : !llvm.ptr -> !llvm.ptr
// CHECK:         %[[N:.*]] = llvm.load %{{.*}} : !llvm.ptr -> i64
// CHECK:         scf.for %{{.*}} = %[[BEGIN]] to %[[END]] step %c1_i64 : i64 {
// CHECK:           %[[N0:.*]] = arith.maxsi %[[N]], %c0_i64 : i64
// CHECK:           %[[HIGH:.*]] = arith.minsi %[[N0]], %c64_i64 : i64
// CHECK:           %[[TO:.*]] = arith.minsi %{{.*}}, %c64_i64 : i64
// CHECK:           scf.for %[[I:.*]] = %c0_i64 to %[[TO]] step %c8_i64 : i64 {
// CHECK-DAG:         %[[LAST:.*]] = arith.addi %[[I]], %c8_i64 : i64
// CHECK-DAG:         %[[INSIDE:.*]] = arith.cmpi sle, %[[LAST]], %[[HIGH]] : i64
// CHECK-DAG:         llvm.getelementptr %[[X]][%[[I]]] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK-DAG:         %[[V:.*]] = scf.if %[[INSIDE]] -> (vector<8xf32>) {
// CHECK:               %[[WHOLE:.*]] = llvm.load %{{.*}} : !llvm.ptr -> vector<8xf32>
// CHECK:               scf.yield %[[WHOLE]] : vector<8xf32>
// CHECK:             } else {
// CHECK:               %[[MASK:.*]] = arith.cmpi sgt, %{{.*}}, %{{.*}} : vector<8xi32>
// CHECK:               %[[SOME:.*]] = llvm.intr.masked.load %{{.*}}, %[[MASK]], %[[ZERO]]
// CHECK:               scf.yield %[[SOME]] : vector<8xf32>
// CHECK:             %[[SUM:.*]] = arith.addf %[[V]], %[[ONE]] : vector<8xf32>
// CHECK:             llvm.getelementptr %[[Y]][%[[I]]]
// CHECK:             llvm.store %[[SUM]], %{{.*}} : vector<8xf32>
// CHECK:             llvm.intr.masked.store %[[SUM]], %{{.*}}, %{{.*}}
// CHECK-LABEL: func.func @add_one__may_alias(
// CHECK:         %[[COPY:.*]] = spine.scratch {bytes = 256 : i64, id = 0 : i64, tile = {{.*}} : i64} : !llvm.ptr
// CHECK:         scf.for
// CHECK:           llvm.getelementptr %[[COPY]]
// CHECK:           llvm.store
// CHECK:         scf.for
// CHECK:           llvm.getelementptr %[[COPY]]
// CHECK:           llvm.load
#id = affine_map<(d0) -> (d0)>
tt.func public @add_one(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %n: i64) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i64
  %p = tt.make_tensor_ptr %x, [%n], [%c1], [%c0] {order = array<i32: 0>} : <tensor<64xf32>>
  %q = tt.make_tensor_ptr %y, [%n], [%c1], [%c0] {order = array<i32: 0>} : <tensor<64xf32>>
  %t = tt.load %p {boundaryCheck = array<i32: 0>, padding = 1 : i32} : !tt.ptr<tensor<64xf32>>
  %e = tensor.empty() : tensor<64xf32>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%t : tensor<64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%in: f32, %out: f32):
    %one = arith.constant 1.0 : f32
    %sum = arith.addf %in, %one : f32
    linalg.yield %sum : f32
  } -> tensor<64xf32>
  tt.store %q, %r {boundaryCheck = array<i32: 0>} : !tt.ptr<tensor<64xf32>>
  tt.return
}
