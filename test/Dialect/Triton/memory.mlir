// RUN: spine-triton-opt %s | FileCheck %s
// RUN: spine-triton-opt %s | spine-triton-opt | FileCheck %s
// RUN: spine-triton-opt -mlir-print-op-generic %s | spine-triton-opt | FileCheck %s
// RUN: spine-triton-opt -emit-bytecode %s | spine-triton-opt | FileCheck %s

// Loads, stores, atomics and block pointers.

// CHECK: tt.func @scalars(%{{.*}}: !tt.ptr<f32>, %{{.*}}: i1, %{{.*}}: f32) {
tt.func @scalars(%p: !tt.ptr<f32>, %c: i1, %f: f32) {
  // CHECK: tt.load %{{.*}} : !tt.ptr<f32>
  %0 = tt.load %p : !tt.ptr<f32>
  // CHECK: tt.load %{{.*}}, %{{.*}} : !tt.ptr<f32>
  %1 = tt.load %p, %c : !tt.ptr<f32>
  // CHECK: tt.load %{{.*}}, %{{.*}}, %{{.*}} : !tt.ptr<f32>
  %2 = tt.load %p, %c, %f : !tt.ptr<f32>
  // CHECK: tt.store %{{.*}}, %{{.*}} : !tt.ptr<f32>
  tt.store %p, %0 : !tt.ptr<f32>
  // CHECK: tt.store %{{.*}}, %{{.*}}, %{{.*}} : !tt.ptr<f32>
  tt.store %p, %1, %c : !tt.ptr<f32>
  // CHECK: tt.return
  tt.return
}

// CHECK: tt.func @pointer_tensors(%{{.*}}: tensor<16x!tt.ptr<bf16>>, %{{.*}}: tensor<16xi1>, %{{.*}}: tensor<16xbf16>, %{{.*}}: tensor<4x!tt.ptr<!tt.ptr<f32>>>) {
tt.func @pointer_tensors(%p: tensor<16x!tt.ptr<bf16>>, %m: tensor<16xi1>, %o: tensor<16xbf16>, %pp: tensor<4x!tt.ptr<!tt.ptr<f32>>>) {
  // CHECK: tt.load %{{.*}} : tensor<16x!tt.ptr<bf16>>
  %0 = tt.load %p : tensor<16x!tt.ptr<bf16>>
  // CHECK: tt.load %{{.*}}, %{{.*}} : tensor<16x!tt.ptr<bf16>>
  %1 = tt.load %p, %m : tensor<16x!tt.ptr<bf16>>
  // CHECK: tt.load %{{.*}}, %{{.*}}, %{{.*}} cacheModifier = ca : tensor<16x!tt.ptr<bf16>>
  %2 = tt.load %p, %m, %o cacheModifier = ca : tensor<16x!tt.ptr<bf16>>
  // CHECK: tt.load %{{.*}}, %{{.*}}, %{{.*}} evictionPolicy = evict_first : tensor<16x!tt.ptr<bf16>>
  %3 = tt.load %p, %m, %o evictionPolicy = evict_first : tensor<16x!tt.ptr<bf16>>
  // CHECK: tt.load %{{.*}} cacheModifier = cg evictionPolicy = evict_last {isVolatile = true, some.attribute} : tensor<16x!tt.ptr<bf16>>
  %4 = tt.load %p cacheModifier = cg evictionPolicy = evict_last {isVolatile = true, some.attribute} : tensor<16x!tt.ptr<bf16>>
  // CHECK: tt.load %{{.*}} cacheModifier = cv : tensor<16x!tt.ptr<bf16>>
  %5 = tt.load %p cacheModifier = cv : tensor<16x!tt.ptr<bf16>>
  // CHECK: tt.load %{{.*}} : tensor<4x!tt.ptr<!tt.ptr<f32>>>
  %6 = tt.load %pp : tensor<4x!tt.ptr<!tt.ptr<f32>>>
  // CHECK: tt.store %{{.*}}, %{{.*}} : tensor<16x!tt.ptr<bf16>>
  tt.store %p, %o : tensor<16x!tt.ptr<bf16>>
  // CHECK: tt.store %{{.*}}, %{{.*}}, %{{.*}} : tensor<16x!tt.ptr<bf16>>
  tt.store %p, %o, %m : tensor<16x!tt.ptr<bf16>>
  // CHECK: tt.store %{{.*}}, %{{.*}}, %{{.*}} cacheModifier = wb evictionPolicy = evict_first : tensor<16x!tt.ptr<bf16>>
  tt.store %p, %o, %m cacheModifier = wb evictionPolicy = evict_first : tensor<16x!tt.ptr<bf16>>
  // CHECK: tt.store %{{.*}}, %{{.*}} cacheModifier = cs {some.attribute} : tensor<16x!tt.ptr<bf16>>
  tt.store %p, %o cacheModifier = cs {some.attribute} : tensor<16x!tt.ptr<bf16>>
  // CHECK: tt.store %{{.*}}, %{{.*}} cacheModifier = wt : tensor<16x!tt.ptr<bf16>>
  tt.store %p, %o cacheModifier = wt : tensor<16x!tt.ptr<bf16>>
  // CHECK: tt.return
  tt.return
}

