// RUN: spine-triton-opt -cse -canonicalize %s | FileCheck %s

// What may be merged and what may vanish.

// CHECK-LABEL: tt.func @loads
tt.func @loads(%p: !tt.ptr<f32>, %q: !tt.ptr<f32>) -> (f32, f32, f32) {
  // CHECK: %[[A:.*]] = tt.load
  %0 = tt.load %p : !tt.ptr<f32>
  // CHECK-NOT: tt.load
  %1 = tt.load %p : !tt.ptr<f32>
  %unused = tt.load %q : !tt.ptr<f32>
  // CHECK: tt.store
  tt.store %q, %0 : !tt.ptr<f32>
  // The store may have changed it.
  // CHECK: %[[B:.*]] = tt.load
  %2 = tt.load %p : !tt.ptr<f32>
  // CHECK: tt.return %[[A]], %[[A]], %[[B]]
  tt.return %0, %1, %2 : f32, f32, f32
}

// CHECK-LABEL: tt.func @kept
tt.func @kept(%p: !tt.ptr<i32>, %i: i32, %c: i1, %v: tensor<16xi32>, %d: !tt.tensordesc<tensor<16xi32>>) {
  // CHECK: tt.load %{{.*}} {isVolatile = true}
  %0 = tt.load %p {isVolatile = true} : !tt.ptr<i32>
  // CHECK: tt.load %{{.*}} {isVolatile = true}
  %1 = tt.load %p {isVolatile = true} : !tt.ptr<i32>
  // CHECK: tt.atomic_rmw
  %2 = tt.atomic_rmw add, relaxed, gpu, %p, %i : (!tt.ptr<i32>, i32) -> i32
  // CHECK: tt.atomic_cas
  %3 = tt.atomic_cas relaxed, gpu, %p, %i, %i : (!tt.ptr<i32>, i32, i32) -> i32
  // CHECK: tt.assert
  tt.assert %c, "c" : i1
  // CHECK: tt.print
  tt.print "i" {hex = false, isSigned = array<i32: 1>} : %i : i32
  // CHECK: tt.elementwise_inline_asm "impure"
  %4 = tt.elementwise_inline_asm "impure" {constraints = "=r,r", packed_element = 1 : i32, pure = false} %i : i32 -> i32
  // CHECK: tt.extern_elementwise
  %5 = tt.extern_elementwise %i {libname = "", libpath = "", pure = false, symbol = "f"} : (i32) -> i32
  // CHECK: tt.descriptor_store
  tt.descriptor_store %d[%i], %v : !tt.tensordesc<tensor<16xi32>>, tensor<16xi32>
  // CHECK: tt.descriptor_reduce
  tt.descriptor_reduce add, %d[%i], %v : !tt.tensordesc<tensor<16xi32>>, tensor<16xi32>
  // CHECK: ttg.barrier
  ttg.barrier all
  tt.return
}

// CHECK-LABEL: tt.func @unused
tt.func @unused(%p: !tt.ptr<i32>, %i: i32, %l: i64, %v: tensor<16xi32>, %t: tensor<16x16xf32>, %d: !tt.tensordesc<tensor<16xi32>>) {
  // CHECK-NEXT: tt.return
  %0 = tt.addptr %p, %i : !tt.ptr<i32>, i32
  %1 = tt.make_tensor_ptr %p, [%l], [%l], [%i] {order = array<i32: 0>} : <tensor<16xi32>>
  %2 = tt.load %1 : !tt.ptr<tensor<16xi32>>
  %3 = tt.descriptor_load %d[%i] : !tt.tensordesc<tensor<16xi32>> -> tensor<16xi32>
  %4 = tt.dot %t, %t, %t : tensor<16x16xf32> * tensor<16x16xf32> -> tensor<16x16xf32>
  %5 = tt.cat %v, %v : tensor<16xi32> -> tensor<32xi32>
  %6 = tt.elementwise_inline_asm "pure" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %i : i32 -> i32
  %7 = tt.extern_elementwise %i {libname = "", libpath = "", pure = true, symbol = "f"} : (i32) -> i32
  %8 = "tt.scan"(%v) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%a: i32, %b: i32):
    tt.scan.return %a : i32
  }) : (tensor<16xi32>) -> tensor<16xi32>
  %9 = tt.get_program_id x : i32
  %10 = "tt.map_elementwise"(%v) <{pack = 1 : i32}> ({
  ^bb0(%a: i32):
    tt.map_elementwise.return %a : i32
  }) : (tensor<16xi32>) -> tensor<16xi32>
  tt.return
}
