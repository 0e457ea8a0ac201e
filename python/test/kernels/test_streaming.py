# ===- test_streaming.py - Products stored as they leave the registers ------===#
#
# Part of spine-triton, under the MIT licence.
#
# ===-----------------------------------------------------------------------===#
"""A product that is only stored has no buffer: edges, epilogues, long and empty reductions, and overlapping memory."""

import numpy as np
import pytest
import triton
import triton.language as tl
from hypothesis import given, settings
from hypothesis import strategies as st


@triton.jit
def gemm(
    a_ptr, b_ptr, c_ptr, bias_ptr, M, N, K, am, ak, bk, bn, cm, cn, row, column,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, EPILOGUE: tl.constexpr,
):  # fmt: skip
    row += tl.program_id(0) * BM
    column += tl.program_id(1) * BN
    a = tl.make_block_ptr(a_ptr, (M, K), (am, ak), (row, 0), (BM, BK), (1, 0))
    b = tl.make_block_ptr(b_ptr, (K, N), (bk, bn), (0, column), (BK, BN), (1, 0))
    c = tl.make_block_ptr(c_ptr, (M, N), (cm, cn), (row, column), (BM, BN), (1, 0))
    acc = tl.zeros((BM, BN), tl.float32)
    for _ in range(0, tl.cdiv(K, BK)):
        acc = tl.dot(tl.load(a, boundary_check=(0, 1)), tl.load(b, boundary_check=(0, 1)), acc)
        a = tl.advance(a, (0, BK))
        b = tl.advance(b, (BK, 0))
    if EPILOGUE:
        bias = tl.make_block_ptr(bias_ptr, (N,), (1,), (column,), (BN,), (0,))
        acc = tl.maximum(acc * 2 + tl.load(bias, boundary_check=(0,))[None, :], 0)
    tl.store(c, acc.to(c_ptr.dtype.element_ty), boundary_check=(0, 1))


def integers(rng, *shape):
    """Small whole numbers: sums of their products are exact in any order."""
    return rng.integers(-4, 5, shape).astype(np.float32)


