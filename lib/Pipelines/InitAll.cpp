//===- InitAll.cpp - everything the compiler knows ------------------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "spine-triton/InitAll.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/Dialect/Func/Extensions/InlinerExtension.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Transforms/Passes.h"
#include "spine-triton/Codegen/Passes.h"
#include "spine-triton/Conversion/Passes.h"
#include "spine-triton/Dialect/Spine/IR/Spine.h"
#include "spine-triton/Pipelines/Codegen.h"
#include "spine-triton/Pipelines/Passes.h"
#include "spine-triton/Transforms/Passes.h"
#include "triton/Dialect/Triton/IR/Dialect.h"
#include "triton/Dialect/TritonGPU/IR/Dialect.h"

using namespace mlir;

void spine::registerAllDialects(DialectRegistry &registry) {
  registry.insert<arith::ArithDialect, bufferization::BufferizationDialect,
                  cf::ControlFlowDialect, DLTIDialect, func::FuncDialect,
                  gpu::GPUDialect, linalg::LinalgDialect, LLVM::LLVMDialect,
                  math::MathDialect, memref::MemRefDialect, scf::SCFDialect,
                  spine::SpineDialect, tensor::TensorDialect,
                  triton::TritonDialect, triton::gpu::TritonGPUDialect,
                  ub::UBDialect, vector::VectorDialect>();
  func::registerInlinerExtension(registry);
}

void spine::registerAllPasses() {
  static bool once = [] {
    registerTransformsPasses();
    spine::registerSpineConversionPasses();
    spine::registerSpineCodegenPasses();
    spine::registerCodegenPipelines();
    spine::registerSpineTransformsPasses();
    spine::registerTTIRPipeline();
    return true;
  }();
  (void)once;
}
