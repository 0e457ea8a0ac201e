//===- Memory.cpp - shared tensors and linked code ------------------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "Memory.h"
#include <cerrno>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace spine::runner;

static std::string explain(const char *what) {
  return std::string(what) + ": " + std::strerror(errno);
}

void spine::runner::flushInstructionCache(uint64_t begin, uint64_t end) {
#if defined(__riscv)
  // The kernel reaches the other cores; `fence.i` would be for this one only.
  // 259 is __NR_riscv_flush_icache
  // (linux/arch/riscv/include/uapi/asm/unistd.h), flags 0 mean all threads of
  // the process.
  syscall(259, begin, end, 0);
#else
  __builtin___clear_cache(toPointer(begin), toPointer(end));
#endif
}

std::string Memory::reserveCode() {
  void *memory = mmap(nullptr, kCodeBytes, PROT_NONE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    return explain("no address space for code");
  codeAddress = reinterpret_cast<uint64_t>(memory);
  return "";
}

std::string Memory::map(int file, uint64_t bytes, uint64_t &address) {
  if (file < 0)
    return "a request to map came without a file";
  if (bytes == 0 || bytes % kPageBytes || bytes > INT64_MAX)
    return "cannot map " + std::to_string(bytes) + " bytes";
  void *area = mmap(nullptr, bytes + 2 * kGuardBytes, PROT_NONE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (area == MAP_FAILED)
    return explain("no address space for a tensor's memory");
  void *memory = mmap(static_cast<char *>(area) + kGuardBytes, bytes,
                      PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0);
  if (memory == MAP_FAILED) {
    std::string problem = explain("cannot map a tensor's memory");
    munmap(area, bytes + 2 * kGuardBytes);
    return problem;
  }
  address = reinterpret_cast<uint64_t>(memory);
  mappings[address] = bytes;
  return "";
}

std::string Memory::unmap(const RangeRequest &range) {
  auto found = mappings.find(range.address);
  if (found == mappings.end() || found->second != range.bytes)
    return "there is no such mapping";
  munmap(toPointer(range.address) - kGuardBytes, range.bytes + 2 * kGuardBytes);
  mappings.erase(found);
  return "";
}

std::string Memory::checkCodeRange(uint64_t address, uint64_t bytes) const {
  if (address % kPageBytes || address < codeAddress || bytes > kCodeBytes ||
      address - codeAddress > kCodeBytes - bytes)
    return "code would lie outside of the address space for it";
  return "";
}

std::string Memory::loadSegment(const Segment &segment,
                                const char *contents) const {
  if (segment.memoryBytes < segment.contentBytes)
    return "a segment is smaller than its contents";
  std::string problem = checkCodeRange(segment.address, segment.memoryBytes);
  if (!problem.empty() || segment.memoryBytes == 0)
    return problem;
  char *memory = toPointer(segment.address);
  // Never writable and executable at the same time: emulators find out about
  // new code by the change of protection.
  if (mprotect(memory, segment.memoryBytes, PROT_READ | PROT_WRITE))
    return explain("no memory for code");
  std::memcpy(memory, contents, segment.contentBytes);
  int protection = static_cast<int>(segment.protection &
                                    (PROT_READ | PROT_WRITE | PROT_EXEC));
  if (mprotect(memory, segment.memoryBytes, protection))
    return explain("cannot protect code");
  return "";
}

std::string Memory::load(Body &body) {
  LoadRequest request;
  if (!body.read(request) ||
      request.segments > body.remaining() / sizeof(Segment))
    return "a request to load code is too short";
  std::vector<Segment> segments(request.segments);
  for (Segment &segment : segments)
    body.read(segment);
  for (const Segment &segment : segments) {
    const char *contents = body.take(segment.contentBytes);
    if (!contents)
      return "a request to load code is too short";
    std::string problem = loadSegment(segment, contents);
    if (!problem.empty())
      return problem;
    flushInstructionCache(segment.address,
                          segment.address + segment.memoryBytes);
  }
  return "";
}

std::string Memory::unload(const RangeRequest &range) {
  std::string problem = checkCodeRange(range.address, range.bytes);
  if (!problem.empty() || range.bytes == 0)
    return problem;
  // A fresh mapping gives the pages back and leaves zeros behind.
  void *memory =
      mmap(toPointer(range.address), range.bytes, PROT_NONE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  return memory == MAP_FAILED ? explain("cannot take code out of memory") : "";
}
