// RUN: spine-triton-opt %s -split-input-file -convert-triton-to-linalg -spine-lower-tiles -verify-diagnostics

// expected-error @below {{expects structured control flow; run spine-structure-kernels first}}
tt.func public @branches(%c: i1) {
  cf.cond_br %c, ^bb1, ^bb2
^bb1:
  tt.return
^bb2:
  tt.return
}

// -----

// expected-error @below {{a kernel cannot return values; store them through a pointer argument}}
tt.func public @returns(%x: f32) -> f32 {
  tt.return %x : f32
}

// -----

// expected-error @below {{kernel argument #1 has type '!tt.ptr<tensor<16xf32>>', which cannot be passed from the host; pass a pointer and make the block pointer or descriptor inside of the kernel}}
tt.func public @block_pointer(%n: i32, %p: !tt.ptr<tensor<16xf32>>) {
  tt.return
}

// -----

// expected-error @below {{kernel argument #0 has type '!tt.tensordesc<tensor<16xf32>>', which cannot be passed from the host}}
tt.func public @descriptor(%d: !tt.tensordesc<tensor<16xf32>>) {
  tt.return
}

// -----

// expected-error @below {{kernel argument #0 has type 'tensor<16xf32>', which cannot be passed from the host}}
tt.func public @tile(%t: tensor<16xf32>) {
  tt.return
}

// -----

tt.func public @calls(%x: f32) {
  // expected-error @below {{code generation does not support 'tt.call'}}
  %y = tt.call @callee(%x) : (f32) -> f32
  tt.return
}
tt.func private @callee(f32) -> f32

// -----

tt.func public @map(%x: i32) {
  %t = tt.splat %x : i32 -> tensor<8xi32>
  // expected-error @below {{code generation does not support 'tt.map_elementwise' yet; please compute this with other operations}}
  %m = "tt.map_elementwise"(%t) <{pack = 1 : i32}> ({
  ^bb0(%a: i32):
    tt.map_elementwise.return %a : i32
  }) : (tensor<8xi32>) -> tensor<8xi32>
  tt.return
}

// -----

tt.func public @two_results(%x: i32) {
  %t = tt.splat %x : i32 -> tensor<8xi32>
  // expected-error @below {{code generation does not support 'arith.addui_extended' yet}}
  %s, %c = arith.addui_extended %t, %t : tensor<8xi32>, tensor<8xi1>
  tt.return
}

// -----

tt.func public @make_descriptor(%x: !tt.ptr<f32>, %n: i32) {
  %c1 = arith.constant 1 : i64
  // expected-error @below {{code generation does not support 'tt.make_tensor_descriptor'}}
  %d = tt.make_tensor_descriptor %x, [%n], [%c1] : <f32>, <tensor<16xf32>>
  tt.return
}

// -----

tt.func public @inline_asm(%x: i32) {
  // expected-error @below {{code generation does not support 'tt.elementwise_inline_asm'}}
  %y = tt.elementwise_inline_asm "nop" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %x : i32 -> i32
  tt.return
}

// -----

// Elementwise operations are looked at where their elements are computed.

tt.func public @extern(%x: f32, %p: !tt.ptr<f32>) {
  %t = tt.splat %x : f32 -> tensor<8xf32>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>>
  // expected-error @below {{code generation does not support 'tt.extern_elementwise'}}
  %y = tt.extern_elementwise %t {libname = "", libpath = "", pure = true, symbol = "__nv_tanf"} : (tensor<8xf32>) -> tensor<8xf32>
  tt.store %ps, %y : tensor<8x!tt.ptr<f32>>
  tt.return
}

// -----

tt.func public @fp8_load(%p: !tt.ptr<f8E4M3FN>) {
  // expected-error @below {{8-bit floating-point types are not supported on this target}}
  %x = tt.load %p : !tt.ptr<f8E4M3FN>
  tt.return
}

// -----

