# ===- test_transposed_operands.py - Operands with contiguous columns -------===#
#
# Part of spine-triton, under the MIT licence.
#
# ===-----------------------------------------------------------------------===#
"""Products of operands that are packed across their contiguous dimension, in blocks and at the edges of the tensor."""

import numpy as np
import pytest
import torch
import triton
import triton.language as tl
from hypothesis import given, settings
from hypothesis import strategies as st


@triton.jit(do_not_specialize=["M", "N", "K", "first"])
def product(a, b, c, M, N, K, am, ak, bk, bn, first,
            BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, LOOP: tl.constexpr, PAD: tl.constexpr):  # fmt: skip
    """All of K in one tile, or a loop over it, from `first` on."""
    row, column = tl.program_id(0) * BM, tl.program_id(1) * BN
    x = tl.make_block_ptr(a, (M, K), (am, ak), (row, first), (BM, BK), (1, 0))
    y = tl.make_block_ptr(b, (K, N), (bk, bn), (first, column), (BK, BN), (0, 1))
    z = tl.make_block_ptr(c, (M, N), (N, 1), (row, column), (BM, BN), (1, 0))
    sums = tl.zeros((BM, BN), c.dtype.element_ty)
    if LOOP:
        for _ in range(tl.cdiv(K - first, BK)):
            left = tl.load(x, boundary_check=(0, 1), padding_option=PAD)
            right = tl.load(y, boundary_check=(0, 1), padding_option=PAD)
            sums = tl.dot(left, right, sums, out_dtype=sums.dtype)
            x, y = tl.advance(x, (0, BK)), tl.advance(y, (BK, 0))
    else:
        left = tl.load(x, boundary_check=(0, 1), padding_option=PAD)
        sums = tl.dot(left, tl.load(y, boundary_check=(0, 1), padding_option=PAD), sums, out_dtype=sums.dtype)
    tl.store(z, sums, boundary_check=(0, 1))


def inside_of_others(values, dtype, transposed):
    """`values` as a part of a larger matrix, or as the transpose of one; what is around is no number."""
    stored = values.T if transposed else values
    kind = getattr(torch, dtype)
    other = torch.nan if kind.is_floating_point else 99
    around = torch.full((stored.shape[0] + 2, stored.shape[1] + 3), other).to(kind)
    view = around[1:-1, 1:-2]
    view[...] = torch.from_numpy(stored)
    return view.T if transposed else view


# Sizes and blocks of M, N and K, and where K begins.
CASES = {
    "whole blocks": ((32, 64, 64), (32, 64, 64), 0),
    "K of the convolution": ((70, 16, 27), (32, 16, 32), 0),
    "K ends in its last tile": ((40, 40, 150), (16, 32, 32), 0),
    "less than a block": ((20, 20, 9), (16, 16, 16), 0),
    "one more than a block": ((17, 17, 17), (16, 16, 32), 0),
    "begins outside": ((33, 33, 40), (16, 16, 32), -5),
    "eight columns": ((20, 24, 50), (16, 8, 64), 0),
    "four columns": ((20, 11, 50), (16, 4, 64), 0),
    "two columns": ((20, 5, 50), (16, 2, 64), 0),
    "one of each": ((1, 1, 1), (16, 16, 16), 0),
    "many columns": ((16, 300, 70), (16, 256, 64), 0),
}
TYPES = {"float32": "float32", "float16": "float32", "bfloat16": "float32", "int8": "int32", "float64": "float64"}


EVERY = [("float32", case) for case in CASES]
SOME = [(dtype, case) for dtype in TYPES for case in ("K ends in its last tile", "eight columns") if dtype != "float32"]


@pytest.mark.parametrize("loop", [False, True])
@pytest.mark.parametrize("dtype, case", EVERY + SOME)
def test_transposed_operands(dtype, case, loop):
    (m, n, k), block, first = CASES[case]
    rng = np.random.default_rng(len(case))
    values = rng.integers(-4, 5, (m, k)), rng.integers(-4, 5, (k, n))
    if not loop:
        block = (*block[:2], triton.next_power_of_2(k - first))
    for left, right in ((False, True), (True, True)):
        a, b = inside_of_others(values[0], dtype, left), inside_of_others(values[1], dtype, right)
        c = torch.full((m, n), 99, dtype=getattr(torch, TYPES[dtype]))
        grid = (triton.cdiv(m, block[0]), triton.cdiv(n, block[1]))
        product[grid](a, b, c, m, n, k, *a.stride(), *b.stride(), first, *block, loop, "zero")
        np.testing.assert_array_equal(c.numpy(), values[0] @ values[1])


