//===- Diagnostics.h - collecting MLIR's diagnostics ------------*- C++ -*-===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#ifndef SPINE_TRITON_LIB_TARGET_DIAGNOSTICS_H
#define SPINE_TRITON_LIB_TARGET_DIAGNOSTICS_H

#include "mlir/IR/Diagnostics.h"
#include "spine-triton/Target/Messages.h"

namespace mlir::spine {

/// While it lives, the context's diagnostics are added to a list, and nothing
/// is printed.
class MessageCollector : public ScopedDiagnosticHandler {
public:
  MessageCollector(MLIRContext *context, Messages &messages);
};

/// The position in a source file that a location leads to, or null. `callers`
/// receives the positions of the calls through which it was inlined.
FileLineColLoc findPosition(Location location,
                            SmallVectorImpl<FileLineColLoc> &callers);

/// Adds an error without a location.
void addError(Messages &messages, std::string text);

} // namespace mlir::spine

#endif // SPINE_TRITON_LIB_TARGET_DIAGNOSTICS_H
