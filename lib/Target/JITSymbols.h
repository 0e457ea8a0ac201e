//===- JITSymbols.h - kernel names for profilers, debuggers -----*- C++ -*-===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#ifndef SPINE_TRITON_TARGET_JITSYMBOLS_H
#define SPINE_TRITON_TARGET_JITSYMBOLS_H

#include "llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h"
#include "llvm/Support/Error.h"

namespace mlir::spine {

/// Makes a linking layer tell others about the code that it links, as the
/// environment variable SPINE_TRITON_SYMBOLS asks for: `perf` writes the file
/// /tmp/perf-PID.map, `gdb` serves the debuggers' interface for generated code.
/// The error says what the variable may be.
llvm::Error announceSymbols(llvm::orc::ObjectLinkingLayer &layer);

} // namespace mlir::spine

#endif // SPINE_TRITON_TARGET_JITSYMBOLS_H
