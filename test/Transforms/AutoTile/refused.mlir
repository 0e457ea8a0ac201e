// RUN: spine-triton-opt %s -split-input-file -spine-auto-tile=capacity=4096 -spine-check-residency=capacity=4096 -verify-diagnostics

// Every reason for which an axis is not split, as a note to the message that
// the kernel does not fit. Tiles of one element by eight bytes and more than
// 4096 of them cannot be made to fit.

// expected-error @below {{kernel 'scan' does not fit the scratchpad}}
// expected-note @below {{bytes too many}}
tt.func @scan(%p: !tt.ptr<f32>) {
  %s = tt.splat %p : !tt.ptr<f32> -> tensor<2048x!tt.ptr<f32>>
  // expected-note @below {{bytes, loaded}}
  %a = tt.load %s : tensor<2048x!tt.ptr<f32>>
  // expected-note @below {{most bytes are live here}}
  // expected-note @below {{accumulated}}
  // expected-note @below {{dimension 0 of the tile of 'tt.load' (2048xf32) is not split: a scan runs along it}}
  %c = "tt.scan"(%a) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%u: f32, %v: f32):
    %w = arith.addf %u, %v : f32
    tt.scan.return %w : f32
  }) : (tensor<2048xf32>) -> tensor<2048xf32>
  tt.store %s, %c : tensor<2048x!tt.ptr<f32>>
  tt.return
}

// -----

// A store between a load and what would load it again.

// expected-error @below {{kernel 'stored_between' does not fit the scratchpad}}
// expected-note @below {{bytes too many}}
tt.func @stored_between(%x: !tt.ptr<f32>, %n: i64) {
  %c0 = arith.constant 0 : i32
  %unit = arith.constant 1 : i64
  %p = tt.make_tensor_ptr %x, [%n], [%unit], [%c0] {order = array<i32: 0>} : <tensor<2048xf32>>
  // expected-note @below {{bytes, loaded}}
  // expected-note @below {{dimension 0 of the tile of 'tt.load' (2048xf32) is not split: what is loaded here would be loaded later or again, after a store that may have changed it}}
  %a = tt.load %p : !tt.ptr<tensor<2048xf32>>
  %m = "tt.reduce"(%a) <{axis = 0 : i32}> ({
  ^bb0(%u: f32, %v: f32):
    %w = arith.addf %u, %v : f32
    tt.reduce.return %w : f32
  }) : (tensor<2048xf32>) -> f32
  tt.store %x, %m : !tt.ptr<f32>
  %ms = tt.splat %m : f32 -> tensor<2048xf32>
  // expected-note @below {{most bytes are live here}}
  // expected-note @below {{stored}}
  %s = arith.subf %a, %ms : tensor<2048xf32>
  tt.store %p, %s : !tt.ptr<tensor<2048xf32>>
  tt.return
}

// -----

// Two places of one tensor: a part that is stored may be loaded as another one.

// expected-error @below {{kernel 'shifted' does not fit the scratchpad}}
// expected-note @below {{bytes too many}}
tt.func @shifted(%x: !tt.ptr<f32>, %n: i64) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %unit = arith.constant 1 : i64
  %p = tt.make_tensor_ptr %x, [%n], [%unit], [%c0] {order = array<i32: 0>} : <tensor<2048xf32>>
  %q = tt.make_tensor_ptr %x, [%n], [%unit], [%c1] {order = array<i32: 0>} : <tensor<2048xf32>>
  // expected-note @below {{bytes, loaded}}
  %a = tt.load %p : !tt.ptr<tensor<2048xf32>>
  // expected-note @below {{most bytes are live here}}
  // expected-note @below {{stored}}
  %b = math.exp %a : tensor<2048xf32>
  // expected-note @below {{dimension 0 of the tile of 'tt.load' (2048xf32) is not split: what is stored here may be loaded as another part of it}}
  tt.store %q, %b : !tt.ptr<tensor<2048xf32>>
  tt.return
}

// -----

// A product of a tile with its own transpose needs two parts of it at once.

// expected-error @below {{kernel 'gram' does not fit the scratchpad}}
// expected-note @below {{bytes too many}}
tt.func @gram(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %n: i64) {
  %c0 = arith.constant 0 : i32
  %p = tt.make_tensor_ptr %x, [%n, %n], [%n, %n], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<64x1xf32>>
  %q = tt.make_tensor_ptr %y, [%n, %n], [%n, %n], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<64x64xf32>>
  // expected-note @below {{bytes, loaded}}
  %a = tt.load %p : !tt.ptr<tensor<64x1xf32>>
  %t = tt.trans %a {order = array<i32: 1, 0>} : tensor<64x1xf32> -> tensor<1x64xf32>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  // expected-note @below {{most bytes are live here}}
  // expected-note @below {{accumulated}}
  // expected-note @below {{dimensions 0 and 1 of one tile would have to be cut together here}}
  %d = tt.dot %a, %t, %zero : tensor<64x1xf32> * tensor<1x64xf32> -> tensor<64x64xf32>
  tt.store %q, %d : !tt.ptr<tensor<64x64xf32>>
  tt.return
}

