//===- BoardTest.cpp - tests of launches on a board's cores ---------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//
//
// The board's files are imitated: this machine's first core (and its second, if
// it has one) are its AI cores.
//
//===----------------------------------------------------------------------===//

#include "spine-runtime/Board.h"
#include "spine-runtime/KernelSupport.h"
#include "gtest/gtest.h"
#include <atomic>
#include <cstdlib>
#include <dlfcn.h>
#include <fstream>
#include <mutex>
#include <sched.h>
#include <set>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace spine::rt;

namespace {

const char *const kModel = "Spacemit(R) A100";

/// What programs saw.
struct Seen {
  std::mutex mutex;
  std::set<int> cores;
  std::set<long> threads;
  std::atomic<int> programs{0};
  std::atomic<int> inBlocks{0};
  int (*contains)(const void *) = nullptr;
};

void look(const uint64_t *args, const int32_t *, int64_t begin, int64_t end,
          void *arena) {
  auto *seen = reinterpret_cast<Seen *>(args[0]);
  std::lock_guard<std::mutex> lock(seen->mutex);
  seen->cores.insert(sched_getcpu());
  seen->threads.insert(syscall(SYS_gettid));
  seen->programs += static_cast<int>(end - begin);
  if (arena && seen->contains && seen->contains(arena))
    seen->inBlocks += static_cast<int>(end - begin);
}

std::string readAll(const std::string &path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

class BoardTest : public testing::Test {
protected:
  void SetUp() override {
    char pattern[] = "/tmp/spine-board-XXXXXX";
    folder = mkdtemp(pattern);
    files.aiThreads = folder + "/set_ai_thread";
    files.cpuInfo = folder + "/cpuinfo";
    files.tcmLibrary = SPINE_MOCK_TCM;
    std::ofstream(files.aiThreads).flush();
    numCores = std::min(2u, getNumUsableCores());
    std::ofstream cpuInfo(files.cpuInfo);
    for (unsigned core = 0; core < numCores; ++core)
      cpuInfo << "processor\t: " << core << "\nhart\t\t: " << core
              << "\nmodel name\t: " << kModel << "\n\n";
    cpuInfo << "processor\t: 77\nmodel name\t: Spacemit(R) X100\n";
    cpuInfo.close();
    void *library = dlopen(SPINE_MOCK_TCM, RTLD_NOW);
    ASSERT_TRUE(library) << dlerror();
    held = reinterpret_cast<int (*)()>(dlsym(library, "mock_tcm_held"));
    seen.contains = reinterpret_cast<int (*)(const void *)>(
        dlsym(library, "mock_tcm_contains"));
    unsetenv("MOCK_TCM");
    setBoardFiles(files);
  }

  void TearDown() override {
    // Another model: the workers of this one leave.
    setBoardFiles(BoardFiles());
    launchOnCores("none", 0, look, args, {1, 1, 1}, 0);
    EXPECT_EQ(held(), 0) << "a block of memory was not given back";
    for (const std::string &path : {files.aiThreads, files.cpuInfo, folder})
      remove(path.c_str());
  }

  LaunchResult run(size_t arenaBytes = 4096, uint32_t vectorBytes = 0) {
    return launchOnCores(kModel, vectorBytes, look, args, {1000, 1, 1},
                         arenaBytes);
  }

  std::string folder;
  BoardFiles files;
  unsigned numCores = 0;
  int (*held)() = nullptr;
  Seen seen;
  uint64_t args[1] = {reinterpret_cast<uint64_t>(&seen)};
};

TEST_F(BoardTest, FindsCoresAndMemory) {
  BoardFacts facts = getBoardFacts(kModel);
  EXPECT_EQ(facts.cores.size(), numCores);
  EXPECT_TRUE(facts.needsAdmission);
  EXPECT_EQ(facts.tcmBlocks, 4u);
  EXPECT_EQ(facts.tcmBlockBytes, 65536u);
  EXPECT_EQ(facts.tcmVersion, "mock");
  EXPECT_EQ(getBoardFacts("Spacemit(R) X100").cores, std::vector<unsigned>{77});
  EXPECT_TRUE(getBoardFacts("Spacemit(R)").cores.empty());
}

TEST_F(BoardTest, RunsOnAdmittedThreadsOnly) {
  ASSERT_TRUE(run().ok());
  EXPECT_EQ(seen.programs, 1000);
  EXPECT_FALSE(seen.threads.count(syscall(SYS_gettid)));
  for (int core : seen.cores)
    EXPECT_LT(core, static_cast<int>(numCores));
  // The file of this test keeps what was written last: one thread's id.
  long written = std::stol(readAll(files.aiThreads));
  EXPECT_GT(written, 0);
  EXPECT_NE(written, syscall(SYS_gettid));
}

TEST_F(BoardTest, EveryProgramRunsOnceInManyLaunches) {
  for (int i = 0; i < 500; ++i)
    ASSERT_TRUE(launchOnCores(kModel, 0, look, args, {i % 7, 1, 1}, 0).ok());
  int expected = 0;
  for (int i = 0; i < 500; ++i)
    expected += i % 7;
  EXPECT_EQ(seen.programs, expected);
}

TEST_F(BoardTest, ArenaIsTheCoresBlock) {
  ASSERT_TRUE(run(65536).ok());
  EXPECT_EQ(seen.inBlocks, 1000);
  EXPECT_EQ(getNumTcmArenas(), numCores);
}

TEST_F(BoardTest, ArenaLargerThanABlockIsOrdinaryMemory) {
  ASSERT_TRUE(run(65537).ok());
  EXPECT_EQ(seen.inBlocks, 0);
  ASSERT_TRUE(run(100).ok());
  EXPECT_EQ(seen.inBlocks, 1000);
}

TEST_F(BoardTest, BlocksThatAreTakenAreNoProblem) {
  setenv("MOCK_TCM", "busy", 1);
  ASSERT_TRUE(run().ok());
  EXPECT_EQ(seen.programs, 1000);
  EXPECT_EQ(getNumTcmArenas(), 1u);
}

TEST_F(BoardTest, SaysWhyThereIsNoMemory) {
  setenv("MOCK_TCM", "absent", 1);
  EXPECT_NE(getBoardFacts(kModel).whyNoTcm.find("no such memory"),
            std::string::npos);
  setenv("MOCK_TCM", "fake", 1);
  EXPECT_NE(getBoardFacts(kModel).whyNoTcm.find("only imitates"),
            std::string::npos);
  ASSERT_TRUE(run().ok());
  EXPECT_EQ(seen.inBlocks, 0);
  files.tcmLibrary = folder + "/libspine_tcm.so";
  setBoardFiles(files);
  EXPECT_NE(getBoardFacts(kModel).whyNoTcm.find("libspine_tcm.so"),
            std::string::npos);
  ASSERT_TRUE(run().ok());
  EXPECT_EQ(seen.programs, 2000);
}

TEST_F(BoardTest, RefusedAdmissionIsNamed) {
  files.aiThreads = "/proc/self/status"; // can be opened, not written
  setBoardFiles(files);
  LaunchResult result = run();
  EXPECT_EQ(result.status, LaunchStatus::NoCores);
  EXPECT_NE(result.failure.message.find("/proc/self/status"), std::string::npos)
      << result.failure.message;
  EXPECT_EQ(seen.programs, 0);
}

TEST_F(BoardTest, CoreThatIsNotThereIsNamed) {
  std::ofstream(files.cpuInfo)
      << "processor : 4000\nmodel name : " << kModel << "\n";
  setBoardFiles(files);
  LaunchResult result = run();
  EXPECT_EQ(result.status, LaunchStatus::NoCores);
  EXPECT_NE(result.failure.message.find("cannot move to core 4000"),
            std::string::npos)
      << result.failure.message;
}

TEST_F(BoardTest, OtherVectorLengthIsRefused) {
  LaunchResult result = run(0, /*vectorBytes=*/4096);
  EXPECT_EQ(result.status, LaunchStatus::NoCores);
  EXPECT_NE(result.failure.message.find("the code is made for 32768"),
            std::string::npos)
      << result.failure.message;
  EXPECT_EQ(seen.programs, 0);
}

TEST_F(BoardTest, ChildProcessHasThreadsOfItsOwn) {
  ASSERT_TRUE(run().ok());
  pid_t child = fork();
  if (child == 0) {
    setBoardFiles(files);
    _exit(run().ok() && seen.programs == 2000 ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  ASSERT_TRUE(run().ok());
}

TEST_F(BoardTest, FailedAssertionEndsTheLaunch) {
  auto fail = [](const uint64_t *, const int32_t *, int64_t begin, int64_t,
                 void *) {
    spine_rt_assert("wrong", "kernel.py", "kernel", 3,
                    static_cast<int32_t>(begin), 0, 0);
  };
  LaunchResult result = launchOnCores(kModel, 0, fail, args, {100, 1, 1}, 0);
  EXPECT_EQ(result.status, LaunchStatus::AssertFailed);
  EXPECT_EQ(result.failure.message, "wrong");
  EXPECT_TRUE(run().ok());
}

} // namespace
