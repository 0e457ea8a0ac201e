//===- DescriptorOps.cpp - tensor descriptors -----------------------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "triton/Dialect/Triton/IR/Dialect.h"

using namespace mlir;
using namespace mlir::triton;

//===----------------------------------------------------------------------===//
// MakeTensorDescOp
//===----------------------------------------------------------------------===//

void MakeTensorDescOp::build(OpBuilder &builder, OperationState &state,
                             Value base, ValueRange shape, ValueRange strides,
                             ArrayRef<int32_t> blockShape, bool isSignedInteger,
                             PaddingOption padding) {
  Type element = cast<PointerType>(base.getType()).getPointeeType();
  auto integer = dyn_cast<IntegerType>(element);
  if (integer && integer.getWidth() > 1)
    element = IntegerType::get(builder.getContext(), integer.getWidth(),
                               isSignedInteger ? IntegerType::Signed
                                               : IntegerType::Unsigned);
  SmallVector<int64_t> block(blockShape.begin(), blockShape.end());
  auto type = TensorDescType::get(RankedTensorType::get(block, element));
  build(builder, state, type, base, shape, strides, padding);
}

ParseResult MakeTensorDescOp::parse(OpAsmParser &parser,
                                    OperationState &result) {
  OpAsmParser::UnresolvedOperand base;
  SmallVector<OpAsmParser::UnresolvedOperand> shape, strides;
  PointerType baseType;
  TensorDescType type;
  if (parser.parseOperand(base) || parser.parseComma())
    return failure();
  SMLoc shapeLoc = parser.getCurrentLocation();
  if (parser.parseOperandList(shape, OpAsmParser::Delimiter::Square) ||
      parser.parseComma())
    return failure();
  SMLoc stridesLoc = parser.getCurrentLocation();
  if (parser.parseOperandList(strides, OpAsmParser::Delimiter::Square) ||
      parser.parseOptionalAttrDict(result.attributes) || parser.parseColon() ||
      parser.parseCustomTypeWithFallback(baseType) || parser.parseComma() ||
      parser.parseCustomTypeWithFallback(type))
    return failure();

  // Of two lists of different lengths the operation could not tell which
  // operand is in which.
  int64_t rank = type.getBlockType().getRank();
  if (static_cast<int64_t>(shape.size()) != rank)
    return parser.emitError(shapeLoc)
           << "expects " << rank << " extents for block " << type.getBlockType()
           << ", got " << shape.size();
  if (static_cast<int64_t>(strides.size()) != rank)
    return parser.emitError(stridesLoc)
           << "expects " << rank << " strides for block " << type.getBlockType()
           << ", got " << strides.size();
  Builder &builder = parser.getBuilder();
  result.addTypes(type);
  return failure(
      parser.resolveOperand(base, baseType, result.operands) ||
      parser.resolveOperands(shape, builder.getI32Type(), result.operands) ||
      parser.resolveOperands(strides, builder.getI64Type(), result.operands));
}

void MakeTensorDescOp::print(OpAsmPrinter &printer) {
  printer << " " << getBase() << ", [" << getShape() << "], [" << getStrides()
          << "]";
  SmallVector<StringRef> elided;
  if (getPadding() == PaddingOption::PAD_ZERO)
    elided.push_back(getPaddingAttrName());
  printer.printOptionalAttrDict((*this)->getAttrs(), elided);
  printer << " : ";
  printer.printStrippedAttrOrType(cast<PointerType>(getBase().getType()));
  printer << ", ";
  printer.printStrippedAttrOrType(getType());
}

LogicalResult MakeTensorDescOp::verify() {
  RankedTensorType block = getType().getSignlessBlockType();
  if (getNumOperands() != 1 + 2 * block.getRank())
    return emitOpError() << "expects an extent and a stride for each dimension "
                            "of block "
                         << block << ", got " << getNumOperands() - 1
                         << " operands beside the base";
  Type pointee = cast<PointerType>(getBase().getType()).getPointeeType();
  if (pointee != block.getElementType())
    return emitOpError() << "base points to " << pointee
                         << ", but elements of the block are of type "
                         << block.getElementType();
  if (getPadding() == PaddingOption::PAD_NAN && !isa<FloatType>(pointee))
    return emitOpError() << "padding with NaN needs floating-point elements, "
                            "got "
                         << pointee;
  return success();
}

//===----------------------------------------------------------------------===//
// Loads and stores
//===----------------------------------------------------------------------===//

/// Verifies an access of `tile` through a descriptor with `indices`.
static LogicalResult verifyAccess(Operation *op, TensorDescType descriptor,
                                  ValueRange indices, RankedTensorType tile) {
  RankedTensorType block = descriptor.getSignlessBlockType();
  int64_t rank = block.getRank();
  if (static_cast<int64_t>(indices.size()) != rank)
    return op->emitOpError() << "expects " << rank << " indices for block "
                             << block << ", got " << indices.size();
  ArrayRef<int64_t> shape = block.getShape();
  int64_t dropped = rank - tile.getRank();
  bool dropsUnits =
      dropped >= 0 && llvm::all_of(shape.take_front(dropped),
                                   [](int64_t size) { return size == 1; });
  if (dropsUnits && shape.drop_front(dropped) == tile.getShape() &&
      block.getElementType() == tile.getElementType())
    return success();
  return op->emitOpError() << "expects a tile of type " << block
                           << ", at most without leading dimensions of size "
                              "1, got "
                           << tile;
}

LogicalResult DescriptorLoadOp::verify() {
  return verifyAccess(*this, getDesc().getType(), getIndices(), getType());
}

LogicalResult DescriptorStoreOp::verify() {
  return verifyAccess(*this, getDesc().getType(), getIndices(),
                      getSrc().getType());
}

LogicalResult DescriptorReduceOp::verify() {
  if (failed(verifyAccess(*this, getDesc().getType(), getIndices(),
                          getSrc().getType())))
    return failure();
  Type element = getSrc().getType().getElementType();
  DescriptorReduceKind kind = getKind();
  bool takesFloat = kind == DescriptorReduceKind::ADD ||
                    kind == DescriptorReduceKind::MIN ||
                    kind == DescriptorReduceKind::MAX;
  if (isa<IntegerType>(element) || takesFloat)
    return success();
  return emitOpError() << stringifyDescriptorReduceKind(kind)
                       << " needs integer elements, got " << element;
}

/// Verifies an access of `tile` whose rows are chosen by `rows`.
static LogicalResult verifyRowAccess(Operation *op, TensorDescType descriptor,
                                     RankedTensorType rows,
                                     RankedTensorType tile) {
  RankedTensorType block = descriptor.getSignlessBlockType();
  if (block.getRank() != 2 || block.getDimSize(0) != 1)
    return op->emitOpError() << "expects a descriptor whose block is one row, "
                                "got "
                             << block;
  if (rows.getRank() != 1)
    return op->emitOpError()
           << "expects row indices of one dimension, got " << rows;
  auto expected = RankedTensorType::get(
      {rows.getDimSize(0), block.getDimSize(1)}, block.getElementType());
  if (tile != expected)
    return op->emitOpError()
           << "expects a tile of type " << expected << ", got " << tile;
  return success();
}

LogicalResult DescriptorGatherOp::verify() {
  return verifyRowAccess(*this, getDesc().getType(), getXOffsets().getType(),
                         getType());
}

LogicalResult DescriptorScatterOp::verify() {
  return verifyRowAccess(*this, getDesc().getType(), getXOffsets().getType(),
                         getSrc().getType());
}