// -----

// What a loop carries is reduced inside of it.

// expected-error @below {{kernel 'normalised' does not fit the scratchpad}}
// expected-note @below {{bytes too many}}
tt.func @normalised(%x: !tt.ptr<f32>, %n: i64, %trips: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %unit = arith.constant 1 : i64
  %p = tt.make_tensor_ptr %x, [%n], [%unit], [%c0] {order = array<i32: 0>} : <tensor<2048xf32>>
  // expected-note @below {{most bytes are live here}}
  // expected-note @below {{bytes, loaded}}
  %a = tt.load %p : !tt.ptr<tensor<2048xf32>>
  %r = scf.for %i = %c0 to %trips step %c1 iter_args(%t = %a) -> tensor<2048xf32> : i32 {
    // expected-note @below {{'tt.reduce' reduces it inside of a loop or branch that hands on tiles which lie on it}}
    %m = "tt.reduce"(%t) <{axis = 0 : i32}> ({
    ^bb0(%u: f32, %v: f32):
      %w = arith.addf %u, %v : f32
      tt.reduce.return %w : f32
    }) : (tensor<2048xf32>) -> f32
    %ms = tt.splat %m : f32 -> tensor<2048xf32>
    %s = arith.subf %t, %ms : tensor<2048xf32>
    scf.yield %s : tensor<2048xf32>
  }
  tt.store %p, %r : !tt.ptr<tensor<2048xf32>>
  tt.return
}

// -----

// A store in the loop that does not depend on the axis.

// expected-error @below {{kernel 'counted' does not fit the scratchpad}}
// expected-note @below {{bytes too many}}
tt.func @counted(%x: !tt.ptr<f32>, %count: !tt.ptr<i32>, %n: i64, %trips: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %unit = arith.constant 1 : i64
  %p = tt.make_tensor_ptr %x, [%n], [%unit], [%c0] {order = array<i32: 0>} : <tensor<2048xf32>>
  // expected-note @below {{most bytes are live here}}
  // expected-note @below {{bytes, loaded}}
  %a = tt.load %p : !tt.ptr<tensor<2048xf32>>
  %r = scf.for %i = %c0 to %trips step %c1 iter_args(%t = %a) -> tensor<2048xf32> : i32 {
    // expected-note @below {{'tt.store' does not depend on it and would be executed once per part}}
    tt.store %count, %i : !tt.ptr<i32>
    %s = math.exp %t : tensor<2048xf32>
    scf.yield %s : tensor<2048xf32>
  }
  tt.store %p, %r : !tt.ptr<tensor<2048xf32>>
  tt.return
}

// -----

// A store in such a loop that moves on: row 1 of the first part is overwritten
// by the next iteration, but with parts one after the other by the second part.

// expected-error @below {{kernel 'moving' does not fit the scratchpad}}
// expected-note @below {{bytes too many}}
tt.func @moving(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %n: i64) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %trips = arith.constant 4 : i32
  %unit = arith.constant 1 : i64
  %p = tt.make_tensor_ptr %x, [%n], [%unit], [%c0] {order = array<i32: 0>} : <tensor<2048xf32>>
  // expected-note @below {{most bytes are live here}}
  // expected-note @below {{bytes, loaded}}
  %a = tt.load %p : !tt.ptr<tensor<2048xf32>>
  %r = scf.for %i = %c0 to %trips step %c1 iter_args(%t = %a) -> tensor<2048xf32> : i32 {
    %s = math.exp %t : tensor<2048xf32>
    %q = tt.make_tensor_ptr %y, [%n], [%unit], [%i] {order = array<i32: 0>} : <tensor<2048xf32>>
    // expected-note @below {{which of the elements that are stored here to one address remains would depend on the order of parts}}
    tt.store %q, %s : !tt.ptr<tensor<2048xf32>>
    scf.yield %s : tensor<2048xf32>
  }
  tt.return
}

// -----

// Atomics.

