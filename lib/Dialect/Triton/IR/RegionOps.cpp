//===- RegionOps.cpp - operations with scalar bodies ----------------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "triton/Dialect/Triton/IR/Dialect.h"

using namespace mlir;
using namespace mlir::triton;

//===----------------------------------------------------------------------===//
// Common to all
//===----------------------------------------------------------------------===//

static SmallVector<Type> elementTypes(TypeRange types) {
  return llvm::map_to_vector(
      types, [](Type type) { return getElementTypeOrSelf(type); });
}

/// Verifies that the sources of `op` are tiles of one shape.
static LogicalResult verifySources(Operation *op, ValueRange sources) {
  if (sources.empty())
    return op->emitOpError() << "expects at least one source";
  auto first = cast<RankedTensorType>(sources.front().getType());
  for (Value source : sources.drop_front())
    if (cast<RankedTensorType>(source.getType()).getShape() != first.getShape())
      return op->emitOpError() << "expects sources of one shape, got " << first
                               << " and " << source.getType();
  return success();
}

/// Verifies that `given`, the types of the body's `what`, are `expected`.
static LogicalResult verifyBodyTypes(Operation *op, StringRef what,
                                     TypeRange given, TypeRange expected) {
  if (given == expected)
    return success();
  return op->emitOpError() << "expects a body with " << what << " (" << expected
                           << "), got (" << given << ")";
}

/// Verifies the body of a reduction or scan: it combines two groups of scalars,
/// one scalar per source, into one group.
template <typename ReturnOp>
static LogicalResult verifyCombineBody(Operation *op, Region &body,
                                       TypeRange elements) {
  SmallVector<Type> arguments(elements.begin(), elements.end());
  arguments.append(elements.begin(), elements.end());
  if (failed(
          verifyBodyTypes(op, "arguments", body.getArgumentTypes(), arguments)))
    return failure();
  auto end = dyn_cast<ReturnOp>(body.front().getTerminator());
  if (!end)
    return op->emitOpError()
           << "expects a body that ends with " << ReturnOp::getOperationName();
  return verifyBodyTypes(op, "results", end.getOperandTypes(), elements);
}

/// Fails, and says why, unless `axis` is a dimension of `tile`.
static LogicalResult checkAxis(std::optional<Location> loc, StringRef name,
                               int64_t axis, RankedTensorType tile) {
  if (axis >= 0 && axis < tile.getRank())
    return success();
  return emitOptionalError(loc, "'", name, "' op axis ", axis,
                           " is not a dimension of ", tile);
}

//===----------------------------------------------------------------------===//
// ReduceOp
//===----------------------------------------------------------------------===//

void triton::ReduceOp::build(OpBuilder &builder, OperationState &state,
                             ValueRange srcs, int axis) {
  state.addOperands(srcs);
  state.getOrAddProperties<Properties>().axis = builder.getI32IntegerAttr(axis);
  state.addRegion();
  for (Value src : srcs) {
    auto tile = cast<RankedTensorType>(src.getType());
    SmallVector<int64_t> shape(tile.getShape());
    shape.erase(shape.begin() + axis);
    state.addTypes(shape.empty() ? tile.getElementType()
                                 : Type(tile.clone(shape)));
  }
}

LogicalResult triton::ReduceOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> loc, ValueRange operands,
    DictionaryAttr attributes, OpaqueProperties properties, RegionRange regions,
    SmallVectorImpl<Type> &types) {
  int64_t axis = properties.as<Properties *>()->axis.getInt();
  for (Value operand : operands) {
    auto tile = cast<RankedTensorType>(operand.getType());
    if (failed(checkAxis(loc, getOperationName(), axis, tile)))
      return failure();
    SmallVector<int64_t> shape(tile.getShape());
    shape.erase(shape.begin() + axis);
    types.push_back(shape.empty() ? tile.getElementType()
                                  : Type(tile.clone(shape)));
  }
  return success();
}

LogicalResult triton::ReduceOp::verify() {
  return verifySources(*this, getSrcs());
}

LogicalResult triton::ReduceOp::verifyRegions() {
  return verifyCombineBody<ReduceReturnOp>(*this, getCombineOp(),
                                           getElementTypes());
}

SmallVector<RankedTensorType> triton::ReduceOp::getInputTypes() {
  return llvm::map_to_vector(getSrcs().getTypes(),
                             llvm::CastTo<RankedTensorType>);
}

