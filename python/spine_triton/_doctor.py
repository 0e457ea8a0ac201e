# ===- _doctor.py - The test kernel of `spine-triton doctor` ---------------===#
#
# Part of spine-triton, under the MIT licence.
#
# ===-----------------------------------------------------------------------===#
"""A kernel that needs little of the compiler, to see that an installation works at all."""

import triton
import triton.language as tl


@triton.jit
def add_one(x_ptr, y_ptr, N, BLOCK: tl.constexpr):
    x_blk = tl.make_block_ptr(x_ptr, (N,), (1,), (tl.program_id(0) * BLOCK,), (BLOCK,), (0,))
    y_blk = tl.make_block_ptr(y_ptr, (N,), (1,), (tl.program_id(0) * BLOCK,), (BLOCK,), (0,))
    tl.store(y_blk, tl.load(x_blk, boundary_check=(0,)) + 1, boundary_check=(0,))