// expected-error @below {{kernel 'atomic' does not fit the scratchpad}}
// expected-note @below {{bytes too many}}
tt.func @atomic(%p: !tt.ptr<i32>) {
  %s = tt.splat %p : !tt.ptr<i32> -> tensor<4096x!tt.ptr<i32>>
  // expected-note @below {{bytes, loaded}}
  %a = tt.load %s : tensor<4096x!tt.ptr<i32>>
  %true = arith.constant dense<true> : tensor<4096xi1>
  // expected-note @below {{most bytes are live here}}
  // expected-note @below {{bytes, loaded}}
  // expected-note @below {{'tt.atomic_rmw' works on the whole tile or has side effects}}
  %b = tt.atomic_rmw add, relaxed, gpu, %s, %a, %true : (tensor<4096x!tt.ptr<i32>>, tensor<4096xi32>, tensor<4096xi1>) -> tensor<4096xi32>
  tt.return
}

// -----

// A loop that stores and hands on what is reduced afterwards would run twice.

// expected-error @below {{kernel 'stores_twice' does not fit the scratchpad}}
// expected-note @below {{bytes too many}}
tt.func @stores_twice(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %c0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %i4 = arith.constant 4 : i32
  %c1 = arith.constant 1 : i64
  %n = arith.constant 2048 : i64
  %p = tt.make_tensor_ptr %x, [%n], [%c1], [%c0] {order = array<i32: 0>} : <tensor<2048xf32>>
  %q = tt.make_tensor_ptr %y, [%n], [%c1], [%c0] {order = array<i32: 0>} : <tensor<2048xf32>>
  // expected-note @below {{most bytes are live here}}
  // expected-note @below {{bytes, loaded}}
  %a = tt.load %p : !tt.ptr<tensor<2048xf32>>
  // expected-note @below {{dimension 0 of the tile of 'tt.load' (2048xf32) is not split: its result is needed again after a reduction of it, but it stores and must not be repeated}}
  %r = scf.for %k = %c0 to %i4 step %i1 iter_args(%v = %a) -> tensor<2048xf32> : i32 {
    %w = arith.addf %v, %v : tensor<2048xf32>
    tt.store %q, %w : !tt.ptr<tensor<2048xf32>>
    scf.yield %w : tensor<2048xf32>
  }
  %s = "tt.reduce"(%r) <{axis = 0 : i32}> ({
  ^bb0(%l: f32, %m: f32):
    %sum = arith.addf %l, %m : f32
    tt.reduce.return %sum : f32
  }) : (tensor<2048xf32>) -> f32
  %u = tt.splat %s : f32 -> tensor<2048xf32>
  %d = arith.divf %r, %u : tensor<2048xf32>
  tt.store %p, %d : !tt.ptr<tensor<2048xf32>>
  tt.return
}

// -----

// A tile that a while loop carries.

// expected-error @below {{kernel 'while_loop' does not fit the scratchpad}}
// expected-note @below {{bytes too many}}
tt.func @while_loop(%p: !tt.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %s = tt.splat %p : !tt.ptr<f32> -> tensor<2048x!tt.ptr<f32>>
  %zero = arith.constant dense<0.0> : tensor<2048xf32>
  // expected-note @below {{tile of 'scf.while': 2048xf32, 8192 bytes, carried}}
  // expected-note @below {{dimension 0 of the tile of 'scf.while' (2048xf32) is not split: it is handed on by 'scf.while', which is not split: use a for loop or an if}}
  %r:2 = scf.while (%i = %c0, %sum = %zero) : (i32, tensor<2048xf32>) -> (i32, tensor<2048xf32>) {
    %more = arith.cmpi slt, %i, %n : i32
    scf.condition(%more) %i, %sum : i32, tensor<2048xf32>
  } do {
  ^bb0(%i: i32, %sum: tensor<2048xf32>):
    // expected-note @below {{most bytes are live here}}
    // expected-note @below {{bytes, loaded}}
    %a = tt.load %s : tensor<2048x!tt.ptr<f32>>
    %b = arith.addf %sum, %a : tensor<2048xf32>
    %j = arith.addi %i, %c1 : i32
    scf.yield %j, %b : i32, tensor<2048xf32>
  }
  tt.store %s, %r#1 : tensor<2048x!tt.ptr<f32>>
  tt.return
}

// -----

// Elements of different parts with one address: a remainder.

