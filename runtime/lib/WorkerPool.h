//===- WorkerPool.h - the threads that run programs -------------*- C++ -*-===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#ifndef SPINE_RUNTIME_WORKERPOOL_H
#define SPINE_RUNTIME_WORKERPOOL_H

#include "Arena.h"
#include "CoreSet.h"
#include "Job.h"
#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <pthread.h>
#include <vector>

namespace spine::rt {

/// Threads that wait for jobs. The thread that brings a job takes part in it,
/// so a pool of n threads starts n - 1 of its own.
///
/// A job is open from its publication until its caller finds no chunk left.
/// Workers enter it only while it is open, and the caller waits only for those
/// that did: a small launch does not wait for threads that are still asleep.
class WorkerPool {
public:
  /// The pool of this process.
  static WorkerPool &get();

  /// With `cores`, each worker is on a core of its own, and the thread that
  /// brings a job takes no part in it.
  explicit WorkerPool(CoreSet *cores = nullptr) : cores(cores) {}
  ~WorkerPool() { stopWorkers(); }

  LaunchResult launch(KernelFunction kernel, const uint64_t *args,
                      const std::array<int32_t, 3> &grid, uint64_t programs,
                      const WorkerMemory &memory);

private:
  struct Worker {
    WorkerPool *pool = nullptr;
    pthread_t thread;
    /// The job published last when the worker was made.
    uint32_t seen = 0;
    /// The number of its core.
    unsigned index = 0;
    Arena arena;
  };

  /// Starts or stops workers until there are as many as `threads` asks for.
  /// Returns why they have no cores, or an empty text.
  std::string changeWorkers(unsigned wanted);
  void startWorkers(unsigned count);
  void stopWorkers();
  /// On the worker's own thread: false if it cannot have its core.
  bool enterCore(Worker &worker);
  std::string waitForCores();
  /// Runs a job on the workers alone.
  void runOnCores(Job &job);
  bool reserveArenas(size_t bytes);
  void advanceJobNumber();
  /// Lets workers enter the job, and wakes as many as it has work for.
  void publish(Job &job);
  /// Lets no further worker enter, and waits for those that did.
  void close();
  void workerLoop(Worker &worker);
  /// Waits until a job that this thread has not seen is published, and returns
  /// its number.
  uint32_t waitForJob(uint32_t seen);
  /// Enters the job of this number; false if it is closed already.
  bool enter(uint32_t number);
  void leave();

  static void *workerMain(void *worker);

  CoreSet *cores;
  /// How many workers have tried to enter their cores, and the first problem.
  std::mutex entryMutex;
  std::condition_variable entryDone;
  unsigned numEntered = 0;
  std::string entryProblem;

  /// Held for the whole of a launch.
  std::mutex launchMutex;
  /// Number of threads asked for when the workers were started, 0 before that.
  unsigned threads = 0;
  std::atomic<bool> spins{false};
  std::vector<std::unique_ptr<Worker>> workers;
  Arena callerArena;

  /// Number of the job published last; workers sleep on it.
  alignas(64) std::atomic<uint32_t> jobNumber{0};
  std::atomic<uint32_t> sleepers{0};
  /// Number of the open job in the upper half, 0 if none, and in the lower half
  /// how many workers are in it.
  alignas(64) std::atomic<uint64_t> openJob{0};
  /// Counts changes of `openJob` the caller may be asleep for.
  alignas(64) std::atomic<uint32_t> departures{0};
  std::atomic<bool> callerSleeps{false};
  /// Counts the workers that found no chunk left, if the caller takes no part.
  std::atomic<uint32_t> finished{0};
  std::atomic<Job *> job{nullptr};
  std::atomic<bool> stopping{false};
};

/// Checks the grid and runs it.
LaunchResult launchOn(WorkerPool &pool, KernelFunction kernel,
                      const uint64_t *args, const std::array<int32_t, 3> &grid,
                      const WorkerMemory &memory);

} // namespace spine::rt

#endif // SPINE_RUNTIME_WORKERPOOL_H
