// RUN: spine-triton-opt %s -spine-attach-target="name=spacemit-a100 scratchpad-bytes=393216 vector-bits=1024" | FileCheck %s
// RUN: spine-triton-opt %s -spine-attach-target="name=other" -spine-attach-target="name=spacemit-a100 scratchpad-bytes=393216 vector-bits=1024" | FileCheck %s

// The example of the pass's description; a second description replaces the
// first.

// CHECK: module attributes {dlti.target_system_spec = #dlti.target_system_spec<"CPU" = #dlti.target_device_spec<"name" = "spacemit-a100", "scratchpad_bytes" = 393216 : i64, "vector_bits" = 1024 : i64>>} {
// CHECK-NEXT: }
module {
}
