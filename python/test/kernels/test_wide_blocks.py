# ===- test_wide_blocks.py - Blocks of results of any width -------------------===#
#
# Part of spine-triton, under the MIT licence.
#
# ===-----------------------------------------------------------------------===#
"""How many columns a tile has decides about the blocks that results are computed in, and about no bit of them."""

import numpy as np
import pytest
import triton
from kernels import product


def amid(rows, columns, rng=None):
    """A matrix in the midst of NaN: of random numbers, or of NaN too."""
    around = np.full((rows + 6, columns + 10), np.nan, np.float32)
    matrix = around[3:-3, 5:-5]
    if rng:
        matrix[...] = rng.standard_normal(matrix.shape)
    return around, matrix


def multiply(a, b, blocks):
    (m, k), n = a.shape, b.shape[1]
    around, c = amid(m, n)
    strides = [s // 4 for s in (*a.strides, *b.strides, *c.strides)]
    product[(triton.cdiv(m, blocks[0]), triton.cdiv(n, blocks[1]))](a, b, c, m, n, k, *strides, *blocks)
    result = c.copy()
    c[...] = np.nan
    assert np.isnan(around).all()
    return result


@pytest.mark.parametrize("by_columns", [False, True])
@pytest.mark.parametrize("m, n, k", [(64, 256, 192), (70, 300, 401), (3, 65, 130), (33, 127, 17)])
def test_tiles_of_any_width_give_the_same_bits(m, n, k, by_columns):
    rng = np.random.default_rng(m + n + k)
    a = amid(k, m, rng)[1].T if by_columns else amid(m, k, rng)[1]
    b = amid(k, n, rng)[1]
    narrow = multiply(a, b, (32, 32, 32))
    np.testing.assert_allclose(narrow, a.astype(np.float64) @ b.astype(np.float64), rtol=1e-4, atol=1e-3)
    for columns in (64, 128, 256):
        for rows, depth in ((16, 32), (64, 64), (64, 128)):
            np.testing.assert_array_equal(multiply(a, b, (rows, columns, depth)), narrow)
