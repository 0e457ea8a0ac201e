//===- Elementwise.cpp - scalar operations on scalars and vectors ---------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::spine;

static bool isNarrowFloat(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isBF16() || element.isF16();
}

static bool isPointer(Value value) {
  return isa<LLVM::LLVMPointerType>(value.getType());
}

/// bf16 has no arithmetic in hardware, and the math library none for either
/// 16-bit type: such operations are done in fp32 and rounded once.
static bool computesInF32(Operation *op) {
  if (isa<arith::ExtFOp, arith::TruncFOp, arith::SelectOp, arith::BitcastOp,
          arith::ConstantOp, triton::BitcastOp, triton::FpToFpOp>(op))
    return false;
  SmallVector<Type> types(op->getOperandTypes());
  llvm::append_range(types, op->getResultTypes());
  bool bf16 = llvm::any_of(
      types, [](Type t) { return getElementTypeOrSelf(t).isBF16(); });
  return bf16 || (llvm::any_of(types, isNarrowFloat) &&
                  (isa_and_nonnull<math::MathDialect>(op->getDialect()) ||
                   isa<triton::PreciseDivFOp, triton::PreciseSqrtOp>(op)));
}

/// Triton's arithmetic operations that arith and math have under other names.
/// Null if the operation is none of them.
static Value emitTritonArithmetic(OpBuilder &b, Location loc, Operation *op,
                                  ArrayRef<Value> operands) {
  if (isa<triton::PreciseDivFOp>(op))
    return arith::DivFOp::create(b, loc, operands[0], operands[1]);
  if (isa<triton::PreciseSqrtOp>(op))
    return math::SqrtOp::create(b, loc, operands[0]);
  if (isa<triton::MulhiUIOp>(op))
    return arith::MulUIExtendedOp::create(b, loc, operands[0], operands[1])
        .getHigh();
  auto clamp = dyn_cast<triton::ClampFOp>(op);
  if (!clamp)
    return {};
  if (clamp.getPropagateNan() == triton::PropagateNan::ALL)
    return arith::MinimumFOp::create(
        b, loc, arith::MaximumFOp::create(b, loc, operands[0], operands[1]),
        operands[2]);
  return arith::MinNumFOp::create(
      b, loc, arith::MaxNumFOp::create(b, loc, operands[0], operands[1]),
      operands[2]);
}

Value Lowering::emitAddPtr(triton::AddPtrOp op, Value base, Value offset,
                           Location loc) {
  Type pointee =
      cast<triton::PointerType>(getElementTypeOrSelf(op.getPtr().getType()))
          .getPointeeType();
  if (isPointer(base)) {
    Type inMemory =
        pointee.isInteger(1) ? Type(b.getI8Type()) : loweredScalarType(pointee);
    return LLVM::GEPOp::create(b, loc, base.getType(), inMemory, base,
                               ArrayRef<LLVM::GEPArg>{toI64(offset, loc)});
  }
  Type wide = withElement(base.getType(), b.getI64Type());
  if (offset.getType() != wide)
    offset = arith::ExtSIOp::create(b, loc, wide, offset);
  int64_t bytes = pointee.isIntOrFloat()
                      ? std::max(1u, pointee.getIntOrFloatBitWidth() / 8)
                      : 8;
  Value size = constant(bytes, loc);
  if (auto vector = dyn_cast<VectorType>(wide))
    size = broadcast(size, vector.getDimSize(0), loc);
  return arith::AddIOp::create(b, loc, base,
                               arith::MulIOp::create(b, loc, offset, size));
}

/// Casts between numbers and addresses, and between types of the same width.
/// Null if the operation is none of them.
Value Lowering::emitTritonCast(Operation *op, Value operand, Type elementType,
                               Location loc) {
  if (isa<triton::IntToPtrOp, triton::PtrToIntOp>(op))
    return operand; // The addresses of a tile are i64 already.
  if (isa<triton::BitcastOp>(op)) {
    Type type = withElement(operand.getType(), elementType);
    if (operand.getType() == type || isPointer(operand))
      return operand;
    return arith::BitcastOp::create(b, loc, type, operand);
  }
  auto convert = dyn_cast<triton::FpToFpOp>(op);
  if (!convert)
    return {};
  Type from = getElementTypeOrSelf(operand.getType());
  if (from.getIntOrFloatBitWidth() < 16 ||
      elementType.getIntOrFloatBitWidth() < 16) {
    fail(op, "8-bit floating-point types are not supported on this target; "
             "convert to fp16, bf16 or fp32 before the kernel");
    return operand;
  }
  if (convert.getRounding() == triton::RoundingMode::RTZ) {
    fail(op, "rounding towards zero is not supported on this target; use the "
             "default rounding mode");
    return operand;
  }
  return castElements(operand, elementType, loc);
}