@settings(max_examples=40, deadline=None)
@given(
    st.tuples(st.integers(1, 200), st.integers(1, 20), st.integers(1, 80)),
    st.tuples(st.sampled_from([16, 64, 256]), st.just(16), st.sampled_from([16, 32, 64])),
    st.integers(-20, 4),
)
def test_any_number_of_columns_of_the_left_operand(sizes, block, first):
    """Few of them are read where they lie, more are packed."""
    m, n, k = sizes
    first = min(first, k - 1)
    rng = np.random.default_rng(sum(sizes))
    values = rng.integers(-4, 5, (m, k)), rng.integers(-4, 5, (k, n))
    a, b = inside_of_others(values[0], "float32", True), inside_of_others(values[1], "float32", False)
    c = torch.full((m, n), torch.nan)
    grid = (triton.cdiv(m, block[0]), triton.cdiv(n, block[1]))
    product[grid](a, b, c, m, n, k, *a.stride(), *b.stride(), first, *block, True, "zero")
    begin = max(first, 0)
    np.testing.assert_array_equal(c.numpy(), values[0][:, begin:] @ values[1][begin:])


@pytest.mark.parametrize("k", [27, 32, 33, 144])
def test_blocks_of_rows_change_no_bit(k):
    a, b = torch.randn(k, 1000).T, torch.randn(k, 16)
    results = []
    for rows in (16, 64, 1024):
        c = torch.full((1000, 16), torch.nan)
        product[(triton.cdiv(1000, rows), 1)](
            a, b, c, 1000, 16, k, *a.stride(), *b.stride(), 0, rows, 16, 32, True, "zero"
        )
        results.append(c)
    assert torch.equal(results[0], results[1]) and torch.equal(results[0], results[2])
    torch.testing.assert_close(results[0], a @ b, rtol=1e-4, atol=1e-4)


def test_padding_is_kept():
    """A tile that is padded with NaN has NaN in its sums where a row or a column is outside, or K is."""
    a, b = torch.ones(20, 16), torch.ones(24, 16).T
    c = torch.zeros(20, 24)
    product[(2, 2)](a, b, c, 20, 24, 16, *a.stride(), *b.stride(), 0, 16, 16, 16, True, "nan")
    assert (c == 16).all()
    product[(2, 2)](a, b, c, 20, 24, 16, *a.stride(), *b.stride(), -1, 16, 16, 32, True, "nan")
    assert c.isnan().all()


@triton.jit
def scores(q, k, out, L, scale, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    """Rows by rows: the right operand is transposed by an operation, and scaled."""
    row = tl.program_id(0) * BM
    x = tl.load(tl.make_block_ptr(q, (L, D), (D, 1), (row, 0), (BM, D), (1, 0)), boundary_check=(0,))
    for column in range(0, L, BN):
        y = tl.load(tl.make_block_ptr(k, (L, D), (D, 1), (column, 0), (BN, D), (1, 0)), boundary_check=(0,))
        z = tl.make_block_ptr(out, (L, L), (L, 1), (row, column), (BM, BN), (1, 0))
        tl.store(z, tl.dot(x, tl.trans(y) * scale), boundary_check=(0, 1))


@pytest.mark.parametrize("length", [16, 64, 75])
@pytest.mark.parametrize("depth", [16, 32])
def test_operands_transposed_by_an_operation(length, depth):
    rng = np.random.default_rng(length)
    q, k = (rng.integers(-4, 5, (length, depth)).astype(np.float32) for _ in range(2))
    out = np.full((length, length), np.nan, np.float32)
    scores[(triton.cdiv(length, 16),)](q, k, out, length, 2.0, depth, 16, 32)
    np.testing.assert_array_equal(out, 2 * q @ k.T)
