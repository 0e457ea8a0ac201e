//===- TritonToLinalg.cpp - convert-triton-to-linalg ----------------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "Rewrites.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "spine-triton/Conversion/Passes.h"

namespace mlir::spine {
#define GEN_PASS_DEF_CONVERTTRITONTOLINALG
#include "spine-triton/Conversion/Passes.h.inc"
} // namespace mlir::spine

using namespace mlir;

/// Turns `acc + dot(a, b, 0)` into `dot(a, b, acc)`, which is how the frontend
/// spells `acc += tl.dot(a, b)`. Sums of integers and of floats in either order
/// of the operands are recognised. The product starts from the accumulator
/// then, so no tile of zeros and no second pass over the result are needed.
static bool foldAccumulator(RewriterBase &rewriter, triton::DotOp dot) {
  if (!dot.getResult().hasOneUse() ||
      !(matchPattern(dot.getC(), m_AnyZeroFloat()) ||
        matchPattern(dot.getC(), m_Zero())))
    return false;
  Operation *user = *dot.getResult().user_begin();
  if (!isa<arith::AddFOp, arith::AddIOp>(user) ||
      user->getBlock() != dot->getBlock())
    return false;
  Value accumulator = user->getOperand(0) == dot.getResult()
                          ? user->getOperand(1)
                          : user->getOperand(0);
  if (accumulator == dot.getResult())
    return false;
  rewriter.setInsertionPoint(user);
  auto sum = cast<triton::DotOp>(rewriter.clone(*dot));
  sum.getCMutable().assign(accumulator);
  rewriter.replaceOp(user, sum->getResults());
  rewriter.eraseOp(dot);
  return true;
}

namespace {
struct ConvertTritonToLinalg
    : spine::impl::ConvertTritonToLinalgBase<ConvertTritonToLinalg> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<triton::DotOp> dots;
    getOperation()->walk([&](triton::DotOp dot) { dots.push_back(dot); });
    for (triton::DotOp dot : dots)
      if (foldAccumulator(rewriter, dot))
        ++numFusedAccumulators;

    SmallVector<Operation *> ops;
    getOperation()->walk([&](Operation *op) {
      // The bodies of reductions and scans are scalar code already.
      if (!op->getParentOfType<triton::ReduceOp>() &&
          !op->getParentOfType<triton::ScanOp>())
        ops.push_back(op);
    });
    for (Operation *op : ops) {
      if (auto dot = dyn_cast<triton::DotOp>(op))
        spine::rewriteDot(rewriter, dot);
      else if (spine::isElementwiseOnTiles(op))
        spine::rewriteElementwise(rewriter, op);
      else if (!spine::rewriteShapeOp(rewriter, op))
        continue;
      ++numConverted;
    }
  }
};
} // namespace
