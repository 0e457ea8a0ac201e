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
/// axis once per loop. Rows are counted in whole granules of 64 bytes. Each
/// part of K reads and writes the accumulator, which stays in the scratchpad:
/// that counts for less.
class Traffic {
public:
  /// `candidates` are the axes that may be split, in the order in which they
  /// will be.
  Traffic(Operation *function, const TileAxes &axes,
          ArrayRef<unsigned> candidates);

  /// With `expectMore` axes that are whole now are taken to be split later, so
  /// that what is loaded outside of a loop now is repeated in it then.
  double getBytes(ArrayRef<AxisChoice> choice, bool expectMore = false) const;

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

  double getBytes(const Access &access, ArrayRef<AxisChoice> choice,
                  bool expectMore) const;

  SmallVector<Access> accesses;
  /// By reduced axis, the bytes of products that are accumulated over it.
  llvm::DenseMap<unsigned, double> accumulated;
  /// Pairs of axes of which the first one's loops end up in the second one's.
  llvm::DenseSet<std::pair<unsigned, unsigned>> nested;
};

} // namespace mlir::spine

#endif // SPINE_TRITON_TRANSFORMS_AUTOTILE_TRAFFIC_H
