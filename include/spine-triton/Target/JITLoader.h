//===- JITLoader.h - objects to machine code in this process ----*- C++ -*-===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#ifndef SPINE_TRITON_TARGET_JITLOADER_H
#define SPINE_TRITON_TARGET_JITLOADER_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <memory>
#include <string>

namespace mlir::spine {

/// A kernel's machine code in this process. Destroying it unloads the code.
class LoadedKernel {
public:
  /// The same as spine::rt::KernelFunction.
  using Function = void (*)(const uint64_t *args, const int32_t *grid,
                            int64_t begin, int64_t end, void *arena);

  /// Links an object that was emitted for this machine. The error names symbols
  /// that cannot be found. May be called by several threads.
  static llvm::Expected<std::unique_ptr<LoadedKernel>>
  load(llvm::StringRef object, llvm::StringRef kernelName);

  ~LoadedKernel();

  const std::string &getName() const { return name; }
  /// Bytes of memory that each worker needs.
  int64_t getArenaBytes() const { return arenaBytes; }
  /// Where in them what is kept between programs begins; behind all if nothing
  /// is.
  int64_t getKeptAt() const { return keptAt; }
  Function getFunction() const { return function; }
  /// The variant for overlapping arguments, or null if the function serves for
  /// those as well.
  Function getMayAliasFunction() const { return mayAliasFunction; }

  /// The same variant as a kernel of its own, where it was made later; null
  /// until then. It has to live as long as this one.
  const LoadedKernel *getMayAlias() const { return mayAlias; }
  void setMayAlias(const LoadedKernel &kernel) { mayAlias = &kernel; }

private:
  struct Code;

  LoadedKernel();
  llvm::Error lookUp();

  std::string name;
  int64_t arenaBytes = 0, keptAt = 0;
  Function function = nullptr;
  Function mayAliasFunction = nullptr;
  const LoadedKernel *mayAlias = nullptr;
  std::unique_ptr<Code> code;
};

} // namespace mlir::spine

#endif // SPINE_TRITON_TARGET_JITLOADER_H
