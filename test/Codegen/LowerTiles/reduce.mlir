// RUN: spine-triton-opt %s -split-input-file -spine-to-linalg -spine-lower-tiles -canonicalize -cse | FileCheck %s

// Along the dimension that lies in memory: vectors along it, folded by halves
// at the end. No neutral element: the first vector starts.

// CHECK-LABEL: func.func @along_the_row(
// CHECK:         %[[OUT:.*]] = spine.scratch {bytes = 16 : i64, id = 0 : i64, name = "reduce"
// CHECK:         scf.for %[[I:.*]] = %c0_i64 to %c4_i64 step %c1_i64
// CHECK:           %[[FIRST:.*]] = llvm.load %{{.*}} : !llvm.ptr -> vector<8xf32>
// CHECK:           %[[V:.*]] = scf.for %{{.*}} = %c8_i64 to %c64_i64 step %c8_i64 iter_args(%[[ACC:.*]] = %[[FIRST]]) -> (vector<8xf32>)
// CHECK:             %[[NEXT:.*]] = llvm.load %{{.*}} : !llvm.ptr -> vector<8xf32>
// CHECK:             arith.addf %[[ACC]], %[[NEXT]] : vector<8xf32>
// CHECK:           %[[L4:.*]] = vector.extract_strided_slice %[[V]] {offsets = [0], sizes = [4]
// CHECK:           %[[H4:.*]] = vector.extract_strided_slice %[[V]] {offsets = [4], sizes = [4]
// CHECK:           arith.addf %[[L4]], %[[H4]] : vector<4xf32>
// CHECK:           arith.addf %{{.*}} : vector<2xf32>
// CHECK:           %[[SUM:.*]] = arith.addf %{{.*}} : vector<1xf32>
// CHECK:           %[[S:.*]] = vector.extract %[[SUM]][0]
// CHECK:           %[[AT:.*]] = llvm.getelementptr %[[OUT]][%[[I]]]
// CHECK:           llvm.store %[[S]], %[[AT]]
tt.func public @along_the_row(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i64
  %c64 = arith.constant 64 : i64
  %p = tt.make_tensor_ptr %x, [%c64, %c64], [%c64, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<4x64xf32>>
  %q = tt.make_tensor_ptr %y, [%c64], [%c1], [%c0] {order = array<i32: 0>} : <tensor<4xf32>>
  %t = tt.load %p : !tt.ptr<tensor<4x64xf32>>
  %r = "tt.reduce"(%t) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %b : f32
    tt.reduce.return %0 : f32
  }) : (tensor<4x64xf32>) -> tensor<4xf32>
  tt.store %q, %r : !tt.ptr<tensor<4xf32>>
  tt.return
}

// -----

// Across: each lane reduces its own column, nothing is folded.

// CHECK-LABEL: func.func @along_the_column(
// CHECK:         spine.scratch {bytes = 256 : i64, {{.*}}name = "reduce"
// CHECK:         scf.for %[[J:.*]] = %c0_i64 to %c64_i64 step %c8_i64
// CHECK:           %[[FIRST:.*]] = llvm.load %{{.*}} : !llvm.ptr -> vector<8xi32>
// CHECK:           scf.for %{{.*}} = %c1_i64 to %c4_i64 step %c1_i64 iter_args(%[[ACC:.*]] = %[[FIRST]]) -> (vector<8xi32>)
// CHECK:             arith.maxsi %[[ACC]], %{{.*}} : vector<8xi32>
// CHECK-NOT:       vector.extract
// CHECK:           llvm.store %{{.*}} : vector<8xi32>
tt.func public @along_the_column(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i64
  %c64 = arith.constant 64 : i64
  %p = tt.make_tensor_ptr %x, [%c64, %c64], [%c64, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<4x64xi32>>
  %q = tt.make_tensor_ptr %y, [%c64], [%c1], [%c0] {order = array<i32: 0>} : <tensor<64xi32>>
  %t = tt.load %p : !tt.ptr<tensor<4x64xi32>>
  %r = "tt.reduce"(%t) <{axis = 0 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    %0 = arith.maxsi %a, %b : i32
    tt.reduce.return %0 : i32
  }) : (tensor<4x64xi32>) -> tensor<64xi32>
  tt.store %q, %r : !tt.ptr<tensor<64xi32>>
  tt.return
}

// -----

// A whole tile to a scalar, which needs no buffer.

// CHECK-LABEL: func.func @to_scalar(
// CHECK-NOT:     spine.scratch
// CHECK:         scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}) -> (vector<8xf32>)
// CHECK:         %[[S:.*]] = vector.extract %{{.*}}[0] : f32 from vector<1xf32>
// CHECK:         llvm.store %[[S]], %{{.*}} : f32
tt.func public @to_scalar(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i64
  %p = tt.make_tensor_ptr %x, [%c1], [%c1], [%c0] {order = array<i32: 0>} : <tensor<64xf32>>
  %t = tt.load %p : !tt.ptr<tensor<64xf32>>
  %r = "tt.reduce"(%t) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %0 = arith.maxnumf %a, %b : f32
    tt.reduce.return %0 : f32
  }) : (tensor<64xf32>) -> f32
  tt.store %y, %r : !tt.ptr<f32>
  tt.return
}

// -----