// expected-error @below {{kernel 'remainder' does not fit the scratchpad}}
// expected-note @below {{bytes too many}}
tt.func @remainder(%x: !tt.ptr<f32>) {
  %c1000 = arith.constant dense<1000> : tensor<2048xi32>
  %i = tt.make_range {start = 0 : i32, end = 2048 : i32} : tensor<2048xi32>
  %o = arith.remsi %i, %c1000 : tensor<2048xi32>
  %s = tt.splat %x : !tt.ptr<f32> -> tensor<2048x!tt.ptr<f32>>
  %p = tt.addptr %s, %o : tensor<2048x!tt.ptr<f32>>, tensor<2048xi32>
  // expected-note @below {{bytes, loaded}}
  %a = tt.load %p : tensor<2048x!tt.ptr<f32>>
  // expected-note @below {{most bytes are live here}}
  // expected-note @below {{stored}}
  %b = math.exp %a : tensor<2048xf32>
  // expected-note-re @below {{what is stored here may be loaded as another part of it: elements of different parts may have one address in 'argument 0', which is computed with 'arith.remsi' ({{.*}}refused.mlir:{{[0-9]+}}); store to another argument}}
  tt.store %p, %b : tensor<2048x!tt.ptr<f32>>
  tt.return
}

// -----

// Rows that overlap. Either of the axes would divide elements from those that
// have the same address.

// expected-error @below {{kernel 'overlapping_rows' does not fit the scratchpad}}
// expected-note @below {{bytes too many}}
tt.func @overlapping_rows(%x: !tt.ptr<f32>, %n: i64) {
  %c0 = arith.constant 0 : i32
  %unit = arith.constant 1 : i64
  %c63 = arith.constant 63 : i64
  %p = tt.make_tensor_ptr %x, [%n, %n], [%c63, %unit], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<64x64xf32>>
  // expected-note @below {{bytes, loaded}}
  %a = tt.load %p : !tt.ptr<tensor<64x64xf32>>
  // expected-note @below {{most bytes are live here}}
  // expected-note @below {{stored}}
  %b = math.exp %a : tensor<64x64xf32>
  // expected-note @below {{dimension 0 of the tile of 'tt.load' (64x64xf32) is not split: what is stored here may be loaded as another part of it}}
  // expected-note @below {{dimension 1 of the tile of 'tt.load' (64x64xf32) is not split: what is stored here may be loaded as another part of it}}
  tt.store %p, %b : !tt.ptr<tensor<64x64xf32>>
  tt.return
}

// -----

// Two stores, the second of which overwrites other parts of the first.

// expected-error @below {{kernel 'stored_twice' does not fit the scratchpad}}
// expected-note @below {{bytes too many}}
tt.func @stored_twice(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %c1 = arith.constant 1 : i32
  %i = tt.make_range {start = 0 : i32, end = 2048 : i32} : tensor<2048xi32>
  %sx = tt.splat %x : !tt.ptr<f32> -> tensor<2048x!tt.ptr<f32>>
  %px = tt.addptr %sx, %i : tensor<2048x!tt.ptr<f32>>, tensor<2048xi32>
  %next = tt.addptr %y, %c1 : !tt.ptr<f32>, i32
  %sy = tt.splat %y : !tt.ptr<f32> -> tensor<2048x!tt.ptr<f32>>
  %py = tt.addptr %sy, %i : tensor<2048x!tt.ptr<f32>>, tensor<2048xi32>
  %sn = tt.splat %next : !tt.ptr<f32> -> tensor<2048x!tt.ptr<f32>>
  %pn = tt.addptr %sn, %i : tensor<2048x!tt.ptr<f32>>, tensor<2048xi32>
  // expected-note @below {{bytes, loaded}}
  %a = tt.load %px : tensor<2048x!tt.ptr<f32>>
  // expected-note @below {{most bytes are live here}}
  // expected-note @below {{stored}}
  %b = math.exp %a : tensor<2048xf32>
  // expected-note @below {{two stores of it may write the same memory: elements of different parts may have one address in 'argument 1'}}
  tt.store %py, %b : tensor<2048x!tt.ptr<f32>>
  tt.store %pn, %a : tensor<2048x!tt.ptr<f32>>
  tt.return
}

// -----

// Columns of stride zero: which element remains depends on the order, which
// parts of the last dimension do not keep.

// expected-error @below {{kernel 'one_column' does not fit the scratchpad}}
// expected-note @below {{bytes too many}}
tt.func @one_column(%x: !tt.ptr<f32>, %n: i64, %v: f32) {
  %c0 = arith.constant 0 : i32
  %zero = arith.constant 0 : i64
  %unit = arith.constant 1 : i64
  %q = tt.make_tensor_ptr %x, [%n, %n], [%unit, %zero], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<2x4096xf32>>
  // expected-note @below {{bytes, stored}}
  %a = tt.splat %v : f32 -> tensor<2x4096xf32>
  // expected-note @below {{most bytes are live here}}
  // expected-note @below {{dimension 1 of the tile of 'tt.make_tensor_ptr' (2x4096xf32) is not split: which of the elements that are stored here to one address remains would depend on the order of parts}}
  tt.store %q, %a : !tt.ptr<tensor<2x4096xf32>>
  tt.return
}
