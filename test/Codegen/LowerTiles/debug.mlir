// RUN: spine-triton-opt %s -split-input-file -spine-to-linalg -spine-lower-tiles -canonicalize -cse | FileCheck %s

// The message, the file, the function and line of the kernel's source, the program. Equal
// strings share a global.

// CHECK-DAG:   llvm.mlir.global internal constant @[[FILE:.*]]("kernel.py\00")
// CHECK-DAG:   llvm.mlir.global internal constant @[[MESSAGE:.*]]("n must be positive\00")
// CHECK-DAG:   llvm.mlir.global internal constant @[[FUNCTION:.*]]("scalar\00")
// CHECK-DAG:   llvm.func @spine_rt_assert(!llvm.ptr, !llvm.ptr, !llvm.ptr, i32, i32, i32, i32)
// CHECK-LABEL: func.func @scalar(
// CHECK-DAG:     %[[M:.*]] = llvm.mlir.addressof @[[MESSAGE]]
// CHECK-DAG:     %[[F:.*]] = llvm.mlir.addressof @[[FILE]]
// CHECK-DAG:     %[[FN:.*]] = llvm.mlir.addressof @[[FUNCTION]]
// CHECK-DAG:     %[[LINE:.*]] = arith.constant 12 : i32
// CHECK:         scf.for
// CHECK:           scf.if %{{.*}} {
// CHECK-NEXT:        llvm.call @spine_rt_assert(%[[M]], %[[F]], %[[FN]], %[[LINE]], %{{.*}}, %{{.*}}, %{{.*}}) :
// CHECK-NEXT:      }
// CHECK:         return
tt.func public @scalar(%n: i32) {
  %c0 = arith.constant 0 : i32
  %c = arith.cmpi sgt, %n, %c0 : i32
  tt.assert %c, "n must be positive" : i1 loc("kernel.py":12:3)
  tt.return
} loc("kernel.py":10:0)

// -----

// Every element of a tile is checked, also that of a tile nobody else uses. A
// location that is a call stack names the innermost place.

// CHECK-DAG:   constant @[[FILE:.*]]("lib.py\00")
// CHECK-LABEL: func.func @tile(
// CHECK-DAG:     %[[LINE:.*]] = arith.constant 7 : i32
// CHECK:         scf.for %{{.*}} = %c0_i64 to %c16_i64 step %c1_i64
// CHECK:           scf.if
// CHECK:             llvm.call @spine_rt_assert(%{{.*}}, %{{.*}}, %{{.*}}, %[[LINE]],
tt.func public @tile(%n: i32) {
  %r = tt.make_range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %s = tt.splat %n : i32 -> tensor<16xi32>
  %c = arith.cmpi slt, %r, %s : tensor<16xi32>
  tt.assert %c, "in range" : tensor<16xi1> loc(callsite("lib.py":7:1 at "kernel.py":3:1))
  tt.return
}

// -----

// One call for each element of each operand: kind (0 signed, 1 unsigned,
// 2 float as the bits of a double, 3 pointer), bits, hex, payload.

// CHECK-DAG:   constant @[[PREFIX:.*]](" values: \00")
// CHECK-DAG:   constant @[[NONE:.*]]("\00")
// CHECK-DAG:   llvm.func @spine_rt_print(!llvm.ptr, !llvm.ptr, i32, i32, i32, i32, i32, i64, i32, i32, i32, i64)
// CHECK-LABEL: func.func @scalars(
// CHECK-DAG:     %[[P:.*]] = llvm.mlir.addressof @[[PREFIX]]
// CHECK-DAG:     %[[S:.*]] = llvm.mlir.addressof @[[NONE]]
// CHECK:         scf.for
// CHECK-DAG:     %[[I:.*]] = arith.extsi %{{.*}} : i32 to i64
// CHECK:         llvm.call @spine_rt_print(%[[P]], %[[S]], %[[X:.*]], %[[Y:.*]], %[[Z:.*]], %c0_i32, %c5_i32, %c0_i64, %c0_i32, %c32_i32, %c1_i32, %[[I]])
// CHECK-DAG:     %[[U:.*]] = arith.extui %{{.*}} : i8 to i64
// CHECK:         llvm.call @spine_rt_print(%[[P]], %[[S]], %[[X]], %[[Y]], %[[Z]], %c1_i32, %c5_i32, %c0_i64, %c1_i32, %c8_i32, %c1_i32, %[[U]])
// CHECK-DAG:     %[[D:.*]] = arith.extf %{{.*}} : f16 to f64
// CHECK-DAG:     %[[F:.*]] = arith.bitcast %[[D]] : f64 to i64
// CHECK:         llvm.call @spine_rt_print({{.*}}, %c2_i32, %c5_i32, %c0_i64, %c2_i32, %c16_i32, %c1_i32, %[[F]])
// CHECK:         %[[A:.*]] = llvm.ptrtoint
// CHECK:         llvm.call @spine_rt_print({{.*}}, %c3_i32, %c5_i32, %c0_i64, %c3_i32, %c64_i32, %c1_i32, %[[A]])
// CHECK:         %[[B:.*]] = arith.extui %{{.*}} : i1 to i64
// CHECK:         llvm.call @spine_rt_print({{.*}}, %c4_i32, %c5_i32, %c0_i64, %c0_i32, %c1_i32, %c1_i32, %[[B]])
tt.func public @scalars(%i: i32, %u: i8, %h: f16, %p: !tt.ptr<f32>, %b: i1) {
  tt.print " values: " {hex = true, isSigned = array<i32: 1, 0, 0, 0, 1>} : %i, %u, %h, %p, %b : i32, i8, f16, !tt.ptr<f32>, i1
  tt.return
}

// -----

// CHECK-DAG:   constant @[[SHAPE:.*]]("4,2\00")
// CHECK-LABEL: func.func @tile(
// CHECK-DAG:     %[[S:.*]] = llvm.mlir.addressof @[[SHAPE]]
// CHECK:         scf.for %[[I:.*]] = %c0_i64 to %c4_i64
// CHECK:           scf.for %[[J:.*]] = %c0_i64 to %c2_i64
// CHECK:             %[[ROW:.*]] = arith.muli %[[I]], %c2_i64
// CHECK:             %[[LINEAR:.*]] = arith.addi %[[ROW]], %[[J]]
// CHECK:             llvm.call @spine_rt_print(%{{.*}}, %[[S]], {{.*}}, %c0_i32, %c1_i32, %[[LINEAR]],
tt.func public @tile(%f: f32) {
  %t = tt.splat %f : f32 -> tensor<4x2xf32>
  tt.print "t" {hex = false, isSigned = array<i32: 0>} : %t : tensor<4x2xf32>
  tt.return
}

// -----

// Only a text.

// CHECK-LABEL: func.func @text(
// CHECK:         llvm.call @spine_rt_print({{.*}}, %c0_i32, %c0_i32, %c0_i64, %c0_i32, %c0_i32, %c0_i32, %c0_i64)
tt.func public @text() {
  tt.print "here" {hex = false, isSigned = array<i32>}
  tt.return
}
