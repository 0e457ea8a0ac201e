//===- LowerTiles.cpp - spine-lower-tiles ---------------------------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"
#include "spine-triton/Codegen/Passes.h"
#include "spine-triton/Dialect/Spine/IR/Spine.h"

namespace mlir::spine {
#define GEN_PASS_DEF_SPINELOWERTILES
#include "spine-triton/Codegen/Passes.h.inc"
} // namespace mlir::spine

using namespace mlir;

namespace {
struct LowerTiles : spine::impl::SpineLowerTilesBase<LowerTiles> {
  using SpineLowerTilesBase::SpineLowerTilesBase;

  void runOnOperation() override {
    spine::VectorTarget target{vectorBits, vectorRegisters, alignment};
    SmallVector<triton::FuncOp> kernels(
        getOperation().getOps<triton::FuncOp>());
    for (triton::FuncOp kernel : kernels) {
      if (failed(lowerKernel(kernel, target)))
        return signalPassFailure();
      kernel.erase();
    }
  }

  LogicalResult lowerKernel(triton::FuncOp kernel,
                            const spine::VectorTarget &target) {
    if (!kernel.getBody().hasOneBlock())
      return kernel.emitError(
          "expects structured control flow; run spine-structure-kernels first");
    if (kernel.getNumResults())
      return kernel.emitError("a kernel cannot return values; store them "
                              "through a pointer argument");
    spine::Placement placement(kernel, /*assumeDisjoint=*/true);
    numVirtual += placement.numVirtual;
    numBuffers += placement.numBuffers;
    numInPlaceLoads += placement.numInPlaceLoads;
    numPackedLoads += placement.numPackedLoads;
    // The old function keeps its name until it goes.
    std::string name = kernel.getName().str();
    kernel.setName(name + ".source");
    if (failed(spine::Lowering(kernel, target, placement, name).run()))
      return failure();
    if (!placement.reliesOnDisjointArguments())
      return success();
    spine::Placement careful(kernel, /*assumeDisjoint=*/false);
    return spine::Lowering(kernel, target, careful, name + "__may_alias").run();
  }
};
} // namespace
