//===- JITSymbols.cpp - names of kernels for profilers and debuggers ------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "JITSymbols.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ExecutionEngine/JITLink/JITLink.h"
#include "llvm/ExecutionEngine/Orc/Debugging/ELFDebugObjectPlugin.h"
#include "llvm/ExecutionEngine/Orc/TargetProcess/JITLoaderGDB.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>

using namespace llvm::orc;
using llvm::Error;
using llvm::StringRef;

namespace {

/// Appends the functions of each linked graph to a file in perf's format:
/// address, bytes and name. perf never forgets a line, so code that is unloaded
/// stays in it.
class PerfMap : public ObjectLinkingLayer::Plugin {
public:
  void modifyPassConfig(MaterializationResponsibility &,
                        llvm::jitlink::LinkGraph &,
                        llvm::jitlink::PassConfiguration &config) override {
    config.PostFixupPasses.push_back(
        [](llvm::jitlink::LinkGraph &graph) { return write(graph); });
  }
  Error notifyFailed(MaterializationResponsibility &) override {
    return Error::success();
  }
  Error notifyRemovingResources(JITDylib &, ResourceKey) override {
    return Error::success();
  }
  void notifyTransferringResources(JITDylib &, ResourceKey,
                                   ResourceKey) override {}

private:
  static Error write(llvm::jitlink::LinkGraph &graph);
};

} // namespace

Error PerfMap::write(llvm::jitlink::LinkGraph &graph) {
  std::string lines;
  for (llvm::jitlink::Symbol *symbol : graph.defined_symbols())
    if (symbol->hasName() && symbol->isCallable() && symbol->getSize())
      lines +=
          llvm::formatv("{0:x-} {1:x-} {2}\n", symbol->getAddress().getValue(),
                        symbol->getSize(), *symbol->getName());
  // The process may be another one since the last time: after a fork.
  std::string path =
      llvm::formatv("/tmp/perf-{0}.map", llvm::sys::Process::getProcessId());
  std::error_code code;
  llvm::raw_fd_ostream file(path, code,
                            llvm::sys::fs::OF_Append | llvm::sys::fs::OF_Text);
  if (!code) {
    file << lines;
    file.close();
    code = file.error();
    file.clear_error();
  }
  if (code)
    return llvm::createStringError(code, "SPINE_TRITON_SYMBOLS=perf: cannot "
                                         "write " +
                                             path + ": " + code.message());
  return Error::success();
}

static Error serveDebuggers(ExecutionSession &session,
                            ObjectLinkingLayer &layer) {
  Error error = Error::success();
  // Names suffice: kernels have no debug information of their own.
  auto plugin = std::make_shared<ELFDebugObjectPlugin>(
      session, /*RequireDebugSections=*/false, /*AutoRegisterCode=*/true,
      error);
  if (error)
    return error;
  layer.addPlugin(std::move(plugin));
  return Error::success();
}

Error mlir::spine::announceSymbols(ExecutionSession &session,
                                   ObjectLinkingLayer &layer) {
  const char *text = std::getenv("SPINE_TRITON_SYMBOLS");
  if (!text)
    return Error::success();
  llvm::SmallVector<StringRef> wanted;
  llvm::SplitString(text, wanted, ",");
  for (StringRef name : wanted) {
    if (name == "perf") {
      layer.addPlugin(std::make_shared<PerfMap>());
    } else if (name == "gdb") {
      if (Error error = serveDebuggers(session, layer))
        return error;
    } else {
      return llvm::createStringError(
          "SPINE_TRITON_SYMBOLS must be perf, gdb or both with a comma "
          "between, not '" +
          name + "'");
    }
  }
  return Error::success();
}
