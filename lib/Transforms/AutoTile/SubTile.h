//===- SubTile.h - operations on one part of an axis ------------*- C++ -*-===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#ifndef SPINE_TRITON_TRANSFORMS_AUTOTILE_SUBTILE_H
#define SPINE_TRITON_TRANSFORMS_AUTOTILE_SUBTILE_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "spine-triton/Analysis/TileAxes.h"
#include "triton/Dialect/Triton/IR/Dialect.h"

namespace mlir::spine {

/// Makes copies of operations that work on one part of an axis: elements
/// `offset` to `offset + size`. Tiles on the axis get smaller, block pointers
/// get other offsets, everything else is used as it is.
class SubTileEmitter {
public:
  SubTileEmitter(OpBuilder &builder, const TileAxes &axes, unsigned axis,
                 Value offset, int64_t size)
      : builder(builder), axes(axes), axis(axis), offset(offset), size(size) {}

  /// Copies an operation that touches the axis; its sources come before it.
  Operation *emit(Operation *op);

  /// The part of an operand, or the operand itself if it is not on the axis.
  Value getOperand(OpOperand &use);

private:
  using Dims = llvm::SmallBitVector;

  Type cut(Type type, const Dims &dims) const;
  Value getPart(Value value, const Dims &dims);
  Value makePart(Value value, const Dims &dims);
  Value makeRange(triton::MakeRangeOp op, Type type);
  Value makePointer(triton::MakeTensorPtrOp op, const Dims &dims);
  Operation *copy(Operation *op, ArrayRef<Value> operands);

  Operation *emitFor(scf::ForOp loop);
  Operation *emitIf(scf::IfOp branch);
  void emitBody(Block *from, Block *to, ArrayRef<Dims> yielded);

  OpBuilder &builder;
  const TileAxes &axes;
  unsigned axis;
  Value offset;
  int64_t size;
  IRMapping mapping;
};

} // namespace mlir::spine

#endif // SPINE_TRITON_TRANSFORMS_AUTOTILE_SUBTILE_H
