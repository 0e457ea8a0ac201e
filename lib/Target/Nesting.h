//===- Nesting.h - texts nested too deeply to parse --------------*- C++
//-*-===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#ifndef SPINE_TRITON_LIB_TARGET_NESTING_H
#define SPINE_TRITON_LIB_TARGET_NESTING_H

#include "llvm/ADT/StringRef.h"
#include <optional>

namespace mlir::spine {

/// Brackets may be nested this deeply. The parser calls itself for each level
/// and would run out of stack; real modules need a few dozen.
constexpr unsigned kMaxNesting = 512;

/// A position in a text, from 1.
struct TextPosition {
  unsigned line;
  unsigned column;
};

/// The first bracket that is nested more deeply than that, if there is one.
std::optional<TextPosition> findTooDeepNesting(llvm::StringRef text);

} // namespace mlir::spine

#endif // SPINE_TRITON_LIB_TARGET_NESTING_H
