//===- Codegen.h - pipelines from TTIR to the LLVM dialect ------*- C++ -*-===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#ifndef SPINE_TRITON_PIPELINES_CODEGEN_H
#define SPINE_TRITON_PIPELINES_CODEGEN_H

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"
#include "spine-triton/Codegen/Passes.h"

namespace mlir::spine {

/// -1: as the module's target says, else the default of spine-lower-tiles.
struct ToLLVMOptions : PassPipelineOptions<ToLLVMOptions> {
  Option<int64_t> vectorBits{
      *this, "vector-bits",
      llvm::cl::desc("Width of the target's vector registers in bits"),
      llvm::cl::init(-1)};
  Option<int64_t> vectorRegisters{
      *this, "vector-registers",
      llvm::cl::desc("Number of the target's vector registers"),
      llvm::cl::init(-1)};
  Option<int64_t> alignment{
      *this, "alignment",
      llvm::cl::desc("Alignment of buffers in the arena, in bytes"),
      llvm::cl::init(-1)};
  Option<int64_t> prefetchRows{
      *this, "prefetch-rows",
      llvm::cl::desc("Rows of a product's left operand to prefetch ahead"),
      llvm::cl::init(-1)};
  Option<int64_t> keptBytes{
      *this, "kept-bytes",
      llvm::cl::desc("The most that a worker keeps of packed operands between "
                     "programs"),
      llvm::cl::init(-1)};
  Option<int64_t> stridedLanes{
      *this, "strided-lanes",
      llvm::cl::desc("Elements that a strided load moves per cycle; 0 if the "
                     "target has no such instruction"),
      llvm::cl::init(-1)};
  Option<int64_t> widensF16{
      *this, "widens-f16",
      llvm::cl::desc("1 if a multiply-add of fp32 vectors takes fp16 as it is"),
      llvm::cl::init(-1)};
  Option<int64_t> widensBF16{*this, "widens-bf16",
                             llvm::cl::desc("1 if it takes bf16 as it is"),
                             llvm::cl::init(-1)};
  Option<int64_t> tilesBF16{
      *this, "tiles-bf16",
      llvm::cl::desc("1 if products of bf16 and fp16 are made by AMX's tiles"),
      llvm::cl::init(-1)};
  Option<KernelVariants> variants{
      *this, "variants", llvm::cl::desc("Versions of a kernel to make"),
      llvm::cl::init(KernelVariants::All),
      llvm::cl::values(
          clEnumValN(KernelVariants::All, "all", "both, where there are two"),
          clEnumValN(KernelVariants::Disjoint, "disjoint",
                     "the one for arguments that do not overlap"),
          clEnumValN(KernelVariants::MayAlias, "may-alias",
                     "the one for any arguments, if there is another"))};
};

/// TTIR to linalg on tensors (`spine-to-linalg`).
void buildToLinalgPipeline(OpPassManager &pm);

/// linalg on tensors to the LLVM dialect (`spine-to-llvm`).
void buildToLLVMPipeline(OpPassManager &pm, const ToLLVMOptions &options);

/// Makes both known by name.
void registerCodegenPipelines();

} // namespace mlir::spine

#endif // SPINE_TRITON_PIPELINES_CODEGEN_H
