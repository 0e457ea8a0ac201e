//===- Helpers.cpp - small building blocks of spine-lower-tiles -----------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::spine;

static unsigned bitsOf(Type type) {
  return type.isIntOrFloat() ? type.getIntOrFloatBitWidth() : 64;
}

int64_t VectorTarget::lanesOf(Type type) const {
  return std::max<int64_t>(1, vectorBits / std::max(8u, bitsOf(type)));
}

int64_t Buffer::numElements() const {
  return ShapedType::getNumElements(shape);
}

bool Lowering::fail(Operation *op, const Twine &message) {
  if (!hasFailed)
    op->emitError(message);
  hasFailed = true;
  return false;
}

namespace {
/// What a signed number is at least and at most.
struct Bounds {
  int64_t low, high;
};
} // namespace

/// Block pointers come with offsets and extents that are clamped already; what
/// is known from that need not be clamped again for each access.
static Bounds boundsOf(Value value, unsigned depth = 6) {
  unsigned bits = bitsOf(value.getType());
  Bounds all{llvm::minIntN(bits), llvm::maxIntN(bits)};
  if (auto number = constantOf(value))
    return {*number, *number};
  Operation *op = value.getDefiningOp();
  if (!op || depth == 0)
    return all;
  auto operand = [&](unsigned i) {
    return boundsOf(op->getOperand(i), depth - 1);
  };
  if (isa<arith::ExtSIOp>(op))
    return operand(0);
  if (isa<arith::TruncIOp>(op)) {
    Bounds from = operand(0);
    return all.low <= from.low && from.high <= all.high ? from : all;
  }
  if (!isa<arith::MinSIOp, arith::MaxSIOp>(op))
    return all;
  Bounds l = operand(0), r = operand(1);
  if (isa<arith::MinSIOp>(op))
    return {std::min(l.low, r.low), std::min(l.high, r.high)};
  return {std::max(l.low, r.low), std::max(l.high, r.high)};
}

/// Constants stand at the head of the function, one for each number, so that
/// equal indices are the same value.
Value Lowering::constant(int64_t value, Location loc) {
  Value &entry = constants[value];
  if (!entry) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&function.getBody().front());
    entry = arith::ConstantOp::create(b, function.getLoc(),
                                      b.getI64IntegerAttr(value));
  }
  return entry;
}

Value Lowering::addI(Value lhs, Value rhs, Location loc) {
  auto l = constantOf(lhs), r = constantOf(rhs);
  if (l && r)
    return constant(*l + *r, loc);
  if (l && *l == 0)
    return rhs;
  if (r && *r == 0)
    return lhs;
  return arith::AddIOp::create(b, loc, lhs, rhs);
}

Value Lowering::mulI(Value lhs, Value rhs, Location loc) {
  auto l = constantOf(lhs), r = constantOf(rhs);
  if (l && r)
    return constant(*l * *r, loc);
  if ((l && *l == 0) || (r && *r == 1))
    return lhs;
  if ((r && *r == 0) || (l && *l == 1))
    return rhs;
  return arith::MulIOp::create(b, loc, lhs, rhs);
}

Value Lowering::subI(Value lhs, Value rhs, Location loc) {
  auto l = constantOf(lhs), r = constantOf(rhs);
  if (l && r)
    return constant(*l - *r, loc);
  if (r && *r == 0)
    return lhs;
  return arith::SubIOp::create(b, loc, lhs, rhs);
}

Value Lowering::minI(Value lhs, Value rhs, Location loc) {
  Bounds l = boundsOf(lhs), r = boundsOf(rhs);
  if (l.high <= r.low)
    return lhs;
  if (r.high <= l.low)
    return rhs;
  return arith::MinSIOp::create(b, loc, lhs, rhs);
}

Value Lowering::maxI(Value lhs, Value rhs, Location loc) {
  Bounds l = boundsOf(lhs), r = boundsOf(rhs);
  if (l.low >= r.high)
    return lhs;
  if (r.low >= l.high)
    return rhs;
  return arith::MaxSIOp::create(b, loc, lhs, rhs);
}

/// Null stands for "true".
Value Lowering::andI(Value lhs, Value rhs, Location loc) {
  if (!lhs || !rhs)
    return lhs ? lhs : rhs;
  return arith::AndIOp::create(b, loc, lhs, rhs);
}

Value Lowering::toI64(Value value, Location loc) {
  Type type = value.getType();
  if (type.isInteger(64))
    return value;
  if (auto number = constantOf(value))
    return constant(*number, loc);
  if (type.isIndex())
    return arith::IndexCastOp::create(b, loc, b.getI64Type(), value);
  return arith::ExtSIOp::create(b, loc, b.getI64Type(), value);
}

Value Lowering::zeroOf(Type type, Location loc) {
  return arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
}

Value Lowering::iota(int64_t lanes, Type elementType, Location loc) {
  auto type = VectorType::get({lanes}, elementType);
  SmallVector<Attribute> values;
  for (int64_t i = 0; i < lanes; ++i)
    values.push_back(b.getIntegerAttr(elementType, i));
  return arith::ConstantOp::create(b, loc,
                                   DenseElementsAttr::get(type, values));
}

