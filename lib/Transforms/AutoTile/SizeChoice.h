//===- SizeChoice.h - which axes to split, and how far ----------*- C++ -*-===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#ifndef SPINE_TRITON_TRANSFORMS_AUTOTILE_SIZECHOICE_H
#define SPINE_TRITON_TRANSFORMS_AUTOTILE_SIZECHOICE_H

#include "SplitAxis.h"
#include "Traffic.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace mlir::spine {

/// An axis of a function that may be split, and how large its parts are now.
struct AxisChoice {
  unsigned axis;
  int64_t total;
  int64_t size; ///< of a part; `total`: not split
  bool isParallel;
  bool isInnermost; ///< the last dimension of some load or store
  int64_t unit;     ///< what parts should be multiples of, a power of two
};

/// Makes the parts of axes smaller until what is tried fits.
///
/// Each step takes the next smaller part of the axis that adds the fewest bytes
/// moved; among equals one that is not the innermost of an access, the one with
/// the largest parts, and the first.
/// First only parallel axes are split, then reduced ones too (and, of equals,
/// before parallel ones) if that moves fewer bytes or the former is not enough,
/// both down to `kSmallest` elements where a smaller
/// part means that something is read more often, and at last everything down to
/// single elements. What turned out to be too small is made larger again.
class SizeChoice {
public:
  using Fits = llvm::function_ref<bool(ArrayRef<AxisChoice>)>;

  /// Parts below this are not worth more memory traffic.
  static constexpr int64_t kSmallest = 16;

  SizeChoice(SmallVector<AxisChoice> axes, const Traffic &traffic)
      : axes(std::move(axes)), traffic(traffic) {}

  /// Finds sizes that fit; false if even the smallest do not.
  bool find(Fits fits);

  ArrayRef<AxisChoice> getAxes() const { return axes; }

private:
  enum class Stage { Parallel, All, Everything };

  bool shrink(Stage stage, Fits fits);
  std::optional<unsigned> chooseStep(Stage stage) const;
  void grow(Fits fits);

  SmallVector<AxisChoice> axes;
  const Traffic &traffic;
};

/// The next smaller size of a part: about half, a multiple of `unit` unless the
/// part is too small for that, a divisor of the axis where there is one.
int64_t getNextSize(int64_t total, int64_t size, int64_t unit);

} // namespace mlir::spine

#endif // SPINE_TRITON_TRANSFORMS_AUTOTILE_SIZECHOICE_H
