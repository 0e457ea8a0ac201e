"""Configuration of the lit tests. lit starts from the copy of `lit.site.cfg.py` in the build folder."""

import os

import lit.formats

config.name = "spine-triton"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs"]
config.test_source_root = os.path.dirname(__file__)

tools = [os.path.join(config.spine_build_dir, "tools", "spine-triton-opt"), config.llvm_tools_dir]
config.environment["PATH"] = os.pathsep.join([*tools, config.environment.get("PATH", "")])

# What a user's shell selects must not reach the tests.
for name in list(config.environment):
    if name.startswith(("SPINE_TRITON_", "TRITON_")):
        del config.environment[name]

config.substitutions.append(("%spine_source", config.spine_source_dir))
config.substitutions.append(("%python", os.path.join(config.spine_source_dir, ".venv", "bin", "python")))

# Release builds of LLVM do not count; what the pass statistics say is tested where they do.
llvm_config = os.path.join(config.llvm_tools_dir, "..", "include", "llvm", "Config", "llvm-config.h")
with open(llvm_config) as f:
    if "#define LLVM_FORCE_ENABLE_STATS 1" in f.read():
        config.available_features.add("pass-statistics")
