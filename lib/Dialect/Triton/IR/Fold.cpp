//===- Fold.cpp - operations whose result is known ------------------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/Matchers.h"
#include "triton/Dialect/Triton/IR/Dialect.h"

using namespace mlir;
using namespace mlir::triton;

/// The splat `value` in the shape of `type`; null if `value` is no splat.
static Attribute resizeSplat(Attribute value, Type type) {
  auto splat = dyn_cast_if_present<SplatElementsAttr>(value);
  return splat ? splat.resizeSplat(cast<ShapedType>(type)) : Attribute();
}

OpFoldResult IntToPtrOp::fold(FoldAdaptor) {
  auto inverse = getSrc().getDefiningOp<PtrToIntOp>();
  if (inverse && inverse.getSrc().getType() == getType())
    return inverse.getSrc();
  return {};
}

OpFoldResult PtrToIntOp::fold(FoldAdaptor) {
  if (auto inverse = getSrc().getDefiningOp<IntToPtrOp>())
    return inverse.getSrc();
  return {};
}

OpFoldResult triton::BitcastOp::fold(FoldAdaptor) {
  if (getSrc().getType() == getType())
    return getSrc();
  auto inner = getSrc().getDefiningOp<triton::BitcastOp>();
  if (inner && inner.getSrc().getType() == getType())
    return inner.getSrc();
  return {};
}

OpFoldResult FpToFpOp::fold(FoldAdaptor adaptor) {
  if (getSrc().getType() == getType())
    return getSrc();
  auto convert = [&](const APFloat &value) {
    bool losesInfo;
    APFloat result = value;
    auto type = cast<FloatType>(getElementTypeOrSelf(getType()));
    auto mode = getRounding() == RoundingMode::RTZ
                    ? APFloat::rmTowardZero
                    : APFloat::rmNearestTiesToEven;
    result.convert(type.getFloatSemantics(), mode, &losesInfo);
    return result;
  };
  // What becomes of infinities and NaN in 8-bit formats is the target's choice.
  if (auto scalar = dyn_cast_if_present<FloatAttr>(adaptor.getSrc()))
    if (APFloat result = convert(scalar.getValue());
        scalar.getValue().isFinite() && result.isFinite())
      return FloatAttr::get(getType(), result);
  if (auto splat = dyn_cast_if_present<SplatElementsAttr>(adaptor.getSrc())) {
    auto value = splat.getSplatValue<APFloat>();
    if (APFloat result = convert(value); value.isFinite() && result.isFinite())
      return DenseElementsAttr::get(cast<ShapedType>(getType()), result);
  }
  return {};
}

OpFoldResult MulhiUIOp::fold(FoldAdaptor) {
  if (matchPattern(getX(), m_Zero()))
    return getX();
  if (matchPattern(getY(), m_Zero()))
    return getY();
  return {};
}

OpFoldResult AddPtrOp::fold(FoldAdaptor) {
  return matchPattern(getOffset(), m_Zero()) ? getPtr() : Value();
}

OpFoldResult AdvanceOp::fold(FoldAdaptor) {
  bool stays = llvm::all_of(getOffsets(), [](Value offset) {
    return matchPattern(offset, m_Zero());
  });
  return stays ? getPtr() : Value();
}

OpFoldResult triton::SplatOp::fold(FoldAdaptor adaptor) {
  if (!isa_and_present<FloatAttr, IntegerAttr>(adaptor.getSrc()))
    return {};
  return SplatElementsAttr::get(cast<ShapedType>(getType()), adaptor.getSrc());
}

OpFoldResult UnsplatOp::fold(FoldAdaptor adaptor) {
  if (auto splat = getSrc().getDefiningOp<triton::SplatOp>())
    return splat.getSrc();
  if (auto value = dyn_cast_if_present<SplatElementsAttr>(adaptor.getSrc()))
    return value.getSplatValue<Attribute>();
  return {};
}

OpFoldResult ExpandDimsOp::fold(FoldAdaptor adaptor) {
  return resizeSplat(adaptor.getSrc(), getType());
}

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  // With allow_reorder the result may have another order; the same is allowed.
  if (getSrc().getType() == getType() && !getEfficientLayout())
    return getSrc();
  return resizeSplat(adaptor.getSrc(), getType());
}

OpFoldResult triton::BroadcastOp::fold(FoldAdaptor adaptor) {
  if (getSrc().getType() == getType())
    return getSrc();
  return resizeSplat(adaptor.getSrc(), getType());
}

OpFoldResult TransOp::fold(FoldAdaptor adaptor) {
  bool identity = true;
  for (auto [position, dim] : llvm::enumerate(getOrder()))
    identity &= static_cast<int64_t>(position) == dim;
  if (identity)
    return getSrc();
  return resizeSplat(adaptor.getSrc(), getType());
}

OpFoldResult MakeRangeOp::fold(FoldAdaptor) {
  auto type = cast<ShapedType>(getType());
  if (type.getNumElements() != 1)
    return {};
  return SplatElementsAttr::get(type, getStartAttr());
}
