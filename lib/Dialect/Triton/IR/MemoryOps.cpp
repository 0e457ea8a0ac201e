//===- MemoryOps.cpp - loads, stores, block pointers ----------------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "triton/Dialect/Triton/IR/Dialect.h"

using namespace mlir;
using namespace mlir::triton;

/// The tile that a pointer to a tile points to.
static RankedTensorType getTile(Type pointer) {
  return cast<RankedTensorType>(cast<PointerType>(pointer).getPointeeType());
}

//===----------------------------------------------------------------------===//
// MakeTensorPtrOp
//===----------------------------------------------------------------------===//

void MakeTensorPtrOp::build(OpBuilder &builder, OperationState &state,
                            Value base, ValueRange shape, ValueRange strides,
                            ValueRange offsets, ArrayRef<int32_t> tensorShape,
                            ArrayRef<int32_t> order) {
  auto pointer = cast<PointerType>(base.getType());
  SmallVector<int64_t> tile(tensorShape.begin(), tensorShape.end());
  auto type =
      PointerType::get(RankedTensorType::get(tile, pointer.getPointeeType()),
                       pointer.getAddressSpace());
  build(builder, state, type, base, shape, strides, offsets,
        builder.getDenseI32ArrayAttr(order));
}

namespace {
/// A bracketed list of operands, remembered until their types are known.
struct OperandList {
  StringRef what;
  SMLoc loc;
  SmallVector<OpAsmParser::UnresolvedOperand> operands;

  ParseResult parse(OpAsmParser &parser) {
    loc = parser.getCurrentLocation();
    return parser.parseOperandList(operands, OpAsmParser::Delimiter::Square);
  }

  ParseResult resolve(OpAsmParser &parser, OperationState &result, Type type,
                      RankedTensorType tile) const {
    if (static_cast<int64_t>(operands.size()) != tile.getRank())
      return parser.emitError(loc)
             << "expects " << tile.getRank() << " " << what << " for tile "
             << tile << ", got " << operands.size();
    return parser.resolveOperands(operands, type, result.operands);
  }
};
} // namespace

ParseResult MakeTensorPtrOp::parse(OpAsmParser &parser,
                                   OperationState &result) {
  OpAsmParser::UnresolvedOperand base;
  OperandList shape{"extents", {}, {}}, strides{"strides", {}, {}},
      offsets{"offsets", {}, {}};
  PointerType type;
  if (parser.parseOperand(base) || parser.parseComma() || shape.parse(parser) ||
      parser.parseComma() || strides.parse(parser) || parser.parseComma() ||
      offsets.parse(parser) ||
      parser.parseOptionalAttrDict(result.attributes) || parser.parseColon())
    return failure();
  SMLoc typeLoc = parser.getCurrentLocation();
  if (parser.parseCustomTypeWithFallback(type))
    return failure();
  if (!isTensorPointerType(type))
    return parser.emitError(typeLoc)
           << "expects a pointer to a tile, got " << type;

  RankedTensorType tile = getTile(type);
  Builder &builder = parser.getBuilder();
  Type baseType =
      PointerType::get(tile.getElementType(), type.getAddressSpace());
  result.addTypes(type);
  return failure(parser.resolveOperand(base, baseType, result.operands) ||
                 shape.resolve(parser, result, builder.getI64Type(), tile) ||
                 strides.resolve(parser, result, builder.getI64Type(), tile) ||
                 offsets.resolve(parser, result, builder.getI32Type(), tile));
}

void MakeTensorPtrOp::print(OpAsmPrinter &printer) {
  printer << " " << getBase() << ", [" << getShape() << "], [" << getStrides()
          << "], [" << getOffsets() << "]";
  printer.printOptionalAttrDict((*this)->getAttrs());
  printer << " : ";
  printer.printStrippedAttrOrType(getType());
}

LogicalResult MakeTensorPtrOp::verify() {
  RankedTensorType tile = getTile(getType());
  int64_t rank = tile.getRank();
  if (rank == 0)
    return emitOpError() << "expects a tile with a dimension, got " << tile;
  if (getNumOperands() != 1 + 3 * rank)
    return emitOpError() << "expects an extent, a stride and an offset for "
                            "each dimension of tile "
                         << tile << ", got " << getNumOperands() - 1
                         << " operands beside the base";
  auto base = cast<PointerType>(getBase().getType());
  if (base.getPointeeType() != tile.getElementType())
    return emitOpError() << "base points to " << base.getPointeeType()
                         << ", but elements of the tile are of type "
                         << tile.getElementType();
  if (base.getAddressSpace() != cast<PointerType>(getType()).getAddressSpace())
    return emitOpError() << "base and result are in different address spaces";
  ArrayRef<int32_t> order = getOrder();
  if (static_cast<int64_t>(order.size()) != rank)
    return emitOpError() << "expects an order of " << rank
                         << " dimensions for tile " << tile << ", got ["
                         << order << "]";
  SmallVector<int64_t> order64(order.begin(), order.end());
  if (!isPermutationVector(order64))
    return emitOpError() << "order [" << order
                         << "] is not a permutation of the dimensions 0 to "
                         << rank - 1;
  return success();
}

