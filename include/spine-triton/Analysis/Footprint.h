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
/// a granule. None if the span does not fit 64 bits.
std::optional<int64_t> getGranuleBytes(const StridedTile &tile,
                                       int64_t granule = 64, int64_t start = 0);

/// The most granule bytes of all places in a granule that the first element can
/// have, if nothing but `alignment`, a power of two that divides its address in
/// bytes, is known of it. None if the span does not fit 64 bits.
std::optional<int64_t> getMostGranuleBytes(const StridedTile &tile,
                                           int64_t granule, int64_t alignment);

/// What of a full tile lies inside of the base tensor: per dimension
/// clamp(extent - offset, 0, size), less what a negative offset leaves out at
/// the front. An edge tile has the footprint of a tile of this shape.
llvm::SmallVector<int64_t> getValidShape(llvm::ArrayRef<int64_t> shape,
                                         llvm::ArrayRef<int64_t> offsets,
                                         llvm::ArrayRef<int64_t> extents);

} // namespace mlir::spine

#endif // SPINE_TRITON_ANALYSIS_FOOTPRINT_H