/// Division traps on zero and on the one quotient that does not fit. The lanes
/// of a mask that are off hold such divisors, and Triton leaves the result
/// open, so the divisor is replaced by one there.
void Lowering::guardDivisor(Operation *op, SmallVectorImpl<Value> &operands,
                            Location loc) {
  if (!isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp,
           arith::CeilDivSIOp, arith::CeilDivUIOp, arith::FloorDivSIOp>(op))
    return;
  bool isSigned = !isa<arith::DivUIOp, arith::RemUIOp, arith::CeilDivUIOp>(op);
  Value dividend = operands[0], divisor = operands[1];
  APInt known;
  if (matchPattern(divisor, m_ConstantInt(&known)) && !known.isZero() &&
      !(isSigned && known.isAllOnes()))
    return;
  Type type = divisor.getType(), element = getElementTypeOrSelf(type);
  if (element.isIndex())
    return;
  auto number = [&](const APInt &value) -> Value {
    TypedAttr attr = b.getIntegerAttr(element, value);
    if (auto vector = dyn_cast<VectorType>(type))
      attr = DenseElementsAttr::get(vector, cast<Attribute>(attr));
    return arith::ConstantOp::create(b, loc, attr);
  };
  auto equal = [&](Value lhs, const APInt &value) -> Value {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, lhs,
                                 number(value));
  };
  unsigned width = element.getIntOrFloatBitWidth();
  Value traps = equal(divisor, APInt::getZero(width));
  if (isSigned)
    traps = arith::OrIOp::create(
        b, loc, traps,
        arith::AndIOp::create(
            b, loc, equal(divisor, APInt::getAllOnes(width)),
            equal(dividend, APInt::getSignedMinValue(width))));
  operands[1] =
      arith::SelectOp::create(b, loc, traps, number(APInt(width, 1)), divisor);
}

/// Makes all operands vectors if one is; addresses become numbers unless only
/// scalars are involved.
void Lowering::unifyOperands(Operation *op, SmallVectorImpl<Value> &operands,
                             Location loc) {
  int64_t lanes = 0;
  for (Value operand : operands)
    if (auto type = dyn_cast<VectorType>(operand.getType()))
      lanes = type.getDimSize(0);
  bool allPointers = llvm::all_of(operands, [](Value v) {
    return isPointer(v) || !v.getType().isInteger(64);
  });
  for (auto [i, operand] : llvm::enumerate(operands)) {
    bool keepsPointer = isa<triton::AddPtrOp>(op) || allPointers;
    if (isPointer(operand) && (lanes || !keepsPointer))
      operands[i] = LLVM::PtrToIntOp::create(b, loc, b.getI64Type(), operand);
    // arith.select takes one condition for whole vectors.
    bool keepsScalar = isa<arith::SelectOp>(op) && i == 0;
    if (lanes && !keepsScalar && !isa<VectorType>(operands[i].getType()))
      operands[i] = broadcast(operands[i], lanes, loc);
  }
}

Value Lowering::emitElementwise(Operation *op, ArrayRef<Value> values,
                                Type elementType, Location loc) {
  if (isa<arith::ConstantOp>(op))
    return b.clone(*op)->getResult(0);
  // A value of a path that is never taken.
  if (isa<ub::PoisonOp>(op))
    return isa<triton::PointerType>(elementType)
               ? Value(LLVM::ZeroOp::create(b, loc,
                                            loweredScalarType(elementType)))
               : zeroOf(elementType, loc);
  SmallVector<Value> operands(values);
  unifyOperands(op, operands, loc);
  guardDivisor(op, operands, loc);

  if (auto addPtr = dyn_cast<triton::AddPtrOp>(op))
    return emitAddPtr(addPtr, operands[0], operands[1], loc);
  if (!operands.empty())
    if (Value cast = emitTritonCast(op, operands[0], elementType, loc))
      return cast;

  bool viaF32 = computesInF32(op);
  Type computed = elementType;
  if (viaF32) {
    for (Value &operand : operands)
      if (isNarrowFloat(operand.getType()))
        operand = castElements(operand, b.getF32Type(), loc);
    if (isNarrowFloat(elementType))
      computed = b.getF32Type();
  }
  Value result = emitTritonArithmetic(b, loc, op, operands);
  if (!result) {
    if (!isa_and_nonnull<arith::ArithDialect, math::MathDialect, ub::UBDialect>(
            op->getDialect())) {
      fail(op, "code generation does not support '" +
                   op->getName().getStringRef() + "'");
      return {};
    }
    Type like = operands.empty() ? Type() : operands.back().getType();
    Type type = !operands.empty() && isPointer(operands.back())
                    ? like
                    : withElement(like, computed);
    OperationState state(loc, op->getName(), operands, {type}, op->getAttrs());
    result = b.create(state)->getResult(0);
  }
  return viaF32 ? castElements(result, elementType, loc) : result;
}

