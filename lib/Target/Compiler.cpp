//===- Compiler.cpp - the compiler as a library ---------------------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "spine-triton/Target/Compiler.h"
#include "CompilerImpl.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassRegistry.h"
#include "spine-triton/InitAll.h"
#include "spine-triton/Support/Nesting.h"
#include "spine-triton/Target/FatalErrors.h"
#include "spine-triton/Target/ObjectEmitter.h"
#include "spine-triton/Target/StackFrames.h"
#include "llvm/Config/llvm-config.h"

using namespace mlir;
using namespace mlir::spine;

//===----------------------------------------------------------------------===//
// CompilerContext
//===----------------------------------------------------------------------===//

CompilerContext::Impl::Impl()
    : context(makeRegistry(), MLIRContext::Threading::DISABLED) {
  // The text of a whole function behind each message hides the message.
  context.printOpOnDiagnostic(false);
}

DialectRegistry CompilerContext::Impl::makeRegistry() {
  DialectRegistry registry;
  registerAllDialects(registry);
  registerTranslations(registry);
  return registry;
}

CompilerContext::CompilerContext() {
  static std::once_flag once;
  std::call_once(once, registerAllPasses);
  impl = std::make_unique<Impl>();
}

CompilerContext::~CompilerContext() = default;

//===----------------------------------------------------------------------===//
// CompilerModule
//===----------------------------------------------------------------------===//

CompilerModule::CompilerModule(Context context, std::unique_ptr<Impl> impl)
    : context(std::move(context)), impl(std::move(impl)) {}

CompilerModule::~CompilerModule() {
  std::lock_guard<std::mutex> lock(context->impl->mutex);
  impl.reset();
}

bool Work::run(OwningOpRef<ModuleOp> *module,
               llvm::function_ref<LogicalResult()> action) {
  if (module && !*module) {
    addError(messages, "this module was given up after an internal error of "
                       "the compiler");
    return false;
  }
  bool done = false;
  if (llvm::Error error = catchFatalErrors([&]() -> llvm::Error {
        done = succeeded(action());
        return llvm::Error::success();
      })) {
    addError(messages, llvm::toString(std::move(error)));
    giveUp(module);
    return false;
  }
  if (!done && !hasError())
    addError(messages, "failed without saying why");
  return done;
}

void Work::giveUp(OwningOpRef<ModuleOp> *module) {
  if (module)
    (void)module->release();
  (void)new CompilerModule::Context(context);
}

bool Work::hasError() const {
  return llvm::any_of(messages, [](const Message &message) {
    return message.severity == Message::Severity::Error;
  });
}

std::shared_ptr<CompilerModule> CompilerModule::parse(Context context,
                                                      std::string_view text,
                                                      std::string_view name,
                                                      Messages &messages) {
  auto impl = std::make_unique<Impl>();
  Work work(context, messages);
  if (!work.run(nullptr, [&]() -> LogicalResult {
        if (failed(
                checkNestingDepth(work.getContext(), toRef(text), toRef(name))))
          return failure();
        impl->module = parseSourceString<ModuleOp>(
            toRef(text), ParserConfig(work.getContext()), toRef(name));
        return success(bool(impl->module));
      }))
    return nullptr;
  return std::make_shared<CompilerModule>(std::move(context), std::move(impl));
}

std::shared_ptr<CompilerModule> CompilerModule::clone(Messages &messages) {
  auto copy = std::make_unique<Impl>();
  Work work(context, messages);
  if (!work.run(&impl->module, [&] {
        copy->module = impl->module->clone();
        return success();
      }))
    return nullptr;
  return std::make_shared<CompilerModule>(context, std::move(copy));
}

bool CompilerModule::verify(Messages &messages) {
  Work work(context, messages);
  return work.run(&impl->module,
                  [&] { return mlir::verify(impl->module.get()); });
}

std::optional<std::string>
CompilerModule::toString(bool debugInfo, bool generic, Messages &messages) {
  std::string text;
  Work work(context, messages);
  if (!work.run(&impl->module, [&] {
        OpPrintingFlags flags;
        if (debugInfo)
          flags.enableDebugInfo();
        if (generic)
          flags.printGenericOpForm();
        llvm::raw_string_ostream stream(text);
        impl->module->print(stream, flags);
        // As mlir-opt ends a file.
        stream << "\n";
        return success();
      }))
    return std::nullopt;
  return text;
}

