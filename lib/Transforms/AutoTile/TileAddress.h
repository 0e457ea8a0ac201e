//===- TileAddress.h - addresses as sums of indices -------------*- C++ -*-===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#ifndef SPINE_TRITON_TRANSFORMS_AUTOTILE_TILEADDRESS_H
#define SPINE_TRITON_TRANSFORMS_AUTOTILE_TILEADDRESS_H

#include "ScalarSums.h"
#include "llvm/ADT/DenseMap.h"

namespace mlir::spine {

/// The addresses of a tile access, in elements.
struct TileAddress {
  Value base; ///< a scalar pointer
  IndexSum sum;
  /// Which indices are masked off, or beyond the extent of a block pointer.
  SmallVector<std::vector<IndexBound>> bounds;
};

/// Writes addresses of loads and stores as sums over the indices of the tile.
/// Variables of the sums are scalar values of the program.
class TileAddresses {
public:
  /// None if the address is not such a sum; `culprit` is what makes it so.
  struct Result {
    std::optional<TileAddress> address;
    Operation *culprit = nullptr;
  };

  /// Of a tt.load or tt.store.
  const Result &get(Operation *access);

  ScalarSums &getScalars() { return scalars; }

private:
  std::optional<TileAddress> compute(Operation *access);
  void findBlockPointer(Value pointer, ArrayRef<int32_t> checked,
                        std::optional<TileAddress> &result);
  void findBounds(Value mask, ArrayRef<int64_t> dims, TileAddress &address);
  void findBound(Operation *compare, ArrayRef<int64_t> dims,
                 TileAddress &address);

  /// `exact`: sums that may have wrapped around are not followed any further.
  std::optional<IndexSum> getTile(Value tile, bool exact);
  std::optional<IndexSum> getArithmetic(Operation *op, bool exact);
  std::optional<IndexSum> getView(Operation *op, const IndexSum &source);
  std::optional<TileAddress> getPointer(Value pointer);

  llvm::DenseMap<Operation *, Result> results;
  ScalarSums scalars;
  Operation *culprit = nullptr;
};

} // namespace mlir::spine

#endif // SPINE_TRITON_TRANSFORMS_AUTOTILE_TILEADDRESS_H
