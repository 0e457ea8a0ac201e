// RUN: spine-triton-opt %s -split-input-file -spine-to-linalg "-spine-lower-tiles=vector-bits=512 vector-registers=32 prefetch-rows=24 tiles-bf16=1" -canonicalize -cse | FileCheck %s
// RUN: spine-triton-opt %s -split-input-file -spine-to-linalg "-spine-lower-tiles=vector-bits=512 vector-registers=32 prefetch-rows=24" -canonicalize -cse | FileCheck %s --check-prefix=NONE
// RUN: spine-triton-opt %s -split-input-file -spine-to-linalg "-spine-attach-target=vector-bits=512 vector-registers=32 tiles-bf16=1" -spine-lower-tiles -canonicalize -cse | FileCheck %s --check-prefix=TARGET
// RUN: spine-triton-opt %s -split-input-file -spine-to-linalg "-spine-to-llvm=vector-bits=512 vector-registers=32 tiles-bf16=1" | FileCheck %s --check-prefix=LLVM

// NONE-NOT: x86_amx
// TARGET:   llvm.x86.tdpbf16ps.internal
// LLVM:     llvm.call_intrinsic "llvm.x86.tdpbf16ps.internal"
// LLVM-NOT: unrealized_conversion_cast

// CHECK-LABEL: func.func @tall(
// CHECK-DAG:     %[[ZEROS:.+]] = arith.constant dense<0.000000e+00> : vector<32xbf16>
// Rows of the right operand are packed, filled up to whole steps, and joined to
// pairs.
// CHECK:         %[[RHS:.+]] = spine.scratch {bytes = 8192 {{.*}} name = "dot.rhs"
// CHECK:         %[[UP:.+]] = arith.addi %[[END:.+]], %c31_i64
// CHECK:         %[[STEPS:.+]] = arith.andi %[[UP]], %c-32_i64
// CHECK:         scf.for %{{.+}} = %[[END]] to %[[STEPS]] step %c1_i64
// CHECK:           llvm.store {{.*}} : vector<16xbf16>
// CHECK:         scf.for %{{.+}} = %c0_i64 to %[[STEPS]] step %c2_i64
// CHECK:           vector.interleave {{.*}} : vector<16xbf16> -> vector<32xbf16>
// Rows of the left one are copied, a vector per step and the rest under a mask
// that is the same for all of them.
// CHECK:         spine.scratch {bytes = 24576 {{.*}} name = "dot.lhs.chunk"
// CHECK:         %[[NEXT:.+]] = arith.shli %c1_i32, %{{.+}} : i32
// CHECK:         %[[BITS:.+]] = arith.subi %[[NEXT]], %c1_i32 : i32
// CHECK:         %[[MASK:.+]] = llvm.bitcast %[[BITS]] : i32 to vector<32xi1>
// CHECK:         scf.if
// CHECK:           llvm.load {{.*}} -> vector<32xbf16>
// CHECK:           llvm.intr.masked.load %{{.+}}, %[[MASK]], %[[ZEROS]]
// The first group of iterations begins with zeros.
// CHECK:         %[[START:.+]] = scf.if %{{.+}} -> (!llvm.x86_amx) {
// CHECK:           llvm.call_intrinsic "llvm.x86.tilezero.internal"(%c16_i16, %c64_i16)
// CHECK:         } else {
// CHECK:           llvm.call_intrinsic "llvm.x86.tileloadd64.internal"(%c16_i16, %c64_i16, %{{.+}}, %c64_i64)
// CHECK:         %[[SUMS:.+]] = scf.for {{.*}} step %c32_i64 iter_args(%[[SUM:.+]] = %[[START]]) -> (!llvm.x86_amx)
// CHECK:           "llvm.intr.prefetch"
// CHECK:           %[[A:.+]] = llvm.call_intrinsic "llvm.x86.tileloadd64.internal"(%c16_i16, %c64_i16, %{{.+}}, %c512_i64)
// CHECK:           %[[B:.+]] = llvm.call_intrinsic "llvm.x86.tileloadd64.internal"(%c16_i16, %c64_i16, %{{.+}}, %c64_i64)
// CHECK:           %[[C:.+]] = llvm.call_intrinsic "llvm.x86.tdpbf16ps.internal"(%c16_i16, %c64_i16, %c64_i16, %[[SUM]], %[[A]], %[[B]])
// CHECK:           scf.yield %[[C]]
// After the last one the sums become vectors, before it they stay tiles.
// CHECK:         %[[VECTORS:.+]] = spine.scratch {bytes = 1024 {{.*}} name = "dot.sums"
// CHECK:         llvm.call_intrinsic "llvm.x86.tilestored64.internal"(%c16_i16, %c64_i16, %[[VECTORS]], %c64_i64, %[[SUMS]])
// CHECK-NEXT:    llvm.load %[[VECTORS]] {{.*}} -> vector<16xf32>
// CHECK:         } else {
// CHECK:           llvm.call_intrinsic "llvm.x86.tilestored64.internal"(%c16_i16, %c64_i16, %{{.+}}, %c64_i64, %[[SUMS]])
// The variant for overlapping arguments multiplies alike.
// CHECK-LABEL: func.func @tall__may_alias(
// CHECK:         llvm.call_intrinsic "llvm.x86.tdpbf16ps.internal"
tt.func public @tall(%x: !tt.ptr<bf16>, %y: !tt.ptr<bf16>, %z: !tt.ptr<f32>, %K: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i64
  %c16 = arith.constant 16 : i64
  %c64 = arith.constant 64 : i32
  %m = arith.constant 1000 : i64
  %k = arith.extsi %K : i32 to i64
  %zero = arith.constant dense<0.0> : tensor<64x16xf32>
  %r = tt.make_tensor_ptr %z, [%m, %c16], [%c16, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<64x16xf32>>
  %sum = scf.for %i = %c0 to %K step %c64 iter_args(%acc = %zero) -> (tensor<64x16xf32>) : i32 {
    %p = tt.make_tensor_ptr %x, [%m, %k], [%k, %c1], [%c0, %i] {order = array<i32: 1, 0>} : <tensor<64x64xbf16>>
    %q = tt.make_tensor_ptr %y, [%k, %c16], [%c16, %c1], [%i, %c0] {order = array<i32: 1, 0>} : <tensor<64x16xbf16>>
    %a = tt.load %p {boundaryCheck = array<i32: 0, 1>, padding = 1 : i32} : !tt.ptr<tensor<64x64xbf16>>
    %b = tt.load %q {boundaryCheck = array<i32: 0>, padding = 1 : i32} : !tt.ptr<tensor<64x16xbf16>>
    %d = tt.dot %a, %b, %acc : tensor<64x64xbf16> * tensor<64x16xbf16> -> tensor<64x16xf32>
    scf.yield %d : tensor<64x16xf32>
  }
  tt.store %r, %sum {boundaryCheck = array<i32: 0>} : !tt.ptr<tensor<64x16xf32>>
  tt.return
}

// -----

// A product that fills no tile: the tiles have their full size, and so have the
// buffers behind what is packed.
// CHECK-LABEL: func.func @small(
// CHECK-DAG:     %[[EIGHT:.+]] = arith.constant 255 : i32
// CHECK:         %[[LHS:.+]] = spine.scratch {bytes = 1024 {{.*}} name = "dot.lhs"
// CHECK:         %[[RHS:.+]] = spine.scratch {bytes = 304 {{.*}} name = "dot.rhs"
// CHECK:         vector.interleave {{.*}} : vector<4xbf16> -> vector<8xbf16>
// CHECK:         %[[ZERO:.+]] = llvm.call_intrinsic "llvm.x86.tilezero.internal"(%c16_i16, %c64_i16)
// CHECK:         %[[MASK:.+]] = llvm.bitcast %[[EIGHT]] : i32 to vector<32xi1>
// CHECK:         llvm.intr.masked.load %{{.+}}, %[[MASK]]
// CHECK:         %[[A:.+]] = llvm.call_intrinsic "llvm.x86.tileloadd64.internal"(%c16_i16, %c64_i16, %[[LHS]], %c64_i64)
// CHECK-NEXT:    %[[B:.+]] = llvm.call_intrinsic "llvm.x86.tileloadd64.internal"(%c16_i16, %c64_i16, %[[RHS]], %c16_i64)
// CHECK-NEXT:    %[[C:.+]] = llvm.call_intrinsic "llvm.x86.tdpbf16ps.internal"(%c16_i16, %c64_i16, %c64_i16, %[[ZERO]], %[[A]], %[[B]])
// CHECK:         %[[SUMS:.+]] = spine.scratch {bytes = 1024 {{.*}} name = "dot.sums"
// CHECK:         llvm.call_intrinsic "llvm.x86.tilestored64.internal"(%c16_i16, %c64_i16, %[[SUMS]], %c64_i64, %[[C]])
// CHECK-COUNT-8: llvm.load {{.*}} -> vector<4xf32>
tt.func public @small(%x: !tt.ptr<bf16>, %y: !tt.ptr<bf16>, %z: !tt.ptr<f32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i64
  %c4 = arith.constant 4 : i64
  %c8 = arith.constant 8 : i64
  %zero = arith.constant dense<0.0> : tensor<8x4xf32>
  %p = tt.make_tensor_ptr %x, [%c8, %c8], [%c8, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<8x8xbf16>>
  %q = tt.make_tensor_ptr %y, [%c8, %c4], [%c4, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<8x4xbf16>>
  %r = tt.make_tensor_ptr %z, [%c8, %c4], [%c4, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<8x4xf32>>
  %a = tt.load %p : !tt.ptr<tensor<8x8xbf16>>
  %b = tt.load %q : !tt.ptr<tensor<8x4xbf16>>
  %d = tt.dot %a, %b, %zero : tensor<8x8xbf16> * tensor<8x4xbf16> -> tensor<8x4xf32>
  tt.store %r, %d : !tt.ptr<tensor<8x4xf32>>
  tt.return
}

// -----

// fp16: what is packed as fp32 is taken apart, in steps of 16 elements. Pairs of
// the right operand's high parts lie before pairs of its low ones.
// CHECK-LABEL: func.func @parts(
// CHECK-DAG:     %[[UPPER:.+]] = arith.constant dense<-65536> : vector<16xi32>
// CHECK-DAG:     %[[SMALL:.+]] = arith.constant dense<-1073741825> : vector<16xi32>
// CHECK-DAG:     %[[NAUGHT:.+]] = arith.constant dense<0> : vector<16xi32>
// CHECK-DAG:     %[[SIXTEEN:.+]] = arith.constant dense<16> : vector<16xi32>
// CHECK-DAG:     %[[HALF:.+]] = arith.constant dense<5.000000e-01> : vector<16xf32>
// CHECK:         %[[RHS:.+]] = spine.scratch {bytes = 32768 {{.*}} name = "dot.rhs"
// CHECK:         %[[UP:.+]] = arith.addi %[[END:.+]], %c15_i64
// CHECK:         %[[STEPS:.+]] = arith.andi %[[UP]], %c-16_i64
// CHECK:         scf.for %{{.+}} = %[[END]] to %[[STEPS]] step %c1_i64
// CHECK:           llvm.store {{.*}} : vector<16xf32>
// CHECK:         scf.for %{{.+}} = %c0_i64 to %[[STEPS]] step %c1_i64
// CHECK:           %[[X:.+]] = llvm.load %[[AT:.+]] {{{.*}}} : !llvm.ptr -> vector<16xf32>
// CHECK:           %[[BITS:.+]] = arith.bitcast %[[X]]
// CHECK:           %[[CUT:.+]] = arith.andi %[[BITS]], %[[UPPER]]
// CHECK:           %[[NUMBER:.+]] = arith.bitcast %[[CUT]]
// CHECK:           %[[REST:.+]] = arith.subf %[[X]], %[[NUMBER]]
// CHECK:           %[[FINITE:.+]] = arith.cmpf ord, %[[REST]], %[[REST]]
// CHECK:           %[[WHOLE:.+]] = arith.cmpf oeq, %[[REST]]
// CHECK:           %[[HALVED:.+]] = arith.mulf %[[X]], %[[HALF]]
// CHECK:           %[[HALF_BITS:.+]] = arith.bitcast %[[HALVED]]
// CHECK:           %[[HIGH:.+]] = arith.select %[[WHOLE]], %[[HALF_BITS]], %[[CUT]]
// CHECK:           %[[SOME:.+]] = arith.andi %[[CUT]], %[[SMALL]]
// CHECK:           %[[REST_BITS:.+]] = arith.bitcast %[[REST]]
// CHECK:           %[[PART:.+]] = arith.select %[[WHOLE]], %[[HALF_BITS]], %[[REST_BITS]]
// CHECK:           %[[LOW:.+]] = arith.select %[[FINITE]], %[[PART]], %[[SOME]]
// CHECK:           %[[HIGHS:.+]] = arith.shrui %[[HIGH]], %[[SIXTEEN]]
// CHECK:           %[[OR_ZERO:.+]] = arith.select %[[FINITE]], %[[HIGHS]], %[[NAUGHT]]
// CHECK:           %[[TWICE:.+]] = arith.ori %[[HIGH]], %[[OR_ZERO]]
// CHECK:           %[[LOWS:.+]] = arith.shrui %[[LOW]], %[[SIXTEEN]]
// CHECK:           %[[BOTH:.+]] = arith.ori %[[LOW]], %[[LOWS]]
// CHECK:           llvm.store %[[TWICE]], %[[AT]]
// CHECK:           %[[BEHIND:.+]] = llvm.getelementptr %[[AT]][16]
// CHECK:           llvm.store %[[BOTH]], %[[BEHIND]]
// Rows of the left operand become pairs of both parts as they are read. Every
// other of the rows that come next is fetched meanwhile.
// CHECK:         spine.scratch {bytes = 16384 {{.*}} name = "dot.lhs.chunk"
// CHECK:           %[[IS_ODD:.+]] = arith.andi %[[ROW:.+]], %c1_i64
// CHECK:           %[[MASK:.+]] = arith.subi %[[IS_ODD]], %c1_i64
// CHECK:           arith.andi %[[MASK]], %c16_i64
// CHECK:           "llvm.intr.prefetch"
// CHECK:           %[[A:.+]] = llvm.load {{.*}} -> vector<16xf16>
// CHECK-NEXT:      %[[Y:.+]] = arith.extf %[[A]] : vector<16xf16> to vector<16xf32>
// CHECK-NEXT:      %[[LEFT_BITS:.+]] = arith.bitcast %[[Y]]
// CHECK-NEXT:      %[[LEFT_HIGH:.+]] = arith.andi %[[LEFT_BITS]], %[[UPPER]]
// CHECK-NEXT:      %[[LEFT_NUMBER:.+]] = arith.bitcast %[[LEFT_HIGH]]
// CHECK-NEXT:      %[[LEFT_REST:.+]] = arith.subf %[[Y]], %[[LEFT_NUMBER]]
// CHECK-NEXT:      %[[LEFT_FINITE:.+]] = arith.cmpf ord, %[[LEFT_REST]], %[[LEFT_REST]]
// CHECK-NEXT:      %[[LEFT_LOW:.+]] = arith.bitcast %[[LEFT_REST]]
// CHECK-NEXT:      %[[MOVED:.+]] = arith.shrui %[[LEFT_LOW]], %[[SIXTEEN]]
// CHECK-NEXT:      %[[LOWER:.+]] = arith.select %[[LEFT_FINITE]], %[[MOVED]], %[[NAUGHT]]
// CHECK-NEXT:      %[[PAIR:.+]] = arith.ori %[[LEFT_HIGH]], %[[LOWER]]
// CHECK:           llvm.store %[[PAIR]]
// CHECK:           llvm.intr.masked.load {{.*}} -> vector<16xf16>
// Each step multiplies them with both.
// CHECK:         scf.for {{.*}} step %c16_i64 iter_args(%[[SUM:.+]] = %{{.+}}) -> (!llvm.x86_amx)
// CHECK:           %[[TILE:.+]] = llvm.call_intrinsic "llvm.x86.tileloadd64.internal"(%c16_i16, %c64_i16, %{{.+}}, %c1024_i64)
// CHECK:           %[[B:.+]] = llvm.call_intrinsic "llvm.x86.tileloadd64.internal"(%c16_i16, %c64_i16, %{{.+}}, %c128_i64)
// CHECK-NEXT:      %[[C:.+]] = llvm.call_intrinsic "llvm.x86.tdpbf16ps.internal"(%c16_i16, %c64_i16, %c64_i16, %[[SUM]], %[[TILE]], %[[B]])
// CHECK:           %[[D:.+]] = llvm.call_intrinsic "llvm.x86.tileloadd64.internal"(%c16_i16, %c64_i16, %{{.+}}, %c128_i64)
// CHECK-NEXT:      %[[E:.+]] = llvm.call_intrinsic "llvm.x86.tdpbf16ps.internal"(%c16_i16, %c64_i16, %c64_i16, %[[C]], %[[TILE]], %[[D]])
// CHECK-NEXT:      scf.yield %[[E]]
tt.func public @parts(%x: !tt.ptr<f16>, %y: !tt.ptr<f16>, %z: !tt.ptr<f32>, %K: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i64
  %c16 = arith.constant 16 : i64
  %c64 = arith.constant 64 : i32
  %m = arith.constant 1000 : i64
  %k = arith.extsi %K : i32 to i64
  %zero = arith.constant dense<0.0> : tensor<64x16xf32>
  %r = tt.make_tensor_ptr %z, [%m, %c16], [%c16, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<64x16xf32>>
  %sum = scf.for %i = %c0 to %K step %c64 iter_args(%acc = %zero) -> (tensor<64x16xf32>) : i32 {
    %p = tt.make_tensor_ptr %x, [%m, %k], [%k, %c1], [%c0, %i] {order = array<i32: 1, 0>} : <tensor<64x64xf16>>
    %q = tt.make_tensor_ptr %y, [%k, %c16], [%c16, %c1], [%i, %c0] {order = array<i32: 1, 0>} : <tensor<64x16xf16>>
    %a = tt.load %p {boundaryCheck = array<i32: 0, 1>, padding = 1 : i32} : !tt.ptr<tensor<64x64xf16>>
    %b = tt.load %q {boundaryCheck = array<i32: 0>, padding = 1 : i32} : !tt.ptr<tensor<64x16xf16>>
    %d = tt.dot %a, %b, %acc : tensor<64x64xf16> * tensor<64x16xf16> -> tensor<64x16xf32>
    scf.yield %d : tensor<64x16xf32>
  }
  tt.store %r, %sum {boundaryCheck = array<i32: 0>} : !tt.ptr<tensor<64x16xf32>>
  tt.return
}

// -----

// A sum that is rounded to fp16 is made alike.
// CHECK-LABEL: func.func @rounded(
// CHECK:         llvm.call_intrinsic "llvm.x86.tdpbf16ps.internal"
// CHECK:         arith.truncf {{.*}} to vector<16xf16>
tt.func public @rounded(%x: !tt.ptr<f16>, %y: !tt.ptr<f16>, %z: !tt.ptr<f16>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i64
  %c16 = arith.constant 16 : i64
  %zero = arith.constant dense<0.0> : tensor<16x16xf16>
  %p = tt.make_tensor_ptr %x, [%c16, %c16], [%c16, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<16x16xf16>>
  %q = tt.make_tensor_ptr %y, [%c16, %c16], [%c16, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<16x16xf16>>
  %r = tt.make_tensor_ptr %z, [%c16, %c16], [%c16, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<16x16xf16>>
  %a = tt.load %p : !tt.ptr<tensor<16x16xf16>>
  %b = tt.load %q : !tt.ptr<tensor<16x16xf16>>
  %d = tt.dot %a, %b, %zero : tensor<16x16xf16> * tensor<16x16xf16> -> tensor<16x16xf16>
  tt.store %r, %d : !tt.ptr<tensor<16x16xf16>>
  tt.return
}

// -----

// Elements that the kernel itself has extended are multiplied in fp32.
// CHECK-LABEL: func.func @extended(
// CHECK-NOT:     x86_amx
// CHECK:         llvm.intr.fma
tt.func public @extended(%x: !tt.ptr<bf16>, %y: !tt.ptr<bf16>, %z: !tt.ptr<f32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i64
  %c16 = arith.constant 16 : i64
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %p = tt.make_tensor_ptr %x, [%c16, %c16], [%c16, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<16x16xbf16>>
  %q = tt.make_tensor_ptr %y, [%c16, %c16], [%c16, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<16x16xbf16>>
  %r = tt.make_tensor_ptr %z, [%c16, %c16], [%c16, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<16x16xf32>>
  %a = tt.load %p : !tt.ptr<tensor<16x16xbf16>>
  %b = tt.load %q : !tt.ptr<tensor<16x16xbf16>>
  %u = arith.extf %a : tensor<16x16xbf16> to tensor<16x16xf32>
  %v = arith.extf %b : tensor<16x16xbf16> to tensor<16x16xf32>
  %d = tt.dot %u, %v, %zero : tensor<16x16xf32> * tensor<16x16xf32> -> tensor<16x16xf32>
  tt.store %r, %d : !tt.ptr<tensor<16x16xf32>>
  tt.return
}
