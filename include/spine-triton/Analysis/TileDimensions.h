//===- TileDimensions.h - dimensions that are one size ----------*- C++ -*-===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#ifndef SPINE_TRITON_ANALYSIS_TILEDIMENSIONS_H
#define SPINE_TRITON_ANALYSIS_TILEDIMENSIONS_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/IntEqClasses.h"

namespace mlir::spine {

/// Groups the dimensions of all tiles of a function into those that have to
/// have one size: the rows of the left operand of a dot, of its result, of what
/// is computed from that and of the pointer it is stored through. In a kernel
/// each group is a block size, so that a group says what changes with it.
class TileDimensions {
public:
  explicit TileDimensions(Operation *function);

  unsigned size() const { return groups.getNumClasses(); }

  /// The group of a dimension of a tensor (or of the tile behind a block
  /// pointer or descriptor) of the function.
  unsigned getGroup(Value tile, unsigned dim) const {
    return groups[first.find(tile)->second + dim];
  }

  /// Whether the size follows from something that is not understood (a reshape,
  /// a constant with different elements): it cannot be taken to be free.
  bool isFixed(unsigned group) const { return fixed.test(group); }

private:
  void number(Operation *function);
  void add(Value value);
  void visit(Operation *op);
  void visitShapeOp(Operation *op);
  void unify(Value a, unsigned dimA, Value b, unsigned dimB);
  /// Dimension by dimension, if the ranks are equal; both are fixed otherwise.
  void unifyAll(Value a, Value b);
  void unifyWide(Value a, Value b);
  void fix(Value value);
  bool isTile(Value value) const { return first.contains(value); }

  llvm::DenseMap<Value, unsigned> first;
  unsigned count = 0;
  llvm::IntEqClasses groups;
  SmallVector<unsigned> fixedMembers;
  llvm::BitVector fixed;
};

} // namespace mlir::spine

#endif // SPINE_TRITON_ANALYSIS_TILEDIMENSIONS_H
