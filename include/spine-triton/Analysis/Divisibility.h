//===- Divisibility.h - powers of two that divide values --------*- C++ -*-===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#ifndef SPINE_TRITON_ANALYSIS_DIVISIBILITY_H
#define SPINE_TRITON_ANALYSIS_DIVISIBILITY_H

#include "spine-triton/Analysis/TensorPointer.h"
#include "llvm/ADT/DenseSet.h"

namespace mlir::spine {

/// Finds powers of two that divide integers and addresses (in bytes): from
/// constants, from `tt.divisibility` (of arguments, where Triton writes what it
/// specialised on, and of operations, where tl.multiple_of does), and through
/// arithmetic, loops and block pointers.
class Divisibility {
public:
  /// What stands for "every power of two": the value is zero.
  static constexpr int64_t most = int64_t(1) << 62;

  explicit Divisibility(const TensorPointerAnalysis &pointers)
      : pointers(pointers) {}

  /// Of an integer, an index or a pointer to a scalar: at least 1.
  int64_t get(Value value);

  /// Of the address of the first element of the tile that a block pointer
  /// addresses, at least 1.
  int64_t getOfTile(Value pointer);

private:
  int64_t compute(Value value);
  int64_t computeArgument(BlockArgument argument);
  int64_t computeOperation(Operation *op);
  int64_t getField(Value pointer, unsigned field);
  int64_t computeField(Value pointer, unsigned field);

  const TensorPointerAnalysis &pointers;
  /// What is being computed: a value that depends on itself through a loop
  /// adds nothing to what its other sources say.
  llvm::DenseSet<Value> open;
  llvm::DenseSet<std::pair<Value, unsigned>> openFields;
};

} // namespace mlir::spine

#endif // SPINE_TRITON_ANALYSIS_DIVISIBILITY_H
