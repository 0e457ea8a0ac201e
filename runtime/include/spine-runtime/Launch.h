//===- Launch.h - runs a kernel's grid of programs --------------*- C++ -*-===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//
//
// This library knows nothing of LLVM or Python, so that the runner for boards
// and emulators is made of the same sources.
//
//===----------------------------------------------------------------------===//

#ifndef SPINE_RUNTIME_LAUNCH_H
#define SPINE_RUNTIME_LAUNCH_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace spine::rt {

/// A compiled kernel: runs the programs with the linear ids begin..end-1, where
/// id = x + nx * (y + ny * z) and grid = {nx, ny, nz}. Each argument has a slot
/// of eight bytes and lies at its slot's address in its own type.
using KernelFunction = void (*)(const uint64_t *args, const int32_t *grid,
                                int64_t begin, int64_t end, void *arena);

/// What a kernel needs of each worker's memory, which begins with the arena.
struct WorkerMemory {
  /// From `keptAt` on it belongs to all programs that a worker runs in one
  /// launch. At the launch's begin the first kClearedBytes of it, or as many as
  /// there are, are zero.
  WorkerMemory(size_t bytes, size_t keptAt = SIZE_MAX)
      : bytes(bytes), keptAt(keptAt < bytes ? keptAt : bytes) {}

  static constexpr size_t kClearedBytes = 4096;

  size_t bytes;
  size_t keptAt;
};

/// The first failed assertion of a launch.
struct AssertFailure {
  std::string message;
  std::string file;
  std::string function;
  int32_t line = 0;
  std::array<int32_t, 3> program = {0, 0, 0};
};

enum class LaunchStatus {
  Success,
  /// A size of the grid is negative.
  NegativeGrid,
  /// The grid has 2^63 programs or more.
  GridTooLarge,
  /// No memory for a worker's arena. Nothing was run.
  OutOfMemory,
  /// An assertion failed in a program. Some programs were not run.
  AssertFailed,
  /// The cores that were asked for cannot be used, as the failure's message
  /// says. Nothing was run.
  NoCores,
};

struct LaunchResult {
  LaunchStatus status = LaunchStatus::Success;
  AssertFailure failure;

  bool ok() const { return status == LaunchStatus::Success; }
};

/// Runs all programs of the grid on the worker threads and the calling thread,
/// and returns when they are done. Each thread has memory as asked for, aligned
/// to 4096 bytes. May be called by several threads: launches run one
/// after the other.
LaunchResult launch(KernelFunction kernel, const uint64_t *args,
                    const std::array<int32_t, 3> &grid,
                    const WorkerMemory &memory);

/// For tests: before each program, its arena (all up to what is kept) is filled
/// with signalling NaNs, so that one which reads what it has not written gives
/// a wrong result.
void setArenaPoison(bool on);

/// What a poisoned arena holds: a signalling NaN as fp32, and a NaN as fp16 in
/// each half.
constexpr uint32_t kArenaPoison = 0x7fa07fa0;

/// Number of threads that run programs, the calling one included. At first
/// SPINE_TRITON_NUM_THREADS if that is a number from 1 to 1024, else the number
/// of cores this process may use.
unsigned getNumThreads();

/// Largest number of threads.
constexpr unsigned kMaxThreads = 1024;

/// Changes the number of threads from the next launch on; clamped to
/// 1..kMaxThreads.
void setNumThreads(unsigned count);

/// Number of cores this process may use.
unsigned getNumUsableCores();

} // namespace spine::rt

#endif // SPINE_RUNTIME_LAUNCH_H
