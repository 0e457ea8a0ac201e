//===- OptMain.h - mlir-opt for this project --------------------*- C++ -*-===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#ifndef SPINE_TRITON_TOOLS_OPTMAIN_H
#define SPINE_TRITON_TOOLS_OPTMAIN_H

namespace mlir::spine {

/// All of `spine-triton-opt`: reads a module, runs the passes that the
/// arguments name and writes the result. Returns the exit status. Options are
/// parsed into LLVM's global ones, so a process calls this once.
int runOptMain(int argc, char **argv);

} // namespace mlir::spine

#endif // SPINE_TRITON_TOOLS_OPTMAIN_H
