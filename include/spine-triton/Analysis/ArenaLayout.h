//===- ArenaLayout.h - places of buffers in one arena -----------*- C++ -*-===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#ifndef SPINE_TRITON_ANALYSIS_ARENALAYOUT_H
#define SPINE_TRITON_ANALYSIS_ARENALAYOUT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>

namespace mlir::spine {

/// A piece of memory that needs a place.
struct ArenaBuffer {
  int64_t bytes;         ///< not negative
  int64_t alignment = 1; ///< of its first byte; a power of two
};

/// Where the buffers are, in the order they were given.
struct ArenaLayout {
  llvm::SmallVector<int64_t> offsets; ///< bytes from the arena's begin
  int64_t bytes = 0;                  ///< extent of the arena
};

/// Gives each buffer an offset so that no two for which `overlap` (of their
/// numbers; symmetric) holds share a byte. Tries a few orders, each buffer at
/// the lowest offset that is free, and takes the smallest result: the first
/// one that needs no more than `enough` bytes, a lower bound such as the most
/// bytes that live at one time. The first order is largest first.
ArenaLayout layOutArena(llvm::ArrayRef<ArenaBuffer> buffers,
                        llvm::function_ref<bool(unsigned, unsigned)> overlap,
                        int64_t enough);

} // namespace mlir::spine

#endif // SPINE_TRITON_ANALYSIS_ARENALAYOUT_H
