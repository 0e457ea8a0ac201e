//===- WorkerPool.cpp - the threads that run programs ---------------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "WorkerPool.h"
#include "Futex.h"
#include "PerProcess.h"
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <sched.h>

using namespace spine::rt;

/// How long a thread spins before it sleeps. Enough for the pause between two
/// launches of a loop; a longer spin takes a busy machine's cores from others.
static constexpr std::chrono::microseconds kSpinTime(20);

static std::atomic<unsigned> configuredThreads{0};
static std::atomic<bool> arenaPoison{false};

//===----------------------------------------------------------------------===//
// Configuration
//===----------------------------------------------------------------------===//

unsigned spine::rt::getNumUsableCores() {
  // A fixed cpu_set_t is too small on machines with more than 1024 cores.
  for (unsigned cores = CPU_SETSIZE; cores <= (1u << 20); cores *= 2) {
    cpu_set_t *set = CPU_ALLOC(cores);
    if (!set)
      break;
    size_t size = CPU_ALLOC_SIZE(cores);
    int count = 0;
    if (sched_getaffinity(0, size, set) == 0)
      count = CPU_COUNT_S(size, set);
    CPU_FREE(set);
    if (count > 0)
      return static_cast<unsigned>(count);
  }
  return 1;
}

static unsigned clampThreads(unsigned long count) {
  return static_cast<unsigned>(
      std::clamp<unsigned long>(count, 1, kMaxThreads));
}

static unsigned getInitialThreads() {
  if (const char *text = std::getenv("SPINE_TRITON_NUM_THREADS")) {
    char *end = nullptr;
    long value = std::strtol(text, &end, 10);
    if (end != text && *end == '\0' && value >= 1 &&
        value <= static_cast<long>(kMaxThreads))
      return static_cast<unsigned>(value);
  }
  return clampThreads(getNumUsableCores());
}

unsigned spine::rt::getNumThreads() {
  unsigned count = configuredThreads.load();
  if (count)
    return count;
  unsigned expected = 0;
  configuredThreads.compare_exchange_strong(expected, getInitialThreads());
  return configuredThreads.load();
}

void spine::rt::setNumThreads(unsigned count) {
  configuredThreads.store(clampThreads(count));
}

void spine::rt::setArenaPoison(bool on) { arenaPoison.store(on); }

//===----------------------------------------------------------------------===//
// Life of the pool
//===----------------------------------------------------------------------===//

WorkerPool &WorkerPool::get() { return PerProcess<WorkerPool>::get(); }

void *WorkerPool::workerMain(void *argument) {
  auto *worker = static_cast<Worker *>(argument);
  worker->pool->workerLoop(*worker);
  return nullptr;
}

/// Starts as many workers as can be had; fewer only make launches slower.
void WorkerPool::startWorkers(unsigned count) {
  // Signals belong to the program's own threads. Those that report a fault of
  // the running thread must stay open.
  sigset_t blocked, saved;
  sigfillset(&blocked);
  for (int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP})
    sigdelset(&blocked, fault);
  pthread_sigmask(SIG_SETMASK, &blocked, &saved);
  while (workers.size() < count) {
    auto worker = std::make_unique<Worker>();
    worker->pool = this;
    worker->seen = jobNumber.load();
    worker->index = static_cast<unsigned>(workers.size());
    if (pthread_create(&worker->thread, nullptr, workerMain, worker.get()))
      break;
    workers.push_back(std::move(worker));
  }
  pthread_sigmask(SIG_SETMASK, &saved, nullptr);
}

std::string WorkerPool::changeWorkers(unsigned wanted) {
  if (threads == wanted)
    return "";
  stopWorkers();
  startWorkers(cores ? wanted : wanted - 1);
  std::string problem = cores ? waitForCores() : "";
  if (!problem.empty())
    return problem;
  threads = wanted;
  spins = cores || threads <= getNumUsableCores();
  return "";
}

void WorkerPool::stopWorkers() {
  stopping.store(true);
  advanceJobNumber();
  futexWake(jobNumber, kMaxThreads);
  for (auto &worker : workers)
    pthread_join(worker->thread, nullptr);
  workers.clear();
  stopping.store(false);
  threads = 0;
}

//===----------------------------------------------------------------------===//
// Cores
//===----------------------------------------------------------------------===//

bool WorkerPool::enterCore(Worker &worker) {
  std::string problem = cores->enter(worker.index, worker.arena);
  std::lock_guard<std::mutex> lock(entryMutex);
  ++numEntered;
  if (entryProblem.empty())
    entryProblem = problem;
  entryDone.notify_one();
  return problem.empty();
}

/// Waits until all workers are on their cores. If one cannot be, none stays.
std::string WorkerPool::waitForCores() {
  std::string problem;
  {
    std::unique_lock<std::mutex> lock(entryMutex);
    entryDone.wait(lock, [&] { return numEntered == workers.size(); });
    numEntered = 0;
    problem = std::move(entryProblem);
    entryProblem.clear();
  }
  if (problem.empty() && workers.empty())
    problem = "no thread can be started";
  if (!problem.empty())
    stopWorkers();
  return problem;
}

void WorkerPool::runOnCores(Job &newJob) {
  finished.store(0);
  publish(newJob);
  while (!newJob.isExhausted())
    futexWait(finished, 0);
  close();
}

//===----------------------------------------------------------------------===//
// Workers
//===----------------------------------------------------------------------===//

