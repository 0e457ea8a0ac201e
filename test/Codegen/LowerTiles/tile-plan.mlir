// RUN: spine-triton-opt %s -spine-to-linalg -spine-lower-tiles -canonicalize | FileCheck %s
// RUN: spine-triton-opt %s -spine-to-linalg -spine-lower-tiles -canonicalize -spine-plan-scratchpad -spine-verify-scratchpad | FileCheck %s --check-prefix=PLANNED
// RUN: spine-triton-opt %s -spine-to-linalg -spine-to-llvm | FileCheck %s --check-prefix=FINAL

// Every tile has a number and a place before code is made; what code takes of
// the arena is there for one of them.

// CHECK-LABEL: func.func @kernel(
// CHECK-SAME:    spine.tiles = [
// CHECK-SAME:      {id = 0 : i64, loc = #{{.*}}, placement = "in_place", tile = tensor<16x16xf32>}
// CHECK-SAME:      {id = 1 : i64, loc = #{{.*}}, placement = "registers", tile = tensor<16x16xf32>}
// CHECK-SAME:      {id = 2 : i64, loc = #{{.*}}, placement = "packed", tile = tensor<16x16xf32>}
// CHECK-SAME:      {id = 3 : i64, loc = #{{.*}}, placement = "packed", tile = tensor<16xf32>}
// CHECK-NOT:     {id = 4
// CHECK:         spine.scratch {bytes = 1024 : i64, id = 0 : i64, name = "dot", tile = 2 : i64}
// CHECK:         spine.scratch {bytes = {{.*}}, id = 1 : i64, name = "dot.lhs", temporary, tile = 2 : i64}
// CHECK:         spine.scratch {bytes = {{.*}}, name = "dot.rhs", temporary, tile = 2 : i64}
// CHECK:         spine.scratch {bytes = 64 : i64, {{.*}}, name = "reduce", tile = 3 : i64}

// PLANNED-LABEL: func.func @kernel(
// PLANNED-SAME:    spine.plan = [
// PLANNED-SAME:      bytes = 1024 : i64, {{[^}]*}}id = 0 : i64, {{[^}]*}}name = "dot", {{[^}]*}}tile_id = 2 : i64}
// PLANNED-SAME:      name = "dot.lhs", {{[^}]*}}temporary, {{[^}]*}}tile_id = 2 : i64}
// PLANNED:         llvm.store %{{.*}} {{.*}}spine.buffers = array<i64: 0>

// FINAL-LABEL: llvm.func @kernel(
// FINAL-SAME:    spine.tiles = [
// FINAL:         llvm.store %{{.*}} {{.*}}spine.buffers = array<i64: 0>
tt.func public @kernel(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i64
  %c16 = arith.constant 16 : i64
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %p = tt.make_tensor_ptr %x, [%c16, %c16], [%c16, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<16x16xf32>>
  %q = tt.make_tensor_ptr %y, [%c16], [%c1], [%c0] {order = array<i32: 0>} : <tensor<16xf32>>
  %a = tt.load %p : !tt.ptr<tensor<16x16xf32>>
  %n = arith.negf %a : tensor<16x16xf32>
  %d = tt.dot %a, %n, %zero : tensor<16x16xf32> * tensor<16x16xf32> -> tensor<16x16xf32>
  %s = "tt.reduce"(%d) <{axis = 1 : i32}> ({
  ^bb0(%l: f32, %r: f32):
    %sum = arith.addf %l, %r : f32
    tt.reduce.return %sum : f32
  }) : (tensor<16x16xf32>) -> tensor<16xf32>
  tt.store %q, %s : !tt.ptr<tensor<16xf32>>
  tt.return
}
