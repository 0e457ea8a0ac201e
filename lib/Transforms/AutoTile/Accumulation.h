//===- Accumulation.h - reductions in several steps -------------*- C++ -*-===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#ifndef SPINE_TRITON_TRANSFORMS_AUTOTILE_ACCUMULATION_H
#define SPINE_TRITON_TRANSFORMS_AUTOTILE_ACCUMULATION_H

#include "SubTile.h"

namespace mlir::spine {

/// Whether the results of a tt.dot or tt.reduce on parts of its operands can be
/// put together.
bool canAccumulate(Operation *reducer);

/// What an accumulation begins with: the accumulator of a tt.dot (as f32 if it
/// is narrower, as the parts of one product must not be rounded one by one),
/// the neutral element of a tt.reduce. Empty if there is none, so that it has
/// to begin with the result on the first part.
SmallVector<Value> makeInitialValues(OpBuilder &builder, Operation *reducer);

/// The results after one more part; `before` is empty for the first one.
SmallVector<Value> accumulate(OpBuilder &builder, SubTileEmitter &emitter,
                              Operation *reducer, ArrayRef<Value> before);

/// The results of `reducer`, given those of the accumulation.
SmallVector<Value> finish(OpBuilder &builder, Operation *reducer,
                          ArrayRef<Value> values);

} // namespace mlir::spine

#endif // SPINE_TRITON_TRANSFORMS_AUTOTILE_ACCUMULATION_H
