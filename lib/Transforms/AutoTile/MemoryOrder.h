//===- MemoryOrder.h - may loads and stores change places -------*- C++ -*-===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#ifndef SPINE_TRITON_TRANSFORMS_AUTOTILE_MEMORYORDER_H
#define SPINE_TRITON_TRANSFORMS_AUTOTILE_MEMORYORDER_H

#include "LoopPlan.h"

namespace mlir::spine {

/// Decides whether the loops of a plan may execute loads and stores in another
/// order than the program. Two accesses may touch the same memory if they go
/// through the same argument, or if the origin of an address is not known.
/// Accesses of one tile at the same place stay apart: each element is loaded
/// and stored in the same iteration.
class MemoryOrder {
public:
  MemoryOrder(const LoopPlan &plan, const TileAxes &axes, unsigned axis);

  /// Why the loops would change what the program does; none if they do not.
  std::optional<TileAxes::Obstacle> check();

  /// Whether the answer relies on distinct arguments being distinct memory.
  bool assumesDistinctArguments() const { return assumesDistinct; }

private:
  using Roots = llvm::SmallPtrSet<Value, 4>;

  std::optional<TileAxes::Obstacle> check(const TileLoop &loop);
  std::optional<TileAxes::Obstacle> checkRereads(const TileLoop &loop,
                                                 Operation *member);
  bool mayTouchSame(Operation *a, Operation *b);
  bool isSamePlace(Operation *a, Operation *b) const;
  const Roots &getRoots(Operation *access);

  const LoopPlan &plan;
  const TileAxes &axes;
  unsigned axis;
  SmallVector<Operation *> writes; ///< all of the function
  llvm::DenseMap<Operation *, Roots> roots;
  bool assumesDistinct = false;
};

} // namespace mlir::spine

#endif // SPINE_TRITON_TRANSFORMS_AUTOTILE_MEMORYORDER_H