//===----------------------------------------------------------------------===//
// AdvanceOp
//===----------------------------------------------------------------------===//

LogicalResult AdvanceOp::verify() {
  RankedTensorType tile = getTile(getType());
  if (static_cast<int64_t>(getOffsets().size()) != tile.getRank())
    return emitOpError() << "expects " << tile.getRank() << " offsets for tile "
                         << tile << ", got " << getOffsets().size();
  return success();
}

//===----------------------------------------------------------------------===//
// LoadOp, StoreOp
//===----------------------------------------------------------------------===//

/// Verifies that `boundaryCheck` lists dimensions of what `pointer` points to,
/// each of them once.
static LogicalResult verifyBoundaryCheck(Operation *op, Type pointer,
                                         ArrayRef<int32_t> boundaryCheck) {
  if (boundaryCheck.empty())
    return success();
  if (!isTensorPointerType(pointer))
    return op->emitOpError()
           << "boundaryCheck is for pointers to tiles, got " << pointer;
  RankedTensorType tile = getTile(pointer);
  llvm::SmallDenseSet<int32_t> seen;
  for (int32_t dim : boundaryCheck) {
    if (dim < 0 || dim >= tile.getRank())
      return op->emitOpError() << "boundaryCheck of dimension " << dim
                               << ", which tile " << tile << " does not have";
    if (!seen.insert(dim).second)
      return op->emitOpError()
             << "boundaryCheck has dimension " << dim << " more than once";
  }
  return success();
}

/// Verifies the mask of a load or store of `data` through `pointer`.
static LogicalResult verifyMask(Operation *op, Type pointer, Type data,
                                Value mask) {
  if (!mask)
    return success();
  if (isTensorPointerType(pointer))
    return op->emitOpError() << "takes no mask with a pointer to a tile: use "
                                "boundaryCheck";
  if (mask.getType() != getI1SameShape(data))
    return op->emitOpError()
           << "expects a mask of type " << getI1SameShape(data) << ", got "
           << mask.getType();
  return success();
}

LogicalResult triton::LoadOp::verify() {
  Type pointer = getPtr().getType(), data = getType();
  if (failed(verifyBoundaryCheck(*this, pointer, getBoundaryCheck())) ||
      failed(verifyMask(*this, pointer, data, getMask())))
    return failure();
  if (getOther() && !getMask())
    return emitOpError() << "has a value for masked elements but no mask";
  if (getOther() && getOther().getType() != data)
    return emitOpError() << "expects a value of type " << data
                         << " for masked elements, got "
                         << getOther().getType();
  if (!getPadding())
    return success();
  if (!isTensorPointerType(pointer))
    return emitOpError() << "padding is for pointers to tiles, got " << pointer;
  Type element = getElementTypeOrSelf(data);
  if (*getPadding() == PaddingOption::PAD_NAN && !isa<FloatType>(element))
    return emitOpError() << "padding with NaN needs floating-point elements, "
                            "got "
                         << element;
  return success();
}

void triton::LoadOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &getPtrMutable(),
                       GlobalMemory::get());
  // A volatile access must neither vanish nor be repeated.
  if (getIsVolatile())
    effects.emplace_back(MemoryEffects::Write::get(), &getPtrMutable(),
                         GlobalMemory::get());
}

LogicalResult triton::StoreOp::verify() {
  Type pointer = getPtr().getType(), data = getPointeeType(pointer);
  if (getValue().getType() != data)
    return emitOpError() << "expects a value of type " << data << ", got "
                         << getValue().getType();
  if (failed(verifyBoundaryCheck(*this, pointer, getBoundaryCheck())))
    return failure();
  return verifyMask(*this, pointer, data, getMask());
}

void triton::StoreOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  effects.emplace_back(MemoryEffects::Write::get(), &getPtrMutable(),
                       GlobalMemory::get());
}

