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
} // namespace impl

/// All tiles that an operation takes and gives are tiles a program can hold.
template <typename ConcreteOp>
class ValidTiles : public OpTrait::TraitBase<ConcreteOp, ValidTiles> {
public:
  static LogicalResult verifyTrait(Operation *op) {
    return impl::verifyTiles(op);
  }
};

} // namespace mlir::triton

#endif // TRITON_DIALECT_TRITON_IR_TRAITS_H_
