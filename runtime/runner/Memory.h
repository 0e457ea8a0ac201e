//===- Memory.h - shared tensors and linked code ----------------*- C++ -*-===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#ifndef SPINE_RUNTIME_RUNNER_MEMORY_H
#define SPINE_RUNTIME_RUNNER_MEMORY_H

#include "Channel.h"
#include <map>

namespace spine::runner {

/// Memory that the host asks for. Functions return a text that says what went
/// wrong, empty if nothing did.
class Memory {
public:
  /// Sets aside the address space for code.
  std::string reserveCode();

  uint64_t getCodeAddress() const { return codeAddress; }
  static constexpr uint64_t kCodeBytes = 256u << 20;

  /// Nothing is accessible within this distance of a tensor's memory: a kernel
  /// that misses its tensor is found out.
  static constexpr uint64_t kGuardBytes = 1u << 20;

  /// Maps a file that the host maps, too.
  std::string map(int file, uint64_t bytes, uint64_t &address);
  std::string unmap(const RangeRequest &range);

  /// Copies linked code to where it was linked for, and makes it visible to
  /// all cores.
  std::string load(Body &body);
  std::string unload(const RangeRequest &range);

private:
  std::string checkCodeRange(uint64_t address, uint64_t bytes) const;
  std::string loadSegment(const Segment &segment, const char *contents) const;

  uint64_t codeAddress = 0;
  /// Bytes of each mapping, by address.
  std::map<uint64_t, uint64_t> mappings;
};

/// Makes what was written to memory visible to the instruction fetch of every
/// core.
void flushInstructionCache(uint64_t begin, uint64_t end);

/// A pointer to an address that came in a message.
inline char *toPointer(uint64_t address) {
  return reinterpret_cast<char *>(static_cast<uintptr_t>(address));
}

} // namespace spine::runner

#endif // SPINE_RUNTIME_RUNNER_MEMORY_H
