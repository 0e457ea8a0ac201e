//===- ScalarSums.cpp - scalars as sums of others -------------------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "ScalarSums.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "triton/Dialect/Triton/IR/Dialect.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::spine;

unsigned spine::getBits(Value value) {
  Type type = getElementTypeOrSelf(value.getType());
  return type.isIntOrFloat() ? type.getIntOrFloatBitWidth() : 64;
}

std::optional<int64_t> spine::getNumber(Value value) {
  IntegerAttr number;
  Attribute attribute;
  if (!matchPattern(value, m_Constant(&attribute)))
    return std::nullopt;
  if (auto splat = dyn_cast<SplatElementsAttr>(attribute))
    attribute = splat.getSplatValue<Attribute>();
  number = dyn_cast<IntegerAttr>(attribute);
  if (!number || !number.getValue().isSignedIntN(64))
    return std::nullopt;
  return number.getValue().getSExtValue();
}

std::string spine::getArgumentName(BlockArgument argument) {
  if (auto name = argument.getLoc()->findInstanceOf<NameLoc>();
      name && !name.getName().empty())
    return name.getName().str();
  return "argument " + std::to_string(argument.getArgNumber());
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

std::optional<IndexSum> spine::combine(Operation *op, const IndexSum &a,
                                       const IndexSum &b) {
  IndexSum result;
  result.bits = std::min({a.bits, b.bits, getBits(op->getResult(0))});
  auto hasIndex = [](const IndexSum &sum) {
    return llvm::any_of(sum.strides, [](const Polynomial &stride) {
      return stride != Polynomial();
    });
  };
  if (isa<arith::MulIOp>(op)) {
    if (hasIndex(a) && hasIndex(b))
      return std::nullopt;
    const IndexSum &indices = hasIndex(b) ? b : a;
    const Polynomial &factor = hasIndex(b) ? a.offset : b.offset;
    result.offset = indices.offset * factor;
    for (const Polynomial &stride : indices.strides)
      result.strides.push_back(stride * factor);
    return result;
  }
  bool adds = isa<arith::AddIOp>(op);
  result.offset = adds ? a.offset + b.offset : a.offset - b.offset;
  for (auto [left, right] : llvm::zip_equal(a.strides, b.strides))
    result.strides.push_back(adds ? left + right : left - right);
  return result;
}

std::optional<IndexSum> spine::shift(arith::ShLIOp op, const IndexSum &source) {
  auto places = getNumber(op.getRhs());
  if (!places || *places < 0 || *places > 40)
    return std::nullopt;
  Polynomial factor(int64_t(1) << *places);
  IndexSum result{source.offset * factor, {}, 64};
  result.bits = std::min(source.bits, getBits(op.getResult()));
  for (const Polynomial &stride : source.strides)
    result.strides.push_back(stride * factor);
  return result;
}

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

unsigned ScalarSums::getVariable(Value scalar) {
  auto [it, isNew] =
      numbers.try_emplace(scalar, static_cast<unsigned>(values.size()));
  if (isNew) {
    values.push_back(scalar);
    variables.emplace_back();
  }
  return it->second;
}

const AddressVariable &ScalarSums::describe(unsigned variable) {
  if (!variables[variable]) {
    // Finding out may add others.
    AddressVariable made = makeVariable(values[variable]);
    variables[variable] = std::move(made);
  }
  return *variables[variable];
}

Polynomial ScalarSums::getExact(Value scalar) {
  if (auto number = getNumber(scalar))
    return *number;
  Operation *op = scalar.getDefiningOp();
  if (isa_and_nonnull<arith::ExtSIOp, arith::IndexCastOp>(op))
    return getExact(op->getOperand(0));
  return Polynomial::getVariable(getVariable(scalar));
}

/// One more than the last value of a loop's variable. With steps of more than
/// one, as over the parts of a tile, that is less than the loop's upper bound.
Polynomial ScalarSums::getEnd(scf::ForOp loop) {
  Polynomial end = getExact(loop.getUpperBound());
  auto low = getExact(loop.getLowerBound()).getConstant();
  auto high = end.getConstant();
  auto step = getExact(loop.getStep()).getConstant();
  int64_t length;
  if (!low || !high || !step || *step <= 0 ||
      llvm::SubOverflow(*high, *low, length) || length <= 0)
    return end;
  return Polynomial(*low + (length - 1) / *step * *step + 1);
}

AddressVariable ScalarSums::makeVariable(Value scalar) {
  using Kind = AddressVariable::Kind;
  AddressVariable result;
  result.bits = getBits(scalar);
  auto set = [&](Kind kind, Polynomial a, Polynomial b) {
    result.kind = kind;
    result.a = std::move(a);
    result.b = std::move(b);
  };
  if (auto argument = dyn_cast<BlockArgument>(scalar)) {
    Operation *parent = argument.getOwner()->getParentOp();
    auto loop = dyn_cast<scf::ForOp>(parent);
    if (isa<FunctionOpInterface>(parent) &&
        argument.getOwner()->isEntryBlock()) {
      result.kind = Kind::Argument;
      result.number = argument.getArgNumber();
      result.name = getArgumentName(argument);
    } else if (loop && loop.getInductionVar() == scalar &&
               !loop.getUnsignedCmp()) {
      set(Kind::Between, getExact(loop.getLowerBound()), getEnd(loop));
    }
    return result;
  }
  TypeSwitch<Operation *>(scalar.getDefiningOp())
      .Case([&](triton::GetProgramIdOp op) {
        result.kind = Kind::Program;
        result.number = op.getAxisAsInt();
      })
      .Case([&](triton::GetNumProgramsOp op) {
        result.kind = Kind::NumPrograms;
        result.number = op.getAxisAsInt();
      })
      .Case([&](arith::AddIOp op) {
        set(Kind::Value, getExact(op.getLhs()) + getExact(op.getRhs()), {});
      })
      .Case([&](arith::SubIOp op) {
        set(Kind::Value, getExact(op.getLhs()) - getExact(op.getRhs()), {});
      })
      .Case([&](arith::MulIOp op) {
        set(Kind::Value, getExact(op.getLhs()) * getExact(op.getRhs()), {});
      })
      .Case([&](arith::TruncIOp op) {
        set(Kind::Value, getExact(op.getIn()), {});
      })
      .Case([&](arith::MinSIOp op) {
        set(Kind::Min, getExact(op.getLhs()), getExact(op.getRhs()));
      })
      .Case([&](arith::MaxSIOp op) {
        set(Kind::Max, getExact(op.getLhs()), getExact(op.getRhs()));
      })
      .Case<arith::DivSIOp, arith::DivUIOp>([&](Operation *op) {
        set(Kind::Quotient, getExact(op->getOperand(0)),
            getExact(op->getOperand(1)));
      })
      .Case<arith::RemSIOp, arith::RemUIOp>([&](Operation *op) {
        set(Kind::Remainder, getExact(op->getOperand(0)),
            getExact(op->getOperand(1)));
      });
  return result;
}

/// Whether the number is kept in so many bits for its bounds alone.
static bool isClamped(Value value, unsigned bits) {
  auto isBounded = [&](Operation *op) {
    auto number = op ? getNumber(op->getOperand(1)) : std::nullopt;
    return number && *number < (int64_t(1) << (bits - 1)) &&
           *number >= -(int64_t(1) << (bits - 1));
  };
  auto outer = value.getDefiningOp();
  if (!isa_and_nonnull<arith::MinSIOp, arith::MaxSIOp>(outer) ||
      !isBounded(outer))
    return false;
  Operation *inner = outer->getOperand(0).getDefiningOp();
  return isa_and_nonnull<arith::MinSIOp, arith::MaxSIOp>(inner) &&
         inner->getName() != outer->getName() && isBounded(inner);
}

IndexSum ScalarSums::getModular(Value scalar) {
  if (auto number = getNumber(scalar))
    return {*number, {}, 64};
  auto known = scalars.find(scalar);
  if (known != scalars.end())
    return known->second;
  Operation *op = scalar.getDefiningOp();
  std::optional<IndexSum> result;
  if (isa_and_nonnull<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op)) {
    result = combine(op, getModular(op->getOperand(0)),
                     getModular(op->getOperand(1)));
  } else if (auto shl = dyn_cast_or_null<arith::ShLIOp>(op)) {
    result = shift(shl, getModular(shl.getLhs()));
  } else if (isa_and_nonnull<arith::ExtSIOp, arith::IndexCastOp>(op)) {
    result = getModular(op->getOperand(0));
  } else if (isa_and_nonnull<arith::ExtUIOp, arith::TruncIOp>(op)) {
    unsigned bits = std::min(getBits(scalar), getBits(op->getOperand(0)));
    result = getModular(op->getOperand(0));
    if (!isClamped(op->getOperand(0), bits))
      result->bits = std::min(result->bits, bits);
  }
  if (!result || !result->offset.isValid())
    result = IndexSum{Polynomial::getVariable(getVariable(scalar)), {}, 64};
  return scalars[scalar] = *result;
}
