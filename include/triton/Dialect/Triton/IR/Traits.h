//===- Traits.h - traits of the tt dialect ----------------------*- C++ -*-===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_DIALECT_TRITON_IR_TRAITS_H_
#define TRITON_DIALECT_TRITON_IR_TRAITS_H_

#include "mlir/IR/OpDefinition.h"

namespace mlir::triton {

namespace impl {
/// Verifies every tile among the operand and result types of `op`.
LogicalResult verifyTiles(Operation *op);

/// Verifies that the result types of `op`, which implements
/// InferTypeOpInterface, are those that follow from it.
LogicalResult verifyInferredTypes(Operation *op);
} // namespace impl

/// All tiles that an operation takes and gives are tiles a program can hold.
template <typename ConcreteOp>
class ValidTiles : public OpTrait::TraitBase<ConcreteOp, ValidTiles> {
public:
  static LogicalResult verifyTrait(Operation *op) {
    return impl::verifyTiles(op);
  }
};

/// The result types follow from operands and attributes.
template <typename ConcreteOp>
class InferredTypes : public OpTrait::TraitBase<ConcreteOp, InferredTypes> {
public:
  static LogicalResult verifyTrait(Operation *op) {
    return impl::verifyInferredTypes(op);
  }
};

} // namespace mlir::triton

#endif // TRITON_DIALECT_TRITON_IR_TRAITS_H_
