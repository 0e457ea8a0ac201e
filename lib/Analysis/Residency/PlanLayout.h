//===- PlanLayout.h - bytes and places of tiles -----------------*- C++ -*-===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#ifndef SPINE_TRITON_ANALYSIS_RESIDENCY_PLANLAYOUT_H
#define SPINE_TRITON_ANALYSIS_RESIDENCY_PLANLAYOUT_H

#include "spine-triton/Analysis/Residency.h"

namespace mlir::spine {

/// What a tile would occupy with another shape: none if that depends on the
/// arguments of a launch.
std::optional<int64_t> getResidentBytes(const ResidencyReport &report,
                                        const ResidentTile &tile,
                                        ArrayRef<int64_t> shape);

/// Gives the tiles of a plan their offsets, and the plan its arena bytes.
void layOutTiles(ResidencyReport &report);

} // namespace mlir::spine

#endif // SPINE_TRITON_ANALYSIS_RESIDENCY_PLANLAYOUT_H
