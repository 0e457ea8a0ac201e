//===- Extension.cpp - the module spine_triton._spine ---------------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "Extension.h"
#include "spine-triton/Target/Compiler.h"
#include "spine-triton/Tools/OptMain.h"
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;

/// Runs `spine-triton-opt`; the first argument is its name.
static int runOpt(std::vector<std::string> arguments) {
  std::vector<char *> argv;
  for (std::string &argument : arguments)
    argv.push_back(argument.data());
  int argc = static_cast<int>(argv.size());
  argv.push_back(nullptr);
  return mlir::spine::runOptMain(argc, argv.data());
}

NB_MODULE(_spine, module) {
  module.doc() = "The compiler and the launcher, in C++.";
  // A module of the interpreter lives until the process ends, and so may
  // kernels and contexts: what is alive then has not been lost.
  nb::set_leak_warnings(false);
  spine::python::addError(module);
  spine::python::addCompiler(module);
  spine::python::addLauncher(module);
  spine::python::addImageLinker(module);
  module.def(
      "versions",
      [] {
        return std::map<std::string, std::string>{
            {"spine-triton", SPINE_TRITON_VERSION},
            {"llvm", mlir::spine::getLLVMVersion()},
            {"build", spine::python::getBuildId()}};
      },
      "Versions of this project, of LLVM, and of this very build.");
  module.def("run_opt", &runOpt, nb::arg("arguments"),
             "Runs spine-triton-opt with these arguments, its name first, and "
             "returns the exit status. To be called once in a process.");
}
