//===- Passes.h - passes of this folder -------------------------*- C++ -*-===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#ifndef SPINE_TRITON_CODEGEN_PASSES_H
#define SPINE_TRITON_CODEGEN_PASSES_H

#include "mlir/Pass/Pass.h"

namespace mlir::spine {

/// A kernel may have two versions, one of which is for arguments that do not
/// overlap.
enum class KernelVariants { All, Disjoint, MayAlias };

#define GEN_PASS_DECL
#include "spine-triton/Codegen/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "spine-triton/Codegen/Passes.h.inc"

} // namespace mlir::spine

#endif // SPINE_TRITON_CODEGEN_PASSES_H
