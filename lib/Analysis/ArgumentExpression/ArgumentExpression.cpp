//===- ArgumentExpression.cpp - values in terms of arguments --------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "spine-triton/Analysis/ArgumentExpression.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::spine;

/// Narrower sums and products may wrap around, which the expression would not.
static bool isWide(Value value) {
  return value.getType().isIndex() || value.getType().isInteger(64);
}

static AffineExpr combine(Operation *op) {
  AffineExpr left = getArgumentExpression(op->getOperand(0));
  AffineExpr right = left ? getArgumentExpression(op->getOperand(1)) : left;
  if (!left || !right)
    return {};
  return TypeSwitch<Operation *, AffineExpr>(op)
      .Case<arith::AddIOp>([&](auto) { return left + right; })
      .Case<arith::SubIOp>([&](auto) { return left - right; })
      .Case<arith::MulIOp>([&](auto) { return left * right; });
}

AffineExpr spine::getArgumentExpression(Value value) {
  IntegerAttr constant;
  if (matchPattern(value, m_Constant(&constant)) &&
      constant.getValue().isSignedIntN(64))
    return getAffineConstantExpr(constant.getValue().getSExtValue(),
                                 value.getContext());
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Block *block = argument.getOwner();
    if (!block->isEntryBlock() ||
        !isa<FunctionOpInterface>(block->getParentOp()) ||
        !value.getType().isIntOrIndex())
      return {};
    return getAffineSymbolExpr(argument.getArgNumber(), value.getContext());
  }
  Operation *op = value.getDefiningOp();
  if (isa<arith::ExtSIOp, arith::IndexCastOp>(op))
    return getArgumentExpression(op->getOperand(0));
  if (isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op) && isWide(value))
    return combine(op);
  return {};
}

static std::string getArgumentName(Operation *function, unsigned number) {
  Value argument = cast<FunctionOpInterface>(function).getArgument(number);
  if (auto name = argument.getLoc()->findInstanceOf<NameLoc>();
      name && !name.getName().empty())
    return name.getName().str();
  return "arg" + std::to_string(number);
}

static StringRef getOperator(AffineExpr expression) {
  return expression.getKind() == AffineExprKind::Add ? "+" : "*";
}

std::string spine::printArgumentExpression(AffineExpr expression,
                                           Operation *function) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expression))
    return std::to_string(constant.getValue());
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expression))
    return getArgumentName(function, symbol.getPosition());
  auto binary = cast<AffineBinaryOpExpr>(expression);
  std::string left = printArgumentExpression(binary.getLHS(), function),
              right = printArgumentExpression(binary.getRHS(), function);
  if (expression.getKind() == AffineExprKind::Add)
    return "(" + left + " + " + right + ")";
  return left + " * " + right;
}

std::string spine::serializeArgumentExpression(AffineExpr expression) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expression))
    return std::to_string(constant.getValue());
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expression))
    return "[\"argument\", " + std::to_string(symbol.getPosition()) + "]";
  auto binary = cast<AffineBinaryOpExpr>(expression);
  return "[\"" + getOperator(expression).str() + "\", " +
         serializeArgumentExpression(binary.getLHS()) + ", " +
         serializeArgumentExpression(binary.getRHS()) + "]";
}
