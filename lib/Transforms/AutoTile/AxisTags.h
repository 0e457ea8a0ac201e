//===- AxisTags.h - an axis found again after another split -----*- C++ -*-===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#ifndef SPINE_TRITON_TRANSFORMS_AUTOTILE_AXISTAGS_H
#define SPINE_TRITON_TRANSFORMS_AUTOTILE_AXISTAGS_H

#include "spine-triton/Analysis/TileAxes.h"

namespace mlir::spine {

/// Notes at loads, stores, products and reductions on which axes their
/// dimensions lie, as an attribute that copies of them keep.
void tagAxes(Operation *function, const TileAxes &axes);

/// An axis of the function as it is now that was `axis` when it was tagged and
/// still has its whole size. There may be several: copies of the program that
/// share no tile.
std::optional<unsigned> findTaggedAxis(Operation *function,
                                       const TileAxes &axes, unsigned axis,
                                       int64_t total);

void removeAxisTags(Operation *function);

} // namespace mlir::spine

#endif // SPINE_TRITON_TRANSFORMS_AUTOTILE_AXISTAGS_H
