//===- Symbols.h - functions that kernels may call, by name -----*- C++ -*-===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#ifndef SPINE_RUNTIME_RUNNER_SYMBOLS_H
#define SPINE_RUNTIME_RUNNER_SYMBOLS_H

#include "spine-runtime/KernelSupport.h"
#include <vector>

namespace spine::runner {

/// The runtime's own functions, and those of the mathematical and the C library
/// that code generation calls. A static program cannot look names up, so they
/// are listed.
std::vector<rt::KernelSymbol> getSymbols();

} // namespace spine::runner

#endif // SPINE_RUNTIME_RUNNER_SYMBOLS_H
