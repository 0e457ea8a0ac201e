// RUN: spine-triton-opt %s | FileCheck %s
// RUN: spine-triton-opt %s | spine-triton-opt | FileCheck %s
// RUN: spine-triton-opt -emit-bytecode %s | spine-triton-opt | FileCheck %s

// CHECK-LABEL: tt.func private @pointers(!tt.ptr<f32>, !tt.ptr<i1>, !tt.ptr<f32, 3>, !tt.ptr<i8, 0>, !tt.ptr<!tt.ptr<bf16>>, !tt.ptr<f8E4M3B11FNUZ>)
tt.func private @pointers(!tt.ptr<f32>, !tt.ptr<i1, 1>, !tt.ptr<f32, 3>, !tt.ptr<i8, 0>, !tt.ptr<!tt.ptr<bf16>>, !tt.ptr<f8E4M3B11FNUZ>)

// CHECK-LABEL: tt.func private @tiles(!tt.ptr<tensor<64x32xf32>>, !tt.ptr<tensor<1x1x1x1x16xi8>, 2>, tensor<8x!tt.ptr<f16>>, !tt.ptr<tensor<4x!tt.ptr<f16>>>)
tt.func private @tiles(!tt.ptr<tensor<64x32xf32>>, !tt.ptr<tensor<1x1x1x1x16xi8>, 2>, tensor<8x!tt.ptr<f16>>, !tt.ptr<tensor<4x!tt.ptr<f16>>>)

// CHECK-LABEL: tt.func private @descriptors(!tt.tensordesc<tensor<16x16xf32>>, !tt.tensordesc<tensor<8xui8>>, !tt.tensordesc<tensor<8x4xsi32>>)
tt.func private @descriptors(!tt.tensordesc<tensor<16x16xf32>>, !tt.tensordesc<tensor<8xui8>>, !tt.tensordesc<8x4xsi32>)
