//===- TileOps.cpp - shapes and values of tiles ---------------------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/Builders.h"
#include "triton/Dialect/Triton/IR/Dialect.h"

using namespace mlir;
using namespace mlir::triton;

//===----------------------------------------------------------------------===//
// UnsplatOp, ExpandDimsOp, JoinOp, SplitOp, TransOp: types follow from operands
//===----------------------------------------------------------------------===//

LogicalResult
UnsplatOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc,
                            ValueRange operands, DictionaryAttr attributes,
                            OpaqueProperties properties, RegionRange regions,
                            SmallVectorImpl<Type> &types) {
  auto tile = cast<RankedTensorType>(operands.front().getType());
  if (!tile.hasStaticShape() || tile.getNumElements() != 1)
    return emitOptionalError(loc, "'", getOperationName(),
                             "' op expects a tile of one element, got ", tile);
  types.push_back(tile.getElementType());
  return success();
}

LogicalResult ExpandDimsOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> loc, ValueRange operands,
    DictionaryAttr attributes, OpaqueProperties properties, RegionRange regions,
    SmallVectorImpl<Type> &types) {
  auto tile = cast<RankedTensorType>(operands.front().getType());
  int64_t axis = properties.as<Properties *>()->axis.getInt();
  if (axis < 0 || axis > tile.getRank())
    return emitOptionalError(loc, "'", getOperationName(), "' op axis ", axis,
                             " is not between 0 and the ", tile.getRank(),
                             " dimensions of ", tile);
  SmallVector<int64_t> shape(tile.getShape());
  shape.insert(shape.begin() + axis, 1);
  types.push_back(tile.clone(shape));
  return success();
}

LogicalResult
JoinOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc,
                         ValueRange operands, DictionaryAttr attributes,
                         OpaqueProperties properties, RegionRange regions,
                         SmallVectorImpl<Type> &types) {
  auto tile = cast<RankedTensorType>(operands.front().getType());
  SmallVector<int64_t> shape(tile.getShape());
  shape.push_back(2);
  types.push_back(tile.clone(shape));
  return success();
}

LogicalResult
SplitOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc,
                          ValueRange operands, DictionaryAttr attributes,
                          OpaqueProperties properties, RegionRange regions,
                          SmallVectorImpl<Type> &types) {
  auto tile = cast<RankedTensorType>(operands.front().getType());
  if (tile.getRank() == 0 || tile.getShape().back() != 2)
    return emitOptionalError(loc, "'", getOperationName(),
                             "' op expects a last dimension of size 2, got ",
                             tile);
  types.append(2, tile.clone(tile.getShape().drop_back()));
  return success();
}

LogicalResult
TransOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc,
                          ValueRange operands, DictionaryAttr attributes,
                          OpaqueProperties properties, RegionRange regions,
                          SmallVectorImpl<Type> &types) {
  auto tile = cast<RankedTensorType>(operands.front().getType());
  ArrayRef<int32_t> order = properties.as<Properties *>()->order;
  SmallVector<int64_t> order64(order.begin(), order.end());
  if (static_cast<int64_t>(order.size()) != tile.getRank() ||
      !isPermutationVector(order64))
    return emitOptionalError(loc, "'", getOperationName(), "' op order [",
                             order, "] is not a permutation of the ",
                             tile.getRank(), " dimensions of ", tile);
  types.push_back(
      tile.clone(applyPermutation(tile.getShape(), ArrayRef(order64))));
  return success();
}

//===----------------------------------------------------------------------===//
// ReshapeOp, BroadcastOp, CatOp
//===----------------------------------------------------------------------===//

void ReshapeOp::build(OpBuilder &builder, OperationState &state,
                      ArrayRef<int64_t> shape, Value src, bool allowReorder) {
  auto tile = cast<RankedTensorType>(src.getType());
  build(builder, state, tile.clone(shape), src, allowReorder,
        /*efficient_layout=*/false);
}

