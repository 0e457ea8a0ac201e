//===- Dialect.cpp - the part of ttg that frontends print -----------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "triton/Dialect/TritonGPU/IR/Dialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Transforms/InliningUtils.h"

using namespace mlir;
using namespace mlir::triton::gpu;

#include "triton/Dialect/TritonGPU/IR/Dialect.cpp.inc"
#include "triton/Dialect/TritonGPU/IR/OpsEnums.cpp.inc"

namespace {
struct TritonGPUInlinerInterface : public DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;

  bool isLegalToInline(Operation *op, Region *dest, bool wouldBeCloned,
                       IRMapping &valueMapping) const final {
    return true;
  }
};
} // namespace

void TritonGPUDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "triton/Dialect/TritonGPU/IR/Ops.cpp.inc"
      >();
  addInterfaces<TritonGPUInlinerInterface>();
}

/// Parses `local|global_read`: names joined by bars.
static ParseResult parseAddrSpaces(OpAsmParser &parser, AddrSpaceAttr &attr) {
  AddrSpace all = AddrSpace::None;
  do {
    SMLoc loc = parser.getCurrentLocation();
    StringRef name;
    if (parser.parseKeyword(&name))
      return failure();
    std::optional<AddrSpace> space = symbolizeAddrSpace(name);
    if (!space)
      return parser.emitError(loc)
             << "expects none, local, global_read, global_write, tensor_read, "
                "tensor_write or all, got "
             << name;
    all = all | *space;
  } while (succeeded(parser.parseOptionalVerticalBar()));
  attr = AddrSpaceAttr::get(parser.getContext(), all);
  return success();
}

static void printAddrSpaces(OpAsmPrinter &printer, Operation *,
                            AddrSpaceAttr attr) {
  printer << stringifyAddrSpace(attr.getValue());
}

#define GET_OP_CLASSES
#include "triton/Dialect/TritonGPU/IR/Ops.cpp.inc"
