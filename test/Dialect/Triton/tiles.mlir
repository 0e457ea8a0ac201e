// RUN: spine-triton-opt %s | FileCheck %s
// RUN: spine-triton-opt %s | spine-triton-opt | FileCheck %s
// RUN: spine-triton-opt -mlir-print-op-generic %s | spine-triton-opt | FileCheck %s
// RUN: spine-triton-opt -emit-bytecode %s | spine-triton-opt | FileCheck %s

// Shapes, values and products of tiles.

// CHECK: tt.func @shapes(%{{.*}}: f32, %{{.*}}: !tt.ptr<f16>, %{{.*}}: tensor<16xf32>, %{{.*}}: tensor<4x8xf32>, %{{.*}}: tensor<1x1xi32>, %{{.*}}: tensor<2x4x8xf16>, %{{.*}}: tensor<4x1x!tt.ptr<f16>>) {
tt.func @shapes(%f: f32, %p: !tt.ptr<f16>, %v: tensor<16xf32>, %t: tensor<4x8xf32>, %one: tensor<1x1xi32>, %h: tensor<2x4x8xf16>, %pp: tensor<4x1x!tt.ptr<f16>>) {
  // CHECK: tt.splat %{{.*}} : f32 -> tensor<4x8xf32>
  %0 = tt.splat %f : f32 -> tensor<4x8xf32>
  // CHECK: tt.splat %{{.*}} {some.attribute} : !tt.ptr<f16> -> tensor<16x!tt.ptr<f16>>
  %1 = tt.splat %p {some.attribute} : !tt.ptr<f16> -> tensor<16x!tt.ptr<f16>>
  // CHECK: tt.unsplat %{{.*}} : tensor<1x1xi32>
  %2 = tt.unsplat %one : tensor<1x1xi32>
  // CHECK: tt.expand_dims %{{.*}} {axis = 0 : i32} : tensor<16xf32> -> tensor<1x16xf32>
  %3 = tt.expand_dims %v {axis = 0 : i32} : tensor<16xf32> -> tensor<1x16xf32>
  // CHECK: tt.expand_dims %{{.*}} {axis = 1 : i32} : tensor<16xf32> -> tensor<16x1xf32>
  %4 = tt.expand_dims %v {axis = 1 : i32} : tensor<16xf32> -> tensor<16x1xf32>
  // CHECK: tt.reshape %{{.*}} : tensor<16xf32> -> tensor<4x4xf32>
  %5 = tt.reshape %v : tensor<16xf32> -> tensor<4x4xf32>
  // CHECK: tt.reshape %{{.*}} allow_reorder : tensor<16xf32> -> tensor<4x4xf32>
  %6 = tt.reshape %v allow_reorder : tensor<16xf32> -> tensor<4x4xf32>
  // CHECK: tt.reshape %{{.*}} efficient_layout : tensor<16xf32> -> tensor<4x4xf32>
  %7 = tt.reshape %v efficient_layout : tensor<16xf32> -> tensor<4x4xf32>
  // CHECK: tt.reshape %{{.*}} allow_reorder efficient_layout {some.attribute} : tensor<16xf32> -> tensor<2x8xf32>
  %8 = tt.reshape %v allow_reorder efficient_layout {some.attribute} : tensor<16xf32> -> tensor<2x8xf32>
  // CHECK: tt.broadcast %{{.*}} : tensor<1x16xf32> -> tensor<8x16xf32>
  %9 = tt.broadcast %3 : tensor<1x16xf32> -> tensor<8x16xf32>
  // CHECK: tt.broadcast %{{.*}} : tensor<4x1x!tt.ptr<f16>> -> tensor<4x8x!tt.ptr<f16>>
  %10 = tt.broadcast %pp : tensor<4x1x!tt.ptr<f16>> -> tensor<4x8x!tt.ptr<f16>>
  // CHECK: tt.cat %{{.*}}, %{{.*}} : tensor<16xf32> -> tensor<32xf32>
  %11 = tt.cat %v, %v : tensor<16xf32> -> tensor<32xf32>
  // CHECK: tt.join %{{.*}}, %{{.*}} : tensor<4x8xf32> -> tensor<4x8x2xf32>
  %12 = tt.join %t, %t : tensor<4x8xf32> -> tensor<4x8x2xf32>
  %13, %14 = tt.split %12 : tensor<4x8x2xf32> -> tensor<4x8xf32>
  // CHECK: tt.trans %{{.*}} {order = array<i32: 1, 0>} : tensor<4x8xf32> -> tensor<8x4xf32>
  %15 = tt.trans %t {order = array<i32: 1, 0>} : tensor<4x8xf32> -> tensor<8x4xf32>
  // CHECK: tt.trans %{{.*}} {order = array<i32: 2, 0, 1>} : tensor<2x4x8xf16> -> tensor<8x2x4xf16>
  %16 = tt.trans %h {order = array<i32: 2, 0, 1>} : tensor<2x4x8xf16> -> tensor<8x2x4xf16>
  // CHECK: tt.return
  tt.return
}

