# ===- test_short_pieces.py - Reductions of known pieces -------------------===#
#
# Part of spine-triton, under the MIT licence.
#
# ===-----------------------------------------------------------------------===#
"""Products whose reduction is made of a few pieces of a length that is known when the kernel is compiled."""

import numpy as np
import pytest
import torch
import triton
import triton.language as tl


@triton.jit
def pieces(
    a_ptr, b_ptr, c_ptr, M, N, count, stride_am, stride_ap, stride_ak, stride_cm,
    LENGTH: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
):  # fmt: skip
    """Row i of the left operand is `count` pieces, `stride_ap` elements apart."""
    row = tl.program_id(0) * BLOCK_M
    column = tl.program_id(1) * BLOCK_N
    acc = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for p in range(count):
        a = tl.make_block_ptr(
            a_ptr + p * stride_ap, (M, LENGTH), (stride_am, stride_ak), (row, 0), (BLOCK_M, BLOCK_K), (1, 0)
        )
        b = tl.make_block_ptr(b_ptr + p * LENGTH * N, (LENGTH, N), (N, 1), (0, column), (BLOCK_K, BLOCK_N), (1, 0))
        left = tl.load(a, boundary_check=(0, 1), padding_option="zero")
        right = tl.load(b, boundary_check=(0, 1), padding_option="zero")
        acc = tl.dot(left, right, acc)
    c = tl.make_block_ptr(c_ptr, (M, N), (stride_cm, 1), (row, column), (BLOCK_M, BLOCK_N), (1, 0))
    tl.store(c, acc, boundary_check=(0, 1))


def launch(a, b, m, n, count, strides, length, block):
    """The product in a buffer with room around the rows, which has to stay as it is."""
    buffer = torch.full((m + 2, n + 3), 99.0)
    grid = (triton.cdiv(m, block[0]), triton.cdiv(n, block[1]))
    block_k = max(16, triton.next_power_of_2(length))
    pieces[grid](a, b, buffer[1:], m, n, count, *strides, n + 3, length, *block, block_k)
    around = buffer.clone()
    around[1 : m + 1, :n] = 99
    assert (around == 99).all()
    return buffer[1 : m + 1, :n]


LENGTHS = [1, 3, 9, 15, 16, 17, 27]
BLOCKS = [(64, 16), (32, 32), (16, 4)]


@pytest.mark.parametrize("block", BLOCKS, ids=str)
@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("count", [1, 3, 40])
def test_pieces_apart(count, length, block):
    """Between the pieces lies NaN; the last rows and columns fill no block; forty pieces are several groups."""
    m, n = 83, 21
    rng = np.random.default_rng(length)
    values = rng.integers(-4, 5, (m, count, length)).astype(np.float32)
    a = np.full((m, count, length + 2), np.nan, np.float32)
    a[:, :, :length] = values
    b = rng.integers(-4, 5, (count * length, n)).astype(np.float32)
    strides = (count * (length + 2), length + 2, 1)
    result = launch(torch.from_numpy(a), torch.from_numpy(b), m, n, count, strides, length, block)
    assert np.array_equal(result.numpy(), values.reshape(m, -1) @ b)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16], ids=str)
@pytest.mark.parametrize("length", [0, -1, -5])
def test_empty_pieces(length, dtype):
    """What K % BLOCK_K is may be nothing: no operand is read."""
    m, n, count = 83, 21, 3
    a, b = torch.full((m, count * 8), torch.nan, dtype=dtype), torch.full((64, n), torch.nan, dtype=dtype)
    c = torch.full((m, n), 99.0)
    pieces[(2, 2)](a, b, c, m, n, count, count * 8, 8, 1, n, length, 64, 16, 16)
    assert (c == 0).all()


@pytest.mark.parametrize("length", LENGTHS)
def test_pieces_that_follow_each_other(length):
    """What could be one long reduction has the same sums."""
    m, n, count = 70, 16, 9
    rng = np.random.default_rng(length)
    a = rng.integers(-4, 5, (m, count * length)).astype(np.float32)
    b = rng.integers(-4, 5, (count * length, n)).astype(np.float32)
    strides = (count * length, length, 1)
    result = launch(torch.from_numpy(a), torch.from_numpy(b), m, n, count, strides, length, (64, 16))
    assert np.array_equal(result.numpy(), a @ b)


@pytest.mark.parametrize("length", LENGTHS)
def test_rows_that_overlap(length):
    """A filter: row i + 1 begins two elements behind row i, as the rows of an image do."""
    m, n, count, pitch = 83, 16, 3, 2 * 83 + 40
    rng = np.random.default_rng(length)
    image = rng.integers(-4, 5, (count, pitch)).astype(np.float32)
    b = rng.integers(-4, 5, (count * length, n)).astype(np.float32)
    rows = np.lib.stride_tricks.sliding_window_view(image, length, axis=1)[:, ::2][:, :m]
    result = launch(torch.from_numpy(image), torch.from_numpy(b), m, n, count, (2, pitch, 1), length, (64, 16))
    assert np.array_equal(result.numpy(), rows.transpose(1, 0, 2).reshape(m, -1) @ b)


@pytest.mark.parametrize("length", LENGTHS)
def test_elements_apart(length):
    """The pieces' elements are three elements apart."""
    m, n, count = 40, 16, 3
    rng = np.random.default_rng(length)
    a = rng.integers(-4, 5, (m, count, length, 3)).astype(np.float32)
    a[..., 1:] = np.nan
    b = rng.integers(-4, 5, (count * length, n)).astype(np.float32)
    strides = (count * length * 3, length * 3, 3)
    result = launch(torch.from_numpy(a), torch.from_numpy(b), m, n, count, strides, length, (16, 16))
    assert np.array_equal(result.numpy(), a[..., 0].reshape(m, -1) @ b)
