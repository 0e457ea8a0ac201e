//===- Elementwise.h - operations on one element of each tile ---*- C++ -*-===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#ifndef SPINE_TRITON_CONVERSION_ELEMENTWISE_H
#define SPINE_TRITON_CONVERSION_ELEMENTWISE_H

#include "mlir/IR/Operation.h"

namespace mlir::spine {

/// True if the operation computes every element of its results from the
/// elements of its operands at the same place, and has a scalar form of the
/// same name.
bool isElementwiseOnTiles(Operation *op);

} // namespace mlir::spine

#endif // SPINE_TRITON_CONVERSION_ELEMENTWISE_H
