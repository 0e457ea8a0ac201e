//===- TTIR.cpp - the pipeline spine-ttir ---------------------------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "spine-triton/Pipelines/Passes.h"

using namespace mlir;
using namespace mlir::spine;

/// What decides a residency plan: the pass that splits tiles has to judge by
/// the same plan as the check.
template <typename PassOptions>
static void copyPlanOptions(const spine::TTIRPipelineOptions &from,
                            PassOptions &to) {
  to.capacity = from.capacity;
  to.reserve = from.reserve;
  to.target = from.target;
  to.policy = from.policy;
  to.alignment = from.alignment;
  to.granule = from.granule;
  to.numStages = from.numStages;
}

void spine::buildTTIRPipeline(OpPassManager &passes,
                              const TTIRPipelineOptions &options) {
  passes.addPass(createInlinerPass());
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
  passes.addPass(createSymbolDCEPass());
  passes.addPass(createLoopInvariantCodeMotionPass());

  if (options.autoTile) {
    SpineAutoTileOptions tile;
    copyPlanOptions(options, tile);
    tile.vectorBits = options.vectorBits;
    tile.matrixUnits =
        llvm::to_vector(ArrayRef<std::string>(options.matrixUnits));
    passes.addPass(createSpineAutoTile(tile));
  }

  SpineCheckResidencyOptions check;
  copyPlanOptions(options, check);
  check.deferToLaunch = options.deferToLaunch;
  check.autoTileHint = options.autoTileHint;
  check.constexprs = llvm::to_vector(ArrayRef<std::string>(options.constexprs));
  check.severity = options.severity;
  check.rule = options.rule;
  check.maxNumel = options.maxNumel;
  passes.addPass(createSpineCheckResidency(check));

  passes.addPass(createSpineRebaseTensorPtr());
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
  // Rebasing computes each tile's place where its pointer was made; what of
  // that a loop does not change moves out.
  passes.addPass(createLoopInvariantCodeMotionPass());
}

void spine::registerTTIRPipeline() {
  PassPipelineRegistration<TTIRPipelineOptions>(
      "spine-ttir",
      "Clean up TTIR, split tiles that do not fit (on demand), check that they "
      "fit the scratchpad, and make every block pointer describe one tile",
      buildTTIRPipeline);
}
