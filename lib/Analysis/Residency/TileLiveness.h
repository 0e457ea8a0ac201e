//===- TileLiveness.h - which tiles are live where --------------*- C++ -*-===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#ifndef SPINE_TRITON_ANALYSIS_RESIDENCY_TILELIVENESS_H
#define SPINE_TRITON_ANALYSIS_RESIDENCY_TILELIVENESS_H

#include "TileGraph.h"

namespace mlir::spine {

/// Backwards data flow over the structured control flow of a function: a tile
/// that comes from outside of a loop and is used in it lives as long as the
/// loop; one branch of a conditional does not keep what the other one uses.
class TileLiveness {
public:
  TileLiveness(Operation *function, const TileGraph &graph);

  /// Tiles that are used after `op`.
  const llvm::BitVector &getLiveAfter(Operation *op) const {
    return after.find(op)->second;
  }
  /// Tiles that are live at the start of a block, its arguments among them.
  const llvm::BitVector &getLiveIn(Block *block) const {
    return in.find(block)->second;
  }

private:
  using Set = llvm::BitVector;

  Set throughRegion(Region &region, const Set &out);
  Set throughBlock(Block &block, const Set &out);
  Set throughOperation(Operation *op, const Set &out);
  Set throughRegions(Operation *op, const Set &out);
  Set throughWhile(Operation *op, const Set &out);
  Set without(Set set, ValueRange values) const;

  const TileGraph &graph;
  llvm::DenseMap<Operation *, Set> after;
  llvm::DenseMap<Block *, Set> in;
};

} // namespace mlir::spine

#endif // SPINE_TRITON_ANALYSIS_RESIDENCY_TILELIVENESS_H
