// RUN: spine-triton-opt %s -split-input-file -spine-rebase-tensor-ptr -verify-diagnostics | FileCheck %s

// CHECK-LABEL: tt.func @passed(
// CHECK:         %[[P:.*]] = tt.make_tensor_ptr %{{[^,]*}}, [%{{[^,]*}}], [%{{[^,]*}}], [%{{[^,]*}}]
// CHECK-NEXT:    tt.load %[[P]]
// CHECK-NEXT:    tt.call @callee(%[[P]])
tt.func @passed(%x: !tt.ptr<f32>, %n: i64, %o: i32) -> tensor<32xf32> {
  %unit = arith.constant 1 : i64
  // expected-remark @below {{block pointer is left alone: it, or one that shares its loads and stores, cannot be followed}}
  %p = tt.make_tensor_ptr %x, [%n], [%unit], [%o] {order = array<i32: 0>} : <tensor<32xf32>>
  %a = tt.load %p : !tt.ptr<tensor<32xf32>>
  // expected-note @below {{it is passed to function 'callee', which is not inlined}}
  tt.call @callee(%p) : (!tt.ptr<tensor<32xf32>>) -> ()
  tt.return %a : tensor<32xf32>
}

// CHECK-LABEL: tt.func private @callee(
// CHECK:         tt.advance
// CHECK:         tt.store
tt.func private @callee(%p: !tt.ptr<tensor<32xf32>>) attributes {noinline = true} {
  %c1 = arith.constant 1 : i32
  %value = arith.constant dense<1.0> : tensor<32xf32>
  %q = tt.advance %p, [%c1] : <tensor<32xf32>>
  tt.store %q, %value : !tt.ptr<tensor<32xf32>>
  tt.return
}

// -----

// A pointer that meets one from the caller in a conditional.

// CHECK-LABEL: tt.func @argument(
// CHECK:         tt.make_tensor_ptr
// CHECK:         scf.if {{.*}} -> (!tt.ptr<tensor<32xf32>>)
// expected-note @below {{it is an argument of the function}}
tt.func @argument(%given: !tt.ptr<tensor<32xf32>>, %x: !tt.ptr<f32>, %n: i64, %o: i32, %cond: i1) -> tensor<32xf32> {
  %unit = arith.constant 1 : i64
  // expected-remark @below {{block pointer is left alone}}
  %p = tt.make_tensor_ptr %x, [%n], [%unit], [%o] {order = array<i32: 0>} : <tensor<32xf32>>
  %q = scf.if %cond -> (!tt.ptr<tensor<32xf32>>) {
    scf.yield %given : !tt.ptr<tensor<32xf32>>
  } else {
    scf.yield %p : !tt.ptr<tensor<32xf32>>
  }
  %a = tt.load %q : !tt.ptr<tensor<32xf32>>
  tt.return %a : tensor<32xf32>
}

// -----

// CHECK-LABEL: tt.func @returned(
tt.func @returned(%x: !tt.ptr<f32>, %n: i64, %o: i32) -> !tt.ptr<tensor<32xf32>> {
  %unit = arith.constant 1 : i64
  // expected-remark @below {{block pointer is left alone}}
  %p = tt.make_tensor_ptr %x, [%n], [%unit], [%o] {order = array<i32: 0>} : <tensor<32xf32>>
  // expected-note @below {{it is returned}}
  tt.return %p : !tt.ptr<tensor<32xf32>>
}

// CHECK-LABEL: tt.func @other_operations(
tt.func @other_operations(%x: !tt.ptr<f32>, %n: i64, %o: i32) {
  %unit = arith.constant 1 : i64
  // expected-remark @below {{block pointer is left alone}}
  %p = tt.make_tensor_ptr %x, [%n], [%unit], [%o] {order = array<i32: 0>} : <tensor<32xf32>>
  // expected-note @below {{it is used by 'builtin.unrealized_conversion_cast'}}
  %i = builtin.unrealized_conversion_cast %p : !tt.ptr<tensor<32xf32>> to i64
  %q = builtin.unrealized_conversion_cast %i : i64 to !tt.ptr<tensor<32xf32>>
  // Nothing to say about pointers of which the maker is not seen.
  %a = tt.load %q : !tt.ptr<tensor<32xf32>>
  // The others in the function are rebased.
  // CHECK: tt.addptr
  // CHECK: tt.make_tensor_ptr
  %r = tt.make_tensor_ptr %x, [%n], [%unit], [%o] {order = array<i32: 0>} : <tensor<32xf32>>
  tt.store %r, %a : !tt.ptr<tensor<32xf32>>
  tt.return
}

// -----

// CHECK-LABEL: tt.func @from_operation(
tt.func @from_operation(%x: !tt.ptr<f32>, %n: i64, %o: i32, %cond: i1) {
  %unit = arith.constant 1 : i64
  // expected-note @below {{it comes from 'builtin.unrealized_conversion_cast'}}
  %q = builtin.unrealized_conversion_cast %n : i64 to !tt.ptr<tensor<32xf32>>
  // expected-remark @below {{block pointer is left alone}}
  %p = tt.make_tensor_ptr %x, [%n], [%unit], [%o] {order = array<i32: 0>} : <tensor<32xf32>>
  %r = arith.select %cond, %p, %q : !tt.ptr<tensor<32xf32>>
  %a = tt.load %r : !tt.ptr<tensor<32xf32>>
  tt.store %r, %a : !tt.ptr<tensor<32xf32>>
  tt.return
}
