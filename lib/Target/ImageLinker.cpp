//===- ImageLinker.cpp - objects linked for another process ---------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//
//
// JITLink separates the memory where it works from the addresses it links for.
// Here the first is a few strings and the second is wherever the other process
// will put them.
//
//===----------------------------------------------------------------------===//

#include "spine-triton/Target/ImageLinker.h"
#include "spine-triton/Target/ObjectEmitter.h"
#include "llvm/ExecutionEngine/JITLink/JITLink.h"
#include "llvm/ExecutionEngine/JITLink/JITLinkMemoryManager.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir::spine;
using namespace llvm::jitlink;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
using llvm::orc::ExecutorAddr;

namespace {

/// Lays the segments out one after the other. There is nothing to free: the
/// contents belong to the image.
class ImageMemory : public JITLinkMemoryManager {
public:
  ImageMemory(LinkedImage &image, uint64_t address)
      : image(image), address(address) {}

  void allocate(const JITLinkDylib *, LinkGraph &graph,
                OnAllocatedFunction onAllocated) override;

  void deallocate(std::vector<FinalizedAlloc> allocations,
                  OnDeallocatedFunction onDeallocated) override {
    for (FinalizedAlloc &allocation : allocations)
      allocation.release();
    onDeallocated(Error::success());
  }

private:
  class Allocation : public InFlightAlloc {
  public:
    void abandon(OnAbandonedFunction onAbandoned) override {
      onAbandoned(Error::success());
    }
    void finalize(OnFinalizedFunction onFinalized) override {
      onFinalized(FinalizedAlloc(ExecutorAddr(1)));
    }
  };

  LinkedImage &image;
  uint64_t address;
};

void ImageMemory::allocate(const JITLinkDylib *, LinkGraph &graph,
                           OnAllocatedFunction onAllocated) {
  BasicLayout layout(graph);
  // Segments are not moved after this: their contents are pointed into.
  image.segments.resize(llvm::range_size(layout.segments()));
  uint64_t offset = 0;
  size_t index = 0;
  for (auto &[group, part] : layout.segments()) {
    ImageSegment &segment = image.segments[index++];
    segment.address = address + offset;
    segment.memoryBytes = part.ContentSize + part.ZeroFillSize;
    segment.contents.resize(part.ContentSize);
    llvm::orc::MemProt protection = group.getMemProt();
    auto has = [&](llvm::orc::MemProt bit) {
      return (static_cast<unsigned>(protection) & static_cast<unsigned>(bit)) !=
             0;
    };
    segment.readable = has(llvm::orc::MemProt::Read);
    segment.writable = has(llvm::orc::MemProt::Write);
    segment.executable = has(llvm::orc::MemProt::Exec);
    part.Addr = ExecutorAddr(segment.address);
    part.WorkingMem = segment.contents.data();
    offset += llvm::alignTo(segment.memoryBytes, LinkedImage::kPageBytes);
  }
  image.bytes = offset;
  if (Error error = layout.apply())
    return onAllocated(std::move(error));
  onAllocated(std::make_unique<Allocation>());
}

/// One link. JITLink owns it and destroys it at the end; what comes out is
/// written to `image` and `problem`.
class ImageContext : public JITLinkContext {
public:
  ImageContext(LinkedImage &image, std::string &problem, uint64_t address,
               StringRef kernelName, const llvm::StringMap<uint64_t> &symbols)
      : JITLinkContext(nullptr), image(image), problem(problem),
        memory(image, address), kernelName(kernelName), symbols(symbols) {}

  JITLinkMemoryManager &getMemoryManager() override { return memory; }
  void notifyFailed(Error error) override {
    problem += (problem.empty() ? "" : "; ") + llvm::toString(std::move(error));
  }
  void lookup(const LookupMap &wanted,
              std::unique_ptr<JITLinkAsyncLookupContinuation> next) override;
  Error notifyResolved(LinkGraph &graph) override;
  void notifyFinalized(JITLinkMemoryManager::FinalizedAlloc done) override {
    done.release();
  }

private:
  LinkedImage &image;
  std::string &problem;
  ImageMemory memory;
  StringRef kernelName;
  const llvm::StringMap<uint64_t> &symbols;
};

void ImageContext::lookup(
    const LookupMap &wanted,
    std::unique_ptr<JITLinkAsyncLookupContinuation> next) {
  AsyncLookupResult result;
  std::string missing;
  for (const auto &[name, flags] : wanted) {
    auto found = symbols.find(*name);
    if (found != symbols.end())
      result[name] = {ExecutorAddr(found->second),
                      llvm::JITSymbolFlags::Exported};
    else if (flags == SymbolLookupFlags::WeaklyReferencedSymbol)
      result[name] = {ExecutorAddr(), llvm::JITSymbolFlags::Weak};
    else
      missing += (missing.empty() ? "" : ", ") + (*name).str();
  }
  if (missing.empty())
    return next->run(std::move(result));
  next->run(llvm::createStringError("the runner has no function " + missing));
}

/// The constant that a symbol stands for; false if it is of another size.
static bool readNumber(const Symbol &symbol, int64_t &number) {
  if (symbol.getSize() != sizeof(number))
    return false;
  memcpy(&number, symbol.getSymbolContent().data(), sizeof(number));
  return true;
}

Error ImageContext::notifyResolved(LinkGraph &graph) {
  std::string mayAlias = (kernelName + kMayAliasSuffix).str();
  std::string arena = (kernelName + kArenaBytesSuffix).str();
  std::string kept = (kernelName + kKeptAtSuffix).str();
  bool hasArena = false, hasKept = false;
  for (Symbol *symbol : graph.defined_symbols()) {
    if (!symbol->hasName())
      continue;
    StringRef name = *symbol->getName();
    if (symbol->isCallable() && symbol->getSize())
      image.functions.push_back(
          {name.str(), symbol->getAddress().getValue(), symbol->getSize()});
    if (name == kernelName)
      image.function = symbol->getAddress().getValue();
    else if (name == mayAlias)
      image.mayAliasFunction = symbol->getAddress().getValue();
    else if (name == arena)
      hasArena = readNumber(*symbol, image.arenaBytes);
    else if (name == kept)
      hasKept = readNumber(*symbol, image.keptAt);
  }
  if (!hasKept)
    image.keptAt = image.arenaBytes;
  if (image.function && hasArena)
    return Error::success();
  return llvm::createStringError("the object has no kernel of this name");
}

} // namespace

Expected<LinkedImage>
mlir::spine::linkImage(StringRef object, StringRef kernelName, uint64_t address,
                       const llvm::StringMap<uint64_t> &symbols) {
  auto fail = [&](const std::string &reason) {
    return llvm::createStringError("kernel '" + kernelName +
                                   "' cannot be loaded: " + reason);
  };
  if (address % LinkedImage::kPageBytes)
    return fail("the address is not that of a page");
  auto buffer = llvm::MemoryBuffer::getMemBufferCopy(object, kernelName);
  auto graph = createLinkGraphFromObject(
      *buffer, std::make_shared<llvm::orc::SymbolStringPool>());
  if (!graph)
    return fail(llvm::toString(graph.takeError()));
  LinkedImage image;
  std::string problem;
  link(std::move(*graph), std::make_unique<ImageContext>(
                              image, problem, address, kernelName, symbols));
  if (!problem.empty())
    return fail(problem);
  return image;
}