// Several operands (argmax). It is not known that the region does not care about
// the order of its operands, so the elements of a row are combined in order.

// CHECK-LABEL: func.func @argmax(
// CHECK-DAG:     spine.scratch {bytes = 16 : i64, id = 0 : i64, name = "reduce"
// CHECK-DAG:     spine.scratch {bytes = 16 : i64, id = 1 : i64, name = "reduce"
// CHECK:         scf.for {{.*}} iter_args(%[[V:.*]] = %{{.*}}, %[[I:.*]] = %{{.*}}) -> (f32, i32)
// CHECK:           %[[NEXT:.*]] = llvm.load %{{.*}} : !llvm.ptr -> f32
// CHECK:           %[[EQ:.*]] = arith.cmpf oeq, %[[V]], %[[NEXT]] : f32
// CHECK:           %[[BEFORE:.*]] = arith.cmpi slt, %[[I]], %{{.*}} : i32
// CHECK:           %[[TIE:.*]] = arith.andi %[[EQ]], %[[BEFORE]]
// CHECK:           %[[GT:.*]] = arith.cmpf ogt, %[[V]], %[[NEXT]]
// CHECK:           %[[KEEP:.*]] = arith.ori %[[GT]], %[[TIE]]
// CHECK:           arith.select %[[KEEP]], %[[V]], %[[NEXT]] : f32
// CHECK:           arith.select %[[KEEP]], %[[I]], %{{.*}} : i32
tt.func public @argmax(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %z: !tt.ptr<i32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i64
  %c64 = arith.constant 64 : i64
  %p = tt.make_tensor_ptr %x, [%c64, %c64], [%c64, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<4x64xf32>>
  %q = tt.make_tensor_ptr %y, [%c64], [%c1], [%c0] {order = array<i32: 0>} : <tensor<4xf32>>
  %o = tt.make_tensor_ptr %z, [%c64], [%c1], [%c0] {order = array<i32: 0>} : <tensor<4xi32>>
  %t = tt.load %p : !tt.ptr<tensor<4x64xf32>>
  %range = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %row = tt.expand_dims %range {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %i = tt.broadcast %row : tensor<1x64xi32> -> tensor<4x64xi32>
  %r:2 = "tt.reduce"(%t, %i) <{axis = 1 : i32}> ({
  ^bb0(%v0: f32, %i0: i32, %v1: f32, %i1: i32):
    %eq = arith.cmpf oeq, %v0, %v1 : f32
    %before = arith.cmpi slt, %i0, %i1 : i32
    %tie = arith.andi %eq, %before : i1
    %gt = arith.cmpf ogt, %v0, %v1 : f32
    %keep = arith.ori %gt, %tie : i1
    %v = arith.select %keep, %v0, %v1 : f32
    %j = arith.select %keep, %i0, %i1 : i32
    tt.reduce.return %v, %j : f32, i32
  }) : (tensor<4x64xf32>, tensor<4x64xi32>) -> (tensor<4xf32>, tensor<4xi32>)
  tt.store %q, %r#0 : !tt.ptr<tensor<4xf32>>
  tt.store %o, %r#1 : !tt.ptr<tensor<4xi32>>
  tt.return
}

// -----

// A region with control flow is evaluated on scalars.

// CHECK-LABEL: func.func @branch_in_region(
// CHECK:         scf.for {{.*}} = %c1_i64 to %c64_i64 step %c1_i64 iter_args(%[[ACC:.*]] = %{{.*}}) -> (f32)
// CHECK:           scf.if %{{.*}} -> (f32) {
// CHECK-NOT:     vector
// CHECK:         llvm.store
tt.func public @branch_in_region(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %limit: f32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i64
  %p = tt.make_tensor_ptr %x, [%c1], [%c1], [%c0] {order = array<i32: 0>} : <tensor<64xf32>>
  %t = tt.load %p : !tt.ptr<tensor<64xf32>>
  %r = "tt.reduce"(%t) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.cmpf olt, %a, %limit : f32
    %0 = scf.if %c -> f32 {
      %1 = arith.addf %a, %b : f32
      scf.yield %1 : f32
    } else {
      scf.yield %limit : f32
    }
    tt.reduce.return %0 : f32
  }) : (tensor<64xf32>) -> f32
  tt.store %y, %r : !tt.ptr<f32>
  tt.return
}

// -----

// An axis of one element, and tiles shorter than a vector: nothing to loop
// over.

// CHECK-LABEL: func.func @short(
// CHECK:         scf.for
// CHECK-NOT:       scf.for
// CHECK:           arith.addf %{{.*}}, %{{.*}} : vector<1xf32>
// CHECK-NOT:       scf.for
// CHECK:         return
tt.func public @short(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i64
  %p = tt.make_tensor_ptr %x, [%c1, %c1], [%c1, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<1x2xf32>>
  %t = tt.load %p : !tt.ptr<tensor<1x2xf32>>
  %r = "tt.reduce"(%t) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %b : f32
    tt.reduce.return %0 : f32
  }) : (tensor<1x2xf32>) -> tensor<1xf32>
  %s = "tt.reduce"(%r) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %b : f32
    tt.reduce.return %0 : f32
  }) : (tensor<1xf32>) -> f32
  tt.store %y, %s : !tt.ptr<f32>
  tt.return
}
