//===- Coalescing.h - tile values that share memory -------------*- C++ -*-===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#ifndef SPINE_TRITON_ANALYSIS_RESIDENCY_COALESCING_H
#define SPINE_TRITON_ANALYSIS_RESIDENCY_COALESCING_H

#include "TileLiveness.h"
#include "llvm/ADT/IntEqClasses.h"

namespace mlir::spine {

/// Which tile values are one piece of memory: a loop-carried tile in all
/// iterations, an accumulator before and after a dot. Values whose live ranges
/// overlap never are, and a value that is read at other places than it is
/// written overlaps with the result.
class Coalescing {
public:
  Coalescing(Operation *function, const TileGraph &graph,
             const TileLiveness &liveness);

  unsigned getNumClasses() const { return classes.getNumClasses(); }
  unsigned getClass(unsigned tile) const { return classes[tile]; }

private:
  void addInterference(Operation *function);
  void addInterference(unsigned tile, const llvm::BitVector &others);
  void addResults(Operation *op);
  void tryMerge(unsigned to, unsigned from);
  void mergeControlFlow();
  void mergeUpdates(Operation *function);

  const TileGraph &graph;
  const TileLiveness &liveness;
  /// Per tile those that are live where it is made: each pair of tiles that are
  /// live together is noted at one of them, or at both.
  SmallVector<llvm::BitVector> interference;
  /// Members and interference of a class, at the place of its leader.
  SmallVector<llvm::BitVector> members;
  llvm::IntEqClasses classes;
};

} // namespace mlir::spine

#endif // SPINE_TRITON_ANALYSIS_RESIDENCY_COALESCING_H
