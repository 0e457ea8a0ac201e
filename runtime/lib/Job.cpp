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
         unsigned threads, size_t poisonBytes)
    : kernel(kernel), args(args), grid(grid), programs(programs),
      threads(threads), poisonBytes(poisonBytes) {}

uint64_t Job::chunkAt(uint64_t first) const {
  if (poisonBytes)
    return 1; // An arena is filled before each program.
  // A quarter of a thread's share of what is left.
  return std::max<uint64_t>(1, (programs - first) / (uint64_t(4) * threads));
}

bool Job::take(uint64_t &begin, uint64_t &end) {
  begin = next.load(std::memory_order_relaxed);
  do {
    if (begin >= programs)
      return false;
    end = begin + chunkAt(begin);
  } while (!next.compare_exchange_weak(begin, end, std::memory_order_relaxed));
  return true;
}

void Job::run(void *arena) {
  DefaultFloatEnvironment environment;
  AssertTarget target;
  target.job = this;
  AssertTarget *outer = assertTarget;
  assertTarget = &target;
  // A kernel holds no object with a destructor, so nothing is lost when an
  // assertion jumps out of it.
  if (setjmp(target.jump) == 0) {
    uint64_t begin, end;
    while (take(begin, end)) {
      std::fill_n(static_cast<uint32_t *>(arena),
                  poisonBytes / sizeof(uint32_t), kArenaPoison);
      kernel(args, grid.data(), static_cast<int64_t>(begin),
             static_cast<int64_t>(end), arena);
    }
  }
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
  next.store(programs, std::memory_order_relaxed);
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
