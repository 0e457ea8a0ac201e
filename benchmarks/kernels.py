"""The kernels that are measured."""

import triton
import triton.language as tl


@triton.jit
def gemm(
    a_ptr, b_ptr, c_ptr, M, N, K, stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
):  # fmt: skip
    row = tl.program_id(0) * BLOCK_M
    column = tl.program_id(1) * BLOCK_N
    a = tl.make_block_ptr(a_ptr, (M, K), (stride_am, stride_ak), (row, 0), (BLOCK_M, BLOCK_K), (1, 0))
    b = tl.make_block_ptr(b_ptr, (K, N), (stride_bk, stride_bn), (0, column), (BLOCK_K, BLOCK_N), (1, 0))
    c = tl.make_block_ptr(c_ptr, (M, N), (stride_cm, stride_cn), (row, column), (BLOCK_M, BLOCK_N), (1, 0))
    acc = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for _ in range(0, tl.cdiv(K, BLOCK_K)):
        a_tile = tl.load(a, boundary_check=(0, 1), padding_option="zero")
        b_tile = tl.load(b, boundary_check=(0, 1), padding_option="zero")
        acc = tl.dot(a_tile, b_tile, acc)
        a = tl.advance(a, (0, BLOCK_K))
        b = tl.advance(b, (BLOCK_K, 0))
    tl.store(c, acc.to(c_ptr.dtype.element_ty), boundary_check=(0, 1))


@triton.jit
def batched_gemm(a_ptr, b_ptr, c_ptr, B, M, N, K, T: tl.constexpr, BLOCK_K: tl.constexpr):
    batch = tl.program_id(2)
    row = tl.program_id(0) * T
    column = tl.program_id(1) * T
    a = tl.make_block_ptr(a_ptr, (B, M, K), (M * K, K, 1), (batch, row, 0), (1, T, BLOCK_K), (2, 1, 0))
    b = tl.make_block_ptr(b_ptr, (B, K, N), (K * N, N, 1), (batch, 0, column), (1, BLOCK_K, T), (2, 1, 0))
    c = tl.make_block_ptr(c_ptr, (B, M, N), (M * N, N, 1), (batch, row, column), (1, T, T), (2, 1, 0))
    acc = tl.zeros((1, T, T), tl.float32)
    for _ in range(0, tl.cdiv(K, BLOCK_K)):
        a_tile = tl.load(a, boundary_check=(0, 1, 2), padding_option="zero")
        b_tile = tl.load(b, boundary_check=(0, 1, 2), padding_option="zero")
        acc = tl.dot(a_tile, b_tile, acc)
        a = tl.advance(a, (0, 0, BLOCK_K))
        b = tl.advance(b, (0, BLOCK_K, 0))
    tl.store(c, acc, boundary_check=(0, 1, 2))


@triton.jit
def convolution(
    x_ptr, w_ptr, y_ptr, H, W, pitch, C: tl.constexpr, F: tl.constexpr,
    BLOCK_W: tl.constexpr, BLOCK_K: tl.constexpr,
):  # fmt: skip
    """3 x 3, stride 1: a row of pixels per program. x is (H + 2, pitch / C, C) with a border of zeros, w (3, 3 C, F).

    The im2col tile of a row of the filter is a block of overlapping rows: pixel i's begins C elements after i - 1's.
    """
    y = tl.program_id(1)
    column = tl.program_id(0) * BLOCK_W
    acc = tl.zeros((BLOCK_W, F), tl.float32)
    for dy in range(3):
        x = tl.make_block_ptr(x_ptr + (y + dy) * pitch, (W, 3 * C), (C, 1), (column, 0), (BLOCK_W, BLOCK_K), (1, 0))
        w = tl.make_block_ptr(w_ptr + dy * 3 * C * F, (3 * C, F), (F, 1), (0, 0), (BLOCK_K, F), (1, 0))
        x_tile = tl.load(x, boundary_check=(0, 1), padding_option="zero")
        w_tile = tl.load(w, boundary_check=(0, 1), padding_option="zero")
        acc = tl.dot(x_tile, w_tile, acc)
    out = tl.make_block_ptr(y_ptr + y * W * F, (W, F), (F, 1), (column, 0), (BLOCK_W, F), (1, 0))
    tl.store(out, acc, boundary_check=(0, 1))


@triton.jit
def axpy(x_ptr, y_ptr, z_ptr, M, N, factor, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    offsets = (tl.program_id(0) * BLOCK_M, tl.program_id(1) * BLOCK_N)
    x = tl.make_block_ptr(x_ptr, (M, N), (N, 1), offsets, (BLOCK_M, BLOCK_N), (1, 0))
    y = tl.make_block_ptr(y_ptr, (M, N), (N, 1), offsets, (BLOCK_M, BLOCK_N), (1, 0))
    z = tl.make_block_ptr(z_ptr, (M, N), (N, 1), offsets, (BLOCK_M, BLOCK_N), (1, 0))
    value = tl.load(x, boundary_check=(0, 1)) * factor + tl.load(y, boundary_check=(0, 1))
    tl.store(z, value, boundary_check=(0, 1))


@triton.jit
def small(x_ptr, BLOCK: tl.constexpr):
    """Next to nothing: what a launch costs."""
    x = tl.make_block_ptr(x_ptr, (BLOCK,), (1,), (0,), (BLOCK,), (0,))
    tl.store(x, tl.full((BLOCK,), 1.0, tl.float32))