/// The text of a pipeline's problem is written for a terminal: a line, then one
/// that points into it.
static std::string makePipelineError(StringRef pipeline, std::string details) {
  return ("'" + pipeline +
          "' is not a pass pipeline: " + StringRef(details).rtrim())
      .str();
}

bool CompilerModule::runPipeline(std::string_view pipeline,
                                 const PipelineOptions &options,
                                 Messages &messages) {
  Work work(context, messages);
  return work.run(&impl->module, [&]() -> LogicalResult {
    std::string problem;
    llvm::raw_string_ostream stream(problem);
    FailureOr<OpPassManager> passes =
        parsePassPipeline(toRef(pipeline), stream);
    if (failed(passes)) {
      addError(messages, makePipelineError(toRef(pipeline), problem));
      return failure();
    }
    PassManager manager(work.getContext(), passes->getOpAnchorName());
    static_cast<OpPassManager &>(manager) = std::move(*passes);
    manager.enableVerifier(options.verifyEach);
    if (options.printAfterAll)
      manager.enableIRPrinting([](Pass *, Operation *) { return false; },
                               [](Pass *, Operation *) { return true; },
                               /*printModuleScope=*/true,
                               /*printAfterOnlyOnChange=*/false);
    if (options.timing)
      manager.enableTiming();
    Operation *module = impl->module->getOperation();
    if (failed(manager.run(module)))
      return failure();
    return options.verifyEach ? success() : mlir::verify(module);
  });
}

std::optional<KernelFacts> CompilerModule::getKernelFacts(Messages &messages) {
  std::optional<KernelFacts> facts;
  Work work(context, messages);
  work.run(&impl->module, [&]() -> LogicalResult {
    FailureOr<KernelFacts> found = findKernel(*impl->module);
    if (failed(found))
      return failure();
    facts = std::move(*found);
    return success();
  });
  return facts;
}

//===----------------------------------------------------------------------===//
// CompiledModule
//===----------------------------------------------------------------------===//

struct CompiledModule::Impl {
  std::unique_ptr<LLVMModule> module;
  std::mutex mutex;
};

CompiledModule::CompiledModule(std::unique_ptr<Impl> impl)
    : impl(std::move(impl)) {}

CompiledModule::~CompiledModule() = default;

static std::shared_ptr<CompiledModule>
wrap(std::unique_ptr<LLVMModule> module) {
  auto impl = std::make_unique<CompiledModule::Impl>();
  impl->module = std::move(module);
  return std::make_shared<CompiledModule>(std::move(impl));
}

std::shared_ptr<CompiledModule>
CompilerModule::translate(std::string_view targetJSON, unsigned optLevel,
                          Messages &messages) {
  auto target = take(TargetDescription::parse(toRef(targetJSON)), messages);
  if (!target)
    return nullptr;
  std::unique_ptr<LLVMModule> result;
  Work work(context, messages);
  if (!work.run(&impl->module, [&]() -> LogicalResult {
        EmitOptions options;
        options.optLevel = optLevel;
        auto module = LLVMModule::translate(*impl->module, *target, options);
        if (failed(module))
          return failure();
        result = std::move(*module);
        return success();
      }))
    return nullptr;
  return wrap(std::move(result));
}

std::shared_ptr<CompiledModule>
CompiledModule::parse(std::string_view text, std::string_view targetJSON,
                      Messages &messages) {
  auto target = take(TargetDescription::parse(toRef(targetJSON)), messages);
  if (!target)
    return nullptr;
  auto module = take(LLVMModule::parse(toRef(text), *target), messages);
  return module ? wrap(std::move(*module)) : nullptr;
}

std::string CompiledModule::toString() {
  std::lock_guard<std::mutex> lock(impl->mutex);
  return impl->module->toString();
}

std::optional<std::string> CompiledModule::emitObject(Messages &messages) {
  std::lock_guard<std::mutex> lock(impl->mutex);
  std::optional<StringRef> object = take(impl->module->getObject(), messages);
  return object ? std::optional<std::string>(object->str()) : std::nullopt;
}

std::optional<std::string> CompiledModule::emitAssembly(Messages &messages) {
  std::lock_guard<std::mutex> lock(impl->mutex);
  return take(impl->module->getAssembly(), messages);
}

std::optional<std::map<std::string, uint64_t>>
mlir::spine::getStackFrames(std::string_view object, Messages &messages) {
  return take(readStackFrames(toRef(object)), messages);
}

std::string mlir::spine::getHostTargetJSON() {
  return TargetDescription::getHost().toJSON();
}

std::string mlir::spine::getLLVMVersion() { return LLVM_VERSION_STRING; }
