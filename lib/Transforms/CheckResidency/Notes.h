//===- Notes.h - what a residency plan has to tell --------------*- C++ -*-===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#ifndef SPINE_TRITON_LIB_TRANSFORMS_CHECKRESIDENCY_NOTES_H
#define SPINE_TRITON_LIB_TRANSFORMS_CHECKRESIDENCY_NOTES_H

#include "mlir/IR/Diagnostics.h"
#include "spine-triton/Analysis/Residency.h"

namespace mlir::spine {

/// Where most bytes are live, and the tiles there.
void notePeak(Diagnostic &message, const ResidencyReport &report);

/// Which smaller blocks would fit. `constexprs` are the kernel's, as
/// `NAME=VALUE`, to call blocks by their names.
void noteRemedy(Diagnostic &message, const ResidencyReport &report,
                int64_t available, ArrayRef<std::string> constexprs,
                bool canTileAutomatically);

/// Tiles whose bytes depend on arguments, and what must hold for these.
void noteRuntimeTiles(Diagnostic &message, const ResidencyReport &report,
                      int64_t available);

} // namespace mlir::spine

#endif // SPINE_TRITON_LIB_TRANSFORMS_CHECKRESIDENCY_NOTES_H
