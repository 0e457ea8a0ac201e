//===- Board.cpp - cores that threads must be admitted to -----------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "spine-runtime/Board.h"
#include "PerProcess.h"
#include "Tcm.h"
#include "WorkerPool.h"
#include "spine-runtime/VectorBytes.h"
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace spine::rt;

//===----------------------------------------------------------------------===//
// What the system says
//===----------------------------------------------------------------------===//

static std::string trimmed(const std::string &text) {
  size_t begin = text.find_first_not_of(" \t");
  size_t end = text.find_last_not_of(" \t");
  return begin == std::string::npos ? "" : text.substr(begin, end - begin + 1);
}

/// Lines are `key : value`; a processor's number comes before its model.
static std::vector<unsigned> findCores(const std::string &cpuInfo,
                                       const std::string &model) {
  std::vector<unsigned> cores;
  std::ifstream file(cpuInfo);
  std::string line;
  unsigned processor = 0;
  while (std::getline(file, line)) {
    size_t colon = line.find(':');
    if (colon == std::string::npos)
      continue;
    std::string key = trimmed(line.substr(0, colon));
    std::string value = trimmed(line.substr(colon + 1));
    if (key == "processor")
      processor =
          static_cast<unsigned>(std::strtoul(value.c_str(), nullptr, 10));
    else if (key == "model name" && value == model)
      cores.push_back(processor);
  }
  return cores;
}

static std::string withError(const std::string &what) {
  return what + ": " + std::strerror(errno);
}

/// The number 0 would stand for the writing thread as well; a thread's id is
/// what the file is for.
static std::string admitThread(const std::string &path) {
  int file = open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (file < 0)
    return errno == ENOENT ? "" : withError("cannot open " + path);
  std::string id = std::to_string(syscall(SYS_gettid));
  ssize_t written = write(file, id.data(), id.size());
  std::string problem;
  if (written != static_cast<ssize_t>(id.size()))
    problem = withError("cannot write thread " + id + " to " + path);
  close(file);
  return problem;
}

static std::string moveToCore(unsigned core) {
  cpu_set_t *set = CPU_ALLOC(core + 1);
  if (!set)
    return "no memory for a set of cores";
  size_t size = CPU_ALLOC_SIZE(core + 1);
  CPU_ZERO_S(size, set);
  CPU_SET_S(core, size, set);
  std::string problem;
  if (sched_setaffinity(0, size, set) != 0)
    problem = withError("cannot move to core " + std::to_string(core));
  CPU_FREE(set);
  return problem;
}

//===----------------------------------------------------------------------===//
// Cores
//===----------------------------------------------------------------------===//

namespace {

/// The cores of one model, with their fast memory.
class BoardCores : public CoreSet {
public:
  /// Called while no worker runs.
  void configure(const BoardFiles &newFiles, const std::string &model,
                 uint32_t newVectorBytes);

  unsigned size() const override { return static_cast<unsigned>(cores.size()); }
  std::string enter(unsigned index, Arena &arena) override;
  void leave(unsigned index, Arena &arena) override;
  unsigned getNumLent() const { return numLent.load(); }

private:
  void lendBlock(unsigned index, Arena &arena);

  BoardFiles files;
  uint32_t vectorBytes = 0;
  std::vector<unsigned> cores;
  std::unique_ptr<Tcm> tcm;
  std::mutex blockMutex;
  /// Who has each block: a worker's number, or -1.
  std::vector<int> owners;
  std::atomic<unsigned> numLent{0};
};

/// The pool for cores of a board, and what it was made for.
struct BoardPool {
  std::mutex mutex;
  BoardFiles files;
  std::string model;
  uint32_t vectorBytes = 0;
  bool isConfigured = false;
  BoardCores cores;
  std::unique_ptr<WorkerPool> pool;

  static BoardPool &get() { return PerProcess<BoardPool>::get(); }
};

} // namespace

