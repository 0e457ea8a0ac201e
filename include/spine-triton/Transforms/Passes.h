//===- Passes.h - passes of this folder -------------------------*- C++ -*-===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#ifndef SPINE_TRITON_TRANSFORMS_PASSES_H
#define SPINE_TRITON_TRANSFORMS_PASSES_H

#include "mlir/Pass/Pass.h"
#include "spine-triton/Analysis/Residency.h"

namespace mlir::spine {

/// How spine-check-residency says that a kernel does not fit.
enum class ResidencySeverity { Error, Warning, Remark };

/// What spine-check-residency compares with a limit.
enum class ResidencyRule {
  Tile,      ///< the bytes of the tiles that are live together
  BaseNumel, ///< the elements of the tensors that block pointers point into
};

#define GEN_PASS_DECL
#include "spine-triton/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "spine-triton/Transforms/Passes.h.inc"

} // namespace mlir::spine

#endif // SPINE_TRITON_TRANSFORMS_PASSES_H
