//===- ObjectEmitter.cpp - LLVM IR to assembly and objects ----------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "spine-triton/Target/ObjectEmitter.h"
#include "LLVMTargets.h"
#include "spine-triton/Target/FatalErrors.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace mlir;
using namespace mlir::spine;
using llvm::Error;
using llvm::Expected;

namespace {

/// Collects the errors that code generation reports, instead of printing them
/// and ending the process.
class ErrorCollector : public llvm::DiagnosticHandler {
public:
  explicit ErrorCollector(std::string &errors) : errors(errors) {}

  bool handleDiagnostics(const llvm::DiagnosticInfo &info) override {
    if (info.getSeverity() == llvm::DS_Error) {
      llvm::raw_string_ostream stream(errors);
      llvm::DiagnosticPrinterRawOStream printer(stream);
      if (!errors.empty())
        stream << "; ";
      info.print(printer);
    }
    return true;
  }

private:
  std::string &errors;
};

} // namespace

LLVMModule::LLVMModule(const TargetDescription &target)
    : target(target), context(std::make_unique<llvm::LLVMContext>()) {
  context->setDiagnosticHandler(std::make_unique<ErrorCollector>(errors));
}

LLVMModule::~LLVMModule() = default;

/// After a fatal error the LLVM objects are in a state that nothing is known
/// of.
void LLVMModule::abandon() {
  (void)module.release();
  (void)machine.release();
  (void)context.release();
}

Error LLVMModule::takeErrors() {
  if (errors.empty())
    return Error::success();
  Error error = llvm::createStringError(errors);
  errors.clear();
  return error;
}

std::string LLVMModule::toString() const {
  if (!module)
    return "";
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream, nullptr);
  return text;
}

Expected<std::unique_ptr<LLVMModule>>
LLVMModule::parse(llvm::StringRef text, const TargetDescription &target) {
  std::unique_ptr<LLVMModule> result(new LLVMModule(target));
  llvm::SMDiagnostic problem;
  result->module = llvm::parseAssemblyString(text, problem, *result->context);
  if (!result->module)
    return llvm::createStringError(
        "LLVM IR, line " + llvm::Twine(problem.getLineNo()) + ", column " +
        llvm::Twine(problem.getColumnNo() + 1) + ": " + problem.getMessage());
  std::string problems;
  llvm::raw_string_ostream stream(problems);
  if (llvm::verifyModule(*result->module, &stream))
    return llvm::createStringError("LLVM IR is not valid: " + problems);
  if (Error error = result->createTargetMachine(3))
    return std::move(error);
  result->setTarget();
  return result;
}

Error LLVMModule::createTargetMachine(unsigned optLevel) {
  Expected<std::unique_ptr<llvm::TargetMachine>> made =
      spine::createTargetMachine(target, optLevel);
  if (!made)
    return made.takeError();
  machine = std::move(*made);
  return Error::success();
}

void LLVMModule::setTarget() {
  module->setTargetTriple(machine->getTargetTriple());
  module->setDataLayout(machine->createDataLayout());
}

Expected<std::string> LLVMModule::emit(bool assembly) {
  if (!module)
    return llvm::createStringError(
        "this module was given up after an internal error of the compiler");
  llvm::SmallString<0> code;
  bool unsupported = false;
  Error error = catchFatalErrors([&]() -> Error {
    // Code generation changes the IR, which may be asked for again.
    std::unique_ptr<llvm::Module> copy = llvm::CloneModule(*module);
    llvm::raw_svector_ostream stream(code);
    llvm::legacy::PassManager passes;
    // The IR was verified when it was translated or parsed.
    unsupported = machine->addPassesToEmitFile(
        passes, stream, nullptr,
        assembly ? llvm::CodeGenFileType::AssemblyFile
                 : llvm::CodeGenFileType::ObjectFile,
        /*DisableVerify=*/true);
    if (!unsupported)
      passes.run(*copy);
    return Error::success();
  });
  if (error) {
    abandon();
    return std::move(error);
  }
  if (unsupported)
    return llvm::createStringError("the target cannot emit this kind of file");
  if (Error reported = takeErrors())
    return std::move(reported);
  return code.str().str();
}

Expected<llvm::StringRef> LLVMModule::getObject() {
  if (!object) {
    Expected<std::string> made = emit(/*assembly=*/false);
    if (!made)
      return made.takeError();
    object = std::move(*made);
  }
  return llvm::StringRef(*object);
}

Expected<std::string> LLVMModule::getAssembly() {
  return emit(/*assembly=*/true);
}
