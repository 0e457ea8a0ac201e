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

void spine::buildTTIRPipeline(OpPassManager &passes,
                              const TTIRPipelineOptions &options) {
  passes.addPass(createInlinerPass());
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
  passes.addPass(createSymbolDCEPass());
  passes.addPass(createLoopInvariantCodeMotionPass());

  if (options.autoTile) {
    SpineAutoTileOptions tile;
    tile.capacity = options.capacity;
    tile.reserve = options.reserve;
    tile.target = options.target;
    tile.policy = options.policy;
    tile.alignment = options.alignment;
    tile.granule = options.granule;
    tile.numStages = options.numStages;
    passes.addPass(createSpineAutoTile(tile));
  }

  SpineCheckResidencyOptions check;
  check.capacity = options.capacity;
  check.reserve = options.reserve;
  check.target = options.target;
  check.policy = options.policy;
  check.alignment = options.alignment;
  check.granule = options.granule;
  check.numStages = options.numStages;
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
