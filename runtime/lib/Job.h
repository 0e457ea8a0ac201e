//===- Job.h - one launch, shared out to the workers -------------*- C++
//-*-===//
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
/// there are none left.
class Job {
public:
  /// `poisonBytes` of each arena are filled before each program.
  Job(KernelFunction kernel, const uint64_t *args,
      const std::array<int32_t, 3> &grid, uint64_t programs, unsigned threads,
      size_t poisonBytes = 0);

  /// Number of chunks: more threads than that have nothing to do.
  uint64_t getNumChunks() const { return (programs + chunk - 1) / chunk; }

  /// Whether every chunk was taken.
  bool isExhausted() const { return next.load() >= programs; }

  /// Runs chunks on the calling thread until there are none left.
  void run(void *arena);

  /// Keeps the first failure and makes the threads take no further chunk.
  void fail(AssertFailure failure);

  bool hasFailed() const { return failed.load(std::memory_order_acquire); }
  const AssertFailure &getFailure() const { return failure; }

private:
  KernelFunction kernel;
  const uint64_t *args;
  std::array<int32_t, 3> grid;
  uint64_t programs;
  uint64_t chunk;
  size_t poisonBytes;
  /// The first program that nobody has taken. Unsigned: each thread adds one
  /// chunk beyond the end, and a chunk is at most a small part of 2^63.
  alignas(64) std::atomic<uint64_t> next{0};
  alignas(64) std::atomic<bool> failed{false};
  std::mutex failureMutex;
  AssertFailure failure;
};

} // namespace spine::rt

#endif // SPINE_RUNTIME_JOB_H
