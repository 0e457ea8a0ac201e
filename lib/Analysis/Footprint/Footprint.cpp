//===- Footprint.cpp - bytes that a tile access reaches -------------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "spine-triton/Analysis/Footprint.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::spine;

using llvm::ArrayRef;
using llvm::SmallVector;

namespace {

struct Dimension {
  int64_t size;
  int64_t bytes; ///< distance of neighbours, not negative
};

/// A tile as equal runs of bytes, at the places that the dimensions span.
struct Runs {
  SmallVector<Dimension> dimensions;
  int64_t length;
  int64_t back; ///< bytes from the lowest address up to the first element
};

} // namespace

int64_t spine::getDenseBytes(ArrayRef<int64_t> shape, int64_t elementBytes) {
  int64_t bytes = elementBytes;
  for (int64_t size : shape)
    bytes *= size;
  return bytes;
}

std::optional<int64_t> spine::getSpanBytes(const StridedTile &tile) {
  int64_t elements = 1;
  for (auto [size, stride] : llvm::zip_equal(tile.shape, tile.strides)) {
    int64_t reach;
    if (stride == std::numeric_limits<int64_t>::min() ||
        llvm::MulOverflow(size - 1, std::abs(stride), reach) ||
        llvm::AddOverflow(elements, reach, elements))
      return std::nullopt;
  }
  int64_t bytes;
  if (llvm::MulOverflow(elements, tile.elementBytes, bytes))
    return std::nullopt;
  return bytes;
}

/// Runs that lie so close that every granule between them is touched are one
/// run: dimensions whose neighbours follow each other, overlap, or leave out
/// less than a granule.
static Runs mergeRuns(const StridedTile &tile, int64_t granule) {
  Runs runs{{}, tile.elementBytes, 0};
  SmallVector<Dimension> dimensions;
  for (auto [size, stride] : llvm::zip_equal(tile.shape, tile.strides)) {
    int64_t bytes = stride * tile.elementBytes;
    if (bytes < 0)
      runs.back += (size - 1) * -bytes;
    if (size > 1 && bytes != 0)
      dimensions.push_back({size, std::abs(bytes)});
  }
  llvm::sort(dimensions, [](const Dimension &a, const Dimension &b) {
    return a.bytes < b.bytes;
  });
  for (const Dimension &dimension : dimensions) {
    if (runs.dimensions.empty() && dimension.bytes - runs.length < granule)
      runs.length += (dimension.size - 1) * dimension.bytes;
    else
      runs.dimensions.push_back(dimension);
  }
  return runs;
}

static void addStarts(ArrayRef<Dimension> dimensions, int64_t start,
                      SmallVectorImpl<int64_t> &starts) {
  if (dimensions.empty()) {
    starts.push_back(start);
    return;
  }
  for (int64_t i = 0; i < dimensions.back().size; ++i)
    addStarts(dimensions.drop_back(), start + i * dimensions.back().bytes,
              starts);
}

/// Distinct granules of runs that begin at sorted places, each `offset` bytes
/// later than it says.
static int64_t countGranules(ArrayRef<int64_t> starts, int64_t length,
                             int64_t granule, int64_t offset) {
  int64_t count = 0, next = std::numeric_limits<int64_t>::min();
  for (int64_t start : starts) {
    int64_t first = llvm::divideFloorSigned(start + offset, granule);
    int64_t last =
        llvm::divideFloorSigned(start + offset + length - 1, granule);
    first = std::max(first, next);
    if (first <= last) {
      count += last - first + 1;
      next = last + 1;
    }
  }
  return count;
}

std::optional<int64_t> spine::getGranuleBytes(const StridedTile &tile,
                                              int64_t granule,
                                              std::optional<int64_t> start) {
  if (!getSpanBytes(tile))
    return std::nullopt;
  Runs runs = mergeRuns(tile, granule);
  SmallVector<int64_t> starts;
  addStarts(runs.dimensions, -runs.back, starts);
  llvm::sort(starts);
  starts.erase(llvm::unique(starts), starts.end());
  if (start)
    return granule * countGranules(starts, runs.length, granule, *start);
  int64_t most = 0;
  for (int64_t offset = 0; offset < granule; offset += tile.elementBytes)
    most = std::max(most, countGranules(starts, runs.length, granule, offset));
  return granule * most;
}
