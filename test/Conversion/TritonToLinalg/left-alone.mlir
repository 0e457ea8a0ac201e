// RUN: spine-triton-opt %s -split-input-file -convert-triton-to-linalg | FileCheck %s

// Scalars, accesses of memory, reductions and scans with their bodies, prints
// and assertions, control flow.

// CHECK-LABEL: tt.func @kernel(
// CHECK-NOT:     linalg.
// CHECK:         tt.get_program_id x
// CHECK:         tt.get_num_programs x
// CHECK:         arith.addi %{{.*}}, %{{.*}} : i32
// CHECK:         tt.make_tensor_ptr
// CHECK:         tt.advance
// CHECK:         tt.load
// CHECK:         tt.load
// CHECK:         "tt.reduce"
// CHECK:           arith.addf %{{.*}}, %{{.*}} : f32
// CHECK:         "tt.scan"
// CHECK:           arith.mulf %{{.*}}, %{{.*}} : f32
// CHECK:         tt.atomic_rmw
// CHECK:         tt.atomic_cas
// CHECK:         tt.print
// CHECK:         tt.assert
// CHECK:         scf.for
// CHECK:           tt.store
// CHECK-NOT:     linalg.
// CHECK:         tt.return
tt.func @kernel(%x: !tt.ptr<f32>, %n: i64, %m: i32, %p: tensor<8x!tt.ptr<f32>>, %i: tensor<8x!tt.ptr<i32>>, %v: tensor<8xi32>, %c: tensor<8xi1>) {
  %c1 = arith.constant 1 : i64
  %id = tt.get_program_id x : i32
  %programs = tt.get_num_programs x : i32
  %o = arith.addi %id, %programs : i32
  %q = tt.make_tensor_ptr %x, [%n], [%c1], [%o] {order = array<i32: 0>} : <tensor<8xf32>>
  %r = tt.advance %q, [%m] : <tensor<8xf32>>
  %a = tt.load %r {boundaryCheck = array<i32: 0>} : !tt.ptr<tensor<8xf32>>
  %b = tt.load %p, %c : tensor<8x!tt.ptr<f32>>
  %sum = "tt.reduce"(%a) <{axis = 0 : i32}> ({
  ^bb0(%l: f32, %h: f32):
    %0 = arith.addf %l, %h : f32
    tt.reduce.return %0 : f32
  }) : (tensor<8xf32>) -> f32
  %products = "tt.scan"(%b) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%l: f32, %h: f32):
    %0 = arith.mulf %l, %h : f32
    tt.scan.return %0 : f32
  }) : (tensor<8xf32>) -> tensor<8xf32>
  %old = tt.atomic_rmw add, acq_rel, gpu, %i, %v, %c : (tensor<8x!tt.ptr<i32>>, tensor<8xi32>, tensor<8xi1>) -> tensor<8xi32>
  %swapped = tt.atomic_cas acq_rel, gpu, %i, %old, %v : (tensor<8x!tt.ptr<i32>>, tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
  tt.print "sum" {hex = false, isSigned = array<i32: 0, 1>} : %sum, %swapped : f32, tensor<8xi32>
  tt.assert %c, "all" : tensor<8xi1>
  scf.for %k = %id to %m step %programs : i32 {
    tt.store %r, %products : !tt.ptr<tensor<8xf32>>
  }
  tt.return
}

// -----

// Tile operations without a linalg form wait for code generation to say so.

// CHECK-LABEL: tt.func @no_form(
// CHECK:         tt.cat
// CHECK:         tt.histogram
// CHECK:         tt.gather
// CHECK-NOT:     linalg.
tt.func @no_form(%a: tensor<8xi32>) -> (tensor<16xi32>, tensor<8xi32>, tensor<8xi32>) {
  %c = tt.cat %a, %a : tensor<8xi32> -> tensor<16xi32>
  %h = tt.histogram %a : tensor<8xi32> -> tensor<8xi32>
  %g = tt.gather %a[%a] {axis = 0 : i32} : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
  tt.return %c, %h, %g : tensor<16xi32>, tensor<8xi32>, tensor<8xi32>
}

// -----

// Inside of regions tiles are converted like elsewhere, and a second run finds
// nothing to do.

// RUN: spine-triton-opt %s -split-input-file -convert-triton-to-linalg -convert-triton-to-linalg | FileCheck %s --check-prefix=TWICE

// TWICE-LABEL: tt.func @region(
// CHECK-LABEL: tt.func @region(
// CHECK:         scf.if
// CHECK:           linalg.generic
// CHECK-NEXT:      ^bb0
// CHECK-NEXT:        arith.addf %{{.*}}, %{{.*}} : f32
// TWICE-COUNT-1:   linalg.generic
// TWICE-NOT:       linalg.generic
tt.func @region(%a: tensor<8xf32>, %c: i1) -> tensor<8xf32> {
  %r = scf.if %c -> tensor<8xf32> {
    %b = arith.addf %a, %a : tensor<8xf32>
    scf.yield %b : tensor<8xf32>
  } else {
    scf.yield %a : tensor<8xf32>
  }
  tt.return %r : tensor<8xf32>
}
