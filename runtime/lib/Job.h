//===- Job.h - one launch, shared out to the workers ------------*- C++ -*-===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#ifndef SPINE_RUNTIME_JOB_H
#define SPINE_RUNTIME_JOB_H

#include "spine-runtime/Launch.h"
#include <atomic>
#include <mutex>

namespace spine::rt {

/// The programs of one launch. Threads take contiguous chunks of them until
/// there are none left: large ones first, which keep neighbouring programs on
/// one core, and single programs in the end, so that threads of different speed
/// are done at the same time.
class Job {
public:
  /// `poisonBytes` of each arena are filled before each program.
  Job(KernelFunction kernel, const uint64_t *args,
      const std::array<int32_t, 3> &grid, uint64_t programs, unsigned threads,
      size_t poisonBytes = 0);

  /// More threads than that have nothing to do.
  uint64_t getNumPrograms() const { return programs; }

  /// Whether every program was taken.
  bool isExhausted() const { return next.load() >= programs; }

  /// Runs chunks on the calling thread until there are none left.
  void run(void *arena);

  /// Keeps the first failure and makes the threads take no further chunk.
  void fail(AssertFailure failure);

  bool hasFailed() const { return failed.load(std::memory_order_acquire); }
  const AssertFailure &getFailure() const { return failure; }

private:
  /// The size of the chunk that begins with program `first`.
  uint64_t chunkAt(uint64_t first) const;
  /// Takes a chunk: [begin, end). False if there are none left.
  bool take(uint64_t &begin, uint64_t &end);

  KernelFunction kernel;
  const uint64_t *args;
  std::array<int32_t, 3> grid;
  uint64_t programs;
  unsigned threads;
  size_t poisonBytes;
  /// The first program that nobody has taken.
  alignas(64) std::atomic<uint64_t> next{0};
  alignas(64) std::atomic<bool> failed{false};
  std::mutex failureMutex;
  AssertFailure failure;
};

} // namespace spine::rt

#endif // SPINE_RUNTIME_JOB_H
