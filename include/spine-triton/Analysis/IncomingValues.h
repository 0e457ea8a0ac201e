//===- IncomingValues.h - what a merge point may receive --------*- C++ -*-===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#ifndef SPINE_TRITON_ANALYSIS_INCOMINGVALUES_H
#define SPINE_TRITON_ANALYSIS_INCOMINGVALUES_H

#include "mlir/IR/Value.h"
#include <optional>

namespace mlir::spine {

/// The values that control flow may hand to `merge`, when `merge` is a value
/// that control flow defines: an iteration argument or result of scf.for and
/// scf.while, a result of scf.if, or an argument of a block that is reached by
/// branches. std::nullopt for every other value (and for those that come from
/// an operation whose control flow is not known here).
std::optional<SmallVector<Value>> getIncomingValues(Value merge);

/// Whether the region that defines `user` is the one that defines `value` or
/// lies inside of it.
bool isVisibleAt(Value value, Value user);

} // namespace mlir::spine

#endif // SPINE_TRITON_ANALYSIS_INCOMINGVALUES_H
