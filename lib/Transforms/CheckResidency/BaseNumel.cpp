//===- BaseNumel.cpp - the size of base tensors ---------------------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "BaseNumel.h"
#include "mlir/Analysis/DataFlow/IntegerRangeAnalysis.h"
#include "mlir/Analysis/DataFlow/Utils.h"

using namespace mlir;
using namespace mlir::spine;

static constexpr int64_t unbounded = std::numeric_limits<int64_t>::max();

FailureOr<std::unique_ptr<BaseNumelAnalysis>>
BaseNumelAnalysis::create(Operation *root) {
  std::unique_ptr<BaseNumelAnalysis> analysis(new BaseNumelAnalysis());
  dataflow::loadBaselineAnalyses(analysis->solver);
  analysis->solver.load<dataflow::IntegerRangeAnalysis>();
  if (failed(analysis->solver.initializeAndRun(root)))
    return failure();
  return analysis;
}

int64_t BaseNumelAnalysis::getBound(Value extent) const {
  const auto *lattice =
      solver.lookupState<dataflow::IntegerValueRangeLattice>(extent);
  if (!lattice || lattice->getValue().isUninitialized())
    return unbounded;
  return std::max<int64_t>(lattice->getValue().getValue().smax().getSExtValue(),
                           0);
}

std::optional<unsigned>
BaseNumelAnalysis::getUnboundedDim(triton::MakeTensorPtrOp op) const {
  for (auto [dim, extent] : llvm::enumerate(op.getShape()))
    if (getBound(extent) == unbounded)
      return dim;
  return std::nullopt;
}

int64_t BaseNumelAnalysis::getNumelBound(triton::MakeTensorPtrOp op) const {
  int64_t numel = 1;
  for (Value extent : op.getShape())
    if (llvm::MulOverflow(numel, getBound(extent), numel))
      return unbounded;
  return numel;
}
