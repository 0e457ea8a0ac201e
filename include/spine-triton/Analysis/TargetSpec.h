//===- TargetSpec.h - what a module says of its target ----------*- C++ -*-===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//
//
// A module may carry a description of the machine that it is for, in DLTI's
// form: a `dlti.target_system_spec` with a device "CPU", whose entries have the
// names of the fields of target descriptions.
//
//===----------------------------------------------------------------------===//

#ifndef SPINE_TRITON_ANALYSIS_TARGETSPEC_H
#define SPINE_TRITON_ANALYSIS_TARGETSPEC_H

#include "mlir/IR/BuiltinOps.h"
#include <optional>

namespace mlir::spine {

/// The device of the description.
constexpr llvm::StringLiteral kTargetDevice = "CPU";

/// Value of a pass's option that was not given.
constexpr int64_t kOfTarget = -1;

/// The name of the module's target; empty without a description.
StringRef getTargetName(ModuleOp module);

/// A number of the module's target; none without a description.
std::optional<int64_t> getTargetNumber(ModuleOp module, StringRef field);

/// A pass's option `given`; if it is kOfTarget the target's number, and
/// `otherwise` where there is none.
int64_t getTargetNumber(ModuleOp module, StringRef field, int64_t given,
                        int64_t otherwise);

/// What a residency plan is held against, and how tiles lie in it.
struct ScratchpadLimits {
  int64_t capacity = 0, reserve = 0, alignment = 1, granule = 64;

  int64_t getAvailable() const { return capacity - reserve; }
};

/// The options of a pass, completed from the module's target.
ScratchpadLimits getScratchpadLimits(ModuleOp module,
                                     const ScratchpadLimits &given);

} // namespace mlir::spine

#endif // SPINE_TRITON_ANALYSIS_TARGETSPEC_H
