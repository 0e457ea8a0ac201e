# ===- kernels.py - Small kernels that several tests share -----------------===#
#
# Part of spine-triton, under the MIT licence.
#
# ===-----------------------------------------------------------------------===#

import triton
import triton.language as tl


@triton.jit
def add_one(x_ptr, y_ptr, N, BLOCK: tl.constexpr):
    """y = x + 1 by block pointers."""
    x_blk = tl.make_block_ptr(x_ptr, (N,), (1,), (tl.program_id(0) * BLOCK,), (BLOCK,), (0,))
    y_blk = tl.make_block_ptr(y_ptr, (N,), (1,), (tl.program_id(0) * BLOCK,), (BLOCK,), (0,))
    tl.store(y_blk, tl.load(x_blk, boundary_check=(0,)) + 1, boundary_check=(0,))


@triton.jit
def add_one_tensor(x_ptr, y_ptr, N, BLOCK: tl.constexpr):
    """y = x + 1 by a tensor of pointers."""
    n = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + n, tl.load(x_ptr + n, mask=n < N) + 1, mask=n < N)


@triton.jit
def copy_2d(x_ptr, y_ptr, M, N, sxm, sxn, sym, syn, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    """y = x, any strides."""
    row, col = tl.program_id(0) * BLOCK_M, tl.program_id(1) * BLOCK_N
    x_blk = tl.make_block_ptr(x_ptr, (M, N), (sxm, sxn), (row, col), (BLOCK_M, BLOCK_N), (1, 0))
    y_blk = tl.make_block_ptr(y_ptr, (M, N), (sym, syn), (row, col), (BLOCK_M, BLOCK_N), (1, 0))
    tl.store(y_blk, tl.load(x_blk, boundary_check=(0, 1)), boundary_check=(0, 1))


@triton.jit
def mark_program(out_ptr):
    """out[linear program id] = 1 + that id."""
    x, y, z = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    nx, ny = tl.num_programs(0), tl.num_programs(1)
    linear = x.to(tl.int64) + nx.to(tl.int64) * (y + ny.to(tl.int64) * z)
    tl.store(out_ptr + linear, linear + 1)


@triton.jit
def gemm(a_ptr, b_ptr, c_ptr, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    row = tl.program_id(0) * BLOCK_M
    a = tl.make_block_ptr(a_ptr, (M, K), (K, 1), (row, 0), (BLOCK_M, BLOCK_K), (1, 0))
    b = tl.make_block_ptr(b_ptr, (K, N), (N, 1), (0, 0), (BLOCK_K, BLOCK_N), (1, 0))
    acc = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for _ in range(0, K, BLOCK_K):
        left = tl.load(a, boundary_check=(0, 1), padding_option="zero")
        right = tl.load(b, boundary_check=(0, 1), padding_option="zero")
        acc = tl.dot(left, right, acc)
        a = tl.advance(a, (0, BLOCK_K))
        b = tl.advance(b, (BLOCK_K, 0))
    c = tl.make_block_ptr(c_ptr, (M, N), (N, 1), (row, 0), (BLOCK_M, BLOCK_N), (1, 0))
    tl.store(c, acc, boundary_check=(0, 1))


@triton.jit
def product(
    a_ptr, b_ptr, c_ptr, M, N, K, am, ak, bk, bn, cm, cn,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
):  # fmt: skip
    """C = A B with any strides, one tile of C per program."""
    row, column = tl.program_id(0) * BLOCK_M, tl.program_id(1) * BLOCK_N
    a = tl.make_block_ptr(a_ptr, (M, K), (am, ak), (row, 0), (BLOCK_M, BLOCK_K), (1, 0))
    b = tl.make_block_ptr(b_ptr, (K, N), (bk, bn), (0, column), (BLOCK_K, BLOCK_N), (1, 0))
    c = tl.make_block_ptr(c_ptr, (M, N), (cm, cn), (row, column), (BLOCK_M, BLOCK_N), (1, 0))
    acc = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for _ in range(0, tl.cdiv(K, BLOCK_K)):
        left = tl.load(a, boundary_check=(0, 1), padding_option="zero")
        right = tl.load(b, boundary_check=(0, 1), padding_option="zero")
        acc = tl.dot(left, right, acc)
        a = tl.advance(a, (0, BLOCK_K))
        b = tl.advance(b, (BLOCK_K, 0))
    tl.store(c, acc, boundary_check=(0, 1))
