//===- Canonicalize.cpp - simpler forms of operations ---------------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "triton/Dialect/Triton/IR/Dialect.h"

using namespace mlir;
using namespace mlir::triton;

/// The value of all elements of a constant mask; nothing if there is no one.
static std::optional<bool> getUniformMask(Value mask) {
  if (!mask)
    return std::nullopt;
  if (matchPattern(mask, m_One()))
    return true;
  if (matchPattern(mask, m_Zero()))
    return false;
  return std::nullopt;
}

/// A load of everything needs no mask, a load of nothing gives `other`.
static LogicalResult simplifyLoad(triton::LoadOp op,
                                  PatternRewriter &rewriter) {
  std::optional<bool> mask = getUniformMask(op.getMask());
  if (!mask)
    return failure();
  if (*mask) {
    rewriter.modifyOpInPlace(op, [&] {
      op.getOtherMutable().clear();
      op.getMaskMutable().clear();
    });
    return success();
  }
  if (!op.getOther() || op.getIsVolatile())
    return failure();
  rewriter.replaceOp(op, op.getOther());
  return success();
}

void triton::LoadOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                                 MLIRContext *context) {
  patterns.add(simplifyLoad);
}

/// A store of everything needs no mask, a store of nothing is none.
static LogicalResult simplifyStore(triton::StoreOp op,
                                   PatternRewriter &rewriter) {
  std::optional<bool> mask = getUniformMask(op.getMask());
  if (!mask)
    return failure();
  if (*mask)
    rewriter.modifyOpInPlace(op, [&] { op.getMaskMutable().clear(); });
  else
    rewriter.eraseOp(op);
  return success();
}

void triton::StoreOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                                  MLIRContext *context) {
  patterns.add(simplifyStore);
}