SmallVector<Type> triton::ReduceOp::getElementTypes() {
  return elementTypes(getSrcs().getTypes());
}

Operation *triton::ReduceOp::getSingleCombiner() {
  Block &body = getCombineOp().front();
  if (getSrcs().size() != 1 || !llvm::hasNItems(body, 2))
    return nullptr;
  Operation &combiner = body.front();
  Operation *terminator = body.getTerminator();
  if (combiner.getNumOperands() != 2 || combiner.getNumResults() != 1 ||
      terminator->getOperand(0) != combiner.getResult(0))
    return nullptr;
  Value lhs = body.getArgument(0), rhs = body.getArgument(1);
  Value first = combiner.getOperand(0), second = combiner.getOperand(1);
  bool usesBoth =
      (first == lhs && second == rhs) || (first == rhs && second == lhs);
  return usesBoth ? &combiner : nullptr;
}

//===----------------------------------------------------------------------===//
// ScanOp
//===----------------------------------------------------------------------===//

void triton::ScanOp::build(OpBuilder &builder, OperationState &state,
                           ValueRange srcs, int axis, bool reverse) {
  state.addOperands(srcs);
  auto &properties = state.getOrAddProperties<Properties>();
  properties.axis = builder.getI32IntegerAttr(axis);
  properties.reverse = builder.getBoolAttr(reverse);
  state.addRegion();
  state.addTypes(srcs.getTypes());
}

LogicalResult triton::ScanOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> loc, ValueRange operands,
    DictionaryAttr attributes, OpaqueProperties properties, RegionRange regions,
    SmallVectorImpl<Type> &types) {
  llvm::append_range(types, operands.getTypes());
  return success();
}

LogicalResult triton::ScanOp::verify() {
  if (failed(verifySources(*this, getSrcs())))
    return failure();
  return checkAxis(getLoc(), getOperationName(), getAxisAttr().getInt(),
                   getInputTypes().front());
}

LogicalResult triton::ScanOp::verifyRegions() {
  return verifyCombineBody<ScanReturnOp>(*this, getCombineOp(),
                                         getElementTypes());
}

SmallVector<RankedTensorType> triton::ScanOp::getInputTypes() {
  return llvm::map_to_vector(getSrcs().getTypes(),
                             llvm::CastTo<RankedTensorType>);
}

SmallVector<Type> triton::ScanOp::getElementTypes() {
  return elementTypes(getSrcs().getTypes());
}

//===----------------------------------------------------------------------===//
// MapElementwiseOp
//===----------------------------------------------------------------------===//

/// The scalars of `pack` elements of every tile, tile by tile.
static SmallVector<Type> packedTypes(TypeRange tiles, int64_t pack) {
  SmallVector<Type> types;
  for (Type element : elementTypes(tiles))
    types.append(pack, element);
  return types;
}

LogicalResult MapElementwiseOp::verify() {
  if (failed(verifySources(*this, getSrcs())))
    return failure();
  auto first = cast<RankedTensorType>(getSrcs().front().getType());
  int64_t pack = getPackAttr().getInt();
  if (pack <= 0 || first.getNumElements() % pack != 0)
    return emitOpError() << "expects a pack that divides the "
                         << first.getNumElements() << " elements of a source, "
                         << "got " << pack;
  for (Type type : getResultTypes())
    if (cast<RankedTensorType>(type).getShape() != first.getShape())
      return emitOpError() << "expects results of the sources' shape, got "
                           << type << " for " << first;
  return success();
}

LogicalResult MapElementwiseOp::verifyRegions() {
  int64_t pack = getPackAttr().getInt();
  if (getScalarOp().empty())
    return emitOpError() << "expects a body";
  if (failed(verifyBodyTypes(*this, "arguments",
                             getScalarOp().getArgumentTypes(),
                             packedTypes(getSrcs().getTypes(), pack))))
    return failure();
  SmallVector<Type> expected = packedTypes(getResultTypes(), pack);
  for (Block &block : getScalarOp())
    if (auto end = dyn_cast<MapElementwiseReturnOp>(block.getTerminator()))
      if (failed(verifyBodyTypes(*this, "results", end.getOperandTypes(),
                                 expected)))
        return failure();
  return success();
}