tt.func public @fp8(%x: f32, %p: !tt.ptr<i8>) {
  %t = tt.splat %x : f32 -> tensor<8xf32>
  %ps = tt.splat %p : !tt.ptr<i8> -> tensor<8x!tt.ptr<i8>>
  // expected-error @below {{8-bit floating-point types are not supported on this target; convert to fp16, bf16 or fp32 before the kernel}}
  %y = tt.fp_to_fp %t, rounding = rtne : tensor<8xf32> -> tensor<8xf8E5M2>
  %z = tt.bitcast %y : tensor<8xf8E5M2> -> tensor<8xi8>
  tt.store %ps, %z : tensor<8x!tt.ptr<i8>>
  tt.return
}

// -----

tt.func public @towards_zero(%x: f32, %p: !tt.ptr<f16>) {
  // expected-error @below {{rounding towards zero is not supported on this target; use the default rounding mode}}
  %y = tt.fp_to_fp %x, rounding = rtz : f32 -> f16
  tt.store %p, %y : !tt.ptr<f16>
  tt.return
}

// -----

tt.func public @constant(%p: !tt.ptr<i32>) {
  // expected-error @below {{code generation does not support tile constants whose elements differ; compute the values or load them}}
  %t = arith.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %ps = tt.splat %p : !tt.ptr<i32> -> tensor<4x!tt.ptr<i32>>
  tt.store %ps, %t : tensor<4x!tt.ptr<i32>>
  tt.return
}

// -----

// Combine regions: what is not elementwise, with one result, and what is control
// flow around more than plain arithmetic.

tt.func public @region(%p: !tt.ptr<i32>, %x: i32) {
  %t = tt.splat %x : i32 -> tensor<8xi32>
  %r = "tt.reduce"(%t) <{axis = 0 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    // expected-error @below {{code generation does not support 'arith.addui_extended' in this place}}
    %s, %c = arith.addui_extended %a, %b : i32, i1
    tt.reduce.return %s : i32
  }) : (tensor<8xi32>) -> i32
  tt.store %p, %r : !tt.ptr<i32>
  tt.return
}

// -----

tt.func public @region_of_scan(%p: !tt.ptr<f32>, %x: f32) {
  %t = tt.splat %x : f32 -> tensor<8xf32>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>>
  %r = "tt.scan"(%t) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%a: f32, %b: f32):
    // expected-error @below {{code generation does not support 'tt.extern_elementwise'}}
    %s = tt.extern_elementwise %a {libname = "", libpath = "", pure = true, symbol = "__nv_tanf"} : (f32) -> f32
    tt.scan.return %s : f32
  }) : (tensor<8xf32>) -> tensor<8xf32>
  tt.store %ps, %r : tensor<8x!tt.ptr<f32>>
  tt.return
}

// -----

tt.func public @branch_in_region(%p: !tt.ptr<f32>, %x: f32) {
  %t = tt.splat %x : f32 -> tensor<8xf32>
  %r = "tt.reduce"(%t) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.cmpf ogt, %a, %b : f32
    // expected-error @below {{code generation does not support 'scf.if'}}
    %d = scf.if %c -> f32 {
      %e = tt.clampf %a, %b, %x, propagateNan = none : f32
      scf.yield %e : f32
    } else {
      scf.yield %b : f32
    }
    tt.reduce.return %d : f32
  }) : (tensor<8xf32>) -> f32
  tt.store %p, %r : !tt.ptr<f32>
  tt.return
}

// -----

// linalg of other origin.

tt.func public @window(%x: f32, %p: !tt.ptr<f32>) {
  %t = tt.splat %x : f32 -> tensor<8xf32>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<4x!tt.ptr<f32>>
  %e = tensor.empty() : tensor<4xf32>
  // expected-error @below {{code generation does not support the indexing map of this operation}}
  %w = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0 * 2)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%t : tensor<8xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<4xf32>
  tt.store %ps, %w : tensor<4x!tt.ptr<f32>>
  tt.return
}

// -----

// expected-error @below {{8-bit floating-point types are not supported on this target; convert to fp16, bf16 or fp32 before the kernel}}
tt.func public @fp8_argument(%x: f8E5M2) {
  tt.return
}

// -----

// expected-error @below {{a kernel needs a body}}
tt.func private @declared(i32)
