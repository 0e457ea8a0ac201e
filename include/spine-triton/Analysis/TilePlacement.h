//===- TilePlacement.h - where a tile is ------------------------*- C++ -*-===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#ifndef SPINE_TRITON_ANALYSIS_TILEPLACEMENT_H
#define SPINE_TRITON_ANALYSIS_TILEPLACEMENT_H

#include "llvm/ADT/StringRef.h"

namespace mlir::spine {

/// Where the elements of a tile are while it is live.
enum class TilePlacement {
  Registers, ///< nowhere else: computed where it is used
  InPlace,   ///< in memory where they were; nothing of the scratchpad
  Packed,    ///< in the scratchpad, densely
  Mirrored,  ///< in the scratchpad, each contiguous run with the granules it
             ///< touches
};
llvm::StringRef stringifyTilePlacement(TilePlacement placement);

} // namespace mlir::spine

#endif // SPINE_TRITON_ANALYSIS_TILEPLACEMENT_H
