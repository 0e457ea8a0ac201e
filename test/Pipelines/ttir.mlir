// RUN: spine-triton-opt %s -spine-ttir | FileCheck %s
// RUN: not spine-triton-opt %s -spine-ttir="capacity=4000 reserve=96 target=board" -o /dev/null 2>&1 | FileCheck %s --check-prefix=SMALL
// RUN: spine-triton-opt %s -spine-ttir="capacity=4000 severity=remark" 2>&1 | FileCheck %s --check-prefixes=REMARK,CHECK
// RUN: not spine-triton-opt %s -spine-ttir=rule=base-numel -o /dev/null 2>&1 | FileCheck %s --check-prefix=BASE
// RUN: spine-triton-opt %s -spine-ttir="rule=base-numel max-numel=1000000000" | FileCheck %s --check-prefix=REBASED
// RUN: spine-triton-opt %s -pass-pipeline="builtin.module(spine-ttir, spine-check-residency{rule=base-numel})" | FileCheck %s

// What the frontend emits for a GEMM whose M is 518400: functions that are
// called, constants everywhere.

// SMALL: error: kernel 'gemm' does not fit the scratchpad: it needs 9216 bytes, 3904 are available on board (4000 less 96 in reserve)
// REMARK: remark: kernel 'gemm' does not fit the scratchpad: it needs 9216 bytes, 4000 are available
// BASE: error: make_block_ptr cannot be used on tensors with numel > 1048576
// BASE: note: the shape operands allow for 74649600 elements

// CHECK:         tt.func public @gemm(%arg0
// CHECK-SAME:    peak_bytes = 9216 : i64
// REBASED:       scf.for
// CHECK:         scf.for {{.*}} -> (tensor<64x16xf32>, i64, i64)
// CHECK-COUNT-2: tt.make_tensor_ptr
// CHECK:         scf.yield {{.*}} : tensor<64x16xf32>, i64, i64
// CHECK-NOT:     tt.call
// CHECK-NOT:     @zeros
tt.func public @gemm(%a: !tt.ptr<f16>, %b: !tt.ptr<f16>, %c: !tt.ptr<f16>) attributes {noinline = false} {
  %pid = tt.get_program_id x : i32
  %c64 = arith.constant 64 : i32
  %row = arith.muli %pid, %c64 : i32
  %m32 = arith.constant 518400 : i32
  %m = arith.extsi %m32 : i32 to i64
  %k = arith.constant 144 : i64
  %n = arith.constant 16 : i64
  %unit = arith.constant 1 : i64
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %c144 = arith.constant 144 : i32
  %pa = tt.make_tensor_ptr %a, [%m, %k], [%k, %unit], [%row, %c0] {order = array<i32: 1, 0>} : <tensor<64x32xf16>>
  %pb = tt.make_tensor_ptr %b, [%k, %n], [%n, %unit], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<32x16xf16>>
  %zero = tt.call @zeros() : () -> tensor<64x16xf32>
  %r:3 = scf.for %i = %c0 to %c144 step %c32 iter_args(%qa = %pa, %qb = %pb, %acc = %zero) -> (!tt.ptr<tensor<64x32xf16>>, !tt.ptr<tensor<32x16xf16>>, tensor<64x16xf32>) : i32 {
    %ta = tt.load %qa {boundaryCheck = array<i32: 0, 1>, padding = 1 : i32} : !tt.ptr<tensor<64x32xf16>>
    %tb = tt.load %qb {boundaryCheck = array<i32: 0, 1>, padding = 1 : i32} : !tt.ptr<tensor<32x16xf16>>
    %d = tt.dot %ta, %tb, %acc : tensor<64x32xf16> * tensor<32x16xf16> -> tensor<64x16xf32>
    %na = tt.advance %qa, [%c0, %c32] : <tensor<64x32xf16>>
    %nb = tt.advance %qb, [%c32, %c0] : <tensor<32x16xf16>>
    scf.yield %na, %nb, %d : !tt.ptr<tensor<64x32xf16>>, !tt.ptr<tensor<32x16xf16>>, tensor<64x16xf32>
  }
  %pc = tt.make_tensor_ptr %c, [%m, %n], [%n, %unit], [%row, %c0] {order = array<i32: 1, 0>} : <tensor<64x16xf16>>
  %out = arith.truncf %r#2 : tensor<64x16xf32> to tensor<64x16xf16>
  tt.store %pc, %out {boundaryCheck = array<i32: 0, 1>} : !tt.ptr<tensor<64x16xf16>>
  tt.return
}

tt.func private @zeros() -> tensor<64x16xf32> attributes {noinline = false} {
  %zero = arith.constant dense<0.0> : tensor<64x16xf32>
  tt.return %zero : tensor<64x16xf32>
}
