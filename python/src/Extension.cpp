//===- Extension.cpp - the module spine_triton._spine ---------------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "Extension.h"
#include "spine-triton/Target/Compiler.h"
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>

namespace nb = nanobind;

NB_MODULE(_spine, module) {
  module.doc() = "The compiler and the launcher, in C++.";
  // A module of the interpreter lives until the process ends, and so may
  // kernels and contexts: what is alive then has not been lost.
  nb::set_leak_warnings(false);
  spine::python::addError(module);
  spine::python::addCompiler(module);
  spine::python::addLauncher(module);
  module.def(
      "versions",
      [] {
        return std::map<std::string, std::string>{
            {"spine-triton", SPINE_TRITON_VERSION},
            {"llvm", mlir::spine::getLLVMVersion()},
            {"build", spine::python::getBuildId()}};
      },
      "Versions of this project, of LLVM, and of this very build.");
}
