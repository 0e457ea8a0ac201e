// RUN: spine-triton-opt %s -split-input-file -spine-check-residency=rule=base-numel -verify-diagnostics -o /dev/null
// RUN: spine-triton-opt %s -split-input-file -spine-rebase-tensor-ptr -spine-check-residency=rule=base-numel -o /dev/null

// What a check of base tensors says, and that after rebasing it has nothing to
// say: integer range analysis bounds each extent by the tile, for extents and
// offsets of any value.

// The report: A is 518400 x 27.

tt.func @report(%a: !tt.ptr<f32>, %row: i32) -> tensor<256x32xf32> {
  %c0 = arith.constant 0 : i32
  %m = arith.constant 518400 : i64
  %k = arith.constant 27 : i64
  %unit = arith.constant 1 : i64
  // expected-error @below {{make_block_ptr cannot be used on tensors with numel > 1048576}}
  // expected-note @below {{the shape operands allow for 13996800 elements}}
  %p = tt.make_tensor_ptr %a, [%m, %k], [%k, %unit], [%row, %c0] {order = array<i32: 1, 0>} : <tensor<256x32xf32>>
  %t = tt.load %p {boundaryCheck = array<i32: 0, 1>, padding = 1 : i32} : !tt.ptr<tensor<256x32xf32>>
  tt.return %t : tensor<256x32xf32>
}

// -----

// A tensor of the largest size that is accepted.

tt.func @at_the_limit(%a: !tt.ptr<f32>, %row: i32) -> tensor<1024x1024xf32> {
  %c0 = arith.constant 0 : i32
  %m = arith.constant 1024 : i64
  %unit = arith.constant 1 : i64
  %p = tt.make_tensor_ptr %a, [%m, %m], [%m, %unit], [%row, %c0] {order = array<i32: 1, 0>} : <tensor<1024x1024xf32>>
  %t = tt.load %p : !tt.ptr<tensor<1024x1024xf32>>
  tt.return %t : tensor<1024x1024xf32>
}

// -----

// A bound that cannot be found counts as exceeded; one message per kernel.

tt.func @run_time_extent(%a: !tt.ptr<f32>, %m: i64, %n: i32, %row: i32) {
  %c0 = arith.constant 0 : i32
  %k = arith.constant 16 : i64
  %unit = arith.constant 1 : i64
  // expected-error @below {{make_block_ptr cannot be used on tensors with numel > 1048576}}
  // expected-note @below {{no upper bound is known for the extent of dimension 1}}
  %p = tt.make_tensor_ptr %a, [%k, %m], [%m, %unit], [%row, %c0] {order = array<i32: 1, 0>} : <tensor<16x64xf32>>
  %q = tt.make_tensor_ptr %a, [%m, %k], [%m, %unit], [%row, %c0] {order = array<i32: 1, 0>} : <tensor<16x64xf32>>
  %t = tt.load %p {boundaryCheck = array<i32: 1>} : !tt.ptr<tensor<16x64xf32>>
  tt.store %q, %t {boundaryCheck = array<i32: 0>} : !tt.ptr<tensor<16x64xf32>>
  tt.return
}

// -----

tt.func @widened_extent(%a: !tt.ptr<f32>, %m: i32, %row: i32) {
  %unit = arith.constant 1 : i64
  %m64 = arith.extsi %m : i32 to i64
  // expected-error @below {{make_block_ptr cannot be used on tensors with numel > 1048576}}
  // expected-note @below {{the shape operands allow for 2147483647 elements}}
  %p = tt.make_tensor_ptr %a, [%m64], [%unit], [%row] {order = array<i32: 0>} : <tensor<64xf32>>
  %t = tt.load %p {boundaryCheck = array<i32: 0>} : !tt.ptr<tensor<64xf32>>
  tt.store %p, %t {boundaryCheck = array<i32: 0>} : !tt.ptr<tensor<64xf32>>
  tt.return
}

// -----

// In a loop that advances the pointer.

tt.func @loop(%a: !tt.ptr<f32>, %m: i64, %k: i64, %row: i32, %trips: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c32 = arith.constant 32 : i32
  %unit = arith.constant 1 : i64
  // expected-error @below {{make_block_ptr cannot be used on tensors with numel > 1048576}}
  // expected-note @below {{no upper bound is known for the extent of dimension 0}}
  %p = tt.make_tensor_ptr %a, [%m, %k], [%k, %unit], [%row, %c0] {order = array<i32: 1, 0>} : <tensor<64x32xf32>>
  %r = scf.for %i = %c0 to %trips step %c1 iter_args(%q = %p) -> (!tt.ptr<tensor<64x32xf32>>) : i32 {
    %t = tt.load %q {boundaryCheck = array<i32: 0, 1>, padding = 1 : i32} : !tt.ptr<tensor<64x32xf32>>
    tt.store %q, %t {boundaryCheck = array<i32: 0, 1>} : !tt.ptr<tensor<64x32xf32>>
    %next = tt.advance %q, [%c0, %c32] : <tensor<64x32xf32>>
    scf.yield %next : !tt.ptr<tensor<64x32xf32>>
  }
  tt.return
}

// -----

// A product that does not fit 64 bits.

tt.func @overflow(%a: !tt.ptr<f32>) -> tensor<1x1x1xf32> {
  %c0 = arith.constant 0 : i32
  %big = arith.constant 4294967296 : i64
  // expected-error @below {{make_block_ptr cannot be used on tensors with numel > 1048576}}
  // expected-note @below {{the shape operands allow for 9223372036854775807 elements}}
  %p = tt.make_tensor_ptr %a, [%big, %big, %big], [%big, %big, %big], [%c0, %c0, %c0] {order = array<i32: 2, 1, 0>} : <tensor<1x1x1xf32>>
  %t = tt.load %p {boundaryCheck = array<i32: 0, 1, 2>} : !tt.ptr<tensor<1x1x1xf32>>
  tt.return %t : tensor<1x1x1xf32>
}
