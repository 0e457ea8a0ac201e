// RUN: spine-triton-opt %s -split-input-file -spine-to-linalg -spine-lower-tiles -canonicalize -cse | FileCheck %s

// The scan goes along its axis one element at a time; vectors lie across.

// CHECK-LABEL: func.func @forward(
// CHECK:         spine.scratch {bytes = 1024 : i64, id = 0 : i64, name = "scan"
// CHECK:         scf.for %[[J:.*]] = %c0_i64 to %c64_i64 step %c8_i64
// CHECK:           %[[FIRST:.*]] = llvm.load %{{.*}} : !llvm.ptr -> vector<8xf32>
// CHECK:           llvm.store %[[FIRST]]
// CHECK:           scf.for %[[I:.*]] = %c1_i64 to %c4_i64 step %c1_i64 iter_args(%[[ACC:.*]] = %[[FIRST]]) -> (vector<8xf32>)
// CHECK:             %[[NEXT:.*]] = llvm.load %{{.*}} : !llvm.ptr -> vector<8xf32>
// CHECK:             %[[SUM:.*]] = arith.addf %[[ACC]], %[[NEXT]] : vector<8xf32>
// CHECK:             llvm.store %[[SUM]]
// CHECK:             scf.yield %[[SUM]]
tt.func public @forward(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i64
  %c64 = arith.constant 64 : i64
  %p = tt.make_tensor_ptr %x, [%c64, %c64], [%c64, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<4x64xf32>>
  %q = tt.make_tensor_ptr %y, [%c64, %c64], [%c64, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<4x64xf32>>
  %t = tt.load %p : !tt.ptr<tensor<4x64xf32>>
  %r = "tt.scan"(%t) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %b : f32
    tt.scan.return %0 : f32
  }) : (tensor<4x64xf32>) -> tensor<4x64xf32>
  tt.store %q, %r : !tt.ptr<tensor<4x64xf32>>
  tt.return
}

// -----

// From the last element to the first: the place of step i is length - 1 - i.

// CHECK-LABEL: func.func @reverse(
// CHECK:         %[[LAST:.*]] = llvm.getelementptr %{{.*}}[63] : (!llvm.ptr) -> !llvm.ptr, i64
// CHECK:         %[[FIRST:.*]] = llvm.load %[[LAST]] {{.*}} : !llvm.ptr -> i64
// CHECK:         scf.for %[[I:.*]] = %c1_i64 to %c64_i64 step %c1_i64 iter_args(%[[ACC:.*]] = %[[FIRST]]) -> (i64)
// CHECK:           %[[AT:.*]] = arith.subi %c63_i64, %[[I]] : i64
// CHECK:           llvm.getelementptr %{{.*}}[%[[AT]]]
// CHECK:           arith.muli %[[ACC]], %{{.*}} : i64
tt.func public @reverse(%x: !tt.ptr<i64>, %y: !tt.ptr<i64>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i64
  %p = tt.make_tensor_ptr %x, [%c1], [%c1], [%c0] {order = array<i32: 0>} : <tensor<64xi64>>
  %q = tt.make_tensor_ptr %y, [%c1], [%c1], [%c0] {order = array<i32: 0>} : <tensor<64xi64>>
  %t = tt.load %p : !tt.ptr<tensor<64xi64>>
  %r = "tt.scan"(%t) <{axis = 0 : i32, reverse = true}> ({
  ^bb0(%a: i64, %b: i64):
    %0 = arith.muli %a, %b : i64
    tt.scan.return %0 : i64
  }) : (tensor<64xi64>) -> tensor<64xi64>
  tt.store %q, %r : !tt.ptr<tensor<64xi64>>
  tt.return
}

// -----

// Several operands, one result buffer for each.

// CHECK-LABEL: func.func @two_operands(
// CHECK-DAG:     spine.scratch {bytes = 64 : i64, id = 0 : i64, name = "scan"
// CHECK-DAG:     spine.scratch {bytes = 32 : i64, id = 1 : i64, name = "scan"
// CHECK:         scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) -> (f32, f16)
// CHECK:           llvm.store %{{.*}} : f32
// CHECK:           llvm.store %{{.*}} : f16
tt.func public @two_operands(%x: !tt.ptr<f32>, %y: !tt.ptr<f16>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i64
  %p = tt.make_tensor_ptr %x, [%c1], [%c1], [%c0] {order = array<i32: 0>} : <tensor<16xf32>>
  %q = tt.make_tensor_ptr %y, [%c1], [%c1], [%c0] {order = array<i32: 0>} : <tensor<16xf16>>
  %t = tt.load %p : !tt.ptr<tensor<16xf32>>
  %u = tt.load %q : !tt.ptr<tensor<16xf16>>
  %r:2 = "tt.scan"(%t, %u) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%a0: f32, %b0: f16, %a1: f32, %b1: f16):
    %a = arith.addf %a0, %a1 : f32
    %b = arith.mulf %b0, %b1 : f16
    tt.scan.return %a, %b : f32, f16
  }) : (tensor<16xf32>, tensor<16xf16>) -> (tensor<16xf32>, tensor<16xf16>)
  tt.store %p, %r#0 : !tt.ptr<tensor<16xf32>>
  tt.store %q, %r#1 : !tt.ptr<tensor<16xf16>>
  tt.return
}
