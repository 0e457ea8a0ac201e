//===- Host.cpp - the description of this machine -------------------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "llvm/TargetParser/Host.h"
#include "spine-runtime/TilePermission.h"
#include "spine-runtime/VectorBytes.h"
#include "spine-triton/Target/TargetDescription.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/TargetParser/Triple.h"
#include <sched.h>
#include <unistd.h>

using namespace mlir::spine;
using llvm::StringRef;

/// The first core this process may use. Caches are looked up there: on machines
/// with cores of several kinds core 0 may be of another one.
static unsigned getFirstUsableCore() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) == 0)
    for (unsigned core = 0; core < CPU_SETSIZE; ++core)
      if (CPU_ISSET(core, &set))
        return core;
  return 0;
}

static int64_t countUsableCores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) == 0)
    return std::max(1, CPU_COUNT(&set));
  return std::max(1L, sysconf(_SC_NPROCESSORS_ONLN));
}

static std::string readLine(const std::string &path) {
  auto buffer = llvm::MemoryBuffer::getFileAsStream(path);
  return buffer ? (*buffer)->getBuffer().split('\n').first.str() : "";
}

/// Parses the kernel's spelling of a size: "1024K", "1M".
static int64_t parseSize(StringRef text) {
  int64_t size = 0;
  if (text.consumeInteger(10, size))
    return 0;
  if (text == "K")
    return size << 10;
  return text == "M" ? size << 20 : size;
}

/// Number of cores in the kernel's spelling of a list: "0-3,8".
static int64_t countCores(StringRef list) {
  int64_t count = 0;
  for (StringRef range : llvm::split(list, ',')) {
    auto [first, last] = range.split('-');
    int64_t low = 0, high = 0;
    if (first.getAsInteger(10, low))
      continue;
    if (last.empty() || last.getAsInteger(10, high))
      high = low;
    count += high - low + 1;
  }
  return std::max<int64_t>(count, 1);
}

/// Bytes per core of the data cache of this level, or 0 if the system does not
/// say. `origin` is set to where the number was found.
static int64_t readCacheBytes(unsigned level, std::string &origin) {
  for (unsigned index = 0; index < 8; ++index) {
    std::string folder =
        llvm::formatv("/sys/devices/system/cpu/cpu{0}/cache/index{1}/",
                      getFirstUsableCore(), index);
    if (readLine(folder + "level") != llvm::utostr(level) ||
        readLine(folder + "type") == "Instruction")
      continue;
    int64_t bytes = parseSize(readLine(folder + "size"));
    if (bytes <= 0)
      continue;
    origin = folder + "size";
    return bytes / countCores(readLine(folder + "shared_cpu_list"));
  }
  long bytes = sysconf(level == 1   ? _SC_LEVEL1_DCACHE_SIZE
                       : level == 2 ? _SC_LEVEL2_CACHE_SIZE
                                    : _SC_LEVEL3_CACHE_SIZE);
  origin = "sysconf";
  return std::max(bytes, 0L);
}

static std::string joinFeatures(const llvm::StringMap<bool> &features) {
  std::vector<std::string> list;
  for (const auto &feature : features)
    list.push_back((feature.second ? "+" : "-") + feature.first().str());
  // The map's order is not fixed, but this text goes into cache keys.
  llvm::sort(list, [](const std::string &a, const std::string &b) {
    return a.substr(1) < b.substr(1);
  });
  return llvm::join(list, ",");
}

/// Linux reports extensions by their own names. One that contains others, as
/// `v` contains `zve32x`, may come without these, and to switch them off would
/// switch it off, too. It does not report the length of vectors.
static void correctRISCVFeatures(llvm::StringMap<bool> &features) {
  std::vector<std::string> absent;
  for (const auto &feature : features)
    if (!feature.second)
      absent.push_back(feature.first().str());
  for (const std::string &name : absent)
    features.erase(name);
  uint32_t bytes = ::spine::rt::getVectorBytes();
  if (features.lookup("v") && bytes)
    features[llvm::formatv("zvl{0}b", bytes * 8).str()] = true;
}

static void describeRISCVVectors(TargetDescription &target,
                                 const llvm::StringMap<bool> &features) {
  auto has = [&](StringRef name) { return features.lookup(name); };
  target.vectorRegisters = 32;
  target.vectorBits = std::max<int64_t>(128, ::spine::rt::getVectorBytes() * 8);
  target.sources["vector_bits"] = "the register vlenb of the first core used";
  target.stridedLanes = 1;
  target.sources["strided_lanes"] =
      "not measured: one element per cycle, as in simple implementations";
  target.widensF16 = has("zvfh");
  target.widensBF16 = has("zvfbfwma");
  target.sources["widens_f16"] = target.sources["widens_bf16"] =
      "features that the CPU reports";
}

static void describeVectors(TargetDescription &target,
                            const llvm::StringMap<bool> &features) {
  auto has = [&](StringRef name) { return features.lookup(name); };
  if (llvm::Triple(target.triple).isRISCV())
    return describeRISCVVectors(target, features);
  // AVX-512VL is what makes 32 registers of every width usable.
  bool avx512 = has("avx512f") && has("avx512vl");
  target.vectorBits = avx512 ? 512 : has("avx2") ? 256 : 128;
  target.vectorRegisters = avx512 ? 32 : 16;
  target.prefetchRows = 24;
  target.sources["prefetch_rows"] =
      "measured with benchmarks/run.py: K = 144 takes half the time";
  // Whoever asks what the host can do is going to run code on it.
  target.tilesBF16 = has("amx-bf16") && has("amx-tile") &&
                     target.vectorBits == 512 && ::spine::rt::askForTiles();
  target.sources["tiles_bf16"] =
      "features that the CPU reports, and the system's permission to use them";
}

TargetDescription TargetDescription::getHost() {
  llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
  TargetDescription target;
  target.name = "host";
  target.triple = llvm::sys::getProcessTriple();
  if (llvm::Triple(target.triple).isRISCV())
    correctRISCVFeatures(features);
  target.cpu = llvm::sys::getHostCPUName().str();
  target.features = joinFeatures(features);
  target.sources["cpu"] = target.sources["features"] =
      target.sources["vector_bits"] = target.sources["vector_registers"] =
          "features that the CPU reports";
  describeVectors(target, features);
  target.cores = countUsableCores();
  target.sources["cores"] = "cores that this process may use";
  target.l1DataBytes = readCacheBytes(1, target.sources["l1d_bytes"]);
  target.l2Bytes = readCacheBytes(2, target.sources["l2_bytes"]);
  target.l3Bytes = readCacheBytes(3, target.sources["l3_bytes"]);
  if (target.l2Bytes > 0) {
    target.scratchpadBytes = target.l2Bytes / 2;
    target.sources["scratchpad_bytes"] =
        "half of the second-level cache that a core has";
    target.keptBytes = 8 * target.l2Bytes;
    target.sources["kept_bytes"] =
        "eight times the second-level cache that a core has";
  } else {
    target.scratchpadBytes = 128 * 1024;
    target.sources["scratchpad_bytes"] =
        "assumed: the system does not tell its second-level cache";
  }
  return target;
}
