//===- LoopPlan.h - the loops that splitting an axis makes ------*- C++ -*-===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#ifndef SPINE_TRITON_TRANSFORMS_AUTOTILE_LOOPPLAN_H
#define SPINE_TRITON_TRANSFORMS_AUTOTILE_LOOPPLAN_H

#include "spine-triton/Analysis/TileAxes.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::spine {

/// One loop over the sub-tiles of an axis.
///
/// Its `ends` are what needs no part of the axis any more: a store, a reduction
/// along the axis, or a loop or conditional that contains stores and carries
/// tiles on the axis. They are in one block; the loop takes the place of the
/// last one.
struct TileLoop {
  SmallVector<Operation *> ends;
  /// All operations to execute for each sub-tile, the ends among them, in
  /// program order.
  SmallVector<Operation *> slice;
  /// Operations before the last end that use the result of a reduction of this
  /// loop and do not touch the axis: they move behind the loop.
  SmallVector<Operation *> moved;

  Operation *getPlace() const { return ends.back(); }
};

/// Divides the program's slice on one axis into loops. Ends that need no result
/// of each other share a loop; one that needs the result of a reduction along
/// the axis (the maximum of a softmax) goes to a later loop, in which what it
/// needs of the axis is computed again.
class LoopPlan {
public:
  LoopPlan(Operation *function, const TileAxes &axes, unsigned axis);

  /// Finds the loops, or says why there are none.
  std::optional<TileAxes::Obstacle> find();

  ArrayRef<TileLoop> getLoops() const { return loops; }
  /// The place of an operation in the program's text.
  unsigned getOrder(Operation *op) const { return order.lookup(op); }
  Operation *getFunction() const { return function; }

private:
  using Slice = llvm::SetVector<Operation *>;

  bool findAnchors();
  bool anchor(Operation *end);
  Operation *collect(Operation *end, Slice &slice) const;
  bool checkSlice(Operation *end, const Slice &slice);
  bool checkNested(Operation *op);
  void schedule(Block *block);
  void close(TileLoop &loop);
  bool isReducer(Operation *op) const;
  bool fail(Location loc, const Twine &reason);

  Operation *function;
  const TileAxes &axes;
  unsigned axis;
  llvm::DenseMap<Operation *, unsigned> order;
  llvm::DenseSet<Operation *> reducers;
  llvm::MapVector<Operation *, Slice> anchors;
  SmallVector<TileLoop> loops;
  std::optional<TileAxes::Obstacle> obstacle;
};

} // namespace mlir::spine

#endif // SPINE_TRITON_TRANSFORMS_AUTOTILE_LOOPPLAN_H
