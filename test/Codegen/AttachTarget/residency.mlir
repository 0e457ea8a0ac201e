// RUN: spine-triton-opt %s -spine-attach-target="name=board scratchpad-bytes=10000 reserve-bytes=1000 alignment=4096" -spine-check-residency -verify-diagnostics | FileCheck %s
// RUN: not spine-triton-opt %s -spine-attach-target="name=board scratchpad-bytes=10000 reserve-bytes=1000 alignment=4096" -spine-check-residency="capacity=8191" -o /dev/null 2>&1 | FileCheck %s --check-prefix=SMALL
// RUN: spine-triton-opt %s -spine-attach-target="name=board scratchpad-bytes=10000 alignment=8192" -spine-ttir="alignment=1 reserve=0 target=mine" | FileCheck %s --check-prefix=OPTIONS

// The scratchpad is that of the module's target; options come first.

// SMALL: error: kernel 'one' does not fit the scratchpad: it needs 8192 bytes, 7191 are available on board (8191 less 1000 in reserve)
// CHECK: spine.residency = {arena_bytes = 8192 : i64, capacity_bytes = 10000 : i64, fits = true, peak_bytes = 8192 : i64, policy = "stage-all", reserve_bytes = 1000 : i64, target = "board"}
// OPTIONS: spine.residency = {arena_bytes = 4100 : i64, capacity_bytes = 10000 : i64, fits = true, peak_bytes = 4100 : i64, policy = "stage-all", reserve_bytes = 0 : i64, target = "mine"}
tt.func public @one(%p: !tt.ptr<tensor<1025xf32>>) {
  %a = tt.load %p : !tt.ptr<tensor<1025xf32>>
  tt.store %p, %a : !tt.ptr<tensor<1025xf32>>
  tt.return
}
