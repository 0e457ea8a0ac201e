//===- Types.cpp - questions about types and constants --------------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "Types.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "triton/Dialect/Triton/IR/Dialect.h"

using namespace mlir;

RankedTensorType spine::blockType(Type type) {
  auto pointer = dyn_cast<triton::PointerType>(type);
  return pointer ? dyn_cast<RankedTensorType>(pointer.getPointeeType())
                 : RankedTensorType();
}

unsigned spine::byteWidth(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isIntOrFloat()
             ? std::max(1u, element.getIntOrFloatBitWidth() / 8)
             : 8;
}

Type spine::withElement(Type like, Type element) {
  if (isa<triton::PointerType>(element))
    element = IntegerType::get(element.getContext(), 64);
  if (auto vector = dyn_cast_or_null<VectorType>(like))
    return vector.clone(element);
  return element;
}

std::optional<int64_t> spine::constantOf(Value value) {
  APInt number;
  if (matchPattern(value, m_ConstantInt(&number)))
    return number.getSExtValue();
  return std::nullopt;
}

bool spine::isConstantValue(Value value, int64_t number) {
  return constantOf(value) == number;
}

bool spine::isZeroTile(Value tile) {
  if (auto fill = tile.getDefiningOp<linalg::FillOp>())
    tile = fill.getInputs()[0];
  return matchPattern(tile, m_AnyZeroFloat()) || matchPattern(tile, m_Zero());
}

bool spine::mayTakeOver(Value tile, Operation *user) {
  return tile.hasOneUse() && tile.getParentBlock() == user->getBlock() &&
         !isa_and_nonnull<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(
             tile.getDefiningOp());
}
