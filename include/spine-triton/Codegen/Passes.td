//===- Passes.td - passes of this folder -------------------*- tablegen -*-===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#ifndef SPINE_TRITON_CODEGEN_PASSES
#define SPINE_TRITON_CODEGEN_PASSES

include "mlir/Pass/PassBase.td"

#endif // SPINE_TRITON_CODEGEN_PASSES
