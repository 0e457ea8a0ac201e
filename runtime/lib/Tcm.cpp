//===- Tcm.cpp - blocks of a board's fast memory --------------------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "Tcm.h"
#include "Arena.h"
#include <dlfcn.h>

using namespace spine::rt;

namespace {

/// What the library's functions fill in: its ABI, version 0.
struct Layout {
  size_t blockBytes;
  size_t numBlocks;
  int isFake;
};
struct Block {
  int id;
  void *address;
  size_t bytes;
  uint64_t physicalAddress;
  uint64_t cores; ///< A bit for each core that is near.
  int owner;
  int isAcquired;
};

/// How long another process may keep a block that is asked for.
constexpr size_t kWaitMicroseconds = 1000 * 1000;

} // namespace

struct Tcm::Functions {
  const char *(*version)() = nullptr;
  int (*isAvailable)() = nullptr;
  int (*layoutInfo)(Layout *) = nullptr;
  int (*memInfo)(int, Block *) = nullptr;
  void *(*memGet)(int) = nullptr;
  int (*memFree)(int) = nullptr;
  void *(*memTryWait)(int, size_t) = nullptr;
  int (*memRelease)(int) = nullptr;
};

Tcm::Tcm() : functions(std::make_unique<Functions>()) {}

Tcm::~Tcm() {
  if (library)
    dlclose(library);
}

template <typename Function>
static bool find(void *library, const char *name, Function &function,
                 std::string &problem) {
  std::string symbol = std::string("spine_tcm_runtime_") + name;
  function = reinterpret_cast<Function>(dlsym(library, symbol.c_str()));
  if (!function)
    problem = "it has no function " + symbol;
  return function != nullptr;
}

std::unique_ptr<Tcm> Tcm::open(const std::string &name, std::string &problem) {
  std::unique_ptr<Tcm> tcm(new Tcm);
  tcm->library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!tcm->library) {
    const char *text = dlerror();
    problem = text ? text : name + " cannot be opened";
    return nullptr;
  }
  auto get = [&](const char *symbol, auto &function) {
    return find(tcm->library, symbol, function, problem);
  };
  Functions &f = *tcm->functions;
  if (!get("version", f.version) || !get("is_available", f.isAvailable) ||
      !get("layout_info", f.layoutInfo) || !get("mem_info", f.memInfo) ||
      !get("mem_get", f.memGet) || !get("mem_free", f.memFree) ||
      !get("mem_try_wait", f.memTryWait) || !get("mem_release", f.memRelease)) {
    problem = name + ": " + problem;
    return nullptr;
  }
  Layout layout = {};
  if (!f.isAvailable() || f.layoutInfo(&layout) != 0)
    problem = name + " says that there is no such memory";
  else if (layout.isFake)
    problem = name + " only imitates it in ordinary memory";
  if (!problem.empty())
    return nullptr;
  tcm->numBlocks = layout.numBlocks;
  tcm->blockBytes = layout.blockBytes;
  return tcm;
}

std::string Tcm::getVersion() const {
  const char *text = functions->version();
  return text ? text : "";
}

bool Tcm::isNear(unsigned block, unsigned core) const {
  Block info = {};
  if (functions->memInfo(static_cast<int>(block), &info) != 0)
    return false;
  // Nothing said: no block is better than another.
  return !info.cores || (core < 64 && (info.cores >> core & 1));
}

void *Tcm::acquire(unsigned block) {
  int id = static_cast<int>(block);
  if (!functions->memGet(id))
    return nullptr;
  void *memory = functions->memTryWait(id, kWaitMicroseconds);
  if (memory && reinterpret_cast<uintptr_t>(memory) % Arena::kAlignment == 0)
    return memory;
  if (memory)
    functions->memRelease(id);
  functions->memFree(id);
  return nullptr;
}

void Tcm::release(unsigned block) {
  functions->memRelease(static_cast<int>(block));
  functions->memFree(static_cast<int>(block));
}
