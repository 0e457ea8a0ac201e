//===- ElementwiseOps.cpp - casts, foreign code, debugging ----------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "triton/Dialect/Triton/IR/Dialect.h"

using namespace mlir;
using namespace mlir::triton;

//===----------------------------------------------------------------------===//
// Casts
//===----------------------------------------------------------------------===//

LogicalResult triton::BitcastOp::verify() {
  Type from = getElementTypeOrSelf(getSrc().getType());
  Type to = getElementTypeOrSelf(getType());
  auto fromPointer = dyn_cast<PointerType>(from);
  auto toPointer = dyn_cast<PointerType>(to);
  if (!fromPointer != !toPointer)
    return emitOpError() << "from " << from << " to " << to
                         << ": between pointers and numbers use tt.ptr_to_int "
                            "or tt.int_to_ptr";
  if (fromPointer) {
    if (fromPointer.getAddressSpace() != toPointer.getAddressSpace())
      return emitOpError() << "from address space "
                           << fromPointer.getAddressSpace() << " to "
                           << toPointer.getAddressSpace()
                           << ": a cast keeps the address space";
    return success();
  }
  if (from.getIntOrFloatBitWidth() != to.getIntOrFloatBitWidth())
    return emitOpError() << "from " << from << " to " << to
                         << ": source and result have different widths";
  return success();
}

LogicalResult FpToFpOp::verify() {
  Type from = getElementTypeOrSelf(getSrc().getType());
  Type to = getElementTypeOrSelf(getType());
  bool narrows = from.getIntOrFloatBitWidth() > to.getIntOrFloatBitWidth();
  if (narrows && !getRounding())
    return emitOpError() << "from " << from << " to " << to
                         << " needs a rounding mode";
  if (!narrows && getRounding())
    return emitOpError() << "from " << from << " to " << to
                         << " does not round: a rounding mode is for narrower "
                            "results only";
  return success();
}

//===----------------------------------------------------------------------===//
// Foreign code
//===----------------------------------------------------------------------===//

/// What code of which nothing is known may do to memory.
static void addUnknownEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  effects.emplace_back(MemoryEffects::Write::get());
  effects.emplace_back(MemoryEffects::Read::get());
}

void ExternElementwiseOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  if (!getPure())
    addUnknownEffects(effects);
}

Speculation::Speculatability ExternElementwiseOp::getSpeculatability() {
  return getPure() ? Speculation::Speculatable : Speculation::NotSpeculatable;
}

LogicalResult ElementwiseInlineAsmOp::verify() {
  if (getNumResults() == 0)
    return emitOpError() << "expects at least one result";
  int64_t packed = getPackedElementAttr().getInt();
  if (packed <= 0)
    return emitOpError() << "expects a positive packed_element, got " << packed;
  return success();
}

void ElementwiseInlineAsmOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  if (!getPure())
    addUnknownEffects(effects);
}

Speculation::Speculatability ElementwiseInlineAsmOp::getSpeculatability() {
  return getPure() ? Speculation::Speculatable : Speculation::NotSpeculatable;
}

//===----------------------------------------------------------------------===//
// PrintOp
//===----------------------------------------------------------------------===//

LogicalResult triton::PrintOp::verify() {
  if (getIsSigned().size() != getArgs().size())
    return emitOpError() << "expects one entry of isSigned per operand, got "
                         << getIsSigned().size() << " for " << getArgs().size()
                         << " operands";
  return success();
}
