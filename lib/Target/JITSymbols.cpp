//===- JITSymbols.cpp - names of kernels for profilers and debuggers ------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "JITSymbols.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ExecutionEngine/JITLink/JITLink.h"
#include "llvm/ExecutionEngine/Orc/TargetProcess/JITLoaderGDB.h"
#include "llvm/Object/ELF.h"
#include "llvm/Object/ELFTypes.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>
#include <map>
#include <mutex>
#include <vector>

using namespace llvm::orc;
using llvm::Error;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// perf
//===----------------------------------------------------------------------===//

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

//===----------------------------------------------------------------------===//
// Debuggers
//===----------------------------------------------------------------------===//

// Defined by LLVM. A debugger stops in the function and reads the list.
extern "C" {
extern jit_descriptor __jit_debug_descriptor; // NOLINT
void __jit_debug_register_code();             // NOLINT
}

namespace {

/// Objects as debuggers see them: as they were emitted, with the addresses that
/// their sections were given. Kernels have no debug information, but names.
class DebuggerObjects : public ObjectLinkingLayer::Plugin {
public:
  void notifyMaterializing(MaterializationResponsibility &responsibility,
                           llvm::jitlink::LinkGraph &,
                           llvm::jitlink::JITLinkContext &,
                           llvm::MemoryBufferRef object) override {
    std::lock_guard<std::mutex> lock(mutex);
    pending[&responsibility] = std::make_unique<Object>(object.getBuffer());
  }
  void modifyPassConfig(MaterializationResponsibility &responsibility,
                        llvm::jitlink::LinkGraph &,
                        llvm::jitlink::PassConfiguration &config) override {
    config.PostFixupPasses.push_back(
        [this, &responsibility](llvm::jitlink::LinkGraph &graph) {
          std::lock_guard<std::mutex> lock(mutex);
          auto found = pending.find(&responsibility);
          if (found != pending.end())
            found->second->place(graph);
          return Error::success();
        });
  }
  Error notifyEmitted(MaterializationResponsibility &) override;
  Error notifyFailed(MaterializationResponsibility &failed) override {
    std::lock_guard<std::mutex> lock(mutex);
    pending.erase(&failed);
    return Error::success();
  }
  Error notifyRemovingResources(JITDylib &, ResourceKey key) override;
  void notifyTransferringResources(JITDylib &, ResourceKey to,
                                   ResourceKey from) override {
    std::lock_guard<std::mutex> lock(mutex);
    std::vector<std::unique_ptr<Object>> moved = std::move(known[from]);
    known.erase(from);
    llvm::move(moved, std::back_inserter(known[to]));
  }

private:
  struct Object {
    std::string text;
    jit_code_entry entry = {};

    explicit Object(StringRef text) : text(text) {}
    void place(llvm::jitlink::LinkGraph &graph);
    void add();
    void remove();
    void tell(jit_actions_t action);
  };

  std::mutex mutex;
  std::map<MaterializationResponsibility *, std::unique_ptr<Object>> pending;
  std::map<ResourceKey, std::vector<std::unique_ptr<Object>>> known;
};

} // namespace

void DebuggerObjects::Object::place(llvm::jitlink::LinkGraph &graph) {
  using ELF = llvm::object::ELF64LE;
  auto file = llvm::object::ELFFile<ELF>::create(text);
  if (!file)
    return llvm::consumeError(file.takeError());
  auto sections = file->sections();
  if (!sections)
    return llvm::consumeError(sections.takeError());
  for (const ELF::Shdr &header : *sections) {
    llvm::Expected<StringRef> name = file->getSectionName(header);
    if (!name) {
      llvm::consumeError(name.takeError());
      continue;
    }
    llvm::jitlink::Section *section = graph.findSectionByName(*name);
    if (!section || section->blocks().empty())
      continue;
    llvm::jitlink::SectionRange range(*section);
    // The headers lie in `text`, which is ours.
    const_cast<ELF::Shdr &>(header).sh_addr = range.getStart().getValue();
  }
}

void DebuggerObjects::Object::tell(jit_actions_t action) {
  __jit_debug_descriptor.relevant_entry = &entry;
  __jit_debug_descriptor.action_flag = action;
  __jit_debug_register_code();
}

void DebuggerObjects::Object::add() {
  entry.symfile_addr = text.data();
  entry.symfile_size = text.size();
  entry.next_entry = __jit_debug_descriptor.first_entry;
  if (entry.next_entry)
    entry.next_entry->prev_entry = &entry;
  __jit_debug_descriptor.first_entry = &entry;
  tell(JIT_REGISTER_FN);
}

void DebuggerObjects::Object::remove() {
  if (entry.next_entry)
    entry.next_entry->prev_entry = entry.prev_entry;
  (entry.prev_entry ? entry.prev_entry->next_entry
                    : __jit_debug_descriptor.first_entry) = entry.next_entry;
  tell(JIT_UNREGISTER_FN);
}

Error DebuggerObjects::notifyEmitted(
    MaterializationResponsibility &responsibility) {
  std::lock_guard<std::mutex> lock(mutex);
  auto found = pending.find(&responsibility);
  if (found == pending.end())
    return Error::success();
  std::unique_ptr<Object> object = std::move(found->second);
  pending.erase(found);
  object->add();
  return responsibility.withResourceKeyDo(
      [&](ResourceKey key) { known[key].push_back(std::move(object)); });
}

Error DebuggerObjects::notifyRemovingResources(JITDylib &, ResourceKey key) {
  std::lock_guard<std::mutex> lock(mutex);
  for (std::unique_ptr<Object> &object : known[key])
    object->remove();
  known.erase(key);
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Requests
//===----------------------------------------------------------------------===//

Error mlir::spine::announceSymbols(ObjectLinkingLayer &layer) {
  const char *text = std::getenv("SPINE_TRITON_SYMBOLS");
  if (!text)
    return Error::success();
  llvm::SmallVector<StringRef> wanted;
  llvm::SplitString(text, wanted, ",");
  for (StringRef name : wanted) {
    if (name == "perf") {
      layer.addPlugin(std::make_shared<PerfMap>());
    } else if (name == "gdb") {
      layer.addPlugin(std::make_shared<DebuggerObjects>());
    } else {
      return llvm::createStringError(
          "SPINE_TRITON_SYMBOLS must be perf, gdb or both with a comma "
          "between, not '" +
          name + "'");
    }
  }
  return Error::success();
}
