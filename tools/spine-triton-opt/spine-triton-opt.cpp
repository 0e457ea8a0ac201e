//===- spine-triton-opt.cpp - mlir-opt for this project -------------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "spine-triton/InitAll.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::spine::registerAllDialects(registry);
  mlir::spine::registerAllPasses();
  return mlir::asMainReturnCode(mlir::MlirOptMain(
      argc, argv, "spine-triton modular optimizer driver\n", registry));
}
