//===- Traits.cpp - traits of the tt dialect ------------------------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "triton/Dialect/Triton/IR/Traits.h"
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
