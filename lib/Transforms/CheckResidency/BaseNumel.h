//===- BaseNumel.h - the size of base tensors -------------------*- C++ -*-===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#ifndef SPINE_TRITON_TRANSFORMS_CHECKRESIDENCY_BASENUMEL_H
#define SPINE_TRITON_TRANSFORMS_CHECKRESIDENCY_BASENUMEL_H

#include "mlir/Analysis/DataFlowFramework.h"
#include "triton/Dialect/Triton/IR/Dialect.h"

namespace mlir::spine {

/// Upper bounds of what the shape operands of block pointers may be, as integer
/// range analysis finds them.
class BaseNumelAnalysis {
public:
  static FailureOr<std::unique_ptr<BaseNumelAnalysis>> create(Operation *root);

  /// The first dimension whose extent has no upper bound below the largest
  /// 64-bit integer.
  std::optional<unsigned> getUnboundedDim(triton::MakeTensorPtrOp op) const;

  /// Product of the bounds; the largest integer if it does not fit.
  int64_t getNumelBound(triton::MakeTensorPtrOp op) const;

private:
  BaseNumelAnalysis() = default;
  int64_t getBound(Value extent) const;

  DataFlowSolver solver;
};

} // namespace mlir::spine

#endif // SPINE_TRITON_TRANSFORMS_CHECKRESIDENCY_BASENUMEL_H
