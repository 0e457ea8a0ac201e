// RUN: spine-triton-opt %s | FileCheck %s
// RUN: spine-triton-opt %s | spine-triton-opt | FileCheck %s
// RUN: spine-triton-opt -mlir-print-op-generic %s | spine-triton-opt | FileCheck %s
// RUN: spine-triton-opt -emit-bytecode %s | spine-triton-opt | FileCheck %s

// Operations with scalar bodies.

// CHECK: tt.func @reduce(%{{.*}}: tensor<16xf32>, %{{.*}}: tensor<4x16xf32>, %{{.*}}: tensor<4x16xi32>) {
tt.func @reduce(%v: tensor<16xf32>, %t: tensor<4x16xf32>, %i: tensor<4x16xi32>) {
  // CHECK: "tt.reduce"(%{{.*}}) <{axis = 0 : i32}> ({
  %0 = "tt.reduce"(%v) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    // CHECK: arith.addf %{{.*}}, %{{.*}} : f32
    %s = arith.addf %a, %b : f32
    // CHECK: tt.reduce.return %{{.*}} : f32
    tt.reduce.return %s : f32
  }) : (tensor<16xf32>) -> f32
  // CHECK: "tt.reduce"(%{{.*}}, %{{.*}}) <{axis = 1 : i32}> ({
  %1:2 = "tt.reduce"(%t, %i) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %j: i32, %b: f32, %k: i32):
    // CHECK: arith.cmpf ogt, %{{.*}}, %{{.*}} : f32
    %c = arith.cmpf ogt, %a, %b : f32
    // CHECK: arith.select %{{.*}}, %{{.*}}, %{{.*}} : f32
    %x = arith.select %c, %a, %b : f32
    // CHECK: arith.select %{{.*}}, %{{.*}}, %{{.*}} : i32
    %y = arith.select %c, %j, %k : i32
    // CHECK: tt.reduce.return %{{.*}}, %{{.*}} : f32, i32
    tt.reduce.return %x, %y : f32, i32
  }) {some.attribute} : (tensor<4x16xf32>, tensor<4x16xi32>) -> (tensor<4xf32>, tensor<4xi32>)
  // CHECK: tt.return
  tt.return
}

// CHECK: tt.func @scan(%{{.*}}: tensor<16xf32>, %{{.*}}: tensor<4x16xi64>, %{{.*}}: tensor<4x16xf16>) {
tt.func @scan(%v: tensor<16xf32>, %t: tensor<4x16xi64>, %u: tensor<4x16xf16>) {
  // CHECK: "tt.scan"(%{{.*}}) <{axis = 0 : i32, reverse = false}> ({
  %0 = "tt.scan"(%v) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%a: f32, %b: f32):
    // CHECK: arith.addf %{{.*}}, %{{.*}} : f32
    %s = arith.addf %a, %b : f32
    // CHECK: tt.scan.return %{{.*}} : f32
    tt.scan.return %s : f32
  }) : (tensor<16xf32>) -> tensor<16xf32>
  // CHECK: "tt.scan"(%{{.*}}, %{{.*}}) <{axis = 1 : i32, reverse = true}> ({
  %1:2 = "tt.scan"(%t, %u) <{axis = 1 : i32, reverse = true}> ({
  ^bb0(%a: i64, %c: f16, %b: i64, %d: f16):
    // CHECK: tt.scan.return %{{.*}}, %{{.*}} : i64, f16
    tt.scan.return %a, %d : i64, f16
  }) : (tensor<4x16xi64>, tensor<4x16xf16>) -> (tensor<4x16xi64>, tensor<4x16xf16>)
  // CHECK: tt.return
  tt.return
}

// CHECK: tt.func @map_elementwise(%{{.*}}: tensor<16xf32>, %{{.*}}: tensor<16xi32>) {
tt.func @map_elementwise(%v: tensor<16xf32>, %w: tensor<16xi32>) {
  // CHECK: "tt.map_elementwise"(%{{.*}}, %{{.*}}) <{pack = 1 : i32}> ({
  %0:2 = "tt.map_elementwise"(%v, %w) <{pack = 1 : i32}> ({
  ^bb0(%a: f32, %b: i32):
    // CHECK: arith.constant 0 : i32
    %z = arith.constant 0 : i32
    // CHECK: arith.cmpi eq, %{{.*}}, %{{.*}} : i32
    %c = arith.cmpi eq, %b, %z : i32
    // CHECK: cf.cond_br %{{.*}}, ^bb{{[0-9]+}}, ^bb{{[0-9]+}}
    cf.cond_br %c, ^bb1, ^bb2
  ^bb1:
    // CHECK: tt.map_elementwise.return %{{.*}}, %{{.*}} : i32, f32
    tt.map_elementwise.return %b, %a : i32, f32
  ^bb2:
    // CHECK: tt.map_elementwise.return %{{.*}}, %{{.*}} : i32, f32
    tt.map_elementwise.return %z, %a : i32, f32
  }) : (tensor<16xf32>, tensor<16xi32>) -> (tensor<16xi32>, tensor<16xf32>)
  // CHECK: "tt.map_elementwise"(%{{.*}}) <{pack = 2 : i32}> ({
  %1 = "tt.map_elementwise"(%v) <{pack = 2 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    // CHECK: tt.map_elementwise.return %{{.*}}, %{{.*}} : f32, f32
    tt.map_elementwise.return %b, %a : f32, f32
  }) : (tensor<16xf32>) -> tensor<16xf32>
  // CHECK: tt.return
  tt.return
}
