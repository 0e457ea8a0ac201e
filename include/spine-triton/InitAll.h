//===- InitAll.h - everything the compiler knows ----------------*- C++ -*-===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#ifndef SPINE_TRITON_INITALL_H
#define SPINE_TRITON_INITALL_H

#include "mlir/IR/DialectRegistry.h"

namespace mlir::spine {

/// Adds every dialect, and every external interface implementation, that a
/// module may contain anywhere between TTIR and the LLVM dialect.
void registerAllDialects(DialectRegistry &registry);

/// Registers the project's passes and pipelines and the upstream passes that
/// are useful beside them. Safe to call more than once.
void registerAllPasses();

} // namespace mlir::spine

#endif // SPINE_TRITON_INITALL_H
