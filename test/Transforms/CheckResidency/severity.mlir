// RUN: spine-triton-opt %s -spine-check-residency="capacity=1000 severity=warning" 2>&1 | FileCheck %s -check-prefixes=CHECK,WARNING
// RUN: spine-triton-opt %s -spine-check-residency="capacity=1000 severity=remark" 2>&1 | FileCheck %s -check-prefixes=CHECK,REMARK
// RUN: not spine-triton-opt %s -spine-check-residency="capacity=1000 severity=error" -o /dev/null 2>&1 | FileCheck %s -check-prefixes=ERROR

// WARNING: warning: kernel 'copy' does not fit the scratchpad: it needs 4096 bytes, 1000 are available
// REMARK: remark: kernel 'copy' does not fit the scratchpad: it needs 4096 bytes, 1000 are available
// ERROR: error: kernel 'copy' does not fit the scratchpad: it needs 4096 bytes, 1000 are available

// The pass goes on after a warning or a remark, and notes what it found.

// CHECK: tt.func @copy({{.*}} attributes {spine.residency = {arena_bytes = 4096 : i64, capacity_bytes = 1000 : i64, fits = false, peak_bytes = 4096 : i64
tt.func @copy(%p: !tt.ptr<tensor<1024xf32>>) {
  %a = tt.load %p : !tt.ptr<tensor<1024xf32>>
  tt.store %p, %a : !tt.ptr<tensor<1024xf32>>
  tt.return
}
