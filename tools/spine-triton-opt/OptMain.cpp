//===- OptMain.cpp - mlir-opt for this project ----------------------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "spine-triton/Tools/OptMain.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "spine-triton/InitAll.h"
#include "spine-triton/Support/Nesting.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;

/// Reports text that the parser's stack could not hold.
static LogicalResult checkText(const llvm::MemoryBuffer &buffer) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  llvm::SourceMgr sourceManager;
  sourceManager.AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBuffer(buffer.getMemBufferRef(),
                                       /*RequiresNullTerminator=*/false),
      SMLoc());
  SourceMgrDiagnosticHandler handler(sourceManager, &context);
  return spine::checkNestingDepth(&context, buffer.getBuffer(),
                                  buffer.getBufferIdentifier());
}

/// Reads, checks and processes the input.
static LogicalResult process(StringRef inputName, StringRef outputName,
                             DialectRegistry &registry,
                             const MlirOptMainConfig &config) {
  std::string error;
  std::unique_ptr<llvm::MemoryBuffer> input = openInputFile(inputName, &error);
  if (!input) {
    llvm::errs() << error << "\n";
    return failure();
  }
  if (failed(checkText(*input)))
    return failure();
  std::unique_ptr<llvm::ToolOutputFile> output =
      openOutputFile(outputName, &error);
  if (!output) {
    llvm::errs() << error << "\n";
    return failure();
  }
  if (failed(MlirOptMain(output->os(), std::move(input), registry, config)))
    return failure();
  output->keep();
  return success();
}

int spine::runOptMain(int argc, char **argv) {
  DialectRegistry registry;
  spine::registerAllDialects(registry);
  spine::registerAllPasses();
  auto [inputName, outputName] = registerAndParseCLIOptions(
      argc, argv, "spine-triton modular optimizer driver\n", registry);
  MlirOptMainConfig config = MlirOptMainConfig::createFromCLOptions();
  if (config.shouldShowDialects() || config.shouldListPasses())
    return failed(MlirOptMain(argc, argv, inputName, outputName, registry));
  return failed(process(inputName, outputName, registry, config));
}
