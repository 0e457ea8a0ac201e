//===- ScalarSums.h - scalars as sums of others -----------------*- C++ -*-===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#ifndef SPINE_TRITON_TRANSFORMS_AUTOTILE_SCALARSUMS_H
#define SPINE_TRITON_TRANSFORMS_AUTOTILE_SCALARSUMS_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "spine-triton/Analysis/OverlapCondition.h"
#include "llvm/ADT/DenseMap.h"

namespace mlir::spine {

/// For messages: what the kernel calls an argument, or its number.
std::string getArgumentName(BlockArgument argument);

/// The width of a number, or of each in a tile.
unsigned getBits(Value value);

/// The number in all elements of a constant, if it is one.
std::optional<int64_t> getNumber(Value value);

/// A tile of numbers as a function of its indices: an offset, and per dimension
/// a factor. A scalar has no dimensions.
struct IndexSum {
  Polynomial offset;
  SmallVector<Polynomial> strides;
  /// It is right but for a multiple of two to the power of this: the least
  /// width of the arithmetic.
  unsigned bits = 64;
};

/// Sum, difference or product of two sums, of which a product takes one without
/// indices.
std::optional<IndexSum> combine(Operation *op, const IndexSum &a,
                                const IndexSum &b);

/// A shift to the left by a constant is a product.
std::optional<IndexSum> shift(arith::ShLIOp op, const IndexSum &source);

/// Writes scalars as sums and products of variables, which are scalar values of
/// the program themselves.
class ScalarSums {
public:
  /// What a scalar is, to the last bit, as a number with a sign.
  Polynomial getExact(Value scalar);

  /// What a scalar is but for a multiple of a power of two: sums and products
  /// that wrap around are followed.
  IndexSum getModular(Value scalar);

  Value getValue(unsigned variable) const { return values[variable]; }
  /// What is known of a variable; in terms of others.
  const AddressVariable &describe(unsigned variable);

private:
  unsigned getVariable(Value scalar);
  AddressVariable makeVariable(Value scalar);
  Polynomial getEnd(scf::ForOp loop);

  llvm::DenseMap<Value, unsigned> numbers;
  SmallVector<Value> values;
  SmallVector<std::optional<AddressVariable>> variables;
  llvm::DenseMap<Value, IndexSum> scalars;
};

} // namespace mlir::spine

#endif // SPINE_TRITON_TRANSFORMS_AUTOTILE_SCALARSUMS_H
