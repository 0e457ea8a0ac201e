//===- LaunchTest.cpp - tests of the launcher -----------------------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "spine-runtime/Launch.h"
#include "spine-runtime/KernelSupport.h"
#include "gtest/gtest.h"
#include <algorithm>
#include <atomic>
#include <cfenv>
#include <cstring>
#include <numeric>
#include <set>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace spine::rt;

namespace {

template <typename T> T *pointerArgument(const uint64_t *args, unsigned i) {
  return reinterpret_cast<T *>(args[i]);
}
uint64_t slot(const void *pointer) {
  return reinterpret_cast<uint64_t>(pointer);
}

/// Counts how often each program ran.
void countPrograms(const uint64_t *args, const int32_t *, int64_t begin,
                   int64_t end, void *) {
  auto *counts = pointerArgument<std::atomic<uint8_t>>(args, 0);
  for (int64_t id = begin; id < end; ++id)
    counts[id].fetch_add(1, std::memory_order_relaxed);
}

/// Adds up the ids; does not visit them, so that grids can be huge.
void sumRanges(const uint64_t *args, const int32_t *, int64_t begin,
               int64_t end, void *) {
  pointerArgument<std::atomic<int64_t>>(args, 0)->fetch_add(end - begin);
}

/// Keeps how many programs each call is for.
void keepSizes(const uint64_t *args, const int32_t *, int64_t begin,
               int64_t end, void *) {
  pointerArgument<std::vector<int64_t>>(args, 0)->push_back(end - begin);
}

void fillArena(const uint64_t *args, const int32_t *, int64_t begin,
               int64_t end, void *arena) {
  auto *wrong = pointerArgument<std::atomic<int>>(args, 0);
  size_t bytes = args[1];
  if (reinterpret_cast<uintptr_t>(arena) % 4096)
    wrong->fetch_add(1);
  auto *memory = static_cast<unsigned char *>(arena);
  for (int64_t id = begin; id < end; ++id) {
    auto value = static_cast<unsigned char>(id);
    std::memset(memory, value, bytes);
    std::this_thread::yield();
    for (size_t i = 0; i < bytes; i += 61)
      if (memory[i] != value)
        wrong->fetch_add(1);
  }
}

void failFrom(const uint64_t *args, const int32_t *grid, int64_t begin,
              int64_t end, void *) {
  auto first = static_cast<int64_t>(args[0]);
  for (int64_t id = begin; id < end; ++id)
    if (id >= first)
      spine_rt_assert("x < n", "kernel.py", "kernel", 12,
                      static_cast<int32_t>(id % grid[0]),
                      static_cast<int32_t>(id / grid[0] % grid[1]),
                      static_cast<int32_t>(id / grid[0] / grid[1]));
}

void readRounding(const uint64_t *args, const int32_t *, int64_t, int64_t,
                  void *) {
  if (std::fegetround() != FE_TONEAREST)
    pointerArgument<std::atomic<int>>(args, 0)->fetch_add(1);
}

/// Sets the number of threads for a test.
struct ThreadsScope {
  explicit ThreadsScope(unsigned count) : saved(getNumThreads()) {
    setNumThreads(count);
  }
  ~ThreadsScope() { setNumThreads(saved); }
  unsigned saved;
};

void expectEachProgramOnce(std::array<int32_t, 3> grid) {
  size_t programs = size_t(grid[0]) * grid[1] * grid[2];
  std::vector<std::atomic<uint8_t>> counts(programs);
  uint64_t args[] = {slot(counts.data())};
  ASSERT_TRUE(launch(countPrograms, args, grid, 0).ok());
  for (size_t i = 0; i < programs; ++i)
    ASSERT_EQ(counts[i].load(), 1) << "program " << i;
}

TEST(Launch, runsEachProgramOnce) {
  for (unsigned threads : {1u, 2u, 3u, 8u, 33u}) {
    ThreadsScope scope(threads);
    for (std::array<int32_t, 3> grid : {std::array<int32_t, 3>{1, 1, 1},
                                        {2, 1, 1},
                                        {15, 1, 1},
                                        {16, 1, 1},
                                        {17, 1, 1},
                                        {7, 5, 3},
                                        {1, 1, 1000},
                                        {1, 65537, 1},
                                        {100003, 1, 1}})
      expectEachProgramOnce(grid);
  }
}

TEST(Launch, chunksBecomeSmaller) {
  ThreadsScope scope(1);
  std::vector<int64_t> sizes;
  uint64_t args[] = {slot(&sizes)};
  ASSERT_TRUE(launch(keepSizes, args, {64, 1, 1}, 0).ok());
  EXPECT_EQ(sizes.front(), 16);
  EXPECT_TRUE(std::is_sorted(sizes.rbegin(), sizes.rend()));
  EXPECT_EQ(sizes.back(), 1);
}

TEST(Launch, zeroProgramsRunNothing) {
  std::atomic<int64_t> sum{0};
  uint64_t args[] = {slot(&sum)};
  EXPECT_TRUE(launch(sumRanges, args, {0, 1, 1}, 0).ok());
  EXPECT_TRUE(launch(sumRanges, args, {5, 0, INT32_MAX}, 0).ok());
  EXPECT_EQ(sum, 0);
}

TEST(Launch, hugeGrids) {
  std::atomic<int64_t> sum{0};
  uint64_t args[] = {slot(&sum)};
  EXPECT_TRUE(launch(sumRanges, args, {1, 1, INT32_MAX}, 0).ok());
  EXPECT_EQ(sum, INT32_MAX);
  sum = 0;
  EXPECT_TRUE(launch(sumRanges, args, {INT32_MAX, INT32_MAX, 2}, 0).ok());
  EXPECT_EQ(sum, int64_t(INT32_MAX) * INT32_MAX * 2);
}

TEST(Launch, refusesGridsThatCannotBeCounted) {
  uint64_t args[] = {0};
  EXPECT_EQ(launch(sumRanges, args, {INT32_MAX, INT32_MAX, 3}, 0).status,
            LaunchStatus::GridTooLarge);
  EXPECT_EQ(launch(sumRanges, args, {1, -1, 1}, 0).status,
            LaunchStatus::NegativeGrid);
  EXPECT_EQ(launch(sumRanges, args, {0, -1, 1}, 0).status,
            LaunchStatus::NegativeGrid);
}

/// Counts programs that find something else in their arena than poison, and
/// leaves something else there.
void lookForPoison(const uint64_t *args, const int32_t *, int64_t begin,
                   int64_t end, void *arena) {
  auto *others = pointerArgument<std::atomic<int>>(args, 0);
  auto *words = static_cast<uint32_t *>(arena);
  for (int64_t id = begin; id < end; ++id)
    for (int i = 0; i < 64; ++i) {
      *others += words[i] != kArenaPoison;
      words[i] = 0;
    }
}

TEST(Launch, poisonsArenasBeforeEachProgram) {
  std::atomic<int> others{0};
  uint64_t args[] = {slot(&others)};
  setArenaPoison(true);
  EXPECT_TRUE(launch(lookForPoison, args, {1000, 1, 1}, 256).ok());
  setArenaPoison(false);
  EXPECT_EQ(others, 0);
  EXPECT_TRUE(launch(lookForPoison, args, {1000, 1, 1}, 256).ok());
  EXPECT_GT(others, 0);
}

/// Counts programs that find something in the kept words at a launch's begin,
/// or that find less than what this thread's programs left there.
void countInKept(const uint64_t *args, const int32_t *, int64_t begin,
                 int64_t end, void *arena) {
  auto *wrong = pointerArgument<std::atomic<int>>(args, 0);
  auto *kept = reinterpret_cast<uint64_t *>(static_cast<char *>(arena) + 256);
  thread_local uint64_t launch, left;
  if (launch != args[1])
    left = 0;
  launch = args[1];
  for (int64_t id = begin; id < end; ++id)
    for (int i = 0; i < 512; ++i)
      *wrong += kept[i] != left;
  left += 1;
  std::fill_n(kept, 512, left);
}

TEST(Launch, keptMemoryIsClearedAndLastsForALaunch) {
  ThreadsScope scope(3);
  std::atomic<int> wrong{0};
  for (uint64_t launched = 1; launched < 20; ++launched) {
    uint64_t args[] = {slot(&wrong), launched};
    setArenaPoison(launched % 2);
    ASSERT_TRUE(
        launch(countInKept, args, {100, 1, 1}, WorkerMemory(256 + 4096, 256))
            .ok());
  }
  setArenaPoison(false);
  EXPECT_EQ(wrong, 0);
}

TEST(Launch, arenasAreApart) {
  ThreadsScope scope(4);
  std::atomic<int> wrong{0};
  for (size_t bytes : {size_t(64), size_t(5000), size_t(1) << 20, size_t(64)}) {
    uint64_t args[] = {slot(&wrong), bytes};
    ASSERT_TRUE(launch(fillArena, args, {200, 1, 1}, bytes).ok());
  }
  EXPECT_EQ(wrong, 0);
}

TEST(Launch, arenaThatCannotBeHad) {
  std::atomic<int64_t> sum{0};
  uint64_t args[] = {slot(&sum)};
  for (size_t bytes : {SIZE_MAX, SIZE_MAX / 4, size_t(1) << 50})
    EXPECT_EQ(launch(sumRanges, args, {4, 1, 1}, bytes).status,
              LaunchStatus::OutOfMemory);
  EXPECT_EQ(sum, 0);
  EXPECT_TRUE(launch(sumRanges, args, {4, 1, 1}, 4096).ok());
  EXPECT_EQ(sum, 4);
}

TEST(Launch, reportsFailedAssertion) {
  for (unsigned threads : {1u, 4u}) {
    ThreadsScope scope(threads);
    uint64_t args[] = {59};
    LaunchResult result = launch(failFrom, args, {10, 3, 2}, 0);
    ASSERT_EQ(result.status, LaunchStatus::AssertFailed);
    EXPECT_EQ(result.failure.message, "x < n");
    EXPECT_EQ(result.failure.file, "kernel.py");
    EXPECT_EQ(result.failure.function, "kernel");
    EXPECT_EQ(result.failure.line, 12);
    EXPECT_EQ(result.failure.program, (std::array<int32_t, 3>{9, 2, 1}));
    // The threads are fit for the next launch.
    expectEachProgramOnce({1000, 1, 1});
  }
}

TEST(Launch, programsSeeTheDefaultRounding) {
  std::atomic<int> wrong{0};
  uint64_t args[] = {slot(&wrong)};
  std::fesetround(FE_TOWARDZERO);
  launch(readRounding, args, {64, 1, 1}, 0);
  EXPECT_EQ(std::fegetround(), FE_TOWARDZERO);
  std::fesetround(FE_TONEAREST);
  EXPECT_EQ(wrong, 0);
}

TEST(Launch, worksInAForkedChild) {
  ThreadsScope scope(3);
  expectEachProgramOnce({1000, 1, 1});
  pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    alarm(20);
    std::atomic<int64_t> sum{0};
    uint64_t args[] = {slot(&sum)};
    for (unsigned i = 0; i < 50; ++i)
      launch(sumRanges, args, {1000, 1, 1}, 64);
    _exit(sum == 50000 && getNumThreads() == 3 ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  expectEachProgramOnce({1000, 1, 1});
}

TEST(Launch, clampsTheNumberOfThreads) {
  ThreadsScope scope(0);
  EXPECT_EQ(getNumThreads(), 1u);
  setNumThreads(1u << 30);
  EXPECT_EQ(getNumThreads(), kMaxThreads);
}

/// Several callers at once, all sizes, with failures, with pauses that let the
/// workers fall asleep, and with the number of threads changing.
TEST(Launch, stress) {
  ThreadsScope scope(4);
  std::atomic<int> wrong{0};
  auto caller = [&](unsigned seed) {
    for (unsigned i = 0; i < 3000; ++i) {
      seed = seed * 1664525u + 1013904223u;
      auto size = static_cast<int32_t>((seed >> 8) % (i % 10 ? 40 : 5000));
      std::atomic<int64_t> sum{0};
      uint64_t args[] = {slot(&sum)};
      if (!launch(sumRanges, args, {size, 1, 1}, (seed >> 20) % 8192).ok() ||
          sum != size)
        wrong.fetch_add(1);
      if (i % 37 == 0) {
        uint64_t failing[] = {uint64_t(size / 2)};
        LaunchStatus status = launch(failFrom, failing, {size, 1, 1}, 0).status;
        if ((status == LaunchStatus::AssertFailed) != (size > 0))
          wrong.fetch_add(1);
      }
      if (i % 101 == 0)
        std::this_thread::sleep_for(std::chrono::microseconds(seed >> 23));
      if (i % 499 == 0)
        setNumThreads(1 + (seed >> 16) % 6);
    }
  };
  std::vector<std::thread> callers;
  for (unsigned i = 0; i < 6; ++i)
    callers.emplace_back(caller, 17 * i + 1);
  for (std::thread &thread : callers)
    thread.join();
  EXPECT_EQ(wrong, 0);
}

} // namespace