void triton::LoadOp::build(OpBuilder &builder, OperationState &state, Value ptr,
                           Value mask, Value other,
                           ArrayRef<int32_t> boundaryCheck,
                           std::optional<PaddingOption> padding,
                           CacheModifier cache, EvictionPolicy evict,
                           bool isVolatile) {
  PaddingOptionAttr paddingAttr;
  if (padding)
    paddingAttr = PaddingOptionAttr::get(builder.getContext(), *padding);
  build(builder, state, getPointeeType(ptr.getType()), ptr, mask, other,
        builder.getDenseI32ArrayAttr(boundaryCheck), paddingAttr,
        CacheModifierAttr::get(builder.getContext(), cache),
        EvictionPolicyAttr::get(builder.getContext(), evict),
        builder.getBoolAttr(isVolatile));
}

void triton::LoadOp::build(OpBuilder &builder, OperationState &state, Value ptr,
                           CacheModifier cache, EvictionPolicy evict,
                           bool isVolatile) {
  build(builder, state, ptr, Value(), Value(), {}, std::nullopt, cache, evict,
        isVolatile);
}

void triton::LoadOp::build(OpBuilder &builder, OperationState &state, Value ptr,
                           ArrayRef<int32_t> boundaryCheck,
                           std::optional<PaddingOption> padding,
                           CacheModifier cache, EvictionPolicy evict,
                           bool isVolatile) {
  build(builder, state, ptr, Value(), Value(), boundaryCheck, padding, cache,
        evict, isVolatile);
}

void triton::LoadOp::build(OpBuilder &builder, OperationState &state, Value ptr,
                           Value mask, CacheModifier cache,
                           EvictionPolicy evict, bool isVolatile) {
  build(builder, state, ptr, mask, Value(), {}, std::nullopt, cache, evict,
        isVolatile);
}

void triton::LoadOp::build(OpBuilder &builder, OperationState &state, Value ptr,
                           Value mask, Value other, CacheModifier cache,
                           EvictionPolicy evict, bool isVolatile) {
  build(builder, state, ptr, mask, other, {}, std::nullopt, cache, evict,
        isVolatile);
}

void triton::StoreOp::build(OpBuilder &builder, OperationState &state,
                            Value ptr, Value value, CacheModifier cache,
                            EvictionPolicy evict) {
  build(builder, state, ptr, value, Value(), ArrayRef<int32_t>(), cache, evict);
}

void triton::StoreOp::build(OpBuilder &builder, OperationState &state,
                            Value ptr, Value value, Value mask,
                            CacheModifier cache, EvictionPolicy evict) {
  build(builder, state, ptr, value, mask, ArrayRef<int32_t>(), cache, evict);
}

void triton::StoreOp::build(OpBuilder &builder, OperationState &state,
                            Value ptr, Value value,
                            ArrayRef<int32_t> boundaryCheck,
                            CacheModifier cache, EvictionPolicy evict) {
  build(builder, state, ptr, value, Value(), boundaryCheck, cache, evict);
}

//===----------------------------------------------------------------------===//
// AtomicRMWOp, AtomicCASOp
//===----------------------------------------------------------------------===//

/// Verifies that `value`, an operand or the result of an atomic operation, has
/// the type of what `pointer` points to.
static LogicalResult verifyAtomicType(Operation *op, StringRef what,
                                      Value value, Value pointer) {
  Type data = getPointeeType(pointer.getType());
  if (value.getType() == data)
    return success();
  return op->emitOpError() << "expects " << what << " of type " << data
                           << ", which the pointer points to, got "
                           << value.getType();
}

LogicalResult triton::AtomicRMWOp::verify() {
  if (failed(verifyAtomicType(*this, "a value", getVal(), getPtr())) ||
      failed(verifyAtomicType(*this, "a result", getResult(), getPtr())) ||
      failed(verifyMask(*this, getPtr().getType(), getType(), getMask())))
    return failure();
  Type element = getElementTypeOrSelf(getType());
  RMWOp kind = getAtomicRmwOp();
  if (kind == RMWOp::XCHG)
    return success();
  bool needsFloat = kind == RMWOp::FADD;
  if (needsFloat ? isa<FloatType>(element) : isa<IntegerType>(element))
    return success();
  return emitOpError() << stringifyRMWOp(kind) << " needs "
                       << (needsFloat ? "floating-point" : "integer")
                       << " elements, got " << element;
}

LogicalResult triton::AtomicCASOp::verify() {
  if (failed(verifyAtomicType(*this, "a value to compare with", getCmp(),
                              getPtr())) ||
      failed(verifyAtomicType(*this, "a new value", getVal(), getPtr())))
    return failure();
  return verifyAtomicType(*this, "a result", getResult(), getPtr());
}
