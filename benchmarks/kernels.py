"""What is measured: kernels, shapes, and the same operation in NumPy."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import triton
import triton.language as tl


@triton.jit
def gemm(
    a_ptr, b_ptr, c_ptr, M, N, K, stride_am, stride_bk, stride_cm,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
):  # fmt: skip
    row = tl.program_id(0) * BLOCK_M
    column = tl.program_id(1) * BLOCK_N
    a = tl.make_block_ptr(a_ptr, (M, K), (stride_am, 1), (row, 0), (BLOCK_M, BLOCK_K), (1, 0))
    b = tl.make_block_ptr(b_ptr, (K, N), (stride_bk, 1), (0, column), (BLOCK_K, BLOCK_N), (1, 0))
    c = tl.make_block_ptr(c_ptr, (M, N), (stride_cm, 1), (row, column), (BLOCK_M, BLOCK_N), (1, 0))
    acc = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for _ in range(0, tl.cdiv(K, BLOCK_K)):
        a_tile = tl.load(a, boundary_check=(0, 1), padding_option="zero")
        b_tile = tl.load(b, boundary_check=(0, 1), padding_option="zero")
        acc = tl.dot(a_tile, b_tile, acc)
        a = tl.advance(a, (0, BLOCK_K))
        b = tl.advance(b, (BLOCK_K, 0))
    tl.store(c, acc, boundary_check=(0, 1))


@triton.jit
def axpy(x_ptr, y_ptr, z_ptr, M, N, factor, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    offsets = (tl.program_id(0) * BLOCK_M, tl.program_id(1) * BLOCK_N)
    x = tl.make_block_ptr(x_ptr, (M, N), (N, 1), offsets, (BLOCK_M, BLOCK_N), (1, 0))
    y = tl.make_block_ptr(y_ptr, (M, N), (N, 1), offsets, (BLOCK_M, BLOCK_N), (1, 0))
    z = tl.make_block_ptr(z_ptr, (M, N), (N, 1), offsets, (BLOCK_M, BLOCK_N), (1, 0))
    value = tl.load(x, boundary_check=(0, 1)) * factor + tl.load(y, boundary_check=(0, 1))
    tl.store(z, value, boundary_check=(0, 1))


@dataclass
class Benchmark:
    name: str
    shape: str
    dtype: str
    flop: int
    bytes: int
    prepare: Callable
    """Makes the data and returns three functions: ours, NumPy's, and a check of our last result."""


def gemm_benchmark(m, n, k, dtype, block):
    def prepare():
        rng = np.random.default_rng(0)
        a = rng.standard_normal((m, k), np.float32).astype(dtype)
        b = rng.standard_normal((k, n), np.float32).astype(dtype)
        c = np.full((m, n), np.nan, np.float32)
        expected = np.empty((m, n), np.float32)
        grid = (triton.cdiv(m, block[0]), triton.cdiv(n, block[1]))

        def ours():
            gemm[grid](a, b, c, m, n, k, k, n, n, BLOCK_M=block[0], BLOCK_N=block[1], BLOCK_K=block[2])

        def numpys():
            np.matmul(a.astype(np.float32, copy=False), b.astype(np.float32, copy=False), out=expected)

        def check():
            np.testing.assert_allclose(c, expected, rtol=1e-4, atol=1e-4 * k**0.5)

        return ours, numpys, check

    item = np.dtype(dtype).itemsize
    return Benchmark("gemm", f"{m}x{n}x{k}", np.dtype(dtype).name, 2 * m * n * k,
                     item * (m * k + k * n) + 4 * m * n, prepare)  # fmt: skip


def axpy_benchmark(m, n, block):
    def prepare():
        rng = np.random.default_rng(0)
        x = rng.standard_normal((m, n), np.float32)
        y = rng.standard_normal((m, n), np.float32)
        z = np.full((m, n), np.nan, np.float32)
        expected = np.empty((m, n), np.float32)

        def ours():
            axpy[(triton.cdiv(m, block[0]), triton.cdiv(n, block[1]))](
                x, y, z, m, n, 3.0, BLOCK_M=block[0], BLOCK_N=block[1]
            )

        def numpys():
            np.multiply(x, np.float32(3), out=expected)
            np.add(expected, y, out=expected)

        def check():
            np.testing.assert_allclose(z, expected, rtol=1e-5, atol=1e-5)

        return ours, numpys, check

    return Benchmark("axpy", f"{m}x{n}", "float32", 2 * m * n, 12 * m * n, prepare)


def benchmarks(quick):
    m = 5184 if quick else 518400
    for k, block_k in ((27, 32), (144, 64)):
        for dtype in (np.float32, np.float16):
            yield gemm_benchmark(m, 16, k, dtype, (512, 16, block_k))
    edge = 128 if quick else 1024
    yield gemm_benchmark(edge, edge, edge, np.float32, (64, 64, 32))
    yield axpy_benchmark(256 if quick else 8192, 1000, (16, 256))
