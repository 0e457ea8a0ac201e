//===- Extension.h - parts of the extension module --------------*- C++ -*-===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#ifndef SPINE_TRITON_PYTHON_EXTENSION_H
#define SPINE_TRITON_PYTHON_EXTENSION_H

#include "spine-triton/Target/Messages.h"
#include <nanobind/nanobind.h>

namespace spine::python {

void addCompiler(nanobind::module_ &module);
void addLauncher(nanobind::module_ &module);
void addImageLinker(nanobind::module_ &module);

/// Adds the exception MLIRError.
void addError(nanobind::module_ &module);

/// Raises MLIRError with these messages.
[[noreturn]] void raise(const mlir::spine::Messages &messages);

/// Raises MLIRError with one message.
[[noreturn]] void raise(std::string text);

/// An identifier of this very build, for cache keys.
std::string getBuildId();

} // namespace spine::python

#endif // SPINE_TRITON_PYTHON_EXTENSION_H
