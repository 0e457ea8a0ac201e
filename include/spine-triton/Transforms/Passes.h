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

/// On a function: why spine-auto-tile did not split its tiles, as dictionaries
/// of `loc` and `reason`, for the message that they do not fit.
constexpr llvm::StringLiteral kNotSplitAttr = "spine.not_split";

/// On a function: what has to hold at a launch for it to be right, as a JSON
/// array of OverlapConditions.
constexpr llvm::StringLiteral kLaunchConditionsAttr = "spine.launch_conditions";

#define GEN_PASS_DECL
#include "spine-triton/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "spine-triton/Transforms/Passes.h.inc"

} // namespace mlir::spine

#endif // SPINE_TRITON_TRANSFORMS_PASSES_H
