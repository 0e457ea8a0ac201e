//===- SizeChoice.cpp - which axes to split, and how far ------------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "SizeChoice.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::spine;

int64_t spine::getNextSize(int64_t total, int64_t size, int64_t unit) {
  int64_t half = std::max<int64_t>(1, size / 2);
  // Coarse steps leave few sizes to choose from: not where parts are small.
  int64_t step = std::max(unit, SizeChoice::kSmallest);
  while (step > 1 && half < 2 * step)
    step = step > SizeChoice::kSmallest ? SizeChoice::kSmallest
           : step > unit                ? unit
                                        : 1;
  for (int64_t next = half - half % step; next > half / 2; next -= step)
    if (total % next == 0)
      return next;
  return static_cast<int64_t>(llvm::bit_floor(static_cast<uint64_t>(half)));
}

std::optional<unsigned> SizeChoice::chooseStep(Stage stage) const {
  std::optional<unsigned> best;
  // Bytes moved; parallel (it would have reduced ones executed more often);
  // innermost; elements of a part, the most first.
  std::tuple<double, bool, bool, int64_t> bestCost;
  bool expectMore = stage != Stage::Parallel;
  double now = traffic.getBytes(axes, expectMore);
  for (auto [number, axis] : llvm::enumerate(axes)) {
    if (axis.size == 1 || (stage == Stage::Parallel && !axis.isParallel))
      continue;
    SmallVector<AxisChoice> next(axes);
    next[number].size = getNextSize(axis.total, axis.size, axis.unit);
    double bytes = traffic.getBytes(next, expectMore);
    if (stage != Stage::Everything && bytes > now &&
        next[number].size < kSmallest)
      continue;
    std::tuple cost(bytes, axis.isParallel, axis.isInnermost, -axis.size);
    if (!best || cost < bestCost)
      std::tie(best, bestCost) = std::pair(number, cost);
  }
  return best;
}

bool SizeChoice::shrink(Stage stage, Fits fits) {
  while (auto step = chooseStep(stage)) {
    AxisChoice &axis = axes[*step];
    axis.size = getNextSize(axis.total, axis.size, axis.unit);
    if (fits(axes))
      return true;
  }
  return false;
}

/// The sizes an axis has on its way to its size now.
static SmallVector<int64_t> getLargerSizes(const AxisChoice &axis) {
  SmallVector<int64_t> sizes;
  for (int64_t size = axis.total; size > axis.size;
       size = getNextSize(axis.total, size, axis.unit))
    sizes.push_back(size);
  return sizes;
}

void SizeChoice::grow(Fits fits) {
  // Parts that cause no re-reading gain least by being larger: they come last.
  SmallVector<unsigned> order =
      llvm::to_vector(llvm::seq<unsigned>(axes.size()));
  double now = traffic.getBytes(axes);
  auto gain = [&](unsigned number) {
    SmallVector<AxisChoice> whole(axes);
    whole[number].size = whole[number].total;
    return now - traffic.getBytes(whole);
  };
  llvm::stable_sort(order,
                    [&](unsigned a, unsigned b) { return gain(a) > gain(b); });
  for (unsigned number : order) {
    SmallVector<int64_t> larger = getLargerSizes(axes[number]);
    while (!larger.empty()) {
      SmallVector<AxisChoice> next(axes);
      next[number].size = larger.pop_back_val();
      if (!fits(next))
        break;
      axes = next;
    }
  }
}

bool SizeChoice::find(Fits fits) {
  SmallVector<AxisChoice> whole(axes), best;
  for (Stage stage : {Stage::Parallel, Stage::All, Stage::Everything}) {
    if (stage == Stage::Everything && !best.empty())
      break;
    axes = whole;
    if (!shrink(stage, fits))
      continue;
    grow(fits);
    if (best.empty() || traffic.getBytes(axes) < traffic.getBytes(best))
      best = axes;
  }
  if (!best.empty())
    axes = best;
  return !best.empty();
}
