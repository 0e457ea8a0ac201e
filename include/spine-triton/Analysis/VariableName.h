//===- VariableName.h - what a kernel calls a value -------------*- C++ -*-===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#ifndef SPINE_TRITON_ANALYSIS_VARIABLENAME_H
#define SPINE_TRITON_ANALYSIS_VARIABLENAME_H

#include "mlir/IR/Value.h"
#include <optional>

namespace mlir::spine {

/// The variable of the kernel that the frontend noted for a value. None for one
/// of several results: they have one location, with the name of one of them.
std::optional<StringRef> getVariableName(Value value);

} // namespace mlir::spine

#endif // SPINE_TRITON_ANALYSIS_VARIABLENAME_H