// CHECK: tt.func @block_pointers(%{{.*}}: !tt.ptr<f32>, %{{.*}}: !tt.ptr<f16, 3>, %{{.*}}: i64, %{{.*}}: i32, %{{.*}}: tensor<64x32xf32>) {
tt.func @block_pointers(%base: !tt.ptr<f32>, %b3: !tt.ptr<f16, 3>, %n: i64, %i: i32, %t: tensor<64x32xf32>) {
  // CHECK: tt.make_tensor_ptr %{{.*}}, [%{{.*}}, %{{.*}}], [%{{.*}}, %{{.*}}], [%{{.*}}, %{{.*}}] {order = array<i32: 1, 0>} : <tensor<64x32xf32>>
  %0 = tt.make_tensor_ptr %base, [%n, %n], [%n, %n], [%i, %i] {order = array<i32: 1, 0>} : <tensor<64x32xf32>>
  // CHECK: tt.make_tensor_ptr %{{.*}}, [%{{.*}}, %{{.*}}, %{{.*}}], [%{{.*}}, %{{.*}}, %{{.*}}], [%{{.*}}, %{{.*}}, %{{.*}}] {order = array<i32: 0, 2, 1>, some.attribute} : <tensor<2x4x8xf32>>
  %1 = tt.make_tensor_ptr %base, [%n, %n, %n], [%n, %n, %n], [%i, %i, %i] {order = array<i32: 0, 2, 1>, some.attribute} : <tensor<2x4x8xf32>>
  // CHECK: tt.make_tensor_ptr %{{.*}}, [%{{.*}}], [%{{.*}}], [%{{.*}}] {order = array<i32: 0>} : <tensor<8xf16>, 3>
  %2 = tt.make_tensor_ptr %b3, [%n], [%n], [%i] {order = array<i32: 0>} : <tensor<8xf16>, 3>
  // CHECK: tt.advance %{{.*}}, [%{{.*}}, %{{.*}}] : <tensor<64x32xf32>>
  %3 = tt.advance %0, [%i, %i] : <tensor<64x32xf32>>
  // CHECK: tt.advance %{{.*}}, [%{{.*}}] {some.attribute} : <tensor<8xf16>, 3>
  %4 = tt.advance %2, [%i] {some.attribute} : <tensor<8xf16>, 3>
  // CHECK: tt.load %{{.*}} : !tt.ptr<tensor<64x32xf32>>
  %5 = tt.load %0 : !tt.ptr<tensor<64x32xf32>>
  // CHECK: tt.load %{{.*}} {boundaryCheck = array<i32: 0, 1>, padding = 1 : i32} : !tt.ptr<tensor<64x32xf32>>
  %6 = tt.load %3 {boundaryCheck = array<i32: 0, 1>, padding = 1 : i32} : !tt.ptr<tensor<64x32xf32>>
  // CHECK: tt.load %{{.*}} evictionPolicy = evict_last {boundaryCheck = array<i32: 1>, padding = 2 : i32} : !tt.ptr<tensor<64x32xf32>>
  %7 = tt.load %3 evictionPolicy = evict_last {boundaryCheck = array<i32: 1>, padding = 2 : i32} : !tt.ptr<tensor<64x32xf32>>
  // CHECK: tt.load %{{.*}} {padding = 1 : i32} : !tt.ptr<tensor<8xf16>, 3>
  %8 = tt.load %4 {padding = 1 : i32} : !tt.ptr<tensor<8xf16>, 3>
  // CHECK: tt.store %{{.*}}, %{{.*}} : !tt.ptr<tensor<64x32xf32>>
  tt.store %0, %t : !tt.ptr<tensor<64x32xf32>>
  // CHECK: tt.store %{{.*}}, %{{.*}} cacheModifier = wt {boundaryCheck = array<i32: 0>} : !tt.ptr<tensor<64x32xf32>>
  tt.store %0, %t cacheModifier = wt {boundaryCheck = array<i32: 0>} : !tt.ptr<tensor<64x32xf32>>
  // CHECK: tt.return
  tt.return
}

