//===- TileGraph.h - packed tiles and what is computed from them *- C++ -*-===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#ifndef SPINE_TRITON_ANALYSIS_RESIDENCY_TILEGRAPH_H
#define SPINE_TRITON_ANALYSIS_RESIDENCY_TILEGRAPH_H

#include "spine-triton/Analysis/Residency.h"
#include "llvm/ADT/BitVector.h"

namespace mlir::spine {

/// The tensor values of a function that a policy packs, numbered in program
/// order, and for every other tensor value the ones it is computed from.
class TileGraph {
public:
  TileGraph(Operation *function, ResidencyPolicy policy);

  unsigned size() const { return tiles.size(); }
  Value getTile(unsigned number) const { return tiles[number]; }
  TileRole getRole(unsigned number) const { return roles[number]; }
  TilePlacement getPlacement(unsigned number) const {
    return placements[number];
  }
  std::optional<unsigned> getNumber(Value value) const;

  /// Tiles that have to be there where `value` is used: itself, or those it is
  /// computed from.
  llvm::BitVector getSources(Value value) const;

  /// Those of the sources that `value` takes elements from at other places than
  /// its own (a transposed or broadcast tile): no in-place update of these.
  llvm::BitVector getMovedSources(Value value) const;

  /// A packed tile made of scalars only is made where it is used, and is there
  /// no longer than that.
  bool isTransient(unsigned number) const { return transient.test(number); }

private:
  bool update(Value value, const llvm::BitVector &all,
              const llvm::BitVector &shifted);
  bool updateResults(Operation *op);
  bool updateMerge(Value value);

  llvm::BitVector empty() const { return llvm::BitVector(tiles.size()); }

  SmallVector<Value> tiles;
  SmallVector<TileRole> roles;
  SmallVector<TilePlacement> placements;
  llvm::BitVector transient;
  llvm::DenseMap<Value, unsigned> numbers;
  llvm::DenseMap<Value, llvm::BitVector> sources;
  llvm::DenseMap<Value, llvm::BitVector> moved;
};

} // namespace mlir::spine

#endif // SPINE_TRITON_ANALYSIS_RESIDENCY_TILEGRAPH_H
