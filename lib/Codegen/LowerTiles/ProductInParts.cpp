//===- ProductInParts.cpp - products of fp16 on AMX's tiles ---------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//
//
// Tiles multiply bf16, which has three bits less than fp16 but more exponents.
// So each number of fp16 is the sum of two of bf16: a high part with its first
// eight bits, and a low part with the others. None of this rounds, and nothing
// is so small that tiles treat it as zero.
//
// A row of a left tile has pairs of both parts, and a right one pairs of the
// same high or low part twice, so that an instruction multiplies 16 elements of
// the reduction and two make all four products. Neither operand is interleaved.
//
// Infinity and NaN are their own high parts. They must not be multiplied with a
// zero that is only a part, which would be NaN:
//  - A left low part is zero where there is nothing left, or nothing finite. It
//    is not multiplied with what is not finite: for it, there are zeros in the
//    place of the right high part.
//  - A left high part that is not finite is multiplied with both right parts,
//    so these have the same sign and are never zero unless the number is. If it
//    has no more than eight bits, both are half of it; a low part of infinity
//    is any finite number.
//
// The files that pack operands know nothing of it: they pack fp32, and what
// they have packed is taken apart in its place.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

using namespace mlir;
using namespace mlir::spine;

/// A bf16 is the upper half of a number in fp32.
static constexpr int64_t kHalf = 16;
static constexpr int64_t kUpperHalf = -(int64_t(1) << kHalf);
/// The highest bit of the exponent.
static constexpr int64_t kLargeBit = int64_t(1) << 30;

bool Lowering::takesParts(linalg::LinalgOp op) {
  auto isF16 = [](Value tile) {
    return getElementTypeOrSelf(tile.getType()).isF16();
  };
  return target.tilesBF16 && llvm::all_of(op.getDpsInputs(), isF16);
}

/// The constant of a type, or of all elements of a vector.
static Value splat(OpBuilder &b, Type type, TypedAttr number, Location loc) {
  if (auto vector = dyn_cast<VectorType>(type))
    number = DenseElementsAttr::get(vector, Attribute(number));
  return arith::ConstantOp::create(b, loc, number);
}

static Value splat(OpBuilder &b, Type type, int64_t value, Location loc) {
  auto number = b.getIntegerAttr(getElementTypeOrSelf(type), value);
  return splat(b, type, cast<TypedAttr>(number), loc);
}

static Value lowerHalf(OpBuilder &b, Value bits, Location loc) {
  return arith::ShRUIOp::create(b, loc, bits,
                                splat(b, bits.getType(), kHalf, loc));
}

Lowering::Parts Lowering::partsOf(Value number, Location loc) {
  Type type = number.getType(), bits = withElement(type, b.getI32Type());
  Value high = arith::AndIOp::create(
      b, loc, arith::BitcastOp::create(b, loc, bits, number),
      splat(b, bits, kUpperHalf, loc));
  // Infinity minus infinity is NaN.
  Value low = arith::SubFOp::create(
      b, loc, number, arith::BitcastOp::create(b, loc, type, high));
  Value isFinite =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::ORD, low, low);
  return {high, low, isFinite};
}

/// A pair of a left number's parts.
Value Lowering::pairOfParts(Value number, Location loc) {
  Parts parts = partsOf(number, loc);
  Type bits = parts.high.getType();
  Value low =
      lowerHalf(b, arith::BitcastOp::create(b, loc, bits, parts.low), loc);
  low = arith::SelectOp::create(b, loc, parts.isFinite, low,
                                splat(b, bits, 0, loc));
  return arith::OrIOp::create(b, loc, parts.high, low);
}

/// What both parts of a left number are multiplied by: a pair of a right
/// number's high parts and one of its low parts.
std::pair<Value, Value> Lowering::pairsOfRight(Value number, Location loc) {
  Parts parts = partsOf(number, loc);
  Type type = number.getType(), bits = parts.high.getType();
  auto select = [&](Value condition, Value then, Value otherwise) {
    return arith::SelectOp::create(b, loc, condition, then, otherwise);
  };
  auto asBits = [&](Value value) {
    return arith::BitcastOp::create(b, loc, bits, value);
  };
  Value isWhole = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ,
                                        parts.low, zeroOf(type, loc));
  Value half = asBits(arith::MulFOp::create(
      b, loc, number, splat(b, type, b.getF32FloatAttr(0.5), loc)));
  Value high = select(isWhole, half, parts.high);
  Value someFinite = arith::AndIOp::create(b, loc, parts.high,
                                           splat(b, bits, ~kLargeBit, loc));
  Value low = select(isWhole, half, asBits(parts.low));
  low = select(parts.isFinite, low, someFinite);
  Value finiteHigh =
      select(parts.isFinite, lowerHalf(b, high, loc), splat(b, bits, 0, loc));
  return {arith::OrIOp::create(b, loc, high, finiteHigh),
          arith::OrIOp::create(b, loc, low, lowerHalf(b, low, loc))};
}

/// The distance if the row is an even one, else zero. Taking numbers apart
/// takes about as long as multiplying, so each of them fetches half of the rows
/// that come next.
Value Lowering::evenRow(Value row, Value distance, Location loc) {
  Value one = constant(1, loc);
  Value mask = subI(arith::AndIOp::create(b, loc, row, one), one, loc);
  return arith::AndIOp::create(b, loc, mask, distance);
}

/// Makes pairs of packed rows of a left operand, up to whole steps.
void Lowering::pairRows(const Buffer &panel, Value rows, Value end,
                        Location loc) {
  int64_t lanes = target.lanesOf(panel.elementType);
  auto vector = VectorType::get({lanes}, panel.elementType);
  Value zero = constant(0, loc);
  buildLoop(loc, zero, rows, 1, [&](Value row) {
    buildLoop(loc, zero, end, lanes, [&](Value k) {
      Value address = bufferAddress(panel, {row, k}, loc);
      store(pairOfParts(load(vector, address, loc), loc), address, loc);
    });
  });
}

/// Makes packed rows of a right operand, up to `end`, rows of pairs of high
/// parts, and behind each of them one of pairs of low parts.
void Lowering::doubleParts(const Buffer &panel, Value end, Location loc) {
  Value columns = constant(panel.shape[1], loc), zero = constant(0, loc);
  auto vector = VectorType::get({panel.shape[1]}, panel.elementType);
  buildLoop(loc, zero, end, 1, [&](Value row) {
    Value address = bufferAddress(panel, {row, zero}, loc);
    auto [high, low] = pairsOfRight(load(vector, address, loc), loc);
    store(high, address, loc);
    store(low, elementAddress(address, columns, panel.elementType, loc), loc);
  });
}
