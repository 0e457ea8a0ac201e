// RUN: spine-triton-opt %s -split-input-file -convert-triton-to-linalg | FileCheck %s

// Operations of arith and math keep their attributes.

// CHECK-LABEL: tt.func @arith_and_math(
// CHECK:         linalg.generic
// CHECK:           %[[ADD:.*]] = arith.addf %{{.*}}, %{{.*}} fastmath<nnan> : f32
// CHECK-NEXT:      linalg.yield %[[ADD]] : f32
// CHECK:         linalg.generic
// CHECK:           arith.cmpf ogt, %{{.*}}, %{{.*}} : f32
// CHECK-NEXT:      linalg.yield %{{.*}} : i1
// CHECK:         linalg.generic {{.*}} ins(%{{.*}}, %{{.*}}, %{{.*}} : tensor<8xi1>, tensor<8xf32>, tensor<8xf32>)
// CHECK:           arith.select %{{.*}}, %{{.*}}, %{{.*}} : f32
// CHECK:         linalg.generic
// CHECK:           math.exp2 %{{.*}} : f32
// CHECK:         linalg.generic {{.*}} ins(%{{.*}} : tensor<8xf32>) outs(%{{.*}} : tensor<8xi32>)
// CHECK:           arith.fptosi %{{.*}} : f32 to i32
// CHECK:         linalg.generic
// CHECK:           arith.addi %{{.*}}, %{{.*}} overflow<nsw> : i32
tt.func @arith_and_math(%a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xi32> {
  %add = arith.addf %a, %b fastmath<nnan> : tensor<8xf32>
  %cmp = arith.cmpf ogt, %add, %b : tensor<8xf32>
  %sel = arith.select %cmp, %a, %add : tensor<8xi1>, tensor<8xf32>
  %exp = math.exp2 %sel : tensor<8xf32>
  %int = arith.fptosi %exp : tensor<8xf32> to tensor<8xi32>
  %sum = arith.addi %int, %int overflow<nsw> : tensor<8xi32>
  tt.return %sum : tensor<8xi32>
}

// -----

// One condition for a whole tile is used inside of the body.

// CHECK-LABEL: tt.func @scalar_condition(
// CHECK-SAME:    %[[C:[^:]*]]: i1,
// CHECK:         linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<8xf32>, tensor<8xf32>)
// CHECK:           arith.select %[[C]], %{{.*}}, %{{.*}} : f32
tt.func @scalar_condition(%c: i1, %a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {
  %r = arith.select %c, %a, %b : tensor<8xf32>
  tt.return %r : tensor<8xf32>
}

// -----

// A tile whose elements are all the same is no operand. The order of the
// operands of the operation inside stays.

// CHECK-LABEL: tt.func @splat_constant(
// CHECK-SAME:    %[[A:[^:]*]]: tensor<8xf32>
// CHECK:         linalg.generic {{.*}} ins(%[[A]] : tensor<8xf32>)
// CHECK-NEXT:    ^bb0(%[[IN:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT:      arith.subf %[[TWO:.*]], %[[IN]] : f32
tt.func @splat_constant(%a: tensor<8xf32>) -> tensor<8xf32> {
  %two = arith.constant dense<2.0> : tensor<8xf32>
  %r = arith.subf %two, %a : tensor<8xf32>
  tt.return %r : tensor<8xf32>
}

// -----

// Without any tile to read, and a constant whose elements differ.

// CHECK-LABEL: tt.func @constants(
// CHECK-DAG:     %[[T:.*]] = arith.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
// CHECK:         linalg.generic {indexing_maps = [#{{.*}}], iterator_types = ["parallel"]} outs(
// CHECK:           arith.muli
// CHECK:         linalg.generic {{.*}} ins(%[[T]], %{{.*}} : tensor<4xi32>, tensor<4xi32>)
tt.func @constants() -> tensor<4xi32> {
  %two = arith.constant dense<2> : tensor<4xi32>
  %t = arith.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %r = arith.muli %two, %two : tensor<4xi32>
  %s = arith.addi %t, %r : tensor<4xi32>
  tt.return %s : tensor<4xi32>
}

// -----

// Triton's own elementwise operations.

// CHECK-LABEL: tt.func @triton(
// CHECK:         tt.addptr %{{.*}}, %{{.*}} : !tt.ptr<f32>, i32
// CHECK:         tt.ptr_to_int %{{.*}} : !tt.ptr<f32> -> i64
// CHECK:         tt.int_to_ptr %{{.*}} : i64 -> !tt.ptr<f32>
// CHECK:         tt.bitcast %{{.*}} : !tt.ptr<f32> -> !tt.ptr<i32>
// CHECK:         tt.clampf %{{.*}}, %{{.*}}, %{{.*}}, propagateNan = all : f32
// CHECK:         tt.precise_sqrt %{{.*}} : f32
// CHECK:         tt.precise_divf %{{.*}}, %{{.*}} : f32
// CHECK:         tt.fp_to_fp %{{.*}}, rounding = rtne : f32 -> f16
// CHECK:         tt.mulhiui %{{.*}}, %{{.*}} : i32
// CHECK:         tt.extern_elementwise %{{.*}} {{.*}}symbol = "__nv_tanf"{{.*}} : (f32) -> f32
// CHECK:         tt.return
tt.func @triton(%p: tensor<8x!tt.ptr<f32>>, %i: tensor<8xi32>, %x: tensor<8xf32>)
    -> (tensor<8x!tt.ptr<i32>>, tensor<8xf16>, tensor<8xi32>, tensor<8xf32>) {
  %q = tt.addptr %p, %i : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
  %n = tt.ptr_to_int %q : tensor<8x!tt.ptr<f32>> -> tensor<8xi64>
  %r = tt.int_to_ptr %n : tensor<8xi64> -> tensor<8x!tt.ptr<f32>>
  %s = tt.bitcast %r : tensor<8x!tt.ptr<f32>> -> tensor<8x!tt.ptr<i32>>
  %c = tt.clampf %x, %x, %x, propagateNan = all : tensor<8xf32>
  %sqrt = tt.precise_sqrt %c : tensor<8xf32>
  %div = tt.precise_divf %x, %sqrt : tensor<8xf32>
  %half = tt.fp_to_fp %div, rounding = rtne : tensor<8xf32> -> tensor<8xf16>
  %high = tt.mulhiui %i, %i : tensor<8xi32>
  %tan = tt.extern_elementwise %x {libname = "", libpath = "", pure = true, symbol = "__nv_tanf"} : (tensor<8xf32>) -> tensor<8xf32>
  tt.return %s, %half, %high, %tan : tensor<8x!tt.ptr<i32>>, tensor<8xf16>, tensor<8xi32>, tensor<8xf32>
}
