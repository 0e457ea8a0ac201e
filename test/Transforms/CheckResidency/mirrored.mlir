// RUN: spine-triton-opt %s -split-input-file -spine-check-residency="capacity=20000 policy=stage-mirrored target=board" -verify-diagnostics | FileCheck %s
// RUN: spine-triton-opt %s -split-input-file -spine-check-residency="capacity=20000 policy=stage-mirrored severity=warning defer-to-launch=true" 2>/dev/null | FileCheck %s --check-prefix=DEFER

// Eight rows of 4 floats, each in a cache line of its own, and, at an unlucky
// place, two of them in two; what is stored is packed.

// CHECK-LABEL: tt.func @rows(
// CHECK-SAME:    peak_bytes = 768 : i64, policy = "stage-mirrored"
tt.func @rows(%x: !tt.ptr<f32>, %n: i64) {
  %c0 = arith.constant 0 : i32
  %unit = arith.constant 1 : i64
  %pitch = arith.constant 100 : i64
  %p = tt.make_tensor_ptr %x, [%n, %n], [%pitch, %unit], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<8x4xf32>>
  %a = tt.load %p : !tt.ptr<tensor<8x4xf32>>
  %b = arith.negf %a : tensor<8x4xf32>
  tt.store %p, %b : !tt.ptr<tensor<8x4xf32>>
  tt.return
}

// -----

// With a base that is known to be aligned and a pitch of whole cache lines there
// is one line per row.

// CHECK-LABEL: tt.func @aligned(
// CHECK-SAME:    peak_bytes = 640 : i64
tt.func @aligned(%x: !tt.ptr<f32> {tt.divisibility = 64 : i32}, %n: i64, %i: i32) {
  %c0 = arith.constant 0 : i32
  %c16 = arith.constant 16 : i32
  %unit = arith.constant 1 : i64
  %pitch = arith.constant 96 : i64
  %col = arith.muli %i, %c16 : i32
  %p = tt.make_tensor_ptr %x, [%n, %n], [%pitch, %unit], [%i, %col] {order = array<i32: 1, 0>} : <tensor<8x4xf32>>
  %a = tt.load %p : !tt.ptr<tensor<8x4xf32>>
  %b = arith.negf %a : tensor<8x4xf32>
  tt.store %p, %b : !tt.ptr<tensor<8x4xf32>>
  tt.return
}

// -----

// A stride that is an argument: unknown does not mean "fits". A launcher that
// checks the contract may accept it.

// DEFER-LABEL: tt.func @pitch(
// DEFER-SAME:    contract = "{\22fixed_bytes\22:128,\22available_bytes\22:20000,\22alignment\22:1,\22granule\22:64,\22tiles\22:[{\22name\22:\22tt.load\22,\22shape\22:[8,4],\22element_bytes\22:4,\22copies\22:1,\22access_alignment\22:1,\22strides\22:{{\[\[}}\22*\22, [\22argument\22, 1], 2],1]}]}", fits = false
// expected-error @below {{kernel 'pitch' may not fit the scratchpad on board: the bytes that it needs depend on the arguments of a launch}}
// expected-note @below {{it fits where 128 + granule_bytes((8, 4), (arg1 * 2, 1), 4) <= 20000: make the strides constants, or let the launch check that}}
tt.func @pitch(%x: !tt.ptr<f32>, %n: i64) {
  %c0 = arith.constant 0 : i32
  %unit = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %stride = arith.muli %n, %two : i64
  %p = tt.make_tensor_ptr %x, [%n, %n], [%stride, %unit], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<8x4xf32>>
  // expected-note @below {{tile of 'tt.load': 8x4xf32, loaded, mirrored (dense 128, span (4 + 7 * abs(arg1 * 2)) * 4, granules granule_bytes((8, 4), (arg1 * 2, 1), 4))}}
  %a = tt.load %p : !tt.ptr<tensor<8x4xf32>>
  %b = arith.negf %a : tensor<8x4xf32>
  tt.store %p, %b : !tt.ptr<tensor<8x4xf32>>
  tt.return
}

// -----

// A stride that no launcher can know.

// DEFER-LABEL: tt.func @computed(
// DEFER-NOT:     spine.residency
// expected-error @below {{kernel 'computed' may not fit the scratchpad on board: the bytes that it needs cannot be bounded}}
// expected-note @below {{strides have to be arguments or constants}}
tt.func @computed(%x: !tt.ptr<f32>, %q: !tt.ptr<i64>, %n: i64) {
  %c0 = arith.constant 0 : i32
  %unit = arith.constant 1 : i64
  %stride = tt.load %q : !tt.ptr<i64>
  %p = tt.make_tensor_ptr %x, [%n, %n], [%stride, %unit], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<8x4xf32>>
  // expected-note @below {{the strides of tile 'tt.load' are neither constants nor made of arguments}}
  %a = tt.load %p : !tt.ptr<tensor<8x4xf32>>
  tt.store %p, %a : !tt.ptr<tensor<8x4xf32>>
  tt.return
}

// -----

// What a function needs that is not inlined must be known when compiling.

// DEFER-LABEL: tt.func @calls(

// expected-error @below {{kernel 'calls' may not fit the scratchpad on board: the bytes that it needs cannot be bounded}}
// expected-note @below {{inline the function, or give it a body that calls nothing again}}
tt.func @calls(%x: !tt.ptr<f32>, %pitch: i64) {
  // expected-note @below {{the bytes of a tile in the function that is called here depend on strides that are not constants}}
  tt.call @rows_of(%x, %pitch) : (!tt.ptr<f32>, i64) -> ()
  tt.return
}
tt.func private @rows_of(%x: !tt.ptr<f32>, %pitch: i64) attributes {noinline = true} {
  %c0 = arith.constant 0 : i32
  %unit = arith.constant 1 : i64
  %p = tt.make_tensor_ptr %x, [%pitch, %pitch], [%pitch, %unit], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<8x4xf32>>
  %a = tt.load %p : !tt.ptr<tensor<8x4xf32>>
  tt.store %p, %a : !tt.ptr<tensor<8x4xf32>>
  tt.return
}
