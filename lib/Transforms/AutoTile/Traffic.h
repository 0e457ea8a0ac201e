//===- Traffic.h - bytes that a split function moves ------------*- C++ -*-===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#ifndef SPINE_TRITON_TRANSFORMS_AUTOTILE_TRAFFIC_H
#define SPINE_TRITON_TRANSFORMS_AUTOTILE_TRAFFIC_H

#include "spine-triton/Analysis/TileAxes.h"
#include "llvm/ADT/DenseSet.h"

namespace mlir::spine {

struct AxisChoice;

/// Estimates how many bytes the loads and stores of a function move if some of
/// its axes are split: a tile that is not on a split axis but used for it is
/// loaded once per part, and one that is used again after a reduction along the
/// axis once per loop. Rows are counted in whole granules of 64 bytes.
class Traffic {
public:
  /// `candidates` are the axes that may be split, in the order in which they
  /// will be.
  Traffic(Operation *function, const TileAxes &axes,
          ArrayRef<unsigned> candidates);

  double getBytes(ArrayRef<AxisChoice> choice) const;

private:
  /// What splitting one axis does to an access.
  struct Effect {
    unsigned axis;
    unsigned loops;              ///< that execute it, instead of once
    std::optional<unsigned> dim; ///< of its tile on the axis; none: repeated
  };
  struct Access {
    RankedTensorType type;
    std::optional<unsigned> contiguous; ///< dimension of stride one
    SmallVector<Effect> effects;
  };

  double getBytes(const Access &access, ArrayRef<AxisChoice> choice) const;

  SmallVector<Access> accesses;
  /// Pairs of axes of which the first one's loops end up in the second one's.
  llvm::DenseSet<std::pair<unsigned, unsigned>> nested;
};

} // namespace mlir::spine

#endif // SPINE_TRITON_TRANSFORMS_AUTOTILE_TRAFFIC_H
