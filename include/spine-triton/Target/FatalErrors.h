//===- FatalErrors.h - surviving LLVM's fatal errors ------------*- C++ -*-===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#ifndef SPINE_TRITON_TARGET_FATALERRORS_H
#define SPINE_TRITON_TARGET_FATALERRORS_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

namespace mlir::spine {

/// Runs `action`. Where LLVM or MLIR would end the process by
/// `report_fatal_error`, the action is abandoned and the reason returned as an
/// error. What the action had allocated then is lost, and the objects it worked
/// on must not be used again, not even to destroy them.
///
/// The action must do its work on the calling thread.
llvm::Error catchFatalErrors(llvm::function_ref<llvm::Error()> action);

} // namespace mlir::spine

#endif // SPINE_TRITON_TARGET_FATALERRORS_H
