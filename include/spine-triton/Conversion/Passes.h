//===- Passes.h - passes of this folder -------------------------*- C++ -*-===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#ifndef SPINE_TRITON_CONVERSION_PASSES_H
#define SPINE_TRITON_CONVERSION_PASSES_H

#include "mlir/Pass/Pass.h"

namespace mlir::spine {

#define GEN_PASS_DECL
#include "spine-triton/Conversion/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "spine-triton/Conversion/Passes.h.inc"

} // namespace mlir::spine

#endif // SPINE_TRITON_CONVERSION_PASSES_H
