// RUN: spine-triton-opt %s -spine-check-residency="rule=base-numel max-numel=1000 severity=warning" -verify-diagnostics -o /dev/null

tt.func @kernel(%a: !tt.ptr<f32>) {
  %c0 = arith.constant 0 : i32
  %n = arith.constant 1001 : i64
  %unit = arith.constant 1 : i64
  // expected-warning @below {{make_block_ptr cannot be used on tensors with numel > 1000}}
  // expected-note @below {{the shape operands allow for 1001 elements}}
  %p = tt.make_tensor_ptr %a, [%n], [%unit], [%c0] {order = array<i32: 0>} : <tensor<8xf32>>
  tt.return
}
