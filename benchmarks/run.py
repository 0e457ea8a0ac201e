"""Times kernels of this folder beside NumPy: one line per shape, medians of alternating runs.

FLOP/s count the products and sums of the mathematical operation, GB/s each operand and result once.
"""

import argparse
import json
import os
import platform
import statistics
import time
from pathlib import Path

import kernels
import numpy as np
import triton

import spine_triton


def alternate(first, second, seconds):
    """Median times of two functions called in turn, after one call of each that does not count."""
    first()
    second()
    times = ([], [])
    until = time.perf_counter() + seconds
    while len(times[0]) < 3 or time.perf_counter() < until:
        for function, record in zip((first, second), times, strict=True):
            begin = time.perf_counter()
            function()
            record.append(time.perf_counter() - begin)
    return tuple(statistics.median(record) for record in times)


def measure(benchmark, seconds):
    """A row of the report. Raises if the result is wrong: the speed of a wrong result is of no interest."""
    ours, numpys, check = benchmark.prepare()
    seconds_ours, seconds_numpy = alternate(ours, numpys, seconds)
    check()
    return {
        "name": benchmark.name,
        "shape": benchmark.shape,
        "dtype": benchmark.dtype,
        "ms": seconds_ours * 1e3,
        "numpy_ms": seconds_numpy * 1e3,
        "gflops": benchmark.flop / seconds_ours / 1e9,
        "gbytes": benchmark.bytes / seconds_ours / 1e9,
        "speedup": seconds_numpy / seconds_ours,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="small shapes, little time: only to see that it works")
    parser.add_argument("--only", default="", metavar="TEXT", help="benchmarks whose name contains TEXT")
    parser.add_argument("--json", metavar="FILE", help="also write the rows to FILE")
    arguments = parser.parse_args()

    threads = spine_triton.num_threads()
    print(f"{platform.machine()}, {os.cpu_count()} CPUs, {threads} worker threads, NumPy {np.__version__}, "
          f"Triton {triton.__version__}")  # fmt: skip
    print(
        f"{'kernel':14} {'shape':>20} {'type':>8} {'ms':>9} {'GFLOP/s':>8} {'GB/s':>7} {'NumPy ms':>9} {'NumPy/ours':>10}"
    )
    rows = []
    for benchmark in kernels.benchmarks(arguments.quick):
        if arguments.only not in benchmark.name:
            continue
        row = measure(benchmark, 0.05 if arguments.quick else 1.0)
        rows.append(row)
        print(
            f"{row['name']:14} {row['shape']:>20} {row['dtype']:>8} {row['ms']:9.2f} {row['gflops']:8.1f}"
            f" {row['gbytes']:7.1f} {row['numpy_ms']:9.2f} {row['speedup']:9.2f}x",
            flush=True,
        )
    if not rows:
        parser.error(f"no benchmark's name contains {arguments.only!r}")
    if arguments.json:
        Path(arguments.json).write_text(json.dumps(rows, indent=2) + "\n")


if __name__ == "__main__":
    main()
