//===- Footprint.h - bytes that a tile access reaches -----------*- C++ -*-===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#ifndef SPINE_TRITON_ANALYSIS_FOOTPRINT_H
#define SPINE_TRITON_ANALYSIS_FOOTPRINT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <optional>

namespace mlir::spine {

/// A tile in a tensor with strides, in elements. Strides may be zero and
/// negative.
struct StridedTile {
  llvm::ArrayRef<int64_t> shape;
  llvm::ArrayRef<int64_t> strides;
  int64_t elementBytes;
};

/// Dense bytes: those of a packed copy.
int64_t getDenseBytes(llvm::ArrayRef<int64_t> shape, int64_t elementBytes);

/// Span bytes: from the first byte that is reached to the last one. None if
/// they do not fit 64 bits.
std::optional<int64_t> getSpanBytes(const StridedTile &tile);

/// Granule bytes: the distinct granules (cache lines, bursts) that are touched,
/// in bytes, with the address of the tile's first element at `start` bytes into
/// a granule. Without `start` the most of all alignments that an element can
/// have. None if the span does not fit 64 bits.
std::optional<int64_t> getGranuleBytes(const StridedTile &tile,
                                       int64_t granule = 64,
                                       std::optional<int64_t> start = 0);

} // namespace mlir::spine

#endif // SPINE_TRITON_ANALYSIS_FOOTPRINT_H
