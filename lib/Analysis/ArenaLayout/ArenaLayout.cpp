//===- ArenaLayout.cpp - places of buffers in one arena -------------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "spine-triton/Analysis/ArenaLayout.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir::spine;

using llvm::ArrayRef;
using llvm::SmallVector;

using Overlap = llvm::function_ref<bool(unsigned, unsigned)>;

/// The lowest offset at which a buffer touches none of those that it overlaps.
/// `placed` are sorted by their offsets.
static int64_t findGap(ArrayRef<ArenaBuffer> buffers, unsigned number,
                       ArrayRef<unsigned> placed, ArrayRef<int64_t> offsets,
                       Overlap overlap) {
  int64_t offset = 0;
  for (unsigned other : placed) {
    if (offset + buffers[number].bytes <= offsets[other])
      break;
    int64_t end = offsets[other] + buffers[other].bytes;
    // Asked last: of many buffers few are in the way.
    if (end > offset && overlap(number, other))
      offset = llvm::alignTo(end, buffers[number].alignment);
  }
  return offset;
}

static ArenaLayout place(ArrayRef<ArenaBuffer> buffers,
                         ArrayRef<unsigned> order, Overlap overlap) {
  ArenaLayout layout;
  layout.offsets.assign(buffers.size(), 0);
  SmallVector<unsigned> placed;
  for (unsigned number : order) {
    int64_t offset = findGap(buffers, number, placed, layout.offsets, overlap);
    layout.offsets[number] = offset;
    layout.bytes = std::max(layout.bytes, offset + buffers[number].bytes);
    placed.insert(llvm::upper_bound(placed, offset,
                                    [&](int64_t value, unsigned other) {
                                      return value < layout.offsets[other];
                                    }),
                  number);
  }
  return layout;
}

/// Bytes of all buffers that one keeps from its place.
static int64_t getPressure(ArrayRef<ArenaBuffer> buffers, unsigned number,
                           Overlap overlap) {
  int64_t pressure = 0;
  for (unsigned other : llvm::seq<unsigned>(0, buffers.size()))
    if (other == number || overlap(number, other))
      pressure += buffers[other].bytes;
  return pressure;
}

ArenaLayout mlir::spine::layOutArena(ArrayRef<ArenaBuffer> buffers,
                                     Overlap overlap, int64_t enough) {
  SmallVector<unsigned> order =
      llvm::to_vector(llvm::seq<unsigned>(0, buffers.size()));
  llvm::sort(order, [&](unsigned a, unsigned b) {
    return std::pair(-buffers[a].bytes, a) < std::pair(-buffers[b].bytes, b);
  });
  ArenaLayout best = place(buffers, order, overlap);
  auto attempt = [&](ArrayRef<unsigned> next) {
    if (best.bytes <= enough)
      return;
    ArenaLayout layout = place(buffers, next, overlap);
    if (layout.bytes < best.bytes)
      best = std::move(layout);
  };
  if (best.bytes <= enough)
    return best;
  SmallVector<int64_t> pressure;
  for (unsigned number : llvm::seq<unsigned>(0, buffers.size()))
    pressure.push_back(getPressure(buffers, number, overlap));
  llvm::sort(order, [&](unsigned a, unsigned b) {
    return std::pair(-pressure[a], a) < std::pair(-pressure[b], b);
  });
  attempt(order);
  attempt(llvm::to_vector(llvm::seq<unsigned>(0, buffers.size())));
  return best;
}
