//===- SubTile.cpp - operations on one part of an axis --------------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "SubTile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::spine;

//===----------------------------------------------------------------------===//
// Tiles that are made of scalars
//===----------------------------------------------------------------------===//

Type SubTileEmitter::cut(Type type, const Dims &dims) const {
  auto tile = getTileType(type);
  if (!tile || dims.none())
    return type;
  SmallVector<int64_t> shape(tile.getShape());
  for (unsigned dim : dims.set_bits())
    shape[dim] = size;
  auto smaller = RankedTensorType::get(shape, tile.getElementType());
  if (auto pointer = dyn_cast<triton::PointerType>(type))
    return triton::PointerType::get(smaller, pointer.getAddressSpace());
  return smaller;
}

Value SubTileEmitter::makeRange(triton::MakeRangeOp op, Type type) {
  Location loc = op.getLoc();
  Value range = triton::MakeRangeOp::create(
      builder, loc, type, op.getStartAttr(),
      builder.getI32IntegerAttr(op.getStartAttr().getInt() + size));
  Value shift = triton::SplatOp::create(builder, loc, type, offset);
  return arith::AddIOp::create(builder, loc, range, shift);
}

/// The same tensor, the tile further on: extents still say what is inside.
Value SubTileEmitter::makePointer(triton::MakeTensorPtrOp op,
                                  const Dims &dims) {
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(mapping.lookupOrDefault(operand));
  unsigned first = operands.size() - dims.size();
  for (unsigned dim : dims.set_bits())
    operands[first + dim] = arith::AddIOp::create(
        builder, op.getLoc(), operands[first + dim], offset);
  Operation *pointer = copy(op, operands);
  pointer->getResult(0).setType(cut(op.getType(), dims));
  return pointer->getResult(0);
}

/// Which dimensions of operand `type` are cut if `dims` of the result are.
static llvm::SmallBitVector getDimsOfOperand(Operation *op,
                                             RankedTensorType type,
                                             const llvm::SmallBitVector &dims) {
  llvm::SmallBitVector operandDims(type.getRank());
  for (unsigned dim : dims.set_bits()) {
    if (auto expand = dyn_cast<triton::ExpandDimsOp>(op))
      operandDims.set(dim - (dim > expand.getAxis()));
    else if (auto trans = dyn_cast<triton::TransOp>(op))
      operandDims.set(trans.getOrder()[dim]);
    else if (!isa<triton::BroadcastOp>(op) || type.getDimSize(dim) != 1)
      operandDims.set(dim);
  }
  return operandDims;
}

Value SubTileEmitter::makePart(Value value, const Dims &dims) {
  Operation *op = value.getDefiningOp();
  Type type = cut(value.getType(), dims);
  if (auto range = dyn_cast<triton::MakeRangeOp>(op))
    return makeRange(range, type);
  if (auto pointer = dyn_cast<triton::MakeTensorPtrOp>(op))
    return makePointer(pointer, dims);
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    auto splat = cast<SplatElementsAttr>(constant.getValue());
    return arith::ConstantOp::create(
        builder, op->getLoc(), splat.resizeSplat(cast<RankedTensorType>(type)));
  }
  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    RankedTensorType tile = getTileType(operand.getType());
    operands.push_back(tile ? getPart(operand, getDimsOfOperand(op, tile, dims))
                            : mapping.lookupOrDefault(operand));
  }
  Operation *made = copy(op, operands);
  made->getResult(0).setType(type);
  return made->getResult(0);
}

Value SubTileEmitter::getPart(Value value, const Dims &dims) {
  if (dims.none() || !isMadeOfScalars(value))
    return mapping.lookupOrDefault(value);
  return makePart(value, dims);
}

Value SubTileEmitter::getOperand(OpOperand &use) {
  return getPart(use.get(), axes.getDims(use, axis));
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

Operation *SubTileEmitter::copy(Operation *op, ArrayRef<Value> operands) {
  Operation *result = op->clone();
  result->setOperands(operands);
  return builder.insert(result);
}

Operation *SubTileEmitter::emit(Operation *op) {
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return emitFor(loop);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return emitIf(branch);
  SmallVector<Value> operands;
  for (OpOperand &use : op->getOpOperands())
    operands.push_back(getOperand(use));
  Operation *result = copy(op, operands);
  for (auto [from, to] : llvm::zip(op->getResults(), result->getResults())) {
    to.setType(cut(from.getType(), axes.getDims(Value(from), axis)));
    mapping.map(from, to);
  }
  return result;
}

/// Copies the operations of a block, those that touch the axis in part.
void SubTileEmitter::emitBody(Block *from, Block *to, ArrayRef<Dims> yielded) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(to);
  for (Operation &op : from->without_terminator()) {
    if (axes.touches(&op, axis))
      emit(&op);
    else
      builder.clone(op, mapping);
  }
  SmallVector<Value> results;
  for (auto [value, dims] :
       llvm::zip(from->getTerminator()->getOperands(), yielded))
    results.push_back(getPart(value, dims));
  scf::YieldOp::create(builder, from->getTerminator()->getLoc(), results);
}

Operation *SubTileEmitter::emitFor(scf::ForOp loop) {
  SmallVector<Dims> dims;
  SmallVector<Value> inits;
  for (auto [argument, init] :
       llvm::zip(loop.getRegionIterArgs(), loop.getInitArgs())) {
    dims.push_back(axes.getDims(Value(argument), axis));
    inits.push_back(getPart(init, dims.back()));
  }
  auto result = scf::ForOp::create(
      builder, loop.getLoc(), mapping.lookupOrDefault(loop.getLowerBound()),
      mapping.lookupOrDefault(loop.getUpperBound()),
      mapping.lookupOrDefault(loop.getStep()), inits,
      /*bodyBuilder=*/[](OpBuilder &, Location, Value, ValueRange) {});
  result->setAttrs(loop->getAttrs());
  mapping.map(loop.getBody()->getArguments(), result.getBody()->getArguments());
  emitBody(loop.getBody(), result.getBody(), dims);
  mapping.map(loop.getResults(), result.getResults());
  return result;
}

Operation *SubTileEmitter::emitIf(scf::IfOp branch) {
  SmallVector<Dims> dims;
  SmallVector<Type> types;
  for (Value value : branch.getResults()) {
    dims.push_back(axes.getDims(value, axis));
    types.push_back(cut(value.getType(), dims.back()));
  }
  auto result = scf::IfOp::create(
      builder, branch.getLoc(), types,
      mapping.lookupOrDefault(branch.getCondition()),
      /*addThenBlock=*/true, /*addElseBlock=*/branch.elseBlock() != nullptr);
  result->setAttrs(branch->getAttrs());
  emitBody(branch.thenBlock(), result.thenBlock(), dims);
  if (branch.elseBlock())
    emitBody(branch.elseBlock(), result.elseBlock(), dims);
  mapping.map(branch.getResults(), result.getResults());
  return result;
}
