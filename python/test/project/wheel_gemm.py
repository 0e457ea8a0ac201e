"""What a user of the wheel does first: the mission's GEMM, checked. Run by test_wheel.py with the installed package."""

import importlib.metadata
import os
import sys

import numpy as np
import triton
import triton.language as tl

import spine_triton


@triton.jit
def gemm(
    a_ptr, b_ptr, c_ptr, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
):  # fmt: skip
    row = tl.program_id(0) * BLOCK_M
    a = tl.make_block_ptr(a_ptr, (M, K), (K, 1), (row, 0), (BLOCK_M, BLOCK_K), (1, 0))
    b = tl.make_block_ptr(b_ptr, (K, N), (N, 1), (0, 0), (BLOCK_K, BLOCK_N), (1, 0))
    c = tl.make_block_ptr(c_ptr, (M, N), (N, 1), (row, 0), (BLOCK_M, BLOCK_N), (1, 0))
    a_tile = tl.load(a, boundary_check=(0, 1), padding_option="zero")
    b_tile = tl.load(b, boundary_check=(0, 1), padding_option="zero")
    tl.store(c, tl.dot(a_tile, b_tile), boundary_check=(0, 1))


assert spine_triton.__file__.startswith(sys.prefix), spine_triton.__file__
assert not os.environ.get("PATH") and not os.environ.get("LD_LIBRARY_PATH")
M, K, N = 518400, 27, 16
rng = np.random.default_rng(0)
a = rng.standard_normal((M, K), dtype=np.float32)
b = rng.standard_normal((K, N), dtype=np.float32)
c = np.full((M, N), np.nan, np.float32)
gemm[(triton.cdiv(M, 512),)](a, b, c, M, N, K, BLOCK_M=512, BLOCK_N=16, BLOCK_K=32)
np.testing.assert_allclose(c, a @ b, rtol=1e-4, atol=1e-4)
print("spine-triton", importlib.metadata.version("spine-triton"), "computed", c.shape)
