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
    if (llvm::MulOverflow(bytes, size, bytes))
      return std::numeric_limits<int64_t>::max();
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
    if (size == 1 || stride == 0)
      continue; // its stride may be of any size
    int64_t bytes = stride * tile.elementBytes;
    if (bytes < 0)
      runs.back += (size - 1) * -bytes;
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

/// Whether no granule is touched by two runs, wherever they begin: the
/// neighbours in each dimension are a granule or more apart.
static bool areApart(const Runs &runs, int64_t granule) {
  int64_t reach = runs.length;
  for (const Dimension &dimension : runs.dimensions) {
    if (dimension.bytes - reach < granule - 1)
      return false;
    reach += (dimension.size - 1) * dimension.bytes;
  }
  return true;
}

/// The runs by their place in a granule: how many begin there, with the first
/// element at a granule's begin. Enough where the runs are apart, and without
/// looking at each of them.
static SmallVector<int64_t> countStarts(const Runs &runs, int64_t granule) {
  SmallVector<int64_t> counts(granule, 0);
  counts[(granule - runs.back % granule) % granule] = 1;
  for (const Dimension &dimension : runs.dimensions) {
    SmallVector<int64_t> next(granule, 0);
    // The places repeat after a granule's number of steps.
    for (int64_t i = 0; i < std::min(dimension.size, granule); ++i) {
      int64_t times = (dimension.size - i + granule - 1) / granule;
      int64_t shift = i * (dimension.bytes % granule) % granule;
      for (int64_t place = 0; place < granule; ++place)
        next[(place + shift) % granule] += counts[place] * times;
    }
    counts = std::move(next);
  }
  return counts;
}

static void addStarts(ArrayRef<Dimension> dimensions, int64_t start,
                      llvm::SmallVectorImpl<int64_t> &starts) {
  if (dimensions.empty()) {
    starts.push_back(start);
    return;
  }
  for (int64_t i = 0; i < dimensions.back().size; ++i)
    addStarts(dimensions.drop_back(), start + i * dimensions.back().bytes,
              starts);
}

namespace {

/// Counts the granules of a tile for several places of its first element.
class GranuleCounter {
public:
  GranuleCounter(const StridedTile &tile, int64_t granule)
      : runs(mergeRuns(tile, granule)), granule(granule),
        isApart(areApart(runs, granule)) {
    if (isApart) {
      starts = countStarts(runs, granule);
      return;
    }
    addStarts(runs.dimensions, -runs.back, starts);
    llvm::sort(starts);
    starts.erase(llvm::unique(starts), starts.end());
  }

  int64_t count(int64_t offset) const {
    return isApart ? countApart(offset) : countMixed(offset);
  }

private:
  int64_t getFirst(int64_t begin) const {
    return llvm::divideFloorSigned(begin, granule);
  }
  int64_t getLast(int64_t begin) const {
    return llvm::divideFloorSigned(begin + runs.length - 1, granule);
  }

  int64_t countApart(int64_t offset) const {
    int64_t count = 0;
    for (auto [place, times] : llvm::enumerate(starts)) {
      int64_t begin = (static_cast<int64_t>(place) + offset) % granule;
      count += times * (getLast(begin) - getFirst(begin) + 1);
    }
    return count;
  }

  int64_t countMixed(int64_t offset) const {
    int64_t count = 0, next = std::numeric_limits<int64_t>::min();
    for (int64_t start : starts) {
      int64_t first = std::max(getFirst(start + offset), next);
      int64_t last = getLast(start + offset);
      if (first <= last) {
        count += last - first + 1;
        next = last + 1;
      }
    }
    return count;
  }

  Runs runs;
  int64_t granule;
  bool isApart;
  /// Sorted places; where runs are apart, how many there are at each place.
  SmallVector<int64_t> starts;
};

} // namespace

std::optional<int64_t> spine::getGranuleBytes(const StridedTile &tile,
                                              int64_t granule, int64_t start) {
  if (!getSpanBytes(tile))
    return std::nullopt;
  return granule * GranuleCounter(tile, granule).count(start);
}

std::optional<int64_t> spine::getMostGranuleBytes(const StridedTile &tile,
                                                  int64_t granule,
                                                  int64_t alignment) {
  if (!getSpanBytes(tile))
    return std::nullopt;
  GranuleCounter counter(tile, granule);
  int64_t most = 0;
  for (int64_t offset = 0; offset < granule; offset += alignment)
    most = std::max(most, counter.count(offset));
  return granule * most;
}

SmallVector<int64_t> spine::getValidShape(ArrayRef<int64_t> shape,
                                          ArrayRef<int64_t> offsets,
                                          ArrayRef<int64_t> extents) {
  SmallVector<int64_t> valid;
  for (auto [size, offset, extent] : llvm::zip_equal(shape, offsets, extents)) {
    int64_t begin = std::clamp<int64_t>(offset, -size, 0);
    // The first coordinate inside of the tensor; extent - it cannot overflow.
    int64_t first = std::max<int64_t>(offset, 0);
    valid.push_back(std::clamp<int64_t>(std::max<int64_t>(extent, 0) - first, 0,
                                        size + begin));
  }
  return valid;
}
