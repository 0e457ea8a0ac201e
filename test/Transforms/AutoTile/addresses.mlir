// RUN: spine-triton-opt %s -split-input-file -spine-auto-tile=capacity=4096 | FileCheck %s

// A program's own elements, in place: different parts have different addresses
// whatever the program's number.

// CHECK-LABEL: tt.func @in_place(
// CHECK-NOT:     spine.launch_conditions
// CHECK:         scf.for
// CHECK:           tt.load
// CHECK:           tt.store
tt.func @in_place(%x: !tt.ptr<f32>) {
  %c2048 = arith.constant 2048 : i32
  %pid = tt.get_program_id x : i32
  %first = arith.muli %pid, %c2048 : i32
  %i = tt.make_range {start = 0 : i32, end = 2048 : i32} : tensor<2048xi32>
  %f = tt.splat %first : i32 -> tensor<2048xi32>
  %o = arith.addi %f, %i : tensor<2048xi32>
  %s = tt.splat %x : !tt.ptr<f32> -> tensor<2048x!tt.ptr<f32>>
  %p = tt.addptr %s, %o : tensor<2048x!tt.ptr<f32>>, tensor<2048xi32>
  %a = tt.load %p : tensor<2048x!tt.ptr<f32>>
  %b = math.exp %a : tensor<2048xf32>
  tt.store %p, %b : tensor<2048x!tt.ptr<f32>>
  tt.return
}

// -----

// Rows that are masked to the distance of rows: 100 elements of 128.

// CHECK-LABEL: tt.func @masked_rows(
// CHECK-NOT:     spine.launch_conditions
// CHECK:         scf.for
// CHECK:           tt.load {{.*}} : tensor<{{[0-9]+}}x128x!tt.ptr<f32>>
tt.func @masked_rows(%x: !tt.ptr<f32>) {
  %i = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %j = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %c100 = arith.constant dense<100> : tensor<128xi32>
  %far = arith.constant dense<100> : tensor<32x1xi32>
  %in = arith.cmpi slt, %j, %c100 : tensor<128xi32>
  %in1 = tt.expand_dims %in {axis = 0 : i32} : tensor<128xi1> -> tensor<1x128xi1>
  %mask = tt.broadcast %in1 : tensor<1x128xi1> -> tensor<32x128xi1>
  %i1 = tt.expand_dims %i {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %rows = arith.muli %i1, %far : tensor<32x1xi32>
  %j1 = tt.expand_dims %j {axis = 0 : i32} : tensor<128xi32> -> tensor<1x128xi32>
  %rows2 = tt.broadcast %rows : tensor<32x1xi32> -> tensor<32x128xi32>
  %j2 = tt.broadcast %j1 : tensor<1x128xi32> -> tensor<32x128xi32>
  %o = arith.addi %rows2, %j2 : tensor<32x128xi32>
  %s = tt.splat %x : !tt.ptr<f32> -> tensor<32x128x!tt.ptr<f32>>
  %p = tt.addptr %s, %o : tensor<32x128x!tt.ptr<f32>>, tensor<32x128xi32>
  %a = tt.load %p, %mask : tensor<32x128x!tt.ptr<f32>>
  %b = math.exp %a : tensor<32x128xf32>
  tt.store %p, %b, %mask : tensor<32x128x!tt.ptr<f32>>
  tt.return
}

// -----

// Even elements from odd ones, of one tensor.

// CHECK-LABEL: tt.func @interleaved(
// CHECK-NOT:     spine.launch_conditions
// CHECK:         scf.for
tt.func @interleaved(%x: !tt.ptr<f32>, %n: i64) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %two = arith.constant 2 : i64
  %y = tt.addptr %x, %c1 : !tt.ptr<f32>, i32
  %p = tt.make_tensor_ptr %x, [%n], [%two], [%c0] {order = array<i32: 0>} : <tensor<2048xf32>>
  %q = tt.make_tensor_ptr %y, [%n], [%two], [%c0] {order = array<i32: 0>} : <tensor<2048xf32>>
  %a = tt.load %p : !tt.ptr<tensor<2048xf32>>
  %b = math.exp %a : tensor<2048xf32>
  tt.store %q, %b : !tt.ptr<tensor<2048xf32>>
  tt.return
}

// -----

// A stride that only a launch knows: it must be the rows' length at least.

// CHECK-LABEL: tt.func @strided(
// CHECK-SAME:    spine.launch_conditions = "[{\22axis\22:[0,0],
// CHECK:         scf.for
// CHECK:           tt.load {{.*}} : !tt.ptr<tensor<{{[0-9]+}}x64xf32>>
tt.func @strided(%x: !tt.ptr<f32>, %n: i64, %stride: i64) {
  %c0 = arith.constant 0 : i32
  %unit = arith.constant 1 : i64
  %p = tt.make_tensor_ptr %x, [%n, %n], [%stride, %unit], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<64x64xf32>>
  %a = tt.load %p : !tt.ptr<tensor<64x64xf32>>
  %b = math.exp %a : tensor<64x64xf32>
  tt.store %p, %b : !tt.ptr<tensor<64x64xf32>>
  tt.return
}

// -----

// A gather, and a scatter to another argument: the parts are stored in order.
// Where the arguments lie is compared at the launch.

// CHECK-LABEL: tt.func @scattered(
// CHECK-SAME:    spine.launch_conditions
// CHECK:         scf.for
tt.func @scattered(%x: !tt.ptr<f32>, %at: !tt.ptr<i32>, %y: !tt.ptr<f32>) {
  %i = tt.make_range {start = 0 : i32, end = 2048 : i32} : tensor<2048xi32>
  %sa = tt.splat %at : !tt.ptr<i32> -> tensor<2048x!tt.ptr<i32>>
  %pa = tt.addptr %sa, %i : tensor<2048x!tt.ptr<i32>>, tensor<2048xi32>
  %o = tt.load %pa : tensor<2048x!tt.ptr<i32>>
  %sx = tt.splat %x : !tt.ptr<f32> -> tensor<2048x!tt.ptr<f32>>
  %px = tt.addptr %sx, %o : tensor<2048x!tt.ptr<f32>>, tensor<2048xi32>
  %a = tt.load %px : tensor<2048x!tt.ptr<f32>>
  %sy = tt.splat %y : !tt.ptr<f32> -> tensor<2048x!tt.ptr<f32>>
  %py = tt.addptr %sy, %o : tensor<2048x!tt.ptr<f32>>, tensor<2048xi32>
  tt.store %py, %a : tensor<2048x!tt.ptr<f32>>
  tt.return
}
