"""What works of the wheel for riscv64 without Triton, run by test_wheel_riscv64.py on an emulated K3 AI core.

usage: wheel_riscv64.py GEMM.ttir, with TTIR that Triton's frontend made elsewhere
"""

import platform
import re
import sys

import numpy as np

import spine_triton
from spine_triton import _spine, pipelines, targets

M, K, N = 1000, 27, 16
BLOCK_M = 64


def compile_kernel(path, target):
    with open(path) as f:
        ttir = f.read()
    checked = pipelines.Residency(target.scratchpad_bytes, target.reserve_bytes, "error")
    stages = [
        ("ttir", pipelines.ttir(target, checked)),
        ("linalg", pipelines.linalg()),
        ("llvmir", pipelines.llvm(target)),
    ]
    return _spine.compile(ttir, target.json, stages)


def run_kernel(target):
    compiled = compile_kernel(sys.argv[1], target)
    assert re.search(r"\bvfm(acc|add)\.", compiled.asm), f"{target.name} does not use vectors"
    rng = np.random.default_rng(0)
    a = rng.integers(-4, 5, (M, K)).astype(np.float32)
    b = rng.integers(-4, 5, (K, N)).astype(np.float32)
    c = np.full((M, N), np.nan, np.float32)
    kernel = _spine.load(compiled.obj, compiled.name)
    launch = _spine.Launcher(["*fp32", "*fp32", "*fp32", "i32", "i32", "i32"], "", target.vector_bits // 8, True)
    launch(kernel, -(-M // BLOCK_M), 1, 1, (a, b, c, M, N, K))
    assert np.array_equal(c, a @ b)


assert platform.machine() == "riscv64"
target, host = targets.find("spacemit-a100"), targets.find("host")
# This machine stands for the other one: it is found to have the same vectors.
assert (host.vector_bits, host.description["widens_f16"]) == (target.vector_bits, 1)
assert host.strided_lanes == 1
run_kernel(target)
run_kernel(host)

module = spine_triton.Module.parse_file(spine_triton.Context(), sys.argv[1])
report = spine_triton.check_residency(module, target)
assert report.fits
spine_triton.run_pipeline(module, "builtin.module(spine-rebase-tensor-ptr)")
print("computed", (M, N), "with", spine_triton.num_threads(), "threads")
