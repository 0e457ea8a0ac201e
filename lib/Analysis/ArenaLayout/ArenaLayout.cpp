//===- ArenaLayout.cpp - places of buffers in one arena -------------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "spine-triton/Analysis/ArenaLayout.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir::spine;

using llvm::ArrayRef;
using llvm::SmallVector;

using Overlap = llvm::function_ref<bool(unsigned, unsigned)>;
using Range = std::pair<int64_t, int64_t>;

/// The lowest offset from which `buffer` touches none of `taken`, sorted.
static int64_t findGap(const ArenaBuffer &buffer, ArrayRef<Range> taken) {
  int64_t offset = 0;
  for (auto [from, to] : taken) {
    if (offset + buffer.bytes <= from)
      break;
    offset = std::max<int64_t>(offset, llvm::alignTo(to, buffer.alignment));
  }
  return offset;
}

static ArenaLayout place(ArrayRef<ArenaBuffer> buffers,
                         ArrayRef<unsigned> order, Overlap overlap) {
  ArenaLayout layout;
  layout.offsets.assign(buffers.size(), 0);
  for (auto [done, number] : llvm::enumerate(order)) {
    SmallVector<Range> taken;
    for (unsigned other : order.take_front(done))
      if (overlap(number, other))
        taken.push_back({layout.offsets[other],
                         layout.offsets[other] + buffers[other].bytes});
    llvm::sort(taken);
    int64_t offset = findGap(buffers[number], taken);
    layout.offsets[number] = offset;
    layout.bytes = std::max(layout.bytes, offset + buffers[number].bytes);
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
