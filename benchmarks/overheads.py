"""What is not computing: launching, compiling, importing."""

import os
import statistics
import subprocess
import sys
import tempfile
import time

import kernels
import torch
import triton

import spine_triton


def median_seconds(function, times=9):
    samples = []
    for _ in range(times):
        begin = time.perf_counter()
        function()
        samples.append(time.perf_counter() - begin)
    return statistics.median(samples)


def launches(grid, calls=2000):
    """Microseconds of a cached launch, and of the same call when the launcher does nothing."""
    x = torch.empty(16)
    compiled = kernels.small[(grid,)](x, 16)
    kernels.small[(grid,)](x, 16)

    def many():
        for _ in range(calls):
            kernels.small[(grid,)](x, 16)

    # In turn, so that a change of the machine's speed meets both.
    launcher = compiled._run
    samples = []
    try:
        for _ in range(9):
            compiled._run = launcher
            ours = median_seconds(many, 1) / calls
            compiled._run = lambda *arguments: None
            samples.append((ours, median_seconds(many, 1) / calls))
    finally:
        compiled._run = launcher
    ours, empty = sorted(samples, key=lambda pair: pair[0] - pair[1])[len(samples) // 2]
    return ours * 1e6, empty * 1e6


def mission(rows):
    """A launch of the mission's GEMM whose time is all compilation: one tile."""
    a, b, c = torch.zeros(rows, 27), torch.zeros(27, 16), torch.zeros(rows, 16)
    kernels.gemm[(1,)](a, b, c, rows, 16, 27, 27, 1, 16, 1, 16, 1, rows, 16, 32)


def compilation():
    """Milliseconds from the call to the end of the first program: compiled, and from the cache on disk."""
    mission(32)  # What is done once per process, importing torch for other backends above all.
    with tempfile.TemporaryDirectory() as folder:
        before = os.environ.get("TRITON_CACHE_DIR")
        os.environ["TRITON_CACHE_DIR"] = folder
        try:
            kernels.gemm.device_caches.clear()
            cold = [median_seconds(lambda rows=rows: mission(rows), 1) for rows in (64, 128, 256, 512, 1024)]
            kernels.gemm.device_caches.clear()
            warm = [median_seconds(lambda rows=rows: mission(rows), 1) for rows in (64, 128, 256, 512, 1024)]
        finally:
            if before is None:
                del os.environ["TRITON_CACHE_DIR"]
            else:
                os.environ["TRITON_CACHE_DIR"] = before
    return statistics.median(cold) * 1e3, statistics.median(warm) * 1e3


def residency_check():
    """Milliseconds of all TTIR passes, the residency check and the rebasing among them, on the mission's GEMM."""
    types = dict.fromkeys(kernels.gemm.arg_names, "i32") | dict.fromkeys(("a_ptr", "b_ptr", "c_ptr"), "*fp32")
    constants = {"BLOCK_M": 512, "BLOCK_N": 16, "BLOCK_K": 32}
    types = {name: kind for name, kind in types.items() if name not in constants}
    text = spine_triton.frontend_ttir(kernels.gemm, types, constants)
    samples = []
    for _ in range(25):
        module = spine_triton.Module.parse(spine_triton.Context(), text)
        begin = time.perf_counter()
        spine_triton.run_pipeline(
            module, "builtin.module(spine-check-residency{capacity=393216},spine-rebase-tensor-ptr)"
        )
        samples.append(time.perf_counter() - begin)
    return statistics.median(samples) * 1e3


def imports():
    """Milliseconds that importing this package takes beyond importing Triton."""

    def seconds(statement):
        code = f"import time; t = time.perf_counter(); {statement}; print(time.perf_counter() - t)"
        runs = [
            subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True) for _ in range(5)
        ]
        return statistics.median(float(run.stdout) for run in runs)

    both = "import triton, spine_triton, spine_triton.backend.compiler, spine_triton.backend.driver"
    return (seconds(both) - seconds("import triton")) * 1e3


def rows(workers):
    """(name, unit, value, limit): the limit is the most that is allowed."""
    ours, empty = launches(1)
    yield "launch of one small program, over an empty launcher", "us", ours - empty, 5.0
    many = 4096
    yield "further program and worker", "us", max(0.0, launches(many, 50)[0] - ours) / many / workers, 0.1
    cold, warm = compilation()
    yield "compilation of the mission's GEMM", "ms", cold, 120.0
    yield "the same from the cache on disk", "ms", warm, 10.0
    yield "residency check and rebasing", "ms", residency_check(), 1.0
    yield f"import over `import triton` {triton.__version__}", "ms", imports(), 100.0
