// RUN: spine-triton-opt --show-dialects | FileCheck %s
// The tool knows the dialects that a kernel passes through.

// CHECK: Available Dialects:
// CHECK-SAME: arith
// CHECK-SAME: linalg
// CHECK-SAME: scf
// CHECK-SAME: spine
// CHECK-SAME: vector
