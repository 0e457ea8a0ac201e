# ===- exporting.py - A checkout to export into ----------------------------===#
#
# Part of spine-triton, under the MIT licence.
#
# ===-----------------------------------------------------------------------===#
"""A checkout that is laid out as SpacemiT's spine-triton is: the same folders, and in the files that are changed the same
kind of lines. Everything else of that project plays no part."""

import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
FOLDER = ROOT / "third_party/spacemit/export"
spec = importlib.util.spec_from_file_location("export", FOLDER / "export.py", submodule_search_locations=[str(FOLDER)])
export = importlib.util.module_from_spec(spec)
sys.modules["export"] = export
spec.loader.exec_module(export)
edits = sys.modules["export.edits"]
transactions = sys.modules["export.checkout"]

# As that project is, some files of CMake end without a newline.
LAYOUT = {
    "CMakeLists.txt": """set(SPINE_TRITON_SOURCE_DIR "${CMAKE_CURRENT_SOURCE_DIR}")
include_directories(${CMAKE_CURRENT_SOURCE_DIR}/include)
include_directories(${CMAKE_CURRENT_BINARY_DIR}/include)
add_subdirectory(include)
add_subdirectory(lib)
add_subdirectory(tools/spine-triton-opt)
""",
    "include/CMakeLists.txt": "add_subdirectory(triton-shared)",
    "include/triton-shared/CMakeLists.txt": "add_subdirectory(Conversion)",
    "include/triton-shared/Conversion/CMakeLists.txt": "add_subdirectory(One)\nadd_subdirectory(Two)\n",
    **{
        f"include/triton-shared/Conversion/{name}/{file}": text.replace("One", name)
        for name in ("One", "Two")
        for file, text in {
            "CMakeLists.txt": """set(LLVM_TARGET_DEFINITIONS Passes.td)
mlir_tablegen(Passes.h.inc -gen-pass-decls --name One)
add_public_tablegen_target(OneConversionPassIncGen)
""",
            "Passes.td": """include "mlir/Pass/PassBase.td"
def One : Pass<"pass-of-One", "mlir::ModuleOp"> {
  let summary = "stands for a pass of theirs";
}
""",
            "Passes.h": """#pragma once
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir {
namespace triton {
#define GEN_PASS_DECL
#include "triton-shared/Conversion/One/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "triton-shared/Conversion/One/Passes.h.inc"
} // namespace triton
} // namespace mlir
""",
        }.items()
    },
    "lib/CMakeLists.txt": "add_subdirectory(Analysis)\nadd_subdirectory(Conversion)",
    "lib/Analysis/CMakeLists.txt": "add_triton_library(TheirAnalysis\n  PtrAnalysis.cpp\n\n  LINK_LIBS PUBLIC\n  MLIRIR\n)\n",
    "lib/Analysis/PtrAnalysis.cpp": "// an analysis of theirs\n",
    "lib/Conversion/CMakeLists.txt": """add_triton_library(TheirConversions
  Passes.cpp

  DEPENDS
  OneConversionPassIncGen
  TwoConversionPassIncGen

  LINK_LIBS PUBLIC
  MLIRPass
  TritonIR
)
""",
    "lib/Conversion/Passes.cpp": """#include "triton-shared/Conversion/One/Passes.h"
#include "triton-shared/Conversion/Two/Passes.h"

namespace mlir {
namespace triton {
#define GEN_PASS_DEF_ONE
#include "triton-shared/Conversion/One/Passes.h.inc"
#define GEN_PASS_DEF_TWO
#include "triton-shared/Conversion/Two/Passes.h.inc"

namespace {
struct One : impl::OneBase<One> {
  void runOnOperation() override {}
};
struct Two : impl::TwoBase<Two> {
  void runOnOperation() override {}
};
} // namespace

} // namespace triton
} // namespace mlir
""",
    "tools/spine-triton-opt/CMakeLists.txt": """get_property(triton_libs GLOBAL PROPERTY TRITON_LIBS)
add_llvm_executable(spine-triton-opt spine-triton-opt.cpp PARTIAL_SOURCES_INTENDED)
target_link_libraries(spine-triton-opt PRIVATE ${triton_libs} MLIRFuncDialect MLIROptLib MLIRPass MLIRTransforms)
""",
    "tools/spine-triton-opt/spine-triton-opt.cpp": """#include "RegisterSpineTritonDialects.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registerSpineTritonDialects(registry);
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "theirs\\n", registry));
}
""",
    "tools/spine-triton-opt/RegisterSpineTritonDialects.h": """#pragma once
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "triton-shared/Conversion/One/Passes.h"
#include "triton/Dialect/Triton/IR/Dialect.h"

#include "triton-shared/Conversion/Two/Passes.h"

#include "mlir/Transforms/Passes.h"

inline void registerSpineTritonDialects(mlir::DialectRegistry &registry) {
  mlir::registerTransformsPasses();
  mlir::triton::registerOnePasses();
  mlir::triton::registerTwo();

  registry.insert<mlir::triton::TritonDialect, mlir::arith::ArithDialect, mlir::math::MathDialect,
                  mlir::scf::SCFDialect, mlir::cf::ControlFlowDialect, mlir::func::FuncDialect>();
}
""",
    "backend/compiler.py": """import os
import subprocess


def _ttir_to_linalgdir(mod, metadata):
    src_path, dst_path = mod, metadata
    if True:
        subprocess.check_call([
            "spine-triton-opt",
            src_path,
            "--triton-to-linalg-experimental",
            "-o",
            dst_path,
        ])
""",
    "test/lit.cfg.py": "config.suffixes = ['.mlir']\n",
}


def git(folder, *arguments):
    return subprocess.run(["git", "-C", folder, *arguments], check=True, capture_output=True, text=True).stdout


def make_checkout(folder):
    """The layout in one commit."""
    for path, text in LAYOUT.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    git(folder, "init", "-q")
    git(folder, "config", "user.name", "A User")
    git(folder, "config", "user.email", "user@example.org")
    commit_all(folder, "theirs")
    return folder


def commit_all(folder, message):
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", message)


def commits(checkout):
    return git(checkout, "log", "--format=%s").splitlines()


def make_clone(folder):
    """What is exported of this project, to be changed."""
    for part in export.FOLDERS:
        if (ROOT / part).is_dir():
            shutil.copytree(ROOT / part, folder / part)
    return folder
