//===- SpineDialect.cpp - the spine dialect -------------------------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "spine-triton/Dialect/Spine/IR/Spine.h"

using namespace mlir;
using namespace mlir::spine;

#include "spine-triton/Dialect/Spine/IR/SpineDialect.cpp.inc"

void SpineDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "spine-triton/Dialect/Spine/IR/SpineOps.cpp.inc"
      >();
}

LogicalResult ScratchOp::verify() {
  if (static_cast<int64_t>(getBytes()) < 0)
    return emitOpError("expects a size that is not negative, got ")
           << static_cast<int64_t>(getBytes()) << " bytes";
  if (!llvm::isPowerOf2_64(getAlignment()))
    return emitOpError("expects an alignment that is a power of two, got ")
           << getAlignment();
  return success();
}

#define GET_OP_CLASSES
#include "spine-triton/Dialect/Spine/IR/SpineOps.cpp.inc"