/// Stand-ins of the right types for results that could not be computed; the
/// error is out already.
static SmallVector<Value> poisonResults(OpBuilder &b, Block &body,
                                        ValueRange arguments) {
  Type like;
  for (Value argument : arguments)
    if (argument && isa<VectorType>(argument.getType()))
      like = argument.getType();
  SmallVector<Value> results;
  for (Value value : body.getTerminator()->getOperands())
    results.push_back(ub::PoisonOp::create(b, value.getLoc(),
                                           withElement(like, value.getType())));
  return results;
}

/// Control flow among plain numbers can be copied as it is.
static bool isScalarControlFlow(Operation &op, ValueRange arguments) {
  if (!op.getNumRegions() || llvm::any_of(arguments, [](Value v) {
        return v && isa<VectorType>(v.getType());
      }))
    return false;
  return !op.walk([](Operation *nested) {
              bool plain =
                  isa_and_nonnull<arith::ArithDialect, math::MathDialect,
                                  scf::SCFDialect>(nested->getDialect()) &&
                  !computesInF32(nested);
              return plain ? WalkResult::advance() : WalkResult::interrupt();
            }).wasInterrupted();
}

SmallVector<Value> Lowering::emitRegion(Block &body, ValueRange arguments,
                                        const Point *point) {
  IRMapping local;
  for (auto [argument, value] : llvm::zip(body.getArguments(), arguments))
    if (value)
      local.map(argument, value);
  auto get = [&](Value v) -> Value {
    if (Value known = local.lookupOrNull(v))
      return known;
    return lowered(v);
  };
  for (Operation &op : body.without_terminator()) {
    Location loc = op.getLoc();
    if (auto index = dyn_cast<linalg::IndexOp>(op)) {
      Value value = point->index[index.getDim()];
      if (static_cast<int>(index.getDim()) == point->dim)
        value =
            arith::AddIOp::create(b, loc, broadcast(value, point->lanes, loc),
                                  iota(point->lanes, b.getI64Type(), loc));
      Type type = b.getIndexType();
      if (auto vector = dyn_cast<VectorType>(value.getType()))
        type = vector.clone(type);
      local.map(index.getResult(),
                arith::IndexCastOp::create(b, loc, type, value).getResult());
      continue;
    }
    if (isScalarControlFlow(op, arguments)) {
      op.walk([&](Operation *nested) {
        for (Value operand : nested->getOperands())
          if (!local.contains(operand) && scalars.contains(operand))
            local.map(operand, scalars.lookup(operand));
      });
      b.clone(op, local);
      continue;
    }
    if (op.getNumResults() != 1) {
      if (auto mul = dyn_cast<arith::MulUIExtendedOp>(op)) {
        Value l = get(op.getOperand(0)), r = get(op.getOperand(1));
        SmallVector<Value> both{l, r};
        unifyOperands(mul, both, loc);
        auto wide = arith::MulUIExtendedOp::create(b, loc, both[0], both[1]);
        local.map(op.getResults(), wide.getResults());
        continue;
      }
      fail(&op, "code generation does not support '" +
                    op.getName().getStringRef() + "' in this place");
      return poisonResults(b, body, arguments);
    }
    SmallVector<Value> operands;
    for (Value operand : op.getOperands())
      operands.push_back(get(operand));
    Value value =
        emitElementwise(&op, operands, op.getResult(0).getType(), loc);
    if (!value)
      return poisonResults(b, body, arguments);
    local.map(op.getResult(0), value);
  }
  SmallVector<Value> results;
  for (Value value : body.getTerminator()->getOperands()) {
    Value result = get(value);
    if (isa<LLVM::LLVMPointerType>(result.getType()))
      result =
          LLVM::PtrToIntOp::create(b, value.getLoc(), b.getI64Type(), result);
    results.push_back(result);
  }
  return results;
}