// Sizes are a target's business: more than 2^20 elements are a tile.
// CHECK: tt.func @large(%{{.*}}: !tt.ptr<f32>, %{{.*}}: i64, %{{.*}}: i32) {
tt.func @large(%base: !tt.ptr<f32>, %n: i64, %i: i32) {
  // CHECK: tt.make_tensor_ptr %{{.*}}, [%{{.*}}, %{{.*}}], [%{{.*}}, %{{.*}}], [%{{.*}}, %{{.*}}] {order = array<i32: 1, 0>} : <tensor<1048576x32xf32>>
  %0 = tt.make_tensor_ptr %base, [%n, %n], [%n, %n], [%i, %i] {order = array<i32: 1, 0>} : <tensor<1048576x32xf32>>
  // CHECK: tt.load %{{.*}} : !tt.ptr<tensor<1048576x32xf32>>
  %1 = tt.load %0 : !tt.ptr<tensor<1048576x32xf32>>
  // CHECK: tt.return
  tt.return
}

// CHECK: tt.func @atomics(%{{.*}}: !tt.ptr<f32>, %{{.*}}: f32, %{{.*}}: i1, %{{.*}}: tensor<8x!tt.ptr<i32>>, %{{.*}}: tensor<8xi32>, %{{.*}}: tensor<8xi1>) {
tt.func @atomics(%p: !tt.ptr<f32>, %f: f32, %c: i1, %pp: tensor<8x!tt.ptr<i32>>, %t: tensor<8xi32>, %m: tensor<8xi1>) {
  // CHECK: tt.atomic_rmw fadd, relaxed, sys, %{{.*}}, %{{.*}} : (!tt.ptr<f32>, f32) -> f32
  %0 = tt.atomic_rmw fadd, relaxed, sys, %p, %f : (!tt.ptr<f32>, f32) -> f32
  // CHECK: tt.atomic_rmw exch, release, cta, %{{.*}}, %{{.*}}, %{{.*}} : (!tt.ptr<f32>, f32, i1) -> f32
  %1 = tt.atomic_rmw exch, release, cta, %p, %f, %c : (!tt.ptr<f32>, f32, i1) -> f32
  // CHECK: tt.atomic_rmw add, acq_rel, gpu, %{{.*}}, %{{.*}}, %{{.*}} : (tensor<8x!tt.ptr<i32>>, tensor<8xi32>, tensor<8xi1>) -> tensor<8xi32>
  %2 = tt.atomic_rmw add, acq_rel, gpu, %pp, %t, %m : (tensor<8x!tt.ptr<i32>>, tensor<8xi32>, tensor<8xi1>) -> tensor<8xi32>
  // CHECK: tt.atomic_rmw and, acquire, gpu, %{{.*}}, %{{.*}} : (tensor<8x!tt.ptr<i32>>, tensor<8xi32>) -> tensor<8xi32>
  %3 = tt.atomic_rmw and, acquire, gpu, %pp, %t : (tensor<8x!tt.ptr<i32>>, tensor<8xi32>) -> tensor<8xi32>
  // CHECK: tt.atomic_rmw or, acq_rel, gpu, %{{.*}}, %{{.*}} : (tensor<8x!tt.ptr<i32>>, tensor<8xi32>) -> tensor<8xi32>
  %4 = tt.atomic_rmw or, acq_rel, gpu, %pp, %t : (tensor<8x!tt.ptr<i32>>, tensor<8xi32>) -> tensor<8xi32>
  // CHECK: tt.atomic_rmw xor, acq_rel, gpu, %{{.*}}, %{{.*}} : (tensor<8x!tt.ptr<i32>>, tensor<8xi32>) -> tensor<8xi32>
  %5 = tt.atomic_rmw xor, acq_rel, gpu, %pp, %t : (tensor<8x!tt.ptr<i32>>, tensor<8xi32>) -> tensor<8xi32>
  // CHECK: tt.atomic_rmw max, acq_rel, gpu, %{{.*}}, %{{.*}} : (tensor<8x!tt.ptr<i32>>, tensor<8xi32>) -> tensor<8xi32>
  %6 = tt.atomic_rmw max, acq_rel, gpu, %pp, %t : (tensor<8x!tt.ptr<i32>>, tensor<8xi32>) -> tensor<8xi32>
  // CHECK: tt.atomic_rmw min, acq_rel, gpu, %{{.*}}, %{{.*}} : (tensor<8x!tt.ptr<i32>>, tensor<8xi32>) -> tensor<8xi32>
  %7 = tt.atomic_rmw min, acq_rel, gpu, %pp, %t : (tensor<8x!tt.ptr<i32>>, tensor<8xi32>) -> tensor<8xi32>
  // CHECK: tt.atomic_rmw umax, acq_rel, gpu, %{{.*}}, %{{.*}} : (tensor<8x!tt.ptr<i32>>, tensor<8xi32>) -> tensor<8xi32>
  %8 = tt.atomic_rmw umax, acq_rel, gpu, %pp, %t : (tensor<8x!tt.ptr<i32>>, tensor<8xi32>) -> tensor<8xi32>
  // CHECK: tt.atomic_rmw umin, acq_rel, gpu, %{{.*}}, %{{.*}} {some.attribute} : (tensor<8x!tt.ptr<i32>>, tensor<8xi32>) -> tensor<8xi32>
  %9 = tt.atomic_rmw umin, acq_rel, gpu, %pp, %t {some.attribute} : (tensor<8x!tt.ptr<i32>>, tensor<8xi32>) -> tensor<8xi32>
  // CHECK: tt.atomic_cas acq_rel, gpu, %{{.*}}, %{{.*}}, %{{.*}} : (!tt.ptr<f32>, f32, f32) -> f32
  %10 = tt.atomic_cas acq_rel, gpu, %p, %f, %f : (!tt.ptr<f32>, f32, f32) -> f32
  // CHECK: tt.atomic_cas relaxed, sys, %{{.*}}, %{{.*}}, %{{.*}} {some.attribute} : (tensor<8x!tt.ptr<i32>>, tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
  %11 = tt.atomic_cas relaxed, sys, %pp, %t, %t {some.attribute} : (tensor<8x!tt.ptr<i32>>, tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
  // CHECK: tt.return
  tt.return
}
