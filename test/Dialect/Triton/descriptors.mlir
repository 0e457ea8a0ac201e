// RUN: spine-triton-opt %s | FileCheck %s
// RUN: spine-triton-opt %s | spine-triton-opt | FileCheck %s
// RUN: spine-triton-opt -mlir-print-op-generic %s | spine-triton-opt | FileCheck %s
// RUN: spine-triton-opt -emit-bytecode %s | spine-triton-opt | FileCheck %s

// Tensor descriptors.

// CHECK: tt.func @descriptors(%{{.*}}: !tt.ptr<f32>, %{{.*}}: !tt.ptr<i8>, %{{.*}}: i32, %{{.*}}: i64, %{{.*}}: tensor<16x32xf32>, %{{.*}}: tensor<32xf32>, %{{.*}}: tensor<16xi32>, %{{.*}}: !tt.tensordesc<tensor<1x32xf32>>) {
tt.func @descriptors(%p: !tt.ptr<f32>, %q: !tt.ptr<i8>, %n: i32, %s: i64, %t: tensor<16x32xf32>, %v: tensor<32xf32>, %rows: tensor<16xi32>, %host: !tt.tensordesc<tensor<1x32xf32>>) {
  // CHECK: tt.make_tensor_descriptor %{{.*}}, [%{{.*}}, %{{.*}}], [%{{.*}}, %{{.*}}] : <f32>, <tensor<16x32xf32>>
  %0 = tt.make_tensor_descriptor %p, [%n, %n], [%s, %s] : <f32>, <tensor<16x32xf32>>
  // CHECK: tt.make_tensor_descriptor %{{.*}}, [%{{.*}}, %{{.*}}], [%{{.*}}, %{{.*}}] {padding = 2 : i32, some.attribute} : <f32>, <tensor<16x32xf32>>
  %1 = tt.make_tensor_descriptor %p, [%n, %n], [%s, %s] {padding = 2 : i32, some.attribute} : <f32>, <tensor<16x32xf32>>
  // CHECK: tt.make_tensor_descriptor %{{.*}}, [%{{.*}}], [%{{.*}}] : <i8>, <tensor<16xui8>>
  %2 = tt.make_tensor_descriptor %q, [%n], [%s] : <i8>, <tensor<16xui8>>
  // CHECK: tt.descriptor_load %{{.*}}[%{{.*}}, %{{.*}}] : !tt.tensordesc<tensor<16x32xf32>> -> tensor<16x32xf32>
  %3 = tt.descriptor_load %0[%n, %n] : !tt.tensordesc<tensor<16x32xf32>> -> tensor<16x32xf32>
  // CHECK: tt.descriptor_load %{{.*}}[%{{.*}}, %{{.*}}] cacheModifier = cg evictionPolicy = evict_last {some.attribute} : !tt.tensordesc<tensor<16x32xf32>> -> tensor<16x32xf32>
  %4 = tt.descriptor_load %0[%n, %n] cacheModifier = cg evictionPolicy = evict_last {some.attribute} : !tt.tensordesc<tensor<16x32xf32>> -> tensor<16x32xf32>
  // CHECK: tt.descriptor_load %{{.*}}[%{{.*}}, %{{.*}}] : !tt.tensordesc<tensor<1x32xf32>> -> tensor<32xf32>
  %5 = tt.descriptor_load %host[%n, %n] : !tt.tensordesc<tensor<1x32xf32>> -> tensor<32xf32>
  // CHECK: tt.descriptor_load %{{.*}}[%{{.*}}] : !tt.tensordesc<tensor<16xui8>> -> tensor<16xi8>
  %6 = tt.descriptor_load %2[%n] : !tt.tensordesc<tensor<16xui8>> -> tensor<16xi8>
  // CHECK: tt.descriptor_store %{{.*}}[%{{.*}}, %{{.*}}], %{{.*}} : !tt.tensordesc<tensor<16x32xf32>>, tensor<16x32xf32>
  tt.descriptor_store %0[%n, %n], %t : !tt.tensordesc<tensor<16x32xf32>>, tensor<16x32xf32>
  // CHECK: tt.descriptor_store %{{.*}}[%{{.*}}, %{{.*}}], %{{.*}} {some.attribute} : !tt.tensordesc<tensor<1x32xf32>>, tensor<32xf32>
  tt.descriptor_store %host[%n, %n], %v {some.attribute} : !tt.tensordesc<tensor<1x32xf32>>, tensor<32xf32>
  // CHECK: tt.descriptor_reduce add, %{{.*}}[%{{.*}}, %{{.*}}], %{{.*}} : !tt.tensordesc<tensor<16x32xf32>>, tensor<16x32xf32>
  tt.descriptor_reduce add, %0[%n, %n], %t : !tt.tensordesc<tensor<16x32xf32>>, tensor<16x32xf32>
  // CHECK: tt.descriptor_reduce min, %{{.*}}[%{{.*}}, %{{.*}}], %{{.*}} : !tt.tensordesc<tensor<16x32xf32>>, tensor<16x32xf32>
  tt.descriptor_reduce min, %0[%n, %n], %t : !tt.tensordesc<tensor<16x32xf32>>, tensor<16x32xf32>
  // CHECK: tt.descriptor_reduce max, %{{.*}}[%{{.*}}, %{{.*}}], %{{.*}} : !tt.tensordesc<tensor<16x32xf32>>, tensor<16x32xf32>
  tt.descriptor_reduce max, %0[%n, %n], %t : !tt.tensordesc<tensor<16x32xf32>>, tensor<16x32xf32>
  // CHECK: tt.descriptor_reduce xor, %{{.*}}[%{{.*}}], %{{.*}} {some.attribute} : !tt.tensordesc<tensor<16xui8>>, tensor<16xi8>
  tt.descriptor_reduce xor, %2[%n], %6 {some.attribute} : !tt.tensordesc<tensor<16xui8>>, tensor<16xi8>
  // CHECK: tt.descriptor_reduce inc, %{{.*}}[%{{.*}}], %{{.*}} : !tt.tensordesc<tensor<16xui8>>, tensor<16xi8>
  tt.descriptor_reduce inc, %2[%n], %6 : !tt.tensordesc<tensor<16xui8>>, tensor<16xi8>
  // CHECK: tt.descriptor_gather %{{.*}}[%{{.*}}, %{{.*}}] : (!tt.tensordesc<tensor<1x32xf32>>, tensor<16xi32>, i32) -> tensor<16x32xf32>
  %7 = tt.descriptor_gather %host[%rows, %n] : (!tt.tensordesc<tensor<1x32xf32>>, tensor<16xi32>, i32) -> tensor<16x32xf32>
  // CHECK: tt.descriptor_scatter %{{.*}}[%{{.*}}, %{{.*}}], %{{.*}} : !tt.tensordesc<tensor<1x32xf32>>, tensor<16xi32>, i32, tensor<16x32xf32>
  tt.descriptor_scatter %host[%rows, %n], %t : !tt.tensordesc<tensor<1x32xf32>>, tensor<16xi32>, i32, tensor<16x32xf32>
  // CHECK: tt.return
  tt.return
}

// The spelling of later versions is read too.
// CHECK: tt.func @short(%{{.*}}: !tt.tensordesc<tensor<16x32xf32>>, %{{.*}}: !tt.tensordesc<tensor<8xui16>>)
tt.func @short(%0: !tt.tensordesc<16x32xf32>, %1: !tt.tensordesc<8xui16>) {
  // CHECK: tt.return
  tt.return
}
