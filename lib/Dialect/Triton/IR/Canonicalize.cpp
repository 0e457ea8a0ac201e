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

/// A splat has no dimensions that could be inserted or repeated: make it as
/// large as the result at once.
template <typename Op>
static LogicalResult widenSplat(Op op, PatternRewriter &rewriter) {
  auto splat = op.getSrc().template getDefiningOp<triton::SplatOp>();
  if (!splat)
    return failure();
  rewriter.replaceOpWithNewOp<triton::SplatOp>(op, op.getType(),
                                               splat.getSrc());
  return success();
}

void ExpandDimsOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                               MLIRContext *context) {
  patterns.add(widenSplat<ExpandDimsOp>);
}

/// Two broadcasts in a row are one.
static LogicalResult mergeBroadcasts(triton::BroadcastOp op,
                                     PatternRewriter &rewriter) {
  auto inner = op.getSrc().getDefiningOp<triton::BroadcastOp>();
  if (!inner)
    return failure();
  rewriter.replaceOpWithNewOp<triton::BroadcastOp>(op, op.getType(),
                                                   inner.getSrc());
  return success();
}

void triton::BroadcastOp::getCanonicalizationPatterns(
    RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add(widenSplat<triton::BroadcastOp>);
  patterns.add(mergeBroadcasts);
}
