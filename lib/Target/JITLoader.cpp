//===- JITLoader.cpp - objects to machine code in this process ------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "spine-triton/Target/JITLoader.h"
#include "JITSymbols.h"
#include "spine-runtime/KernelSupport.h"
#include "spine-triton/Target/ObjectEmitter.h"
#include "llvm/ExecutionEngine/JITLink/JITLinkMemoryManager.h"
#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/ExecutionUtils.h"
#include "llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h"
#include "llvm/ExecutionEngine/Orc/SelfExecutorProcessControl.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"
#include <atomic>

using namespace mlir::spine;
using namespace llvm::orc;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;

namespace {

/// What linking on this thread reported. A look-up itself only says which of
/// its symbols failed, not why.
thread_local std::string *reportedErrors = nullptr;

void reportError(Error error) {
  std::string text = llvm::toString(std::move(error));
  if (reportedErrors)
    *reportedErrors += (reportedErrors->empty() ? "" : "; ") + text;
}

/// The linker of this process. Never destroyed: kernels may be unloaded while
/// the process exits.
class Linker {
public:
  static Expected<Linker *> get() {
    struct Start {
      Linker *linker = nullptr;
      std::string problem;
    };
    static Start *start = [] {
      auto *result = new Start;
      if (Error error = Linker::create().moveInto(result->linker))
        result->problem = llvm::toString(std::move(error));
      return result;
    }();
    if (start->linker)
      return start->linker;
    return llvm::createStringError(
        "the machine-code loader cannot be started: " + start->problem);
  }

  ExecutionSession session;
  ObjectLinkingLayer layer;

  /// A library for one kernel, that sees the runtime's symbols.
  JITDylib &createLibrary() {
    static std::atomic<uint64_t> counter{0};
    JITDylib &library = session.createBareJITDylib(
        "kernel" + std::to_string(counter.fetch_add(1)));
    library.addToLinkOrder(*runtime);
    return library;
  }

private:
  Linker(std::unique_ptr<ExecutorProcessControl> control,
         std::unique_ptr<llvm::jitlink::JITLinkMemoryManager> memory)
      : session(std::move(control)), layer(session, std::move(memory)) {}

  static Expected<Linker *> create();
  Error defineRuntime();

  JITDylib *runtime = nullptr;
};

} // namespace

/// Symbols that kernels may refer to: the project's own first, then the
/// mathematical library, which a process need not have made visible, then
/// whatever the process has.
Error Linker::defineRuntime() {
  runtime = &session.createBareJITDylib("runtime");
  SymbolMap symbols;
  size_t count = 0;
  const ::spine::rt::KernelSymbol *list = ::spine::rt::getKernelSymbols(count);
  for (size_t i = 0; i < count; ++i)
    symbols[session.intern(list[i].name)] = {
        ExecutorAddr::fromPtr(list[i].address),
        llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable};
  if (Error error = runtime->define(absoluteSymbols(std::move(symbols))))
    return error;
  for (const char *file : {"libm.so.6", static_cast<const char *>(nullptr)}) {
    auto generator = DynamicLibrarySearchGenerator::Load(file, '\0');
    if (generator) {
      runtime->addGenerator(std::move(*generator));
      continue;
    }
    // Where the C library is one file, it has the functions itself.
    if (!file)
      return generator.takeError();
    llvm::consumeError(generator.takeError());
  }
  return Error::success();
}

Expected<Linker *> Linker::create() {
  auto control = SelfExecutorProcessControl::Create(
      nullptr, std::make_unique<InPlaceTaskDispatcher>());
  if (!control)
    return control.takeError();
  auto memory = llvm::jitlink::InProcessMemoryManager::Create();
  if (!memory)
    return memory.takeError();
  auto *linker = new Linker(std::move(*control), std::move(*memory));
  linker->session.setErrorReporter(reportError);
  if (Error error = linker->defineRuntime())
    return std::move(error);
  if (Error error = announceSymbols(linker->layer))
    return std::move(error);
  return linker;
}

/// Holds a kernel's library, and takes it out of the process.
struct LoadedKernel::Code {
  Linker *linker;
  JITDylib *library;

  ~Code() {
    // There is nobody to tell if memory cannot be given back.
    llvm::consumeError(linker->session.removeJITDylib(*library));
  }
};

LoadedKernel::LoadedKernel() = default;
LoadedKernel::~LoadedKernel() = default;

/// Refuses objects of other machines with a clear message.
static Error checkObject(llvm::MemoryBufferRef buffer) {
  auto object = llvm::object::ObjectFile::createObjectFile(buffer);
  if (!object)
    return llvm::createStringError("not an object file: " +
                                   llvm::toString(object.takeError()));
  llvm::Triple process(llvm::sys::getProcessTriple());
  if (!(*object)->isELF() || (*object)->getArch() != process.getArch())
    return llvm::createStringError(
        "the object is for " +
        llvm::Triple::getArchTypeName((*object)->getArch()) +
        " and cannot run in this process, which is " + process.getArchName() +
        "; a runner for that machine is needed");
  return Error::success();
}

Error LoadedKernel::lookUp() {
  ExecutionSession &session = code->linker->session;
  SymbolStringPtr plain = session.intern(name);
  SymbolStringPtr mayAlias = session.intern((name + kMayAliasSuffix).str());
  SymbolStringPtr arena = session.intern((name + kArenaBytesSuffix).str());
  SymbolStringPtr kept = session.intern((name + kKeptAtSuffix).str());
  SymbolLookupSet wanted;
  wanted.add(plain);
  wanted.add(arena);
  wanted.add(mayAlias, SymbolLookupFlags::WeaklyReferencedSymbol);
  wanted.add(kept, SymbolLookupFlags::WeaklyReferencedSymbol);
  auto found = session.lookup(
      {{code->library, JITDylibLookupFlags::MatchExportedSymbolsOnly}},
      std::move(wanted));
  if (!found)
    return found.takeError();
  function = found->lookup(plain).getAddress().toPtr<Function>();
  arenaBytes = *found->lookup(arena).getAddress().toPtr<const int64_t *>();
  keptAt = arenaBytes;
  auto keptSymbol = found->find(kept);
  if (keptSymbol != found->end() && keptSymbol->second.getAddress())
    keptAt = *keptSymbol->second.getAddress().toPtr<const int64_t *>();
  auto variant = found->find(mayAlias);
  if (variant != found->end() && variant->second.getAddress())
    mayAliasFunction = variant->second.getAddress().toPtr<Function>();
  return Error::success();
}

Expected<std::unique_ptr<LoadedKernel>>
LoadedKernel::load(StringRef object, StringRef kernelName) {
  auto buffer = llvm::MemoryBuffer::getMemBufferCopy(object, kernelName);
  if (Error error = checkObject(*buffer))
    return std::move(error);
  Expected<Linker *> linker = Linker::get();
  if (!linker)
    return linker.takeError();
  JITDylib &library = (*linker)->createLibrary();
  std::unique_ptr<LoadedKernel> kernel(new LoadedKernel);
  kernel->name = kernelName.str();
  kernel->code.reset(new Code{*linker, &library});
  std::string reported;
  reportedErrors = &reported;
  Error error = (*linker)->layer.add(library, std::move(buffer));
  if (!error)
    error = kernel->lookUp();
  reportedErrors = nullptr;
  if (!error)
    return kernel;
  if (reported.empty())
    return std::move(error);
  llvm::consumeError(std::move(error));
  return llvm::createStringError("kernel '" + kernelName +
                                 "' cannot be loaded: " + reported);
}