Value Lowering::broadcast(Value scalar, int64_t lanes, Location loc) {
  auto type = VectorType::get({lanes}, scalar.getType());
  return vector::BroadcastOp::create(b, loc, type, scalar);
}

Value Lowering::shaped(Value value, const Point &point, Location loc) {
  if (!point.isVector() || isa<VectorType>(value.getType()))
    return value;
  return broadcast(value, point.lanes, loc);
}

Value Lowering::elementAddress(Value base, Value index, Type elementType,
                               Location loc) {
  if (auto number = constantOf(index))
    if (*number == 0)
      return base;
  return LLVM::GEPOp::create(b, loc, base.getType(), elementType, base,
                             ArrayRef<LLVM::GEPArg>{index});
}

/// The same address, which LLVM does not know to be made from another one.
Value Lowering::opaqueAddress(Value address, Location loc) {
  return LLVM::LaunderInvariantGroupOp::create(b, loc, address.getType(),
                                               address);
}

Value Lowering::load(Type type, Value address, Location loc) {
  return LLVM::LoadOp::create(b, loc, type, address, byteWidth(type));
}

void Lowering::store(Value value, Value address, Location loc) {
  LLVM::StoreOp::create(b, loc, value, address, byteWidth(value.getType()));
}

/// Memory holds an i1 as a byte.
Value Lowering::fromMemory(Value value, Type elementType, Location loc) {
  if (!elementType.isInteger(1))
    return value;
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, value,
                               zeroOf(value.getType(), loc));
}

Value Lowering::toMemory(Value value, Location loc) {
  if (!getElementTypeOrSelf(value.getType()).isInteger(1))
    return value;
  return arith::ExtUIOp::create(
      b, loc, withElement(value.getType(), b.getI8Type()), value);
}

/// Value-preserving conversion between the types of a product's operands and
/// its accumulator.
Value Lowering::castElements(Value value, Type elementType, Location loc) {
  Type from = getElementTypeOrSelf(value.getType());
  if (from == elementType)
    return value;
  Type to = withElement(value.getType(), elementType);
  if (isa<FloatType>(elementType)) {
    if (bitsOf(elementType) > bitsOf(from))
      return arith::ExtFOp::create(b, loc, to, value);
    return arith::TruncFOp::create(b, loc, to, value);
  }
  if (bitsOf(elementType) > bitsOf(from))
    return arith::ExtSIOp::create(b, loc, to, value);
  return arith::TruncIOp::create(b, loc, to, value);
}

Value Lowering::lowered(Value scalar) {
  Value value = scalars.lookupOrNull(scalar);
  if (value)
    return value;
  // An operation whose lowering failed; the error is out already.
  hasFailed = true;
  return ub::PoisonOp::create(b, scalar.getLoc(),
                              loweredScalarType(scalar.getType()));
}

Type Lowering::loweredScalarType(Type type) {
  if (isa<triton::PointerType>(type))
    return LLVM::LLVMPointerType::get(b.getContext());
  return type;
}

/// The condition, with the hint that it holds more often than not.
Value Lowering::likely(Value condition, Location loc) {
  APInt known;
  if (!condition || matchPattern(condition, m_ConstantInt(&known)))
    return condition;
  Value holds = arith::ConstantOp::create(b, loc, b.getBoolAttr(true));
  return LLVM::ExpectOp::create(b, loc, condition, holds);
}

/// `then()` if `condition` holds (null: always), else `otherwise()`.
Value Lowering::choose(Value condition, Type type, Location loc,
                       function_ref<Value()> then,
                       function_ref<Value()> otherwise) {
  return chooseAll(
             condition, type, loc, [&] { return SmallVector<Value>{then()}; },
             [&] { return SmallVector<Value>{otherwise()}; })
      .front();
}

SmallVector<Value>
Lowering::chooseAll(Value condition, TypeRange types, Location loc,
                    function_ref<SmallVector<Value>()> then,
                    function_ref<SmallVector<Value>()> otherwise) {
  if (!condition)
    return then();
  auto branch =
      scf::IfOp::create(b, loc, types, condition, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  SmallVector<Value> values = then();
  scf::YieldOp::create(b, loc, values);
  b.setInsertionPointToStart(branch.elseBlock());
  values = otherwise();
  scf::YieldOp::create(b, loc, values);
  return SmallVector<Value>(branch.getResults());
}

/// Runs `then` if `condition` holds (null: always), else `otherwise` if given.
void Lowering::doIf(Value condition, Location loc, function_ref<void()> then,
                    function_ref<void()> otherwise) {
  if (!condition)
    return then();
  auto branch = scf::IfOp::create(b, loc, condition,
                                  /*withElseRegion=*/bool(otherwise));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(branch.thenBlock()->getTerminator());
  then();
  if (!otherwise)
    return;
  b.setInsertionPoint(branch.elseBlock()->getTerminator());
  otherwise();
}

/// A mask of lanes that are all on.
Value Lowering::fullMask(int64_t lanes, Location loc) {
  auto type = VectorType::get({lanes}, b.getI1Type());
  return arith::ConstantOp::create(b, loc, DenseElementsAttr::get(type, true));
}
