//===- Job.cpp - one launch, shared out to the workers --------------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "Job.h"
#include "spine-runtime/KernelSupport.h"
#include <algorithm>
#include <cfenv>
#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace spine::rt;

namespace {

/// Where a failed assertion of the program that this thread runs goes on.
struct AssertTarget {
  jmp_buf jump;
  Job *job;
};
thread_local AssertTarget *assertTarget = nullptr;

/// Programs see the default floating-point environment, whatever the caller's
/// thread has set (flushing of denormals, for example), so that a result does
/// not depend on the thread that computed it.
class DefaultFloatEnvironment {
public:
  DefaultFloatEnvironment() {
    std::fegetenv(&saved);
    std::fesetenv(FE_DFL_ENV);
  }
  ~DefaultFloatEnvironment() { std::fesetenv(&saved); }

private:
  std::fenv_t saved;
};

} // namespace

Job::Job(KernelFunction kernel, const uint64_t *args,
         const std::array<int32_t, 3> &grid, uint64_t programs,
         unsigned threads, const WorkerMemory &memory, bool poisons)
    : kernel(kernel), args(args), grid(grid), programs(programs),
      memory(memory), poisons(poisons),
      shares(std::min<uint64_t>(threads, programs)) {
  uint64_t each = programs / shares.size(), more = programs % shares.size();
  uint64_t first = 0;
  for (Share &share : shares) {
    share.next.store(first, std::memory_order_relaxed);
    first += each + (more > 0);
    more -= more > 0;
    share.end = first;
  }
}

bool Job::Share::take(uint64_t most, uint64_t &first, uint64_t &last) {
  first = next.load(std::memory_order_relaxed);
  do {
    if (first >= end)
      return false;
    // A quarter of what is left.
    last = first + std::clamp<uint64_t>((end - first) / 4, 1, most);
  } while (!next.compare_exchange_weak(first, last, std::memory_order_relaxed));
  return true;
}

bool Job::isExhausted() const {
  return std::all_of(shares.begin(), shares.end(), [](const Share &share) {
    return share.next.load() >= share.end;
  });
}

void Job::runShare(Share &share, void *arena) {
  uint64_t first, last;
  while (share.take(poisons ? 1 : UINT64_MAX, first, last)) {
    if (poisons) // Before each program.
      std::fill_n(static_cast<uint32_t *>(arena),
                  memory.keptAt / sizeof(uint32_t), kArenaPoison);
    kernel(args, grid.data(), static_cast<int64_t>(first),
           static_cast<int64_t>(last), arena);
  }
}

void Job::run(unsigned thread, void *arena) {
  // Nothing is found there that another launch has kept.
  if (size_t kept = memory.bytes - memory.keptAt)
    std::memset(static_cast<char *>(arena) + memory.keptAt, 0,
                std::min(WorkerMemory::kClearedBytes, kept));
  DefaultFloatEnvironment environment;
  AssertTarget target;
  target.job = this;
  AssertTarget *outer = assertTarget;
  assertTarget = &target;
  // A kernel holds no object with a destructor, so nothing is lost when an
  // assertion jumps out of it.
  if (setjmp(target.jump) == 0)
    for (size_t i = 0; i < shares.size(); ++i)
      runShare(shares[(thread + i) % shares.size()], arena);
  assertTarget = outer;
}

void Job::fail(AssertFailure newFailure) {
  {
    std::lock_guard<std::mutex> lock(failureMutex);
    if (!failed.load(std::memory_order_relaxed)) {
      failure = std::move(newFailure);
      failed.store(true, std::memory_order_release);
    }
  }
  for (Share &share : shares)
    share.next.store(share.end, std::memory_order_relaxed);
}

static std::string toString(const char *text) { return text ? text : ""; }

void spine_rt_assert(const char *message, const char *file,
                     const char *function, int32_t line, int32_t x, int32_t y,
                     int32_t z) {
  AssertTarget *target = assertTarget;
  if (!target) {
    std::fprintf(stderr, "%s:%d: assertion failed outside of a launch: %s\n",
                 file, line, message);
    std::abort();
  }
  {
    // Destroyed before the jump, which runs no destructors.
    AssertFailure failure;
    failure.message = toString(message);
    failure.file = toString(file);
    failure.function = toString(function);
    failure.line = line;
    failure.program = {x, y, z};
    target->job->fail(std::move(failure));
  }
  longjmp(target->jump, 1);
}
