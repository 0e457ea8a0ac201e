# ===- test_left_operands.py - Left operands of a loop of products -----------===#
#
# Part of spine-triton, under the MIT licence.
#
# ===-----------------------------------------------------------------------===#
"""Left tiles of a loop that accumulates products: read where they lie if they follow each other, packed if not."""

import numpy as np
import pytest
import torch
import triton
import triton.language as tl

K = 16  # Of a tile.


@triton.jit
def steps(a, b, c, M, N, depth, trips, first, step, down, wide,
          BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, PAD: tl.constexpr):  # fmt: skip
    """Sums `trips` products: each left tile begins `step` columns and `down` rows after the one before."""
    row = tl.program_id(0) * BLOCK_M
    x = tl.make_block_ptr(a, (M, depth), (wide, 1), (row, first), (BLOCK_M, BLOCK_K), (1, 0))
    y = tl.make_block_ptr(b, (depth, N), (N, 1), (0, 0), (BLOCK_K, BLOCK_N), (1, 0))
    z = tl.make_block_ptr(c, (M, N), (N, 1), (row, 0), (BLOCK_M, BLOCK_N), (1, 0))
    sums = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for _ in range(trips):
        left = tl.load(x, boundary_check=(0, 1), padding_option=PAD)
        right = tl.load(y, boundary_check=(0, 1), padding_option="zero")
        sums = tl.dot(left, right, sums)
        x = tl.advance(x, (down, step))
        y = tl.advance(y, (BLOCK_K, 0))
    tl.store(z, sums, boundary_check=(0, 1))


def expected(a, b, shape, trips, first, step, down, padding):
    """The sums, one product after the other, with elements outside of `a` as padding."""
    rows, columns = shape
    total = np.zeros((rows, columns), np.float32)
    for trip in range(trips):
        i = np.arange(rows)[:, None] + trip * down
        k = first + trip * step + np.arange(K)[None, :]
        inside = (i >= 0) & (i < a.shape[0]) & (k >= 0) & (k < a.shape[1])
        left = np.where(inside, a[np.clip(i, 0, a.shape[0] - 1), np.clip(k, 0, a.shape[1] - 1)], padding)
        right = np.zeros((K, columns), np.float32)
        part = b[trip * K : (trip + 1) * K]
        right[: len(part)] = part
        total += left.astype(np.float32) @ right
    return total


CASES = {
    "one after the other": (5, 0, K, 0),
    "ends inside of a tile": (6, 3, K, 0),
    "begins outside": (5, -7, K, 0),
    "every other tile": (3, 0, 2 * K, 0),
    "overlapping tiles": (7, 0, K // 2, 0),
    "the same tile": (4, K, 0, 0),
    "backwards": (5, 4 * K, -K, 0),
    "from row to row": (4, 0, 0, 3),
    "diagonally": (4, 0, K, 1),
    "above the matrix": (3, 0, K, -2),
    "no tile": (0, 0, K, 0),
}


@pytest.mark.parametrize("padding", ["zero", "nan"])
@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize("case", CASES)
def test_left_tiles(case, dtype, padding):
    trips, first, step, down = CASES[case]
    rows, columns, depth, wide = 37, 16, 5 * K + 5, 5 * K + 9
    rng = np.random.default_rng(7)
    whole = torch.from_numpy(rng.integers(-4, 5, (rows, wide))).to(getattr(torch, dtype))
    b = torch.from_numpy(rng.integers(-4, 5, (depth, columns))).to(getattr(torch, dtype))
    c = torch.full((rows, columns), torch.nan)
    block = 16
    steps[(triton.cdiv(rows, block),)](
        whole, b, c, rows, columns, depth, trips, first, step, down, wide, block, columns, K, padding
    )
    fill = np.float32("nan" if padding == "nan" else 0)
    want = expected(whole[:, :depth].float().numpy(), b.float().numpy(), c.shape, trips, first, step, down, fill)
    np.testing.assert_array_equal(c.numpy(), want)


@triton.jit
def pitches(a, b, c, trips, M: tl.constexpr, N: tl.constexpr, BLOCK_K: tl.constexpr):
    """Each left tile has a row pitch of its own."""
    sums = tl.zeros((M, N), tl.float32)
    for i in range(trips):
        x = tl.make_block_ptr(a + i * BLOCK_K, (M, BLOCK_K), (64 + 8 * i, 1), (0, 0), (M, BLOCK_K), (1, 0))
        y = tl.make_block_ptr(b, (64, N), (N, 1), (i * BLOCK_K, 0), (BLOCK_K, N), (1, 0))
        sums = tl.dot(tl.load(x), tl.load(y), sums)
    tl.store(tl.make_block_ptr(c, (M, N), (N, 1), (0, 0), (M, N), (1, 0)), sums)


def test_a_pitch_that_changes():
    rng = np.random.default_rng(8)
    a = torch.from_numpy(rng.integers(-4, 5, 16 * 96).astype(np.float32))
    b = torch.from_numpy(rng.integers(-4, 5, (64, 16)).astype(np.float32))
    c = torch.full((16, 16), torch.nan)
    pitches[(1,)](a, b, c, 4, 16, 16, K)
    want = sum(torch.as_strided(a, (16, K), (64 + 8 * i, 1), i * K) @ b[i * K : (i + 1) * K] for i in range(4))
    torch.testing.assert_close(c, want, rtol=0, atol=0)
