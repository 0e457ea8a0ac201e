"""Times products whose tiles are split automatically beside the best tiles of a sweep by hand.

Both use all worker threads. By hand, a program computes one tile; with auto_tile there is one program for each thread, and
its block is that thread's whole share of A, B and C. The ratio is that of medians of alternating runs.
"""

import argparse
import itertools
import os
import platform
import sys

import kernels
import numpy as np
import triton
import triton.language as tl
from run import alternate

import spine_triton

CAPACITY = 393216  # of spacemit-a100


@triton.jit
def share(
    a_ptr, b_ptr, c_ptr, M, BLOCK_M: tl.constexpr, N: tl.constexpr, K: tl.constexpr
):  # fmt: skip
    """The rows of one thread; the block is all of them."""
    row = tl.program_id(0) * BLOCK_M
    a = tl.make_block_ptr(a_ptr, (M, K), (K, 1), (row, 0), (BLOCK_M, K), (1, 0))
    b = tl.make_block_ptr(b_ptr, (K, N), (N, 1), (0, 0), (K, N), (1, 0))
    c = tl.make_block_ptr(c_ptr, (M, N), (N, 1), (row, 0), (BLOCK_M, N), (1, 0))
    x = tl.load(a, boundary_check=(0,), padding_option="zero")
    tl.store(c, tl.dot(x, tl.load(b)), boundary_check=(0,))


def by_hand(a, b, c, block):
    m, k = a.shape
    n = b.shape[1]
    grid = (triton.cdiv(m, block[0]), triton.cdiv(n, block[1]))
    kernels.gemm[grid](a, b, c, m, n, k, k, 1, n, 1, n, 1, BLOCK_M=block[0], BLOCK_N=block[1], BLOCK_K=block[2])


def automatic(a, b, c):
    m, k = a.shape
    rows = triton.cdiv(m, spine_triton.num_threads())
    options = {"auto_tile": True, "scratchpad_bytes": CAPACITY}
    share[(triton.cdiv(m, rows),)](a, b, c, m, BLOCK_M=rows, N=b.shape[1], K=k, **options)


def candidates(n, k):
    """Tiles that are worth trying by hand."""
    columns = [16] if n == 16 else [64, 128, 256]
    depth = [triton.next_power_of_2(k)] if k < 256 else [64, 128, 256]
    rows = [32, 64, 128, 256, 512, 1024, 4096] if n == 16 else [64, 128, 256]
    return list(itertools.product(rows, columns, depth))


def measure(m, n, k, seconds, most):
    """One line of the report, of at most `most` tiles by hand; returns the ratio. Raises if a result is wrong."""
    rng = np.random.default_rng(0)
    a, b = (rng.integers(-4, 5, shape).astype(np.float32) for shape in ((m, k), (k, n)))
    c, expected = np.zeros((m, n), np.float32), a @ b
    times = {}
    for block in candidates(n, k)[:most]:
        (times[block],) = alternate([lambda block=block: by_hand(a, b, c, block)], seconds / 10, least=3)
        assert np.array_equal(c, expected), f"{block}: wrong result"
        c[:] = 0
    best = min(times, key=times.get)
    hand, auto = alternate([lambda: by_hand(a, b, c, best), lambda: automatic(a, b, c)], seconds, least=7)
    c[:] = 0
    automatic(a, b, c)
    assert np.array_equal(c, expected), "auto_tile: wrong result"
    shape, tile = f"{m}x{k}x{n}", "x".join(map(str, best))
    print(f"{shape:>18} {tile:>14} {hand * 1e3:9.2f} {auto * 1e3:9.2f} {auto / hand:9.2f}", flush=True)
    return auto / hand


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="small shapes, little time: only to see that it works")
    parser.add_argument("--limit", type=float, help="fail if a ratio is above it")
    arguments = parser.parse_args()
    shapes = [(518400, 16, 27), (518400, 16, 144), (1024, 1024, 1024)]
    if arguments.quick:
        shapes = [(20000, 16, 27), (256, 256, 256)]
    print(f"{platform.machine()}, {os.cpu_count()} CPUs, {spine_triton.num_threads()} worker threads")
    print(f"{'M x K x N':>18} {'best by hand':>14} {'ms':>9} {'auto ms':>9} {'auto/hand':>9}")
    ratios = [measure(*shape, *((0.05, 2) if arguments.quick else (2.0, None))) for shape in shapes]
    if arguments.limit and max(ratios) > arguments.limit:
        sys.exit(f"the largest ratio, {max(ratios):.2f}, is above {arguments.limit}")


if __name__ == "__main__":
    main()
