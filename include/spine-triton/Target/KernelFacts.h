//===- KernelFacts.h - what a launcher must know of a kernel ----*- C++ -*-===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#ifndef SPINE_TRITON_TARGET_KERNELFACTS_H
#define SPINE_TRITON_TARGET_KERNELFACTS_H

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mlir::spine {

/// What a launcher must know about a kernel.
struct KernelFacts {
  std::string name;
  /// The larger one of the variants' needs.
  int64_t arenaBytes = 0;
  /// What one keeps between programs lies there in a worker's memory.
  int64_t keptAt = 0, keptBytes = 0;
  bool hasMayAlias = false;
  /// Pairs of arguments that the variant is needed for if they overlap; not
  /// known: any two.
  std::optional<std::vector<std::pair<int64_t, int64_t>>> disjointArguments;
};

} // namespace mlir::spine

#endif // SPINE_TRITON_TARGET_KERNELFACTS_H
