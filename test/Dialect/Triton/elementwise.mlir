// RUN: spine-triton-opt %s | FileCheck %s
// RUN: spine-triton-opt %s | spine-triton-opt | FileCheck %s
// RUN: spine-triton-opt -mlir-print-op-generic %s | spine-triton-opt | FileCheck %s
// RUN: spine-triton-opt -emit-bytecode %s | spine-triton-opt | FileCheck %s

// Casts, arithmetic and pointers to scalars.

// CHECK: tt.func @casts(%{{.*}}: !tt.ptr<f32>, %{{.*}}: tensor<16x!tt.ptr<f32>>, %{{.*}}: i64, %{{.*}}: tensor<16xi64>, %{{.*}}: f32, %{{.*}}: tensor<4x4xf16>) {
tt.func @casts(%p: !tt.ptr<f32>, %pp: tensor<16x!tt.ptr<f32>>, %i: i64, %t: tensor<16xi64>, %f: f32, %h: tensor<4x4xf16>) {
  // CHECK: tt.ptr_to_int %{{.*}} : !tt.ptr<f32> -> i64
  %0 = tt.ptr_to_int %p : !tt.ptr<f32> -> i64
  // CHECK: tt.ptr_to_int %{{.*}} : tensor<16x!tt.ptr<f32>> -> tensor<16xi64>
  %1 = tt.ptr_to_int %pp : tensor<16x!tt.ptr<f32>> -> tensor<16xi64>
  // CHECK: tt.int_to_ptr %{{.*}} : i64 -> !tt.ptr<f16>
  %2 = tt.int_to_ptr %i : i64 -> !tt.ptr<f16>
  // CHECK: tt.int_to_ptr %{{.*}} : tensor<16xi64> -> tensor<16x!tt.ptr<f16, 3>>
  %3 = tt.int_to_ptr %t : tensor<16xi64> -> tensor<16x!tt.ptr<f16, 3>>
  // CHECK: tt.bitcast %{{.*}} : !tt.ptr<f32> -> !tt.ptr<i8>
  %4 = tt.bitcast %p : !tt.ptr<f32> -> !tt.ptr<i8>
  // CHECK: tt.bitcast %{{.*}} : tensor<4x4xf16> -> tensor<4x4xbf16>
  %5 = tt.bitcast %h : tensor<4x4xf16> -> tensor<4x4xbf16>
  // CHECK: tt.bitcast %{{.*}} {some.attribute} : f32 -> i32
  %6 = tt.bitcast %f {some.attribute} : f32 -> i32
  // CHECK: tt.fp_to_fp %{{.*}}, rounding = rtne : f32 -> f16
  %7 = tt.fp_to_fp %f, rounding = rtne : f32 -> f16
  // CHECK: tt.fp_to_fp %{{.*}}, rounding = rtz : tensor<4x4xf16> -> tensor<4x4xf8E5M2>
  %8 = tt.fp_to_fp %h, rounding = rtz : tensor<4x4xf16> -> tensor<4x4xf8E5M2>
  // CHECK: tt.fp_to_fp %{{.*}} {some.attribute} : tensor<4x4xf16> -> tensor<4x4xf32>
  %9 = tt.fp_to_fp %h {some.attribute} : tensor<4x4xf16> -> tensor<4x4xf32>
  // CHECK: tt.fp_to_fp %{{.*}} : tensor<4x4xf8E5M2> -> tensor<4x4xf16>
  %10 = tt.fp_to_fp %8 : tensor<4x4xf8E5M2> -> tensor<4x4xf16>
  // CHECK: tt.return
  tt.return
}

// CHECK: tt.func @arithmetic(%{{.*}}: f32, %{{.*}}: tensor<8xf32>, %{{.*}}: i32, %{{.*}}: tensor<8xi64>) {
tt.func @arithmetic(%f: f32, %t: tensor<8xf32>, %i: i32, %u: tensor<8xi64>) {
  // CHECK: tt.clampf %{{.*}}, %{{.*}}, %{{.*}}, propagateNan = none : f32
  %0 = tt.clampf %f, %f, %f, propagateNan = none : f32
  // CHECK: tt.clampf %{{.*}}, %{{.*}}, %{{.*}}, propagateNan = all {some.attribute} : tensor<8xf32>
  %1 = tt.clampf %t, %t, %t, propagateNan = all {some.attribute} : tensor<8xf32>
  // CHECK: tt.precise_sqrt %{{.*}} : tensor<8xf32>
  %2 = tt.precise_sqrt %t : tensor<8xf32>
  // CHECK: tt.precise_divf %{{.*}}, %{{.*}} : f32
  %3 = tt.precise_divf %f, %f : f32
  // CHECK: tt.mulhiui %{{.*}}, %{{.*}} : i32
  %4 = tt.mulhiui %i, %i : i32
  // CHECK: tt.mulhiui %{{.*}}, %{{.*}} : tensor<8xi64>
  %5 = tt.mulhiui %u, %u : tensor<8xi64>
  // CHECK: tt.return
  tt.return
}

