// RUN: spine-triton-opt %s -split-input-file -spine-to-linalg -spine-lower-tiles -canonicalize -cse | FileCheck %s

// The store is dense and unchecked, so that the load is all that differs between
// the cases. No check:
// whole vectors, addresses in 64 bits, an alignment of one element.

// CHECK-LABEL: func.func @unchecked(
// CHECK:         %[[X:.*]] = llvm.load %{{.*}} : !llvm.ptr -> !llvm.ptr
// CHECK:         %[[S:.*]] = llvm.load %{{.*}} : !llvm.ptr -> i64
// CHECK:         %[[O32:.*]] = llvm.load %{{.*}} : !llvm.ptr -> i32
// CHECK:         %[[O:.*]] = arith.extsi %[[O32]] : i32 to i64
// CHECK:         %[[LINEAR:.*]] = arith.muli %[[O]], %[[S]] : i64
// CHECK:         %[[TILE:.*]] = llvm.getelementptr %[[X]][%[[LINEAR]]] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK:         scf.for %[[I:.*]] = %c0_i64 to %c4_i64 step %c1_i64
// CHECK:           scf.for %[[J:.*]] = %c0_i64 to %c16_i64 step %c8_i64
// CHECK:             %[[ROW:.*]] = arith.muli %[[I]], %[[S]] : i64
// CHECK:             %[[PLACE:.*]] = arith.addi %[[ROW]], %[[J]] : i64
// CHECK:             %[[A:.*]] = llvm.getelementptr %[[TILE]][%[[PLACE]]]
// CHECK:             llvm.load %[[A]] {alignment = 4 : i64} : !llvm.ptr -> vector<8xf32>
// CHECK-NOT:         masked
// CHECK:             llvm.store
tt.func public @unchecked(%x: !tt.ptr<f32>, %s: i64, %o: i32, %y: !tt.ptr<f32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i64
  %c16 = arith.constant 16 : i64
  %p = tt.make_tensor_ptr %x, [%s, %s], [%s, %c1], [%o, %c0] {order = array<i32: 1, 0>} : <tensor<4x16xf32>>
  %q = tt.make_tensor_ptr %y, [%s, %s], [%c16, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<4x16xf32>>
  %t = tt.load %p : !tt.ptr<tensor<4x16xf32>>
  tt.store %q, %t : !tt.ptr<tensor<4x16xf32>>
  tt.return
}

// -----

// Both dimensions checked at both ends: low = clamp(-offset, 0, tile) and
// high = clamp(extent - offset, 0, tile). A row outside is padding; a vector
// that is not whole is read under a mask. NaN for padding.

// CHECK-LABEL: func.func @both_ends(
// CHECK-DAG:     %[[NAN:.*]] = arith.constant dense<0x7FC00000> : vector<8xf32>
// CHECK-DAG:     %[[LANES:.*]] = arith.constant dense<[0, 1, 2, 3, 4, 5, 6, 7]> : vector<8xi32>
// CHECK-DAG:     %[[BEFORE0:.*]] = arith.maxsi %{{.*}}, %c-4_i64 : i64
// CHECK-DAG:     %[[LOW0:.*]] = arith.subi %c0_i64, %[[BEFORE0]] : i64
// CHECK-DAG:     %[[HIGH0:.*]] = arith.addi %[[LOW0]], %{{.*}} : i64
// CHECK-DAG:     %[[BEFORE1:.*]] = arith.maxsi %{{.*}}, %c-16_i64 : i64
// CHECK-DAG:     %[[LOW1:.*]] = arith.subi %c0_i64, %[[BEFORE1]] : i64
// CHECK-DAG:     %[[HIGH1:.*]] = arith.addi %[[LOW1]], %{{.*}} : i64
// CHECK:         scf.for %[[I:.*]] = %c0_i64 to %c4_i64
// CHECK:           scf.for %[[J:.*]] = %c0_i64 to %c16_i64 step %c8_i64
// CHECK-DAG:         %[[FROM:.*]] = arith.cmpi sge, %[[I]], %[[LOW0]] : i64
// CHECK-DAG:         %[[TO:.*]] = arith.cmpi slt, %[[I]], %[[HIGH0]] : i64
// CHECK:             %[[INSIDE:.*]] = arith.andi %[[FROM]], %[[TO]] : i1
// CHECK:             scf.if %[[INSIDE]] -> (vector<8xf32>) {
// CHECK:               %[[LAST:.*]] = arith.addi %[[J]], %c8_i64 : i64
// CHECK-DAG:           %[[ENDS:.*]] = arith.cmpi sle, %[[LAST]], %[[HIGH1]] : i64
// CHECK-DAG:           %[[STARTS:.*]] = arith.cmpi sge, %[[J]], %[[LOW1]] : i64
// CHECK:               %[[WHOLE:.*]] = arith.andi %[[ENDS]], %[[STARTS]] : i1
// CHECK:               scf.if %[[WHOLE]] -> (vector<8xf32>) {
// CHECK:                 llvm.load %{{.*}} : !llvm.ptr -> vector<8xf32>
// CHECK:               } else {
// CHECK:                 %[[END:.*]] = arith.subi %[[HIGH1]], %[[J]] : i64
// CHECK:                 %[[ENDL:.*]] = arith.trunci %[[END]]
// CHECK:                 %[[ENDV:.*]] = vector.broadcast %[[ENDL]]
// CHECK:                 %[[BELOW:.*]] = arith.cmpi sgt, %[[ENDV]], %[[LANES]]
// CHECK:                 %[[START:.*]] = arith.subi %[[LOW1]], %[[J]] : i64
// CHECK:                 %[[STARTL:.*]] = arith.trunci %[[START]]
// CHECK:                 %[[STARTV:.*]] = vector.broadcast %[[STARTL]]
// CHECK:                 %[[ABOVE:.*]] = arith.cmpi sle, %[[STARTV]], %[[LANES]]
// CHECK:                 %[[MASK:.*]] = arith.andi %[[BELOW]], %[[ABOVE]]
// CHECK:                 llvm.intr.masked.load %{{.*}}, %[[MASK]], %[[NAN]] {alignment = 4 : i32}
// CHECK:             } else {
// CHECK:               scf.yield %[[NAN]]
tt.func public @both_ends(%x: !tt.ptr<f32>, %n: i64, %o: i32, %y: !tt.ptr<f32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i64
  %c16 = arith.constant 16 : i64
  %p = tt.make_tensor_ptr %x, [%n, %n], [%n, %c1], [%o, %o] {order = array<i32: 1, 0>} : <tensor<4x16xf32>>
  %q = tt.make_tensor_ptr %y, [%n, %n], [%c16, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<4x16xf32>>
  %t = tt.load %p {boundaryCheck = array<i32: 0, 1>, padding = 2 : i32} : !tt.ptr<tensor<4x16xf32>>
  tt.store %q, %t : !tt.ptr<tensor<4x16xf32>>
  tt.return
}

// -----

// Only the dimensions of boundaryCheck are checked: here the rows, so no mask.
// An offset of zero needs no check of the lower end. Zero for padding.

// CHECK-LABEL: func.func @one_dimension(
// CHECK-DAG:     %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : vector<8xf16>
// CHECK:         %[[HIGH:.*]] = arith.minsi %{{.*}}, %c4_i64 : i64
// CHECK:         scf.for %[[I:.*]] = %c0_i64 to %c4_i64
// CHECK:           %[[INSIDE:.*]] = arith.cmpi slt, %[[I]], %[[HIGH]] : i64
// CHECK:           scf.if %[[INSIDE]] -> (vector<8xf16>) {
// CHECK:             llvm.load %{{.*}} {alignment = 2 : i64} : !llvm.ptr -> vector<8xf16>
// CHECK:           } else {
// CHECK:             scf.yield %[[ZERO]]
// CHECK-NOT:       masked
// CHECK:         return
tt.func public @one_dimension(%x: !tt.ptr<f16>, %n: i64, %y: !tt.ptr<f16>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i64
  %c16 = arith.constant 16 : i64
  %p = tt.make_tensor_ptr %x, [%n, %n], [%n, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<4x16xf16>>
  %q = tt.make_tensor_ptr %y, [%n, %n], [%c16, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<4x16xf16>>
  %t = tt.load %p {boundaryCheck = array<i32: 0>, padding = 1 : i32} : !tt.ptr<tensor<4x16xf16>>
  tt.store %q, %t : !tt.ptr<tensor<4x16xf16>>
  tt.return
}

// -----

// The order attribute does not matter, the strides do: vectors along the
// dimension of stride 1, which is the first one here.

// CHECK-LABEL: func.func @column_major(
// CHECK:         scf.for %[[J:.*]] = %c0_i64 to %c4_i64 step %c1_i64
// CHECK:           scf.for %[[I:.*]] = %c0_i64 to %c16_i64 step %c8_i64
// CHECK:             %[[COLUMN:.*]] = arith.muli %[[J]], %{{.*}} : i64
// CHECK:             arith.addi %[[I]], %[[COLUMN]] : i64
// CHECK:             llvm.load %{{.*}} : !llvm.ptr -> vector<8xf32>
// CHECK:             llvm.store %{{.*}} : vector<8xf32>, !llvm.ptr
tt.func public @column_major(%x: !tt.ptr<f32>, %s: i64, %y: !tt.ptr<f32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i64
  %p = tt.make_tensor_ptr %x, [%s, %s], [%c1, %s], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<16x4xf32>>
  %q = tt.make_tensor_ptr %y, [%s, %s], [%c1, %s], [%c0, %c0] {order = array<i32: 0, 1>} : <tensor<16x4xf32>>
  %t = tt.load %p : !tt.ptr<tensor<16x4xf32>>
  tt.store %q, %t : !tt.ptr<tensor<16x4xf32>>
  tt.return
}

// -----

// A stride that is not known: a gather at first + lane * stride, in 64 bits.

// CHECK-LABEL: func.func @any_stride(
// CHECK-DAG:     %[[LANES:.*]] = arith.constant dense<[0, 1, 2, 3, 4, 5, 6, 7]> : vector<8xi64>
// CHECK-DAG:     %[[ALL:.*]] = arith.constant dense<true> : vector<8xi1>
// CHECK:         %[[S:.*]] = llvm.load %{{.*}} : !llvm.ptr -> i64
// CHECK:         scf.for %[[I:.*]] = %c0_i64 to %c16_i64 step %c8_i64
// CHECK:           %[[SV:.*]] = vector.broadcast %[[S]] : i64 to vector<8xi64>
// CHECK:           %[[PLACES:.*]] = arith.muli %[[SV]], %[[LANES]] : vector<8xi64>
// CHECK:           %[[AT:.*]] = llvm.getelementptr %{{.*}}[%[[PLACES]]] : (!llvm.ptr, vector<8xi64>) -> vector<8x!llvm.ptr>, i16
// CHECK:           llvm.intr.masked.gather %[[AT]], %[[ALL]], %{{.*}} {alignment = 2 : i32}
tt.func public @any_stride(%x: !tt.ptr<i16>, %s: i64, %y: !tt.ptr<i16>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i64
  %p = tt.make_tensor_ptr %x, [%s], [%s], [%c0] {order = array<i32: 0>} : <tensor<16xi16>>
  %q = tt.make_tensor_ptr %y, [%s], [%c1], [%c0] {order = array<i32: 0>} : <tensor<16xi16>>
  %t = tt.load %p : !tt.ptr<tensor<16xi16>>
  tt.store %q, %t : !tt.ptr<tensor<16xi16>>
  tt.return
}

// -----

// Stride 0: one element for all lanes. Where lanes may lie outside, a gather
// under the mask.

// CHECK-LABEL: func.func @stride_zero(
// CHECK:         %[[ONE:.*]] = llvm.load %{{.*}} : !llvm.ptr -> f32
// CHECK:         vector.broadcast %[[ONE]] : f32 to vector<8xf32>
// CHECK:         scf.if %{{.*}} -> (vector<8xf32>) {
// CHECK:           %[[OTHER:.*]] = llvm.load %{{.*}} : !llvm.ptr -> f32
// CHECK:           vector.broadcast %[[OTHER]] : f32 to vector<8xf32>
// CHECK:         } else {
// CHECK:           llvm.intr.masked.gather
tt.func public @stride_zero(%x: !tt.ptr<f32>, %n: i64, %y: !tt.ptr<f32>) {
  %c0 = arith.constant 0 : i32
  %s0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %p = tt.make_tensor_ptr %x, [%n], [%s0], [%c0] {order = array<i32: 0>} : <tensor<16xf32>>
  %q = tt.make_tensor_ptr %y, [%n], [%c1], [%c0] {order = array<i32: 0>} : <tensor<16xf32>>
  %t = tt.load %p : !tt.ptr<tensor<16xf32>>
  %u = tt.load %p {boundaryCheck = array<i32: 0>} : !tt.ptr<tensor<16xf32>>
  %v = arith.addf %t, %u : tensor<16xf32>
  tt.store %q, %v : !tt.ptr<tensor<16xf32>>
  tt.return
}

// -----

// A negative stride that is known.

// CHECK-LABEL: func.func @negative_stride(
// CHECK-DAG:     %[[BACK:.*]] = arith.constant dense<[0, -2, -4, -6, -8, -10, -12, -14]> : vector<8xi64>
// CHECK:         llvm.getelementptr %{{.*}}[%[[BACK]]] : (!llvm.ptr, vector<8xi64>) -> vector<8x!llvm.ptr>, f32
tt.func public @negative_stride(%x: !tt.ptr<f32>, %n: i64, %y: !tt.ptr<f32>) {
  %c0 = arith.constant 0 : i32
  %back = arith.constant -2 : i64
  %c1 = arith.constant 1 : i64
  %p = tt.make_tensor_ptr %x, [%n], [%back], [%c0] {order = array<i32: 0>} : <tensor<16xf32>>
  %q = tt.make_tensor_ptr %y, [%n], [%c1], [%c0] {order = array<i32: 0>} : <tensor<16xf32>>
  %t = tt.load %p : !tt.ptr<tensor<16xf32>>
  tt.store %q, %t : !tt.ptr<tensor<16xf32>>
  tt.return
}

// -----

// i1 lies in memory as bytes; everything but zero is true.

// CHECK-LABEL: func.func @bits(
// CHECK-DAG:     %[[ZERO:.*]] = arith.constant dense<0> : vector<8xi8>
// CHECK:         %[[V:.*]] = scf.if %{{.*}} -> (vector<8xi8>) {
// CHECK:           llvm.load %{{.*}} {alignment = 1 : i64} : !llvm.ptr -> vector<8xi8>
// CHECK:           llvm.intr.masked.load %{{.*}}, %{{.*}}, %[[ZERO]] {alignment = 1 : i32}
// CHECK:         %[[B:.*]] = arith.cmpi ne, %[[V]], %[[ZERO]] : vector<8xi8>
// CHECK:         arith.select %[[B]], %{{.*}}, %{{.*}} : vector<8xi1>, vector<8xf32>
tt.func public @bits(%x: !tt.ptr<i1>, %n: i64, %y: !tt.ptr<f32>, %f: f32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i64
  %p = tt.make_tensor_ptr %x, [%n], [%c1], [%c0] {order = array<i32: 0>} : <tensor<16xi1>>
  %q = tt.make_tensor_ptr %y, [%n], [%c1], [%c0] {order = array<i32: 0>} : <tensor<16xf32>>
  %t = tt.load %p {boundaryCheck = array<i32: 0>, padding = 1 : i32} : !tt.ptr<tensor<16xi1>>
  %s = tt.splat %f : f32 -> tensor<16xf32>
  %z = arith.constant dense<0.0> : tensor<16xf32>
  %r = arith.select %t, %s, %z : tensor<16xi1>, tensor<16xf32>
  tt.store %q, %r : !tt.ptr<tensor<16xf32>>
  tt.return
}

// -----

// One element: no vector, a branch instead of a mask.

// CHECK-LABEL: func.func @one_element(
// CHECK-DAG:     %[[NAN:.*]] = arith.constant 0x7FF8000000000000 : f64
// CHECK:         scf.for
// CHECK-NOT:       scf.for
// CHECK:           %[[V:.*]] = scf.if %{{.*}} -> (f64) {
// CHECK:             llvm.load %{{.*}} {alignment = 8 : i64} : !llvm.ptr -> f64
// CHECK:           } else {
// CHECK:             scf.yield %[[NAN]]
// CHECK:           llvm.store %[[V]]
tt.func public @one_element(%x: !tt.ptr<f64>, %n: i64, %o: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i64
  %p = tt.make_tensor_ptr %x, [%n, %n], [%n, %c1], [%o, %o] {order = array<i32: 1, 0>} : <tensor<1x1xf64>>
  %q = tt.make_tensor_ptr %x, [%n, %n], [%n, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<1x1xf64>>
  %t = tt.load %p {boundaryCheck = array<i32: 0, 1>, padding = 2 : i32} : !tt.ptr<tensor<1x1xf64>>
  tt.store %q, %t : !tt.ptr<tensor<1x1xf64>>
  tt.return
}

// -----

// Five dimensions, a tile narrower than a vector register, and a volatile load,
// which is copied at once.

// CHECK-LABEL: func.func @five_dimensions(
// CHECK:         %[[COPY:.*]] = spine.scratch {bytes = 128 : i64, id = 0 : i64
// CHECK:         scf.for %{{.*}} = %c0_i64 to %c2_i64
// CHECK:           scf.for %{{.*}} = %c0_i64 to %c4_i64
// CHECK:             scf.for %{{.*}} = %c0_i64 to %c2_i64
// CHECK-NOT:           scf.for
// CHECK:               llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr -> vector<2xi32>
// CHECK:         llvm.store
tt.func public @five_dimensions(%x: !tt.ptr<i32>, %n: i64, %o: i32) {
  %c1 = arith.constant 1 : i64
  %p = tt.make_tensor_ptr %x, [%n, %n, %n, %n, %n], [%n, %n, %n, %n, %c1], [%o, %o, %o, %o, %o] {order = array<i32: 4, 3, 2, 1, 0>} : <tensor<2x1x4x2x2xi32>>
  %t = tt.load %p {isVolatile = true} : !tt.ptr<tensor<2x1x4x2x2xi32>>
  tt.store %p, %t : !tt.ptr<tensor<2x1x4x2x2xi32>>
  tt.return
}

// -----

// An offset and an extent that are clamped into the tile, as those of pointers
// that were rebased, are not clamped again: the offset is not above zero, and
// the extent not below.

// CHECK-LABEL: func.func @clamped(
// CHECK:         %[[MIN:.*]] = arith.minsi %{{.*}}, %c0_i64 : i64
// CHECK:         %[[OFFSET:.*]] = arith.maxsi %[[MIN]], %c-8_i64 : i64
// CHECK:         %[[EXTENT:.*]] = arith.maxsi %{{.*}}, %c0_i64 : i64
// CHECK:         %[[NARROW:.*]] = arith.trunci %[[OFFSET]] : i64 to i32
// CHECK:         %[[WIDE:.*]] = arith.extsi %[[NARROW]] : i32 to i64
// CHECK-NOT:     arith.maxsi
// CHECK:         %[[LOW:.*]] = arith.subi %c0_i64, %[[WIDE]] : i64
// CHECK-NOT:     arith.maxsi
// CHECK:         %[[ROOM:.*]] = arith.addi %[[WIDE]], %c8_i64 : i64
// CHECK:         %[[LEFT:.*]] = arith.minsi %[[EXTENT]], %[[ROOM]] : i64
// CHECK:         %[[HIGH:.*]] = arith.addi %[[LOW]], %[[LEFT]] : i64
// CHECK-NOT:     arith.m{{ax|in}}si
// CHECK:         return
tt.func public @clamped(%x: !tt.ptr<f32>, %n: i64, %o: i64, %y: !tt.ptr<f32>) {
  %zero = arith.constant 0 : i32
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c8 = arith.constant 8 : i64
  %below = arith.constant -8 : i64
  %most = arith.minsi %o, %c0 : i64
  %offset = arith.maxsi %most, %below : i64
  %extent = arith.maxsi %n, %c0 : i64
  %narrow = arith.trunci %offset : i64 to i32
  %p = tt.make_tensor_ptr %x, [%extent], [%c1], [%narrow] {order = array<i32: 0>} : <tensor<8xf32>>
  %q = tt.make_tensor_ptr %y, [%c8], [%c1], [%zero] {order = array<i32: 0>} : <tensor<8xf32>>
  %t = tt.load %p {boundaryCheck = array<i32: 0>, padding = 1 : i32} : !tt.ptr<tensor<8xf32>>
  tt.store %q, %t : !tt.ptr<tensor<8xf32>>
  tt.return
}
