//===- MatrixPointer.cpp - block pointers to one matrix -------------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "MatrixPointer.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::spine;

bool spine::isMatrixPerBatch(Type type) {
  auto tile = dyn_cast<RankedTensorType>(type);
  return tile && tile.getRank() == 3 && tile.getDimSize(0) == 1;
}

Type spine::withoutBatch(Type type) {
  if (!isMatrixPerBatch(type))
    return type;
  auto tile = cast<RankedTensorType>(type);
  return RankedTensorType::get(tile.getShape().drop_front(),
                               tile.getElementType());
}

namespace {

/// A block pointer taken apart, while the batch is taken off it.
class Parts {
public:
  Parts(OpBuilder &builder, triton::MakeTensorPtrOp maker)
      : builder(builder), loc(maker.getLoc()), base(maker.getBase()),
        extents(maker.getShape()), strides(maker.getStrides()),
        offsets(maker.getOffsets()) {}

  /// Moves the base by the offset of a dimension, which no longer counts.
  void moveBase(unsigned dim) {
    Value step = builder.createOrFold<arith::MulIOp>(loc, widened(offsets[dim]),
                                                     strides[dim]);
    base = triton::AddPtrOp::create(builder, loc, base.getType(), base, step);
  }

  /// A dimension that is not checked as one of which the tile is the whole.
  void checkWhole(unsigned dim, int64_t size) {
    moveBase(dim);
    offsets[dim] = arith::ConstantIntOp::create(builder, loc, 0, 32);
    extents[dim] = constant(size);
  }

  /// Is the batch's index inside of the tensor?
  Value isBatchInside() {
    Value offset = widened(offsets[0]);
    Value notBefore = builder.createOrFold<arith::CmpIOp>(
        loc, arith::CmpIPredicate::sge, offset, constant(0));
    Value notBehind = builder.createOrFold<arith::CmpIOp>(
        loc, arith::CmpIPredicate::slt, offset, extents[0]);
    return builder.createOrFold<arith::AndIOp>(loc, notBefore, notBehind);
  }

  /// Leaves no element of dimension `dim` inside unless `condition` holds.
  void emptyUnless(Value condition, unsigned dim) {
    extents[dim] = builder.createOrFold<arith::SelectOp>(
        loc, condition, extents[dim], constant(0));
  }

  /// The pointer without the batch.
  Value make(Type type, ArrayRef<int32_t> order) {
    moveBase(0);
    return triton::MakeTensorPtrOp::create(
        builder, loc, type, base, ArrayRef(extents).drop_front(),
        ArrayRef(strides).drop_front(), ArrayRef(offsets).drop_front(),
        builder.getDenseI32ArrayAttr(order));
  }

private:
  Value constant(int64_t number) {
    return arith::ConstantIntOp::create(builder, loc, number, 64);
  }

  Value widened(Value number) {
    return builder.createOrFold<arith::ExtSIOp>(loc, builder.getI64Type(),
                                                number);
  }

  OpBuilder &builder;
  Location loc;
  Value base;
  SmallVector<Value> extents, strides, offsets;
};

} // namespace

/// The numbers of these dimensions where there is no batch.
static SmallVector<int32_t> dimsOfMatrix(ArrayRef<int32_t> dims) {
  SmallVector<int32_t> rest;
  for (int32_t dim : dims)
    if (dim != 0)
      rest.push_back(dim - 1);
  return rest;
}

MatrixPointer spine::makeMatrixPointer(OpBuilder &builder,
                                       triton::MakeTensorPtrOp maker,
                                       ArrayRef<int32_t> checked) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointAfter(maker);
  auto pointerType = cast<triton::PointerType>(maker.getType());
  auto tile = cast<RankedTensorType>(pointerType.getPointeeType());
  Parts parts(builder, maker);
  SmallVector<int32_t> rest = dimsOfMatrix(checked);
  if (rest.size() < checked.size()) {
    // Outside of the batch, no row is inside. If rows are not checked, they are
    // all of the tile's, wherever those are.
    if (!llvm::is_contained(rest, 0)) {
      rest.insert(rest.begin(), 0);
      parts.checkWhole(1, tile.getDimSize(1));
    }
    parts.emptyUnless(parts.isBatchInside(), 1);
  }
  Type type = triton::PointerType::get(spine::withoutBatch(tile),
                                       pointerType.getAddressSpace());
  return {parts.make(type, dimsOfMatrix(maker.getOrder())), rest};
}
