//===- Codegen.cpp - pipelines from TTIR to the LLVM dialect --------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "spine-triton/Pipelines/Codegen.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Transforms/Passes.h"
#include "spine-triton/Codegen/Passes.h"
#include "spine-triton/Conversion/Passes.h"

using namespace mlir;

void spine::buildToLinalgPipeline(OpPassManager &pm) {
  pm.addPass(createSpineStructureKernels());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createSpineDropUnitBatch());
  pm.addPass(createConvertTritonToLinalg());
  pm.addPass(createCSEPass());
}

void spine::buildToLLVMPipeline(OpPassManager &pm,
                                const ToLLVMOptions &options) {
  SpineLowerTilesOptions lower;
  lower.vectorBits = options.vectorBits;
  lower.vectorRegisters = options.vectorRegisters;
  lower.alignment = options.alignment;
  lower.prefetchRows = options.prefetchRows;
  lower.keptBytes = options.keptBytes;
  lower.stridedLanes = options.stridedLanes;
  lower.widensF16 = options.widensF16;
  lower.widensBF16 = options.widensBF16;
  lower.tilesBF16 = options.tilesBF16;
  lower.variants = options.variants;
  pm.addPass(createSpineLowerTiles(lower));
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(createLoopInvariantCodeMotionPass());
  pm.addPass(createSpinePlanScratchpad());
  pm.addPass(createSpineVerifyScratchpad());

  pm.addPass(createSCFToControlFlowPass());
  arith::ArithExpandOpsPassOptions expand;
  expand.includeBf16 = true;
  pm.addPass(arith::createArithExpandOpsPass(expand));
  pm.addPass(createConvertVectorToLLVMPass());
  pm.addPass(createConvertMathToLLVMPass());
  pm.addPass(createConvertMathToLibmPass());
  pm.addPass(createConvertVectorToLLVMPass());
  pm.addPass(createArithToLLVMConversionPass());
  pm.addPass(createConvertIndexToLLVMPass());
  pm.addPass(createConvertControlFlowToLLVMPass());
  pm.addPass(createConvertFuncToLLVMPass());
  pm.addPass(createUBToLLVMConversionPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
  pm.addPass(createCSEPass());
  // Once more on the final code, where ranges are not known any more.
  SpineVerifyScratchpadOptions verify;
  verify.useRanges = false;
  pm.addPass(createSpineVerifyScratchpad(verify));
}

void spine::registerCodegenPipelines() {
  PassPipelineRegistration<>(
      "spine-to-linalg",
      "Express kernels in linalg on tensors with structured control flow",
      buildToLinalgPipeline);
  PassPipelineRegistration<ToLLVMOptions>(
      "spine-to-llvm",
      "Generate code for kernels in linalg form, down to the LLVM dialect",
      buildToLLVMPipeline);
}
