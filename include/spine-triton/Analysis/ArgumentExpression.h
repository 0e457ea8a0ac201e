//===- ArgumentExpression.h - values in terms of arguments ------*- C++ -*-===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#ifndef SPINE_TRITON_ANALYSIS_ARGUMENTEXPRESSION_H
#define SPINE_TRITON_ANALYSIS_ARGUMENTEXPRESSION_H

#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/Value.h"
#include <string>

namespace mlir::spine {

/// The value as an expression of the arguments of the function it is in:
/// symbol i is argument i. Null if it is anything else than constants,
/// arguments, sums, differences and products of these, computed so that no
/// width in between cuts a result off (64 bits).
AffineExpr getArgumentExpression(Value value);

/// The expression as Python writes it, with the names the kernel gives to its
/// arguments (`arg3` for one without a name).
std::string printArgumentExpression(AffineExpr expression, Operation *function);

/// The expression as nested JSON arrays, for a launcher that knows arguments by
/// number: a number, ["argument", i], or [operator, left, right].
std::string serializeArgumentExpression(AffineExpr expression);

} // namespace mlir::spine

#endif // SPINE_TRITON_ANALYSIS_ARGUMENTEXPRESSION_H