// CHECK: tt.func @values(%{{.*}}: tensor<16xi32>, %{{.*}}: tensor<16xi1>, %{{.*}}: tensor<4x32xbf16>, %{{.*}}: tensor<4x8xi64>) {
tt.func @values(%i: tensor<16xi32>, %m: tensor<16xi1>, %t: tensor<4x32xbf16>, %j: tensor<4x8xi64>) {
  // CHECK: tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %0 = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  // CHECK: tt.make_range {end = 4 : i32, start = -4 : i32} : tensor<8xi32>
  %1 = tt.make_range {end = 4 : i32, start = -4 : i32} : tensor<8xi32>
  // CHECK: tt.histogram %{{.*}} : tensor<16xi32> -> tensor<8xi32>
  %2 = tt.histogram %i : tensor<16xi32> -> tensor<8xi32>
  // CHECK: tt.histogram %{{.*}}, %{{.*}} : tensor<16xi32> -> tensor<64xi32>
  %3 = tt.histogram %i, %m : tensor<16xi32> -> tensor<64xi32>
  // CHECK: tt.gather %{{.*}}[%{{.*}}] {axis = 0 : i32} : (tensor<16xi32>, tensor<16xi32>) -> tensor<16xi32>
  %4 = tt.gather %i[%i] {axis = 0 : i32} : (tensor<16xi32>, tensor<16xi32>) -> tensor<16xi32>
  // CHECK: tt.gather %{{.*}}[%{{.*}}] {axis = 1 : i32, efficient_layout} : (tensor<4x32xbf16>, tensor<4x8xi64>) -> tensor<4x8xbf16>
  %5 = tt.gather %t[%j] {axis = 1 : i32, efficient_layout} : (tensor<4x32xbf16>, tensor<4x8xi64>) -> tensor<4x8xbf16>
  // CHECK: tt.return
  tt.return
}

// CHECK: tt.func @dot(%{{.*}}: tensor<16x32xf32>, %{{.*}}: tensor<32x8xf32>, %{{.*}}: tensor<16x8xf32>, %{{.*}}: tensor<2x16x32xf16>, %{{.*}}: tensor<2x32x8xf16>, %{{.*}}: tensor<2x16x8xf32>, %{{.*}}: tensor<16x32xi8>, %{{.*}}: tensor<32x8xi8>, %{{.*}}: tensor<16x8xi32>, %{{.*}}: tensor<16x32xf8E5M2>, %{{.*}}: tensor<32x8xf8E4M3FN>) {
tt.func @dot(%a: tensor<16x32xf32>, %b: tensor<32x8xf32>, %c: tensor<16x8xf32>, %ha: tensor<2x16x32xf16>, %hb: tensor<2x32x8xf16>, %hc: tensor<2x16x8xf32>, %ia: tensor<16x32xi8>, %ib: tensor<32x8xi8>, %ic: tensor<16x8xi32>, %fa: tensor<16x32xf8E5M2>, %fb: tensor<32x8xf8E4M3FN>) {
  // CHECK: tt.dot %{{.*}}, %{{.*}}, %{{.*}} : tensor<16x32xf32> * tensor<32x8xf32> -> tensor<16x8xf32>
  %0 = tt.dot %a, %b, %c : tensor<16x32xf32> * tensor<32x8xf32> -> tensor<16x8xf32>
  // CHECK: tt.dot %{{.*}}, %{{.*}}, %{{.*}}, inputPrecision = tf32 : tensor<16x32xf32> * tensor<32x8xf32> -> tensor<16x8xf32>
  %1 = tt.dot %a, %b, %c, inputPrecision = tf32 : tensor<16x32xf32> * tensor<32x8xf32> -> tensor<16x8xf32>
  // CHECK: tt.dot %{{.*}}, %{{.*}}, %{{.*}}, inputPrecision = tf32x3 {maxNumImpreciseAcc = 5 : i32} : tensor<16x32xf32> * tensor<32x8xf32> -> tensor<16x8xf32>
  %2 = tt.dot %a, %b, %c, inputPrecision = tf32x3 {maxNumImpreciseAcc = 5 : i32} : tensor<16x32xf32> * tensor<32x8xf32> -> tensor<16x8xf32>
  // CHECK: tt.dot %{{.*}}, %{{.*}}, %{{.*}}, inputPrecision = bf16x3 : tensor<16x32xf32> * tensor<32x8xf32> -> tensor<16x8xf32>
  %3 = tt.dot %a, %b, %c, inputPrecision = bf16x3 : tensor<16x32xf32> * tensor<32x8xf32> -> tensor<16x8xf32>
  // CHECK: tt.dot %{{.*}}, %{{.*}}, %{{.*}}, inputPrecision = bf16x6 {two_ctas} : tensor<16x32xf32> * tensor<32x8xf32> -> tensor<16x8xf32>
  %4 = tt.dot %a, %b, %c, inputPrecision = bf16x6 {two_ctas} : tensor<16x32xf32> * tensor<32x8xf32> -> tensor<16x8xf32>
  // CHECK: tt.dot %{{.*}}, %{{.*}}, %{{.*}} : tensor<2x16x32xf16> * tensor<2x32x8xf16> -> tensor<2x16x8xf32>
  %5 = tt.dot %ha, %hb, %hc : tensor<2x16x32xf16> * tensor<2x32x8xf16> -> tensor<2x16x8xf32>
  // CHECK: tt.dot %{{.*}}, %{{.*}}, %{{.*}} : tensor<16x32xi8> * tensor<32x8xi8> -> tensor<16x8xi32>
  %6 = tt.dot %ia, %ib, %ic : tensor<16x32xi8> * tensor<32x8xi8> -> tensor<16x8xi32>
  // CHECK: tt.dot %{{.*}}, %{{.*}}, %{{.*}} : tensor<16x32xf8E5M2> * tensor<32x8xf8E4M3FN> -> tensor<16x8xf32>
  %7 = tt.dot %fa, %fb, %c : tensor<16x32xf8E5M2> * tensor<32x8xf8E4M3FN> -> tensor<16x8xf32>
  // CHECK: tt.return
  tt.return
}

