//===- TileAxes.h - which dimensions of tiles belong together ---*- C++ -*-===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#ifndef SPINE_TRITON_ANALYSIS_TILEAXES_H
#define SPINE_TRITON_ANALYSIS_TILEAXES_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/IntEqClasses.h"
#include "llvm/ADT/SmallBitVector.h"
#include <optional>
#include <string>
#include <vector>

namespace mlir::spine {

/// The tile of a type: a tensor itself, or what a block pointer addresses; null
/// for every other type.
RankedTensorType getTileType(Type type);

/// Whether a tile is made of scalars alone, by operations that may be repeated
/// anywhere and for any part of it: constants, tt.splat, tt.make_range,
/// tt.make_tensor_ptr, and elementwise operations, views and broadcasts of
/// such.
bool isMadeOfScalars(Value tile);

/// Groups the dimensions of all tiles of a function: two belong to one axis if
/// an operation needs the same part of both. Splitting an axis cuts all of its
/// dimensions.
///
/// A tile that is made of scalars is made anew for each of its uses, so that
/// two uses of one (an index range that served rows and columns before CSE, a
/// zero) do not put their dimensions on one axis. For this, uses have
/// dimensions of their own beside those of values. Dimensions of size one lie
/// on no axis.
class TileAxes {
public:
  /// Why an axis cannot be split at all.
  struct Obstacle {
    Location loc;
    std::string reason;
  };

  struct Axis {
    int64_t size;
    /// A tile on it and its dimension there, for messages: a variable of the
    /// kernel if there is one.
    Value tile;
    unsigned dim;
    /// Operations along whose reduced dimension it runs.
    std::vector<Operation *> reducers;
    /// Stores of which it is a dimension.
    std::vector<Operation *> writers;
    std::optional<Obstacle> obstacle;

    bool isParallel() const { return reducers.empty(); }
    /// Such as: dimension 0 of 'a' (64x32xf16).
    std::string describe() const;
  };

  explicit TileAxes(Operation *function);

  const std::vector<Axis> &getAxes() const { return axes; }

  std::optional<unsigned> getAxis(Value tile, unsigned dim) const;
  std::optional<unsigned> getAxis(OpOperand &use, unsigned dim) const;

  /// The dimensions that lie on an axis.
  llvm::SmallBitVector getDims(Value tile, unsigned axis) const;
  llvm::SmallBitVector getDims(OpOperand &use, unsigned axis) const;

  /// Whether a tile that `op` or an operation in it takes or gives lies on the
  /// axis.
  bool touches(Operation *op, unsigned axis) const;

private:
  friend class TileAxesBuilder;

  std::optional<unsigned> lookup(const void *place, unsigned dim) const;
  llvm::SmallBitVector getDims(const void *place, Type type,
                               unsigned axis) const;

  llvm::DenseMap<std::pair<const void *, unsigned>, unsigned> nodes;
  llvm::IntEqClasses classes;
  std::vector<Axis> axes;
};

} // namespace mlir::spine

#endif // SPINE_TRITON_ANALYSIS_TILEAXES_H
