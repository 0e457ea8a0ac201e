//===- Board.h - cores that threads must be admitted to ---------*- C++ -*-===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//
//
// SpacemiT's K3 has two kinds of cores. Its AI cores have longer vectors than
// the others, so code for them must not run anywhere else, and a thread gets
// there only after its id was written to a file of the kernel's. Each AI core
// has a block of fast memory, which a library of SpacemiT's hands out.
//
//===----------------------------------------------------------------------===//

#ifndef SPINE_RUNTIME_BOARD_H
#define SPINE_RUNTIME_BOARD_H

#include "spine-runtime/Launch.h"
#include <vector>

namespace spine::rt {

/// Where a board's kernel and library are found. Tests have their own.
struct BoardFiles {
  /// A thread whose id is written here may run on AI cores, and nowhere else.
  std::string aiThreads = "/proc/set_ai_thread";
  std::string cpuInfo = "/proc/cpuinfo";
  std::string tcmLibrary = "libspine_tcm.so";
};

/// From the next launch on.
void setBoardFiles(BoardFiles files);

/// What there is of cores of one model and of their memory.
struct BoardFacts {
  std::vector<unsigned> cores;
  /// Whether threads are admitted to them by a file.
  bool needsAdmission = false;
  /// Blocks of fast memory; 0 if ordinary memory is used, and why.
  size_t tcmBlocks = 0;
  size_t tcmBlockBytes = 0;
  std::string tcmVersion;
  std::string whyNoTcm;
};

/// Cores whose `model name` in the kernel's list of processors is `model`.
BoardFacts getBoardFacts(const std::string &model);

/// Like launch(), on threads of their own: one for each core of this model, at
/// most getNumThreads(). The calling thread takes no part. The arena is the
/// core's block of fast memory if that is large enough and can be acquired,
/// ordinary memory otherwise. `vectorBytes` is what the code was compiled for;
/// 0 stands for code that does not depend on it.
LaunchResult launchOnCores(const std::string &model, uint32_t vectorBytes,
                           KernelFunction kernel, const uint64_t *args,
                           const std::array<int32_t, 3> &grid,
                           const WorkerMemory &memory);

/// Workers of the last launch on cores whose arena is fast memory.
unsigned getNumTcmArenas();

} // namespace spine::rt

#endif // SPINE_RUNTIME_BOARD_H