def run(a, b, c, bias, blocks, offsets=(0, 0), epilogue=True):
    (m, k), n = a.shape, b.shape[1]
    strides = [s // x.itemsize for x in (a, b, c) for s in x.strides]
    grid = (triton.cdiv(m - min(offsets[0], 0), blocks[0]), triton.cdiv(n - min(offsets[1], 0), blocks[1]))
    gemm[grid](a, b, c, bias, m, n, k, *strides, *offsets, *blocks, epilogue)


def expected(a, b, bias, epilogue=True):
    c = a.astype(np.float64) @ b.astype(np.float64)
    return np.maximum(c * 2 + bias, 0) if epilogue else c


@settings(max_examples=25, deadline=None)
@given(
    st.tuples(st.integers(1, 70), st.integers(1, 40), st.integers(1, 70)),
    st.sampled_from([(16, 16, 16), (32, 8, 32), (64, 16, 32), (8, 4, 16), (4, 32, 64), (16, 1, 16), (1, 16, 16)]),
    st.tuples(st.integers(-5, 0), st.integers(-5, 0)),
    st.sampled_from([np.float32, np.float16]),
    st.booleans(),
    st.booleans(),
)
def test_edges(shape, blocks, offsets, dtype, column_major, epilogue):
    """Ragged sizes and negative offsets, results in either order; nothing is written around the result."""
    m, n, k = shape
    rng = np.random.default_rng(m * n * k)
    a, b, bias = integers(rng, m, k), integers(rng, k, n), integers(rng, n)
    around = np.full((n + 2, m + 2) if column_major else (m + 2, n + 2), 77, dtype)
    c = (around.T if column_major else around)[1 : m + 1, 1 : n + 1]
    run(a, b, c, bias, blocks, offsets, epilogue)
    np.testing.assert_array_equal(c, expected(a, b, bias, epilogue).astype(dtype))
    c[...] = 77
    assert (around == 77).all()


@pytest.mark.parametrize("k", [0, 1, 512, 513, 1500])
def test_long_and_empty_reductions(k):
    """More iterations than are taken together, and none: zeros (after the epilogue) are stored."""
    rng = np.random.default_rng(k)
    a, b, bias = integers(rng, 37, k), integers(rng, k, 19), integers(rng, 19)
    c = np.full((37, 19), np.nan, np.float32)
    # An array without elements has no strides to speak of.
    run(a if k else np.empty((37, 1), np.float32)[:, :0], b, c, bias, (32, 16, 32))
    np.testing.assert_array_equal(c, expected(a, b, bias))


@pytest.mark.parametrize("shift", [0, 16, -16, 5 * 32])
def test_result_over_operand(shift):
    """C lies over A: each program has read its rows before it writes them, as with a buffer."""
    rng = np.random.default_rng(0)
    storage = integers(rng, 96 * 32)
    begin = 32 * 32
    a = storage[begin : begin + 32 * 32].reshape(32, 32)
    c = storage[begin + shift :][: 32 * 32].reshape(32, 32)
    b, bias = integers(rng, 32, 32), integers(rng, 32)
    want = expected(a, b, bias)
    run(a, b, c, bias, (32, 32, 32))
    np.testing.assert_array_equal(c, want)


@triton.jit
def batched(a_ptr, c_ptr, B, M, TB: tl.constexpr, T: tl.constexpr, START: tl.constexpr):
    a = tl.make_block_ptr(a_ptr, (B, M, M), (M * M, M, 1), (0, 0, 0), (TB, T, T), (2, 1, 0))
    c = tl.make_block_ptr(c_ptr, (B, M, M), (M * M, M, 1), (0, 0, 0), (TB, T, T), (2, 1, 0))
    x = tl.load(a, boundary_check=(0, 1, 2))
    tl.store(c, tl.dot(x, x, tl.full((TB, T, T), START, tl.float32)) * 3, boundary_check=(0, 1, 2))


@pytest.mark.parametrize("start", [0.0, 5.0])
@pytest.mark.parametrize("batch, m", [(3, 16), (4, 11), (1, 5)])
def test_batches(batch, m, start):
    """One product, of batches, with zeros or another tile to start from."""
    a = integers(np.random.default_rng(m), batch, m, m)
    c = np.full_like(a, np.nan)
    batched[(1,)](a, c, batch, m, 4, 16, start)
    np.testing.assert_array_equal(c, (a @ a + start) * 3)


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("n, block_n", [(16, 16), (70, 64)])
def test_left_operand_packed_ahead(n, block_n, transposed, dtype):
    """Chunks of rows that do not divide the tile, more iterations than one group has, ragged in every dimension."""
    rng = np.random.default_rng(n)
    m, k = 203, 330
    a = (integers(rng, k, m).T if transposed else integers(rng, m, k)).astype(dtype)
    b, bias = integers(rng, k, n).astype(dtype), integers(rng, n)
    c = np.full((m, n), np.nan, np.float32)
    run(a, b, c, bias, (128, block_n, 32), offsets=(-3, 0))
    np.testing.assert_array_equal(c, expected(a, b, bias))


@pytest.mark.parametrize("block_k", [1, 2])
def test_reduction_shorter_than_the_unrolled_loop(block_k):
    rng = np.random.default_rng(0)
    a, b, bias = integers(rng, 5, 7), integers(rng, 7, 16), integers(rng, 16)
    c = np.full((5, 16), np.nan, np.float32)
    run(a, b, c, bias, (1, 16, block_k))
    np.testing.assert_array_equal(c, expected(a, b, bias))


@triton.jit
def unchecked(
    a_ptr, b_ptr, c_ptr, cm, cn, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, BK: tl.constexpr, LOOP: tl.constexpr
):  # fmt: skip
    a = tl.make_block_ptr(a_ptr, (M, K), (K, 1), (0, 0), (M, BK), (1, 0))
    b = tl.make_block_ptr(b_ptr, (K, N), (N, 1), (0, 0), (BK, N), (1, 0))
    c = tl.make_block_ptr(c_ptr, (M, N), (cm, cn), (0, 0), (M, N), (1, 0))
    if LOOP:
        acc = tl.zeros((M, N), c_ptr.dtype.element_ty)
        for _ in range(0, K, BK):
            acc = tl.dot(tl.load(a), tl.load(b), acc, out_dtype=acc.dtype)
            a = tl.advance(a, (0, BK))
            b = tl.advance(b, (BK, 0))
        tl.store(c, acc)
    else:
        tl.store(c, tl.dot(tl.load(a), tl.load(b), out_dtype=c_ptr.dtype.element_ty))


@pytest.mark.parametrize("loop", [False, True])
@pytest.mark.parametrize("m, n", [(999, 17), (999, 16), (65, 25), (7, 3), (13, 33)])
def test_nothing_is_written_around_a_tile_of_any_size(m, n, loop):
    """The last rows and columns of such a tile fill no block of registers; no boundary check guards them."""
    rng = np.random.default_rng(m * n)
    a, b = integers(rng, m, 12), integers(rng, 12, n)
    around = np.full((m + 16, n + 40), 77, np.float32)
    unchecked[(1,)](a, b, around, n + 40, 1, M=m, N=n, K=12, BK=4 if loop else 12, LOOP=loop, auto_tile=True)
    np.testing.assert_array_equal(around[:m, :n], a @ b)
    around[:m, :n] = 77
    assert (around == 77).all()


@pytest.mark.parametrize("loop", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n", [4, 5, 6, 12, 17, 19, 20, 23, 24, 33, 40])
@pytest.mark.parametrize("m", [4, 16, 24, 999])
def test_columns_that_fill_no_square(m, n, dtype, loop):
    """Rows and columns of whole squares are exchanged before they are stored, the last columns are stored one by one."""
    rng = np.random.default_rng(m * n)
    a, b = integers(rng, m, 12).astype(dtype), integers(rng, 12, n).astype(dtype)
    around = np.full((n + 8, m + 32), 77, dtype)
    unchecked[(1,)](a, b, around, 1, m + 32, M=m, N=n, K=12, BK=4 if loop else 12, LOOP=loop, auto_tile=True)
    np.testing.assert_array_equal(around[:n, :m].T, a @ b)
    around[:n, :m] = 77
    assert (around == 77).all()