// CHECK: tt.func @addptr(%{{.*}}: !tt.ptr<f32>, %{{.*}}: tensor<8x!tt.ptr<!tt.ptr<i8>>>, %{{.*}}: i32, %{{.*}}: tensor<8xi64>) {
tt.func @addptr(%p: !tt.ptr<f32>, %pp: tensor<8x!tt.ptr<!tt.ptr<i8>>>, %i: i32, %l: tensor<8xi64>) {
  // CHECK: tt.addptr %{{.*}}, %{{.*}} : !tt.ptr<f32>, i32
  %0 = tt.addptr %p, %i : !tt.ptr<f32>, i32
  // CHECK: tt.addptr %{{.*}}, %{{.*}} {tt.contiguity = dense<8> : tensor<1xi32>} : tensor<8x!tt.ptr<!tt.ptr<i8>>>, tensor<8xi64>
  %1 = tt.addptr %pp, %l {tt.contiguity = dense<8> : tensor<1xi32>} : tensor<8x!tt.ptr<!tt.ptr<i8>>>, tensor<8xi64>
  // CHECK: tt.return
  tt.return
}

// CHECK: tt.func @foreign(%{{.*}}: tensor<16xf32>, %{{.*}}: tensor<16xi32>, %{{.*}}: f32) {
tt.func @foreign(%t: tensor<16xf32>, %i: tensor<16xi32>, %f: f32) {
  // CHECK: tt.extern_elementwise %{{.*}}, %{{.*}} {libname = "libdevice", libpath = "", pure = true, symbol = "__nv_powf"} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %0 = tt.extern_elementwise %t, %t {libname = "libdevice", libpath = "", pure = true, symbol = "__nv_powf"} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  // CHECK: tt.extern_elementwise %{{.*}} {libname = "", libpath = "", pure = false, symbol = "f"} : (f32) -> i32
  %1 = tt.extern_elementwise %f {libname = "", libpath = "", pure = false, symbol = "f"} : (f32) -> i32
  // CHECK: tt.elementwise_inline_asm "mov $0, $1;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %{{.*}} : tensor<16xi32> -> tensor<16xi32>
  %2 = tt.elementwise_inline_asm "mov $0, $1;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %i : tensor<16xi32> -> tensor<16xi32>
  // CHECK: tt.elementwise_inline_asm "x" {constraints = "=r,=r,r,r", packed_element = 4 : i32, pure = false} %{{.*}}, %{{.*}} : tensor<16xi32>, tensor<16xf32> -> tensor<16xi8>, tensor<16xf16>
  %3:2 = tt.elementwise_inline_asm "x" {constraints = "=r,=r,r,r", packed_element = 4 : i32, pure = false} %i, %t : tensor<16xi32>, tensor<16xf32> -> tensor<16xi8>, tensor<16xf16>
  // CHECK: tt.elementwise_inline_asm "clock $0;" {constraints = "=r", packed_element = 1 : i32, pure = false} -> i64
  %4 = tt.elementwise_inline_asm "clock $0;" {constraints = "=r", packed_element = 1 : i32, pure = false} -> i64
  // CHECK: tt.return
  tt.return
}

// CHECK: tt.func @programs() {
tt.func @programs() {
  // CHECK: tt.get_program_id x : i32
  %0 = tt.get_program_id x : i32
  // CHECK: tt.get_program_id y {tt.divisibility = dense<8> : tensor<1xi32>} : i32
  %1 = tt.get_program_id y {tt.divisibility = dense<8> : tensor<1xi32>} : i32
  // CHECK: tt.get_program_id z : i32
  %2 = tt.get_program_id z : i32
  // CHECK: tt.get_num_programs x : i32
  %3 = tt.get_num_programs x : i32
  // CHECK: tt.get_num_programs y : i32
  %4 = tt.get_num_programs y : i32
  // CHECK: tt.get_num_programs z : i32
  %5 = tt.get_num_programs z : i32
  // CHECK: tt.return
  tt.return
}

// CHECK: tt.func @debug(%{{.*}}: i1, %{{.*}}: tensor<4xi1>, %{{.*}}: tensor<4xf32>, %{{.*}}: i32) {
tt.func @debug(%c: i1, %m: tensor<4xi1>, %t: tensor<4xf32>, %i: i32) {
  // CHECK: tt.print " nothing: " {hex = false, isSigned = array<i32>}
  tt.print " nothing: " {hex = false, isSigned = array<i32>}
  // CHECK: tt.print " x: " {hex = true, isSigned = array<i32: 0, 1>} : %{{.*}}, %{{.*}} : tensor<4xf32>, i32
  tt.print " x: " {hex = true, isSigned = array<i32: 0, 1>} : %t, %i : tensor<4xf32>, i32
  // CHECK: tt.assert %{{.*}}, "scalar" : i1
  tt.assert %c, "scalar" : i1
  // CHECK: tt.assert %{{.*}}, "a \22quoted\22 message" {some.attribute} : tensor<4xi1>
  tt.assert %m, "a \22quoted\22 message" {some.attribute} : tensor<4xi1>
  // CHECK: tt.return
  tt.return
}
