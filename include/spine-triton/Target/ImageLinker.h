//===- ImageLinker.h - objects linked for another process -------*- C++ -*-===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#ifndef SPINE_TRITON_TARGET_IMAGELINKER_H
#define SPINE_TRITON_TARGET_IMAGELINKER_H

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <string>
#include <vector>

namespace mlir::spine {

/// A part of a linked image with one kind of protection. Starts on a page.
struct ImageSegment {
  uint64_t address = 0;
  std::string contents;
  /// Bytes in memory; those beyond the contents are zero.
  uint64_t memoryBytes = 0;
  bool readable = false;
  bool writable = false;
  bool executable = false;
};

/// A function of a linked image.
struct ImageFunction {
  std::string name;
  uint64_t address = 0;
  uint64_t bytes = 0;
};

/// A kernel's machine code, linked for an address of another process.
struct LinkedImage {
  std::vector<ImageSegment> segments;
  std::vector<ImageFunction> functions;
  /// Bytes from the image's address to the end of its last page.
  uint64_t bytes = 0;
  uint64_t function = 0;
  /// The variant for overlapping arguments, 0 if there is none.
  uint64_t mayAliasFunction = 0;
  /// Bytes of memory that each worker needs, and where in them what is kept
  /// between programs begins.
  int64_t arenaBytes = 0, keptAt = 0;

  static constexpr uint64_t kPageBytes = 4096;
};

/// Links an object as if it lay at `address`, which must be a multiple of the
/// page size, in a process that has `symbols` at these addresses. Works for
/// objects of any machine that JITLink knows. The error names symbols that are
/// missing and relocations that are not known.
llvm::Expected<LinkedImage> linkImage(llvm::StringRef object,
                                      llvm::StringRef kernelName,
                                      uint64_t address,
                                      const llvm::StringMap<uint64_t> &symbols);

} // namespace mlir::spine

#endif // SPINE_TRITON_TARGET_IMAGELINKER_H
