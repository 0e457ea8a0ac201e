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
#include <vector>

namespace spine::rt {

/// The programs of one launch. Each thread has a contiguous share of them,
/// since neighbours often read the same memory. It takes chunks of its share
/// until there are none left, then of the others': large ones first, and single
/// programs in the end, so that threads of different speed are done at the same
/// time.
class Job {
public:
  /// With `poisons`, each arena is filled before each program.
  Job(KernelFunction kernel, const uint64_t *args,
      const std::array<int32_t, 3> &grid, uint64_t programs, unsigned threads,
      const WorkerMemory &memory, bool poisons = false);

  /// More threads than that have nothing to do.
  uint64_t getNumPrograms() const { return programs; }

  /// Whether every program was taken.
  bool isExhausted() const;

  /// Runs chunks on the calling thread, the `thread`th, until there are none
  /// left.
  void run(unsigned thread, void *arena);

  /// Keeps the first failure and makes the threads take no further chunk.
  void fail(AssertFailure failure);

  bool hasFailed() const { return failed.load(std::memory_order_acquire); }
  const AssertFailure &getFailure() const { return failure; }

private:
  struct alignas(64) Share {
    /// The first program that nobody has taken.
    std::atomic<uint64_t> next;
    uint64_t end;

    /// Takes a chunk, [first, last), of at most `most` programs. False if there
    /// are none left.
    bool take(uint64_t most, uint64_t &first, uint64_t &last);
  };

  void runShare(Share &share, void *arena);

  KernelFunction kernel;
  const uint64_t *args;
  std::array<int32_t, 3> grid;
  uint64_t programs;
  WorkerMemory memory;
  bool poisons;
  std::vector<Share> shares;
  alignas(64) std::atomic<bool> failed{false};
  std::mutex failureMutex;
  AssertFailure failure;
};

} // namespace spine::rt

#endif // SPINE_RUNTIME_JOB_H
