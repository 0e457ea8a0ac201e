//===- Traits.cpp - traits of the tt dialect ------------------------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "triton/Dialect/Triton/IR/Traits.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "triton/Dialect/Triton/IR/Types.h"

using namespace mlir;

LogicalResult triton::impl::verifyTiles(Operation *op) {
  auto verify = [&](TypeRange types) {
    // The pointee of a pointer was verified when its type was made.
    for (Type type : types)
      if (auto tile = dyn_cast<RankedTensorType>(type))
        if (failed(verifyTile([&] { return op->emitOpError(); }, tile)))
          return failure();
    return success();
  };
  return success(succeeded(verify(op->getOperandTypes())) &&
                 succeeded(verify(op->getResultTypes())));
}

LogicalResult triton::impl::verifyInferredTypes(Operation *op) {
  SmallVector<Type> inferred;
  auto inferring = cast<InferTypeOpInterface>(op);
  if (failed(inferring.inferReturnTypes(
          op->getContext(), op->getLoc(), op->getOperands(),
          op->getDiscardableAttrDictionary(), op->getPropertiesStorage(),
          op->getRegions(), inferred)))
    return failure();
  if (op->getResultTypes() == TypeRange(inferred))
    return success();
  return op->emitOpError() << "gives (" << inferred << "), not ("
                           << op->getResultTypes() << ")";
}
