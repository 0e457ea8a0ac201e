//===- IncomingValues.cpp - what a merge point may receive ----------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "spine-triton/Analysis/IncomingValues.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace {

using Values = SmallVector<Value>;

/// Arguments of a block that branches (not its parent operation) lead to.
std::optional<Values> incomingFromBranches(BlockArgument argument) {
  Block *block = argument.getOwner();
  if (block->isEntryBlock())
    return std::nullopt;
  Values incoming;
  for (auto it = block->pred_begin(); it != block->pred_end(); ++it) {
    auto branch = dyn_cast<BranchOpInterface>((*it)->getTerminator());
    if (!branch)
      return std::nullopt;
    SuccessorOperands operands =
        branch.getSuccessorOperands(it.getSuccessorIndex());
    Value operand = operands[argument.getArgNumber()];
    if (!operand)
      return std::nullopt;
    incoming.push_back(operand);
  }
  return incoming;
}

std::optional<Values> incomingOfArgument(BlockArgument argument) {
  Operation *parent = argument.getOwner()->getParentOp();
  unsigned number = argument.getArgNumber();
  if (auto loop = dyn_cast<scf::ForOp>(parent)) {
    if (number < loop.getNumInductionVars())
      return std::nullopt;
    unsigned index = number - loop.getNumInductionVars();
    return Values{loop.getInitArgs()[index],
                  loop.getBody()->getTerminator()->getOperand(index)};
  }
  if (auto loop = dyn_cast<scf::WhileOp>(parent)) {
    if (argument.getOwner() == loop.getBeforeBody())
      return Values{loop.getInits()[number],
                    loop.getYieldOp().getOperand(number)};
    return Values{loop.getConditionOp().getArgs()[number]};
  }
  return incomingFromBranches(argument);
}

std::optional<Values> incomingOfResult(OpResult result) {
  unsigned number = result.getResultNumber();
  return llvm::TypeSwitch<Operation *, std::optional<Values>>(result.getOwner())
      .Case([&](scf::ForOp loop) {
        return Values{loop.getInitArgs()[number],
                      loop.getBody()->getTerminator()->getOperand(number)};
      })
      .Case([&](scf::WhileOp loop) {
        return Values{loop.getConditionOp().getArgs()[number]};
      })
      .Case([&](scf::IfOp branch) {
        return Values{branch.thenYield().getOperand(number),
                      branch.elseYield().getOperand(number)};
      })
      .Default([](Operation *) { return std::nullopt; });
}

} // namespace

std::optional<Values> spine::getIncomingValues(Value merge) {
  if (auto argument = dyn_cast<BlockArgument>(merge))
    return incomingOfArgument(argument);
  return incomingOfResult(cast<OpResult>(merge));
}

bool spine::isVisibleAt(Value value, Value user) {
  return value.getParentRegion()->isAncestor(user.getParentRegion());
}
