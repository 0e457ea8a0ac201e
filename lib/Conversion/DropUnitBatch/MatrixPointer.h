//===- MatrixPointer.h - block pointers to one matrix -----------*- C++ -*-===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#ifndef SPINE_TRITON_LIB_CONVERSION_DROPUNITBATCH_MATRIXPOINTER_H
#define SPINE_TRITON_LIB_CONVERSION_DROPUNITBATCH_MATRIXPOINTER_H

#include "mlir/IR/Builders.h"
#include "triton/Dialect/Triton/IR/Dialect.h"

namespace mlir::spine {

/// Tiles of one matrix per batch are those of `1xMxN` elements.
bool isMatrixPerBatch(Type type);

/// The type without the batch, if it is that of such a tile; `type` otherwise.
Type withoutBatch(Type type);

/// A block pointer to a tile of a matrix, and the dimensions that its accesses
/// have to check.
struct MatrixPointer {
  Value pointer;
  SmallVector<int32_t> checked;
};

/// What stands for the tile of one matrix per batch that `maker` describes, in
/// accesses that check the dimensions `checked`. It is made behind `maker`.
MatrixPointer makeMatrixPointer(OpBuilder &builder,
                                triton::MakeTensorPtrOp maker,
                                ArrayRef<int32_t> checked);

} // namespace mlir::spine

#endif // SPINE_TRITON_LIB_CONVERSION_DROPUNITBATCH_MATRIXPOINTER_H
