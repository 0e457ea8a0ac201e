//===- Divisibility.cpp - powers of two that divide values ----------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "spine-triton/Analysis/Divisibility.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "spine-triton/Analysis/IncomingValues.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::spine;

static constexpr StringLiteral attributeName = "tt.divisibility";

static int64_t ofConstant(int64_t number) {
  if (number == 0)
    return Divisibility::most;
  return std::min(int64_t(1) << llvm::countr_zero(uint64_t(number)),
                  Divisibility::most);
}

static int64_t multiply(int64_t a, int64_t b) {
  return llvm::Log2_64(a) + llvm::Log2_64(b) >= 62 ? Divisibility::most : a * b;
}

static int64_t getElementBytes(Type type) {
  return type.isIntOrFloat() ? llvm::divideCeil(type.getIntOrFloatBitWidth(), 8)
                             : 8;
}

/// What an attribute says; 1 without one. tl.multiple_of gives one number per
/// dimension.
static int64_t ofAttribute(Attribute attribute) {
  if (auto number = dyn_cast_or_null<IntegerAttr>(attribute))
    return ofConstant(number.getInt());
  if (auto numbers = dyn_cast_or_null<DenseIntElementsAttr>(attribute);
      numbers && !numbers.empty())
    return ofConstant((*numbers.begin()).getSExtValue());
  return 1;
}

int64_t Divisibility::get(Value value) {
  if (!open.insert(value).second)
    return most;
  int64_t divisor = compute(value);
  open.erase(value);
  return divisor;
}

int64_t Divisibility::compute(Value value) {
  if (isa<RankedTensorType>(value.getType()))
    return 1;
  IntegerAttr constant;
  if (matchPattern(value, m_Constant(&constant)))
    return ofConstant(constant.getValue().sextOrTrunc(64).getSExtValue());
  if (auto incoming = getIncomingValues(value)) {
    int64_t divisor = most;
    for (Value source : *incoming)
      divisor = std::min(divisor, get(source));
    return divisor;
  }
  if (auto argument = dyn_cast<BlockArgument>(value))
    return computeArgument(argument);
  Operation *op = value.getDefiningOp();
  return std::max(ofAttribute(op->getAttr(attributeName)),
                  computeOperation(op));
}

int64_t Divisibility::computeArgument(BlockArgument argument) {
  Operation *parent = argument.getOwner()->getParentOp();
  if (auto function = dyn_cast<FunctionOpInterface>(parent);
      function && argument.getOwner()->isEntryBlock())
    return ofAttribute(
        function.getArgAttr(argument.getArgNumber(), attributeName));
  if (auto loop = dyn_cast<scf::ForOp>(parent);
      loop && argument == loop.getInductionVar())
    return std::min(get(loop.getLowerBound()), get(loop.getStep()));
  return 1;
}

int64_t Divisibility::computeOperation(Operation *op) {
  auto operand = [&](unsigned number) { return get(op->getOperand(number)); };
  return TypeSwitch<Operation *, int64_t>(op)
      .Case<arith::AddIOp, arith::SubIOp, arith::RemSIOp, arith::RemUIOp,
            arith::OrIOp, arith::MinSIOp, arith::MaxSIOp>(
          [&](auto) { return std::min(operand(0), operand(1)); })
      .Case<arith::AndIOp>(
          [&](auto) { return std::max(operand(0), operand(1)); })
      .Case<arith::SelectOp>(
          [&](auto) { return std::min(operand(1), operand(2)); })
      .Case<arith::MulIOp>(
          [&](auto) { return multiply(operand(0), operand(1)); })
      .Case<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp, arith::IndexCastOp,
            arith::IndexCastUIOp, triton::BitcastOp>(
          [&](auto) { return operand(0); })
      .Case<triton::AddPtrOp>([&](triton::AddPtrOp add) {
        auto type = cast<triton::PointerType>(add.getType());
        return std::min(operand(0),
                        multiply(operand(1), ofConstant(getElementBytes(
                                                 type.getPointeeType()))));
      })
      .Default([](Operation *) { return 1; });
}

int64_t Divisibility::getField(Value pointer, unsigned field) {
  if (!openFields.insert({pointer, field}).second)
    return most;
  int64_t divisor = computeField(pointer, field);
  openFields.erase({pointer, field});
  return divisor;
}

int64_t Divisibility::computeField(Value pointer, unsigned field) {
  FieldSource source = pointers.getField(pointer, field);
  if (source.kind == FieldSource::Kind::Constant)
    return ofConstant(source.constant);
  if (source.kind == FieldSource::Kind::Operand)
    return get(source.value);
  if (source.kind == FieldSource::Kind::Unknown)
    return 1;
  Value at = source.value;
  if (auto advance = at.getDefiningOp<triton::AdvanceOp>()) {
    unsigned dim = field - PointerFields(at).offset(0);
    return std::min(getField(advance.getPtr(), field),
                    get(advance.getOffsets()[dim]));
  }
  if (auto select = at.getDefiningOp<arith::SelectOp>())
    return std::min(getField(select.getTrueValue(), field),
                    getField(select.getFalseValue(), field));
  auto incoming = getIncomingValues(at);
  if (!incoming)
    return 1;
  int64_t divisor = most;
  for (Value value : *incoming)
    divisor = std::min(divisor, getField(value, field));
  return divisor;
}

int64_t Divisibility::getOfTile(Value pointer) {
  if (!pointers.isTracked(pointer))
    return 1;
  PointerFields fields(pointer);
  int64_t bytes =
      getElementBytes(getPointedTile(pointer.getType()).getElementType());
  int64_t divisor = getField(pointer, fields.base());
  for (unsigned dim : llvm::seq(fields.rank))
    divisor = std::min(divisor,
                       multiply(multiply(getField(pointer, fields.offset(dim)),
                                         getField(pointer, fields.stride(dim))),
                                ofConstant(bytes)));
  return divisor;
}
