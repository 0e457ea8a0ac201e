//===- Nesting.h - a limit on nested brackets -------------------*- C++ -*-===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#ifndef SPINE_TRITON_SUPPORT_NESTING_H
#define SPINE_TRITON_SUPPORT_NESTING_H

#include "mlir/Support/LLVM.h"
#include <optional>

namespace mlir {
class MLIRContext;
} // namespace mlir

namespace mlir::spine {

/// How deep brackets may nest in the text of a module. Generous for a kernel,
/// whose deepest nests are loops, and far from what a stack holds.
inline constexpr unsigned maxNestingDepth = 256;

/// Where brackets of MLIR text first nest deeper than `limit`, as an offset;
/// nothing if they do not. Strings and comments do not count.
std::optional<size_t> findDeepNesting(StringRef text,
                                      unsigned limit = maxNestingDepth);

/// Fails, with an error at the place in `fileName`, if brackets of `text` nest
/// too deep. MLIR's parser calls itself for every bracket and would run out of
/// stack: call this on text from outside before parsing it. Bytecode passes.
LogicalResult checkNestingDepth(MLIRContext *context, StringRef text,
                                StringRef fileName);

} // namespace mlir::spine

#endif // SPINE_TRITON_SUPPORT_NESTING_H
