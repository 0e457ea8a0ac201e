//===- LowerTiles.cpp - spine-lower-tiles ---------------------------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"
#include "spine-triton/Analysis/TargetSpec.h"
#include "spine-triton/Codegen/Passes.h"
#include "spine-triton/Dialect/Spine/IR/Spine.h"

namespace mlir::spine {
#define GEN_PASS_DEF_SPINELOWERTILES
#include "spine-triton/Codegen/Passes.h.inc"
} // namespace mlir::spine

using namespace mlir;

/// Types that no code is generated for, found before anything is built.
static LogicalResult checkElementTypes(triton::FuncOp kernel) {
  auto narrowFloat = [](Type type) {
    type = getElementTypeOrSelf(type);
    while (auto pointer = dyn_cast<triton::PointerType>(type))
      type = getElementTypeOrSelf(pointer.getPointeeType());
    return isa<FloatType>(type) && type.getIntOrFloatBitWidth() < 16;
  };
  WalkResult result = kernel.walk([&](Operation *op) {
    bool narrow = llvm::any_of(op->getOperandTypes(), narrowFloat) ||
                  llvm::any_of(op->getResultTypes(), narrowFloat) ||
                  (op == kernel.getOperation() &&
                   llvm::any_of(kernel.getArgumentTypes(), narrowFloat));
    if (!narrow)
      return WalkResult::advance();
    op->emitError("8-bit floating-point types are not supported on this "
                  "target; convert to fp16, bf16 or fp32 before the kernel");
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

namespace {
struct LowerTiles : spine::impl::SpineLowerTilesBase<LowerTiles> {
  using SpineLowerTilesBase::SpineLowerTilesBase;

  void runOnOperation() override {
    spine::VectorTarget target = getTarget();
    SmallVector<triton::FuncOp> kernels(
        getOperation().getOps<triton::FuncOp>());
    for (triton::FuncOp kernel : kernels) {
      if (failed(lowerKernel(kernel, target)))
        return signalPassFailure();
      kernel.erase();
    }
  }

  /// A large cache (or scratchpad) holds more of a product's right operand, and
  /// results are read and written less often.
  static int64_t packedBytes(int64_t scratchpadBytes) {
    return std::clamp<int64_t>(scratchpadBytes / 8, 64 * 1024, 128 * 1024);
  }

  /// What the options leave open, the module's target says.
  spine::VectorTarget getTarget() {
    auto get = [&](StringRef field, int64_t given, int64_t otherwise) {
      return static_cast<unsigned>(
          spine::getTargetNumber(getOperation(), field, given, otherwise));
    };
    return {get("vector_bits", vectorBits, 256),
            get("vector_registers", vectorRegisters, 16),
            get("alignment", alignment, 64),
            get("prefetch_rows", prefetchRows, 0),
            get("strided_lanes", stridedLanes, 0),
            get("widens_f16", widensF16, 0) != 0,
            get("widens_bf16", widensBF16, 0) != 0,
            get("tiles_bf16", tilesBF16, 0) != 0,
            packedBytes(get("scratchpad_bytes", spine::kOfTarget, 0)),
            get("kept_bytes", keptBytes, 0)};
  }

  LogicalResult lowerKernel(triton::FuncOp kernel,
                            const spine::VectorTarget &target) {
    if (kernel.isExternal())
      return kernel.emitError("a kernel needs a body");
    if (!kernel.getBody().hasOneBlock())
      return kernel.emitError(
          "expects structured control flow; run spine-structure-kernels first");
    if (kernel.getNumResults())
      return kernel.emitError("a kernel cannot return values; store them "
                              "through a pointer argument");
    if (failed(checkElementTypes(kernel)))
      return failure();
    spine::Placement placement(kernel, /*assumeDisjoint=*/true,
                               target.keptBytes > 0);
    // The old function keeps its name until it goes.
    std::string name = kernel.getName().str();
    kernel.setName(name + ".source");
    bool serveAny = placement.disjointArguments().empty();
    if ((serveAny || variants != spine::KernelVariants::MayAlias) &&
        failed(lowerDisjoint(kernel, target, placement, name)))
      return failure();
    if (serveAny || variants == spine::KernelVariants::Disjoint)
      return success();
    spine::Placement careful(kernel, /*assumeDisjoint=*/false);
    return spine::Lowering(kernel, target, careful, name, "__may_alias").run();
  }

  /// The version that every launch begins with, and what it relies on.
  LogicalResult lowerDisjoint(triton::FuncOp kernel,
                              const spine::VectorTarget &target,
                              const spine::Placement &placement,
                              StringRef name) {
    numStreamed += placement.numStreamed();
    numVirtual += placement.numVirtual;
    numBuffers += placement.numBuffers;
    numInPlaceLoads += placement.numInPlaceLoads;
    numPackedLoads += placement.numPackedLoads;
    if (failed(spine::Lowering(kernel, target, placement, name, "").run()))
      return failure();
    auto disjoint = llvm::to_vector(placement.disjointArguments());
    if (disjoint.empty())
      return success();
    llvm::sort(disjoint);
    SmallVector<int64_t> pairs;
    for (auto [one, other] : disjoint)
      pairs.append({one, other});
    getOperation().lookupSymbol(name)->setAttr(
        "spine.disjoint_arguments",
        DenseI64ArrayAttr::get(&getContext(), pairs));
    return success();
  }
};
} // namespace
