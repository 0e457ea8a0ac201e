//===- LLVMTargets.h - LLVM's code generators -------------------*- C++ -*-===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#ifndef SPINE_TRITON_LIB_TARGET_LLVMTARGETS_H
#define SPINE_TRITON_LIB_TARGET_LLVMTARGETS_H

#include "spine-triton/Target/TargetDescription.h"
#include "llvm/Support/Error.h"
#include <memory>

namespace llvm {
class TargetMachine;
}

namespace mlir::spine {

/// The code generator for a target. `optLevel` is 0 to 3.
llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
createTargetMachine(const TargetDescription &target, unsigned optLevel);

} // namespace mlir::spine

#endif // SPINE_TRITON_LIB_TARGET_LLVMTARGETS_H
