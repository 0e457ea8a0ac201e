//===- Rewrites.h - rewrites of convert-triton-to-linalg --------*- C++ -*-===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#ifndef SPINE_TRITON_LIB_CONVERSION_TRITONTOLINALG_REWRITES_H
#define SPINE_TRITON_LIB_CONVERSION_TRITONTOLINALG_REWRITES_H

#include "mlir/IR/PatternMatch.h"
#include "spine-triton/Conversion/Elementwise.h"
#include "triton/Dialect/Triton/IR/Dialect.h"

namespace mlir::spine {

/// Rewrites an elementwise operation into a linalg.generic around its scalar
/// form.
void rewriteElementwise(RewriterBase &rewriter, Operation *op);

/// Rewrites the operation if it creates a tile or changes a tile's shape
/// (splat, make_range, broadcast, expand_dims, reshape, trans, join, split).
/// Returns false if it is none of these.
bool rewriteShapeOp(RewriterBase &rewriter, Operation *op);

/// Rewrites a product into a named contraction.
void rewriteDot(RewriterBase &rewriter, triton::DotOp op);

} // namespace mlir::spine

#endif // SPINE_TRITON_LIB_CONVERSION_TRITONTOLINALG_REWRITES_H