/// Spins until `done()` or until the time for that is over.
template <typename Predicate> static bool spinUntil(Predicate done) {
  auto end = std::chrono::steady_clock::now() + kSpinTime;
  do {
    for (unsigned i = 0; i < 32; ++i) {
      if (done())
        return true;
      spinPause();
    }
  } while (std::chrono::steady_clock::now() < end);
  return done();
}

uint32_t WorkerPool::waitForJob(uint32_t seen) {
  if (spins.load(std::memory_order_relaxed))
    spinUntil([&] { return jobNumber.load() != seen; });
  while (jobNumber.load() == seen) {
    sleepers.fetch_add(1);
    futexWait(jobNumber, seen);
    sleepers.fetch_sub(1);
  }
  return jobNumber.load();
}

bool WorkerPool::enter(uint32_t number) {
  uint64_t value = openJob.load();
  while ((value >> 32) == number)
    if (openJob.compare_exchange_weak(value, value + 1))
      return true;
  return false;
}

void WorkerPool::leave() {
  if (openJob.fetch_sub(1) != 1)
    return;
  // The job is closed and this was its last worker.
  departures.fetch_add(1);
  if (callerSleeps.load())
    futexWake(departures, 1);
}

void WorkerPool::workerLoop(Worker &worker) {
  uint32_t seen = worker.seen;
  if (cores && !enterCore(worker))
    return;
  while (true) {
    seen = waitForJob(seen);
    if (stopping.load())
      break;
    if (!enter(seen))
      continue;
    job.load()->run(worker.index + !cores, worker.arena.data());
    if (cores && finished.fetch_add(1) == 0)
      futexWake(finished, 1);
    leave();
  }
  if (cores)
    cores->leave(worker.index, worker.arena);
}

//===----------------------------------------------------------------------===//
// Launching
//===----------------------------------------------------------------------===//

void WorkerPool::advanceJobNumber() {
  uint32_t number = jobNumber.load() + 1;
  jobNumber.store(number ? number : 1); // 0 stands for "no job"
}

void WorkerPool::publish(Job &newJob) {
  job.store(&newJob);
  uint32_t number = jobNumber.load() + 1;
  number = number ? number : 1;
  openJob.store(uint64_t(number) << 32);
  advanceJobNumber();
  uint64_t helpers =
      std::min<uint64_t>(workers.size(), newJob.getNumPrograms() - !cores);
  if (sleepers.load())
    futexWake(jobNumber, static_cast<uint32_t>(helpers));
}

void WorkerPool::close() {
  openJob.fetch_and(0xffffffffu);
  auto isEmpty = [&] { return openJob.load() == 0; };
  if (isEmpty() ||
      (spins.load(std::memory_order_relaxed) && spinUntil(isEmpty)))
    return;
  callerSleeps.store(true);
  while (true) {
    uint32_t value = departures.load();
    if (isEmpty())
      break;
    futexWait(departures, value);
  }
  callerSleeps.store(false);
}

/// Called while no job is open, so that no worker uses its arena. The memory's
/// first touch is left to the worker.
bool WorkerPool::reserveArenas(size_t bytes) {
  if (!cores && !callerArena.reserve(bytes))
    return false;
  for (auto &worker : workers)
    if (!worker->arena.reserve(bytes))
      return false;
  return true;
}

LaunchResult WorkerPool::launch(KernelFunction kernel, const uint64_t *args,
                                const std::array<int32_t, 3> &grid,
                                uint64_t programs, const WorkerMemory &memory) {
  LaunchResult result;
  std::lock_guard<std::mutex> lock(launchMutex);
  unsigned wanted = spine::rt::getNumThreads();
  result.failure.message =
      changeWorkers(cores ? std::min(wanted, cores->size()) : wanted);
  if (!result.failure.message.empty()) {
    result.status = LaunchStatus::NoCores;
    return result;
  }
  if (!reserveArenas(memory.bytes)) {
    result.status = LaunchStatus::OutOfMemory;
    return result;
  }
  Job newJob(kernel, args, grid, programs,
             static_cast<unsigned>(workers.size()) + !cores, memory,
             arenaPoison.load());
  bool shared = newJob.getNumPrograms() > 1 && !workers.empty();
  if (cores) {
    runOnCores(newJob);
  } else {
    if (shared)
      publish(newJob);
    newJob.run(/*thread=*/0, callerArena.data());
    if (shared)
      close();
  }
  if (newJob.hasFailed()) {
    result.status = LaunchStatus::AssertFailed;
    result.failure = newJob.getFailure();
  }
  return result;
}

LaunchResult spine::rt::launch(KernelFunction kernel, const uint64_t *args,
                               const std::array<int32_t, 3> &grid,
                               const WorkerMemory &memory) {
  return launchOn(WorkerPool::get(), kernel, args, grid, memory);
}

LaunchResult spine::rt::launchOn(WorkerPool &pool, KernelFunction kernel,
                                 const uint64_t *args,
                                 const std::array<int32_t, 3> &grid,
                                 const WorkerMemory &memory) {
  LaunchResult result;
  uint64_t programs = 1;
  for (int32_t size : grid) {
    if (size < 0) {
      result.status = LaunchStatus::NegativeGrid;
      return result;
    }
    if (size == 0)
      programs = 0;
  }
  if (programs == 0)
    return result;
  programs = uint64_t(grid[0]) * uint64_t(grid[1]); // below 2^62
  if (programs > uint64_t(INT64_MAX) / uint64_t(grid[2])) {
    result.status = LaunchStatus::GridTooLarge;
    return result;
  }
  programs *= uint64_t(grid[2]);
  return pool.launch(kernel, args, grid, programs, memory);
}