// CHECK: tt.func @dot_scaled(%{{.*}}: tensor<16x64xf8E5M2>, %{{.*}}: tensor<16x2xi8>, %{{.*}}: tensor<64x8xf8E4M3FN>, %{{.*}}: tensor<8x2xi8>, %{{.*}}: tensor<16x8xf32>, %{{.*}}: tensor<16x32xi8>, %{{.*}}: tensor<64x4xi8>, %{{.*}}: tensor<16x4xf8E4M3FN>) {
tt.func @dot_scaled(%a: tensor<16x64xf8E5M2>, %as: tensor<16x2xi8>, %b: tensor<64x8xf8E4M3FN>, %bs: tensor<8x2xi8>, %c: tensor<16x8xf32>, %a4: tensor<16x32xi8>, %b4: tensor<64x4xi8>, %as4: tensor<16x4xf8E4M3FN>) {
  // CHECK: tt.dot_scaled %{{.*}} scale %{{.*}}, %{{.*}} scale %{{.*}}, %{{.*}} lhs = e5m2 rhs = e4m3 {fastMath = false} : tensor<16x64xf8E5M2>, tensor<16x2xi8> * tensor<64x8xf8E4M3FN>, tensor<8x2xi8> -> tensor<16x8xf32>
  %0 = tt.dot_scaled %a scale %as, %b scale %bs, %c lhs = e5m2 rhs = e4m3 {fastMath = false} : tensor<16x64xf8E5M2>, tensor<16x2xi8> * tensor<64x8xf8E4M3FN>, tensor<8x2xi8> -> tensor<16x8xf32>
  // CHECK: tt.dot_scaled %{{.*}}, %{{.*}}, %{{.*}} lhs = e5m2 rhs = e4m3 {fastMath = true} : tensor<16x64xf8E5M2> * tensor<64x8xf8E4M3FN> -> tensor<16x8xf32>
  %1 = tt.dot_scaled %a, %b, %c lhs = e5m2 rhs = e4m3 {fastMath = true} : tensor<16x64xf8E5M2> * tensor<64x8xf8E4M3FN> -> tensor<16x8xf32>
  // CHECK: tt.dot_scaled %{{.*}} scale %{{.*}}, %{{.*}}, %{{.*}} lhs = e2m1 rhs = e2m1 {fastMath = false, rhs_k_pack = false} : tensor<16x32xi8>, tensor<16x4xf8E4M3FN> * tensor<64x4xi8> -> tensor<16x8xf32>
  %2 = tt.dot_scaled %a4 scale %as4, %b4, %c lhs = e2m1 rhs = e2m1 {fastMath = false, rhs_k_pack = false} : tensor<16x32xi8>, tensor<16x4xf8E4M3FN> * tensor<64x4xi8> -> tensor<16x8xf32>
  // CHECK: tt.return
  tt.return
}
