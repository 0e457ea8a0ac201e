//===- SplitAxis.h - one axis of a function in smaller parts ----*- C++ -*-===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#ifndef SPINE_TRITON_TRANSFORMS_AUTOTILE_SPLITAXIS_H
#define SPINE_TRITON_TRANSFORMS_AUTOTILE_SPLITAXIS_H

#include "spine-triton/Analysis/OverlapCondition.h"
#include "spine-triton/Analysis/TileAxes.h"

namespace mlir::spine {

/// What became of a split.
struct SplitResult {
  std::optional<TileAxes::Obstacle> obstacle;
  unsigned numLoops = 0;
  /// What has to hold at a launch for the result to be right.
  std::vector<OverlapCondition> conditions = {};
};

/// Whether the axis can be split, and why not; changes nothing.
SplitResult canSplitAxis(Operation *function, const TileAxes &axes,
                         unsigned axis);

/// Puts the slice of a function that lies on an axis into loops over parts of
/// `size` elements each (and a last, smaller one if they do not divide the
/// axis). Changes nothing if there is an obstacle. Block pointers must be made
/// where they are used: run spine-rebase-tensor-ptr before. The axes of the
/// function are others afterwards.
SplitResult splitAxis(Operation *function, const TileAxes &axes, unsigned axis,
                      int64_t size);

} // namespace mlir::spine

#endif // SPINE_TRITON_TRANSFORMS_AUTOTILE_SPLITAXIS_H
