// RUN: spine-triton-opt -mlir-print-debuginfo %s | FileCheck %s
// RUN: spine-triton-opt -mlir-print-debuginfo %s | spine-triton-opt -mlir-print-debuginfo | FileCheck %s
// RUN: spine-triton-opt -mlir-print-debuginfo -mlir-print-op-generic %s | spine-triton-opt -mlir-print-debuginfo | FileCheck %s
// RUN: spine-triton-opt %s | FileCheck %s --check-prefix=PLAIN

// Locations as frontends write them: of arguments, of block arguments, of
// operations named after variables, and of calls that were inlined.

#loc = loc("kernel.py":4:0)
#loc1 = loc(unknown)
// PLAIN-NOT: loc(
// CHECK: [[KERNEL:#.*]] = loc("kernel.py":4:0)
module {
  // CHECK: tt.func public @kernel(%[[A:.*]]: !tt.ptr<f32> {tt.divisibility = 16 : i32} loc("a"([[KERNEL]])), %{{.*}}: tensor<16xf32> loc("t"([[KERNEL]])))
  tt.func public @kernel(%a: !tt.ptr<f32> {tt.divisibility = 16 : i32} loc("a"(#loc)), %t: tensor<16xf32> loc("t"(#loc))) attributes {noinline = false} {
    // CHECK: tt.load %[[A]] : !tt.ptr<f32> loc([[X:#.*]])
    %x = tt.load %a : !tt.ptr<f32> loc(#loc4)
    // CHECK: "tt.reduce"
    %0 = "tt.reduce"(%t) <{axis = 0 : i32}> ({
    // CHECK: ^bb0(%{{.*}}: f32 loc(unknown), %{{.*}}: f32 loc(unknown)):
    ^bb0(%b: f32 loc(unknown), %c: f32 loc(unknown)):
      // CHECK: tt.reduce.return %{{.*}} : f32 loc([[INLINED:#.*]])
      tt.reduce.return %b : f32 loc(#loc3)
    // CHECK: }) : (tensor<16xf32>) -> f32 loc([[UNKNOWN:#.*]])
    }) : (tensor<16xf32>) -> f32 loc(#loc1)
    tt.return loc(#loc2)
  // CHECK: } loc([[KERNEL]])
  } loc(#loc)
} loc(#loc)
#loc2 = loc("kernel.py":6:8)
#loc3 = loc(callsite(#loc2 at #loc))
#loc4 = loc("x"(#loc2))
// CHECK: [[LINE:#.*]] = loc("kernel.py":6:8)
// CHECK-DAG: [[X]] = loc("x"([[LINE]]))
// CHECK-DAG: [[INLINED]] = loc(callsite([[LINE]] at [[KERNEL]]))