void BoardCores::configure(const BoardFiles &newFiles, const std::string &model,
                           uint32_t newVectorBytes) {
  files = newFiles;
  vectorBytes = newVectorBytes;
  cores = findCores(files.cpuInfo, model);
  std::string ignored;
  tcm = Tcm::open(files.tcmLibrary, ignored);
  owners.assign(tcm ? tcm->getNumBlocks() : 0, -1);
}

std::string BoardCores::enter(unsigned index, Arena &arena) {
  // No vector instruction before this: the kernel resets the vector state of a
  // thread that it moves to cores with other vectors.
  std::string problem = admitThread(files.aiThreads);
  if (problem.empty())
    problem = moveToCore(cores[index]);
  if (!problem.empty())
    return problem;
  uint32_t found = getVectorBytes();
  if (vectorBytes && found != vectorBytes)
    return "core " + std::to_string(cores[index]) + " has vectors of " +
           std::to_string(found * 8) + " bits, the code is made for " +
           std::to_string(vectorBytes * 8);
  lendBlock(index, arena);
  return "";
}

void BoardCores::lendBlock(unsigned index, Arena &arena) {
  std::lock_guard<std::mutex> lock(blockMutex);
  for (unsigned block = 0; block < owners.size(); ++block) {
    if (owners[block] >= 0 || !tcm->isNear(block, cores[index]))
      continue;
    void *memory = tcm->acquire(block);
    if (!memory)
      continue; // another process has it
    owners[block] = static_cast<int>(index);
    arena.lend(memory, tcm->getBlockBytes());
    ++numLent;
    return;
  }
}

void BoardCores::leave(unsigned index, Arena &arena) {
  std::lock_guard<std::mutex> lock(blockMutex);
  arena.lend(nullptr, 0);
  for (unsigned block = 0; block < owners.size(); ++block)
    if (owners[block] == static_cast<int>(index)) {
      tcm->release(block);
      owners[block] = -1;
      --numLent;
    }
}

//===----------------------------------------------------------------------===//
// Interface
//===----------------------------------------------------------------------===//

void spine::rt::setBoardFiles(BoardFiles files) {
  BoardPool &board = BoardPool::get();
  std::lock_guard<std::mutex> lock(board.mutex);
  board.files = std::move(files);
  board.isConfigured = false;
}

BoardFacts spine::rt::getBoardFacts(const std::string &model) {
  BoardPool &board = BoardPool::get();
  std::lock_guard<std::mutex> lock(board.mutex);
  BoardFacts facts;
  facts.cores = findCores(board.files.cpuInfo, model);
  facts.needsAdmission = access(board.files.aiThreads.c_str(), F_OK) == 0;
  if (auto tcm = Tcm::open(board.files.tcmLibrary, facts.whyNoTcm)) {
    facts.tcmBlocks = tcm->getNumBlocks();
    facts.tcmBlockBytes = tcm->getBlockBytes();
    facts.tcmVersion = tcm->getVersion();
  }
  return facts;
}

LaunchResult spine::rt::launchOnCores(const std::string &model,
                                      uint32_t vectorBytes,
                                      KernelFunction kernel,
                                      const uint64_t *args,
                                      const std::array<int32_t, 3> &grid,
                                      const WorkerMemory &memory) {
  BoardPool &board = BoardPool::get();
  std::lock_guard<std::mutex> lock(board.mutex);
  if (!board.isConfigured || board.model != model ||
      board.vectorBytes != vectorBytes) {
    board.pool.reset();
    board.cores.configure(board.files, model, vectorBytes);
    board.model = model;
    board.vectorBytes = vectorBytes;
    board.pool = std::make_unique<WorkerPool>(&board.cores);
    board.isConfigured = true;
  }
  if (board.cores.size() == 0) {
    LaunchResult result;
    result.status = LaunchStatus::NoCores;
    result.failure.message =
        "there is no core '" + model + "' in " + board.files.cpuInfo;
    return result;
  }
  return launchOn(*board.pool, kernel, args, grid, memory);
}

unsigned spine::rt::getNumTcmArenas() {
  return BoardPool::get().cores.getNumLent();
}
