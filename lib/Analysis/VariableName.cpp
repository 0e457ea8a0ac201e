//===- VariableName.cpp - what a kernel calls a value ---------------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "spine-triton/Analysis/VariableName.h"
#include "mlir/IR/Operation.h"

using namespace mlir;
using namespace mlir::spine;

std::optional<StringRef> spine::getVariableName(Value value) {
  if (Operation *op = value.getDefiningOp(); op && op->getNumResults() > 1)
    return std::nullopt;
  auto name = value.getLoc()->findInstanceOf<NameLoc>();
  if (!name || name.getName().empty())
    return std::nullopt;
  return name.getName().getValue();
}