LogicalResult ReshapeOp::verify() {
  RankedTensorType from = getSrc().getType(), to = getType();
  if (from.getNumElements() != to.getNumElements())
    return emitOpError() << "from " << from << " to " << to
                         << ": source and result have different numbers of "
                            "elements";
  return success();
}

LogicalResult triton::BroadcastOp::verify() {
  RankedTensorType from = getSrc().getType(), to = getType();
  if (from.getRank() != to.getRank())
    return emitOpError() << "from " << from << " to " << to
                         << ": source and result have different ranks";
  for (int64_t dim = 0; dim < from.getRank(); ++dim)
    if (from.getDimSize(dim) != to.getDimSize(dim) && from.getDimSize(dim) != 1)
      return emitOpError() << "from " << from << " to " << to << ": dimension "
                           << dim << " changes but is not of size 1";
  return success();
}

LogicalResult CatOp::verify() {
  RankedTensorType from = getLhs().getType(), to = getType();
  if (from.getRank() == 0)
    return emitOpError() << "expects tiles with a dimension, got " << from;
  SmallVector<int64_t> shape(from.getShape());
  shape.front() *= 2;
  if (to.getShape() != ArrayRef(shape))
    return emitOpError() << "of two " << from << " gives " << from.clone(shape)
                         << ", not " << to;
  return success();
}

//===----------------------------------------------------------------------===//
// MakeRangeOp, HistogramOp, GatherOp
//===----------------------------------------------------------------------===//

LogicalResult MakeRangeOp::verify() {
  // The accessors of the values are unsigned, the values are not.
  int64_t start = getStartAttr().getInt(), end = getEndAttr().getInt();
  auto tile = cast<RankedTensorType>(getType());
  if (start >= end)
    return emitOpError() << "expects a start below the end, got " << start
                         << " and " << end;
  if (!tile.getElementType().isInteger(32) || tile.getRank() != 1 ||
      tile.getDimSize(0) != end - start)
    return emitOpError() << "from " << start << " to " << end
                         << " gives a tensor<" << end - start << "xi32>, not "
                         << tile;
  return success();
}

LogicalResult HistogramOp::verify() {
  auto tile = cast<RankedTensorType>(getSrc().getType());
  if (tile.getRank() != 1)
    return emitOpError() << "expects a source of one dimension, got " << tile;
  if (getMask() && getMask().getType() != getI1SameShape(tile))
    return emitOpError() << "expects a mask of type " << getI1SameShape(tile)
                         << ", got " << getMask().getType();
  auto result = cast<RankedTensorType>(getType());
  if (result.getRank() != 1 || !result.getElementType().isInteger(32))
    return emitOpError() << "expects a result of one dimension of i32, got "
                         << result;
  return success();
}

LogicalResult triton::GatherOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> loc, ValueRange operands,
    DictionaryAttr attributes, OpaqueProperties properties, RegionRange regions,
    SmallVectorImpl<Type> &types) {
  auto indices = cast<RankedTensorType>(operands[1].getType());
  types.push_back(indices.clone(getElementTypeOrSelf(operands[0].getType())));
  return success();
}

LogicalResult triton::GatherOp::verify() {
  RankedTensorType source = getSrc().getType();
  auto indices = cast<RankedTensorType>(getIndices().getType());
  int64_t axis = getAxisAttr().getInt();
  if (axis < 0 || axis >= source.getRank())
    return emitOpError() << "axis " << axis << " is not a dimension of "
                         << source;
  if (indices.getRank() != source.getRank())
    return emitOpError() << "expects indices of the source's rank, got "
                         << indices << " for " << source;
  for (int64_t dim = 0; dim < source.getRank(); ++dim)
    if (dim != axis && indices.getDimSize(dim) != source.getDimSize(dim))
      return emitOpError() << "expects indices that differ from " << source
                           << " along axis " << axis << " only, got "
                           << indices;
  return success();
}
