// RUN: spine-triton-opt %s -split-input-file -spine-auto-tile="capacity=5000 reserve=904 target=test" -verify-diagnostics
// RUN: spine-triton-opt %s -split-input-file -canonicalize -cse -spine-auto-tile="capacity=4096" -spine-check-residency="capacity=4096" -o /dev/null

// expected-remark @below {{kernel 'scale' is split: its tiles need 32768 bytes, 4096 are available on test; after splitting 4096}}
tt.func @scale(%x: !tt.ptr<f32>, %n: i64) {
  %c0 = arith.constant 0 : i32
  %unit = arith.constant 1 : i64
  %two = arith.constant dense<2.0> : tensor<4096xf32>
  %p = tt.make_tensor_ptr %x, [%n], [%unit], [%c0] {order = array<i32: 0>} : <tensor<4096xf32>>
  // expected-note @unknown {{dimension 0 of 'a' (4096xf32): 4096 in parts of 512}}
  %a = tt.load %p {boundaryCheck = array<i32: 0>} : !tt.ptr<tensor<4096xf32>> loc("a")
  %b = arith.mulf %a, %two : tensor<4096xf32>
  tt.store %p, %b {boundaryCheck = array<i32: 0>} : !tt.ptr<tensor<4096xf32>>
  tt.return
}

// -----

// expected-remark @below {{kernel 'sum' is split: its tiles need 16384 bytes}}
// expected-note @below {{this is right only if its arguments do not overlap in memory}}
tt.func @sum(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %n: i64) {
  %c0 = arith.constant 0 : i32
  %unit = arith.constant 1 : i64
  %p = tt.make_tensor_ptr %x, [%n], [%unit], [%c0] {order = array<i32: 0>} : <tensor<2048xf32>>
  %q = tt.make_tensor_ptr %y, [%n], [%unit], [%c0] {order = array<i32: 0>} : <tensor<2048xf32>>
  // expected-note @below {{dimension 0 of the tile of 'tt.load' (2048xf32): 2048 in parts of 512, accumulated}}
  %a = tt.load %p : !tt.ptr<tensor<2048xf32>>
  %m = "tt.reduce"(%a) <{axis = 0 : i32}> ({
  ^bb0(%u: f32, %v: f32):
    %w = arith.addf %u, %v : f32
    tt.reduce.return %w : f32
  }) : (tensor<2048xf32>) -> f32
  %ms = tt.splat %m : f32 -> tensor<2048xf32>
  %s = arith.subf %a, %ms : tensor<2048xf32>
  tt.store %q, %s : !tt.ptr<tensor<2048xf32>>
  tt.return
}

// -----

// expected-remark @below {{kernel 'rows' is split: its tiles need 32768 bytes}}
// expected-note @below {{this is right only if elements of different parts have different addresses in 'argument 0', which depends on argument 2}}
tt.func @rows(%x: !tt.ptr<f32>, %n: i64, %stride: i64) {
  %c0 = arith.constant 0 : i32
  %unit = arith.constant 1 : i64
  %p = tt.make_tensor_ptr %x, [%n, %n], [%stride, %unit], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<64x64xf32>>
  // expected-note @below {{dimension 0 of the tile of 'tt.load' (64x64xf32): 64 in parts of}}
  %a = tt.load %p : !tt.ptr<tensor<64x64xf32>>
  %b = math.exp %a : tensor<64x64xf32>
  tt.store %p, %b : !tt.ptr<tensor<64x64xf32>>
  tt.return
}
