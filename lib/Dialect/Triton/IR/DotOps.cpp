//===- DotOps.cpp - matrix products ---------------------------------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "triton/Dialect/Triton/IR/Dialect.h"

using namespace mlir;
using namespace mlir::triton;

/// Sizes of the reduction dimension, and of an operand's other one, when
/// elements may be packed in twos.
namespace {
struct Extent {
  int64_t outer;
  int64_t reduction;
};
} // namespace

/// Verifies the ranks of a product's types and that they have one batch size.
static LogicalResult verifyRanks(Operation *op, RankedTensorType a,
                                 RankedTensorType b, RankedTensorType c) {
  int64_t rank = c.getRank();
  if ((rank != 2 && rank != 3) || a.getRank() != rank || b.getRank() != rank)
    return op->emitOpError()
           << "expects operands that all have 2 or all have 3 dimensions, got "
           << a << ", " << b << " and " << c;
  if (rank == 3 && (a.getDimSize(0) != c.getDimSize(0) ||
                    b.getDimSize(0) != c.getDimSize(0)))
    return op->emitOpError() << "expects operands of one batch size, got " << a
                             << ", " << b << " and " << c;
  return success();
}

/// Verifies that `lhs` (M x K) times `rhs` (N x K) gives the shape of `c`.
static LogicalResult verifyProduct(Operation *op, Extent lhs, Extent rhs,
                                   RankedTensorType c) {
  if (lhs.reduction != rhs.reduction)
    return op->emitOpError()
           << "expects one size of the reduction dimension, got "
           << lhs.reduction << " in the left and " << rhs.reduction
           << " in the right operand";
  ArrayRef<int64_t> shape = c.getShape().take_back(2);
  if (shape[0] != lhs.outer || shape[1] != rhs.outer)
    return op->emitOpError()
           << "expects an accumulator of " << lhs.outer << " rows and "
           << rhs.outer << " columns, got " << c;
  return success();
}

//===----------------------------------------------------------------------===//
// DotOp
//===----------------------------------------------------------------------===//

/// Verifies that elements of `a` and `b` can be multiplied and summed up in
/// elements of `c`.
static LogicalResult verifyDotElements(DotOp op, Type a, Type b, Type c) {
  bool isFloat = isa<FloatType>(a);
  if (isFloat != isa<FloatType>(b) ||
      a.getIntOrFloatBitWidth() != b.getIntOrFloatBitWidth())
    return op.emitOpError() << "expects operands of one kind and width, got "
                            << a << " and " << b << " elements";
  if (isFloat != isa<FloatType>(c) ||
      c.getIntOrFloatBitWidth() < a.getIntOrFloatBitWidth())
    return op.emitOpError()
           << "cannot accumulate products of " << a << " elements in " << c;
  return success();
}

LogicalResult DotOp::verify() {
  auto a = cast<RankedTensorType>(getA().getType());
  auto b = cast<RankedTensorType>(getB().getType());
  auto c = cast<RankedTensorType>(getC().getType());
  if (failed(verifyRanks(*this, a, b, c)) ||
      failed(verifyDotElements(*this, a.getElementType(), b.getElementType(),
                               c.getElementType())))
    return failure();
  int64_t rank = c.getRank();
  Extent lhs{a.getDimSize(rank - 2), a.getDimSize(rank - 1)};
  Extent rhs{b.getDimSize(rank - 1), b.getDimSize(rank - 2)};
  return verifyProduct(*this, lhs, rhs, c);
}

//===----------------------------------------------------------------------===//
// DotScaledOp
//===----------------------------------------------------------------------===//

/// Verifies that the type of an operand of a scaled dot can hold `format`.
static LogicalResult verifyFormat(DotScaledOp op, StringRef side,
                                  RankedTensorType type,
                                  ScaleDotElemType format) {
  Type element = type.getElementType();
  bool fits = false;
  switch (format) {
  case ScaleDotElemType::E4M3:
    fits = isa<Float8E4M3FNType>(element) || element.isInteger(8);
    break;
  case ScaleDotElemType::E5M2:
    fits = isa<Float8E5M2Type>(element) || element.isInteger(8);
    break;
  case ScaleDotElemType::E2M3:
  case ScaleDotElemType::E3M2:
  case ScaleDotElemType::E2M1:
    fits = element.isInteger(8);
    break;
  case ScaleDotElemType::BF16:
    fits = element.isBF16();
    break;
  case ScaleDotElemType::FP16:
    fits = element.isF16();
    break;
  }
  if (fits)
    return success();
  return op.emitOpError() << side << " operand of format "
                          << stringifyScaleDotElemType(format)
                          << " cannot have elements of type " << element;
}

/// Verifies that a scale has one factor for each group of 16 or 32 elements
/// along the reduction dimension of each row.
static LogicalResult verifyScale(DotScaledOp op, StringRef side, Value scale,
                                 Extent extent, int64_t batchRank) {
  if (!scale)
    return success();
  auto type = cast<RankedTensorType>(scale.getType());
  if (type.getRank() == batchRank + 2) {
    int64_t rows = type.getDimSize(batchRank);
    int64_t groups = type.getDimSize(batchRank + 1);
    if (rows == extent.outer &&
        (groups * 16 == extent.reduction || groups * 32 == extent.reduction))
      return success();
  }
  return op.emitOpError() << side << " scale " << type
                          << " does not have one factor per 16 or 32 elements "
                             "of an operand of "
                          << extent.outer << " by " << extent.reduction;
}

LogicalResult DotScaledOp::verify() {
  auto a = cast<RankedTensorType>(getA().getType());
  auto b = cast<RankedTensorType>(getB().getType());
  auto c = cast<RankedTensorType>(getC().getType());
  if (failed(verifyRanks(*this, a, b, c)) ||
      failed(verifyFormat(*this, "left", a, getAElemType())) ||
      failed(verifyFormat(*this, "right", b, getBElemType())))
    return failure();
  int64_t rank = c.getRank();
  Extent lhs{a.getDimSize(rank - 2), a.getDimSize(rank - 1)};
  Extent rhs{b.getDimSize(rank - 1), b.getDimSize(rank - 2)};
  if (getAElemType() == ScaleDotElemType::E2M1)
    (getLhsKPack() ? lhs.reduction : lhs.outer) *= 2;
  if (getBElemType() == ScaleDotElemType::E2M1)
    (getRhsKPack() ? rhs.reduction : rhs.outer) *= 2;
  if (failed(verifyProduct(*this, lhs, rhs, c)) ||
      failed(verifyScale(*this, "left", getAScale(), lhs, rank - 2)))
    return failure();
  return verifyScale(*this, "right", getBScale(), rhs, rank - 2);
}
