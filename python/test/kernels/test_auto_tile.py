# ===- test_auto_tile.py - Tiles that do not fit, split automatically ------===#
#
# Part of spine-triton, under the MIT licence.
#
# ===-----------------------------------------------------------------------===#
"""Kernels whose tiles are 2 to 256 times too large for 384 KiB, run with auto_tile against NumPy."""

import numpy as np
import pytest
import triton
import triton.language as tl
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import spine_triton

CAPACITY = 393216  # spacemit-a100


@pytest.fixture
def rng(request):
    return np.random.default_rng(len(request.node.name))


def split(kernel, grid, *args, capacity=CAPACITY, **constants):
    """Launches with auto_tile and checks that tiles were split. Returns the remark that says so."""
    compiled = kernel[grid](*args, **constants, auto_tile=True, scratchpad_bytes=capacity)
    remark = compiled.metadata.split
    assert "is split: its tiles need" in remark
    return remark


def small(rng, *shape, dtype=np.float32):
    """Small integers: sums and products of them are exact."""
    return rng.integers(-4, 5, shape).astype(dtype)


# --- Products --------------------------------------------------------------------------------------------------------


@triton.jit
def gemm(
    a_ptr,
    b_ptr,
    c_ptr,
    bias_ptr,
    M,
    N,
    K,
    sam,
    sak,
    sbk,
    sbn,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
    EPILOGUE: tl.constexpr,
):
    row, col = tl.program_id(0) * BLOCK_M, tl.program_id(1) * BLOCK_N
    a = tl.make_block_ptr(a_ptr, (M, K), (sam, sak), (row, 0), (BLOCK_M, BLOCK_K), (1, 0))
    b = tl.make_block_ptr(b_ptr, (K, N), (sbk, sbn), (0, col), (BLOCK_K, BLOCK_N), (1, 0))
    acc = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for _ in range(0, K, BLOCK_K):
        x = tl.load(a, boundary_check=(0, 1), padding_option="zero")
        y = tl.load(b, boundary_check=(0, 1), padding_option="zero")
        acc = tl.dot(x, y, acc)
        a = tl.advance(a, (0, BLOCK_K))
        b = tl.advance(b, (BLOCK_K, 0))
    if EPILOGUE:
        n = col + tl.arange(0, BLOCK_N)
        acc += tl.load(bias_ptr + n, mask=n < N, other=0.0)[None, :]
        acc = tl.maximum(acc, 0.0)
    c = tl.make_block_ptr(c_ptr, (M, N), (N, 1), (row, col), (BLOCK_M, BLOCK_N), (1, 0))
    tl.store(c, acc.to(c_ptr.dtype.element_ty), boundary_check=(0, 1))


def run_gemm(rng, M, N, K, blocks, transposed=(False, False), epilogue=False, dtype=np.float32, capacity=CAPACITY):
    a, b, bias = small(rng, M, K, dtype=dtype), small(rng, K, N, dtype=dtype), small(rng, N)
    expected = a.astype(np.float64) @ b.astype(np.float64)
    if epilogue:
        expected = np.maximum(expected + bias, 0)
    strides_a, strides_b = (K, 1), (N, 1)
    if transposed[0]:
        a, strides_a = np.ascontiguousarray(a.T), (1, M)
    if transposed[1]:
        b, strides_b = np.ascontiguousarray(b.T), (1, K)
    c = np.full((M, N), 99, np.float32)
    grid = (triton.cdiv(M, blocks[0]), triton.cdiv(N, blocks[1]))
    remark = split(
        gemm,
        grid,
        a,
        b,
        c,
        bias,
        M,
        N,
        K,
        *strides_a,
        *strides_b,
        BLOCK_M=blocks[0],
        BLOCK_N=blocks[1],
        BLOCK_K=blocks[2],
        EPILOGUE=epilogue,
        capacity=capacity,
    )
    assert np.array_equal(c, expected)
    return remark


@pytest.mark.parametrize("transposed", [(False, False), (True, False), (False, True), (True, True)], ids=str)
def test_gemm_in_all_transposed_forms(rng, transposed):
    run_gemm(rng, 500, 300, 200, (512, 256, 64), transposed)


@pytest.mark.parametrize("epilogue", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_gemm_with_an_epilogue(rng, epilogue, dtype):
    run_gemm(rng, 300, 200, 100, (256, 256, 128), epilogue=epilogue, dtype=dtype, capacity=131072)


def test_gemm_k_in_parts(rng):
    """A K block that is too large even for few rows: the sum is accumulated over parts of it."""
    remark = run_gemm(rng, 64, 64, 3000, (64, 64, 4096))
    assert "in parts of" in remark and "accumulated" in remark


def test_gemm_of_the_whole_panel(rng):
    """The block is the whole of A: 32768 x 32, 16 MiB with the result."""
    remark = run_gemm(rng, 20000, 16, 27, (32768, 16, 32))
    assert "32768 in parts of" in remark


@triton.jit
def whole_k(
    c_ptr, a_ptr, b_ptr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, OUT: tl.constexpr
):  # fmt: skip
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    x = tl.load(a_ptr + m[:, None] * K + k[None, :])
    y = tl.load(b_ptr + k[:, None] * N + n[None, :])
    tl.store(c_ptr + m[:, None] * N + n[None, :], tl.dot(x, y, out_dtype=OUT))


@pytest.mark.parametrize(
    "dtype,out", [(np.float16, tl.float16), (np.float16, tl.float32), (np.float32, tl.float32), (np.int8, tl.int32)]
)
def test_parts_of_k_are_not_rounded_one_by_one(rng, dtype, out):
    """The sum over K is the same to the bit, also where its result is narrower than its terms are added in."""
    a, b = (rng.standard_normal(shape) * 3 for shape in ((16, 4096), (4096, 16)))
    outputs = []
    for capacity in (1 << 40, 65536):
        c = np.zeros((16, 16), {"fp16": np.float16, "fp32": np.float32, "int32": np.int32}[out.name])
        options = {"auto_tile": True, "scratchpad_bytes": capacity}
        compiled = whole_k[(1,)](c, a.astype(dtype), b.astype(dtype), M=16, N=16, K=4096, OUT=out, **options)
        assert ("accumulated" in compiled.metadata.split) == (capacity == 65536)
        outputs.append(c)
    assert np.array_equal(*outputs)


@triton.jit
def batched(a_ptr, b_ptr, c_ptr, B, M, N, K, BB: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    a = tl.make_block_ptr(a_ptr, (B, M, K), (M * K, K, 1), (0, 0, 0), (BB, BM, BK), (2, 1, 0))
    b = tl.make_block_ptr(b_ptr, (B, K, N), (K * N, N, 1), (0, 0, 0), (BB, BK, BN), (2, 1, 0))
    c = tl.make_block_ptr(c_ptr, (B, M, N), (M * N, N, 1), (0, 0, 0), (BB, BM, BN), (2, 1, 0))
    x = tl.load(a, boundary_check=(0, 1, 2), padding_option="zero")
    y = tl.load(b, boundary_check=(0, 1, 2), padding_option="zero")
    tl.store(c, tl.dot(x, y), boundary_check=(0, 1, 2))


def test_batched_gemm(rng):
    a, b = small(rng, 30, 50, 40), small(rng, 30, 40, 60)
    c = np.full((30, 50, 60), 99, np.float32)
    split(batched, (1,), a, b, c, 30, 50, 60, 40, BB=32, BM=64, BN=64, BK=64)
    assert np.array_equal(c, a @ b)


# --- Rows ------------------------------------------------------------------------------------------------------------


@triton.jit
def softmax(x_ptr, y_ptr, M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    row = tl.program_id(0) * BLOCK_M
    x = tl.make_block_ptr(x_ptr, (M, N), (N, 1), (row, 0), (BLOCK_M, BLOCK_N), (1, 0))
    y = tl.make_block_ptr(y_ptr, (M, N), (N, 1), (row, 0), (BLOCK_M, BLOCK_N), (1, 0))
    inside = tl.arange(0, BLOCK_N)[None, :] < N
    t = tl.where(inside, tl.load(x, boundary_check=(0, 1), padding_option="zero"), float("-inf"))
    e = tl.exp(t - tl.max(t, axis=1)[:, None])
    tl.store(y, e / tl.sum(e, axis=1)[:, None], boundary_check=(0, 1))


@pytest.mark.parametrize("shape,block", [((100, 1000), (128, 1024)), ((3, 200000), (4, 262144))], ids=str)
def test_softmax(rng, shape, block):
    """Many rows are split by rows; a row that does not fit is read three times."""
    x = rng.standard_normal(shape).astype(np.float32)
    y = np.full(shape, 99, np.float32)
    remark = split(softmax, (triton.cdiv(shape[0], block[0]),), x, y, *shape, BLOCK_M=block[0], BLOCK_N=block[1])
    e = np.exp(x.astype(np.float64) - x.max(axis=1, keepdims=True))
    np.testing.assert_allclose(y, e / e.sum(axis=1, keepdims=True), rtol=2e-5, atol=1e-9)
    assert ("accumulated" in remark) == (block[1] > 1024)


@triton.jit
def layer_norm(x_ptr, y_ptr, w_ptr, b_ptr, N, eps, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    inside = at < N
    base = tl.program_id(0) * N
    x = tl.load(x_ptr + base + at, mask=inside, other=0.0)
    mean = tl.sum(x, axis=0) / N
    centred = tl.where(inside, x - mean, 0.0)
    scale = 1.0 / tl.sqrt(tl.sum(centred * centred, axis=0) / N + eps)
    w = tl.load(w_ptr + at, mask=inside)
    b = tl.load(b_ptr + at, mask=inside)
    tl.store(y_ptr + base + at, centred * scale * w + b, mask=inside)


def test_layer_norm(rng):
    x = rng.standard_normal((3, 250000)).astype(np.float32)
    w, b = (rng.standard_normal(250000).astype(np.float32) for _ in range(2))
    y = np.full_like(x, 99)
    split(layer_norm, (3,), x, y, w, b, 250000, 1e-5, BLOCK=262144)
    wide = x.astype(np.float64)
    expected = (wide - wide.mean(1, keepdims=True)) / np.sqrt(wide.var(1, keepdims=True) + 1e-5) * w + b
    np.testing.assert_allclose(y, expected, rtol=2e-4, atol=2e-4)


@triton.jit
def reduce_both(x_ptr, rows_ptr, cols_ptr, M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    x = tl.make_block_ptr(x_ptr, (M, N), (N, 1), (0, 0), (BLOCK_M, BLOCK_N), (1, 0))
    t = tl.load(x, boundary_check=(0, 1), padding_option="zero")
    m, n = tl.arange(0, BLOCK_M), tl.arange(0, BLOCK_N)
    tl.store(rows_ptr + m, tl.sum(t, axis=1), mask=m < M)
    tl.store(cols_ptr + n, tl.max(t, axis=0), mask=n < N)


def test_reductions_over_either_axis(rng):
    x = small(rng, 700, 900)
    rows, cols = np.full(700, 99, np.float32), np.full(900, 99, np.float32)
    split(reduce_both, (1,), x, rows, cols, 700, 900, BLOCK_M=1024, BLOCK_N=1024)
    assert np.array_equal(rows, x.sum(axis=1))
    assert np.array_equal(cols, np.maximum(x.max(axis=0), 0))


@triton.jit
def arg_max(x_ptr, at_ptr, N, BLOCK: tl.constexpr):
    n = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + tl.program_id(0) * N + n, mask=n < N, other=float("-inf"))
    tl.store(at_ptr + tl.program_id(0), tl.argmax(x, axis=0))


def test_reduction_without_a_neutral_element(rng):
    x = rng.permutation(3 * 200000).reshape(3, -1).astype(np.float32)
    at = np.zeros(3, np.int32)
    split(arg_max, (3,), x, at, 200000, BLOCK=262144)
    assert np.array_equal(at, x.argmax(axis=1))


# --- Chains, attention, convolution ----------------------------------------------------------------------------------


@triton.jit
def chain(
    x0, x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12, x13, x14, x15, x16, x17, x18, x19, y, N, BLOCK: tl.constexpr
):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < N
    s = tl.load(x0 + at, mask=inside)
    s = s * 2 - tl.load(x1 + at, mask=inside)
    s = s + tl.load(x2 + at, mask=inside)
    s = s + tl.load(x3 + at, mask=inside)
    s = tl.maximum(s, tl.load(x4 + at, mask=inside))
    s = s + tl.load(x5 + at, mask=inside)
    s = s - tl.load(x6 + at, mask=inside)
    s = s + tl.load(x7 + at, mask=inside)
    s = s + tl.load(x8 + at, mask=inside)
    s = s + tl.load(x9 + at, mask=inside)
    s = tl.minimum(s, tl.load(x10 + at, mask=inside) + 9)
    s = s + tl.load(x11 + at, mask=inside)
    s = s + tl.load(x12 + at, mask=inside)
    s = s + tl.load(x13 + at, mask=inside)
    s = s + tl.load(x14 + at, mask=inside)
    s = s - tl.load(x15 + at, mask=inside)
    s = s + tl.load(x16 + at, mask=inside)
    s = s + tl.load(x17 + at, mask=inside)
    s = s + tl.load(x18 + at, mask=inside)
    s = s + tl.load(x19 + at, mask=inside)
    tl.store(y + at, s, mask=inside)


def test_chain_of_twenty_inputs(rng):
    n = 300000
    x = [small(rng, n) for _ in range(20)]
    y = np.full(n, 99, np.float32)
    split(chain, (2,), *x, y, n, BLOCK=262144)
    s = np.maximum(x[0] * 2 - x[1] + x[2] + x[3], x[4]) + x[5] - x[6] + x[7] + x[8] + x[9]
    s = np.minimum(s, x[10] + 9) + x[11] + x[12] + x[13] + x[14] - x[15] + x[16] + x[17] + x[18] + x[19]
    assert np.array_equal(y, s)


@triton.jit
def attention(q_ptr, k_ptr, v_ptr, o_ptr, L, scale, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, D: tl.constexpr):
    row = tl.program_id(0) * BLOCK_M
    q = tl.load(
        tl.make_block_ptr(q_ptr, (L, D), (D, 1), (row, 0), (BLOCK_M, D), (1, 0)),
        boundary_check=(0,),
        padding_option="zero",
    )
    k_block = tl.make_block_ptr(k_ptr, (L, D), (D, 1), (0, 0), (BLOCK_N, D), (1, 0))
    v_block = tl.make_block_ptr(v_ptr, (L, D), (D, 1), (0, 0), (BLOCK_N, D), (1, 0))
    most = tl.full((BLOCK_M,), float("-inf"), tl.float32)
    total = tl.zeros((BLOCK_M,), tl.float32)
    acc = tl.zeros((BLOCK_M, D), tl.float32)
    for start in range(0, L, BLOCK_N):
        k = tl.load(k_block, boundary_check=(0,), padding_option="zero")
        inside = (start + tl.arange(0, BLOCK_N))[None, :] < L
        s = tl.where(inside, tl.dot(q, tl.trans(k)) * scale, float("-inf"))
        now = tl.maximum(most, tl.max(s, axis=1))
        p = tl.exp(s - now[:, None])
        factor = tl.exp(most - now)
        total = total * factor + tl.sum(p, axis=1)
        v = tl.load(v_block, boundary_check=(0,), padding_option="zero")
        acc = tl.dot(p, v, acc * factor[:, None])
        most = now
        k_block = tl.advance(k_block, (BLOCK_N, 0))
        v_block = tl.advance(v_block, (BLOCK_N, 0))
    out = tl.make_block_ptr(o_ptr, (L, D), (D, 1), (row, 0), (BLOCK_M, D), (1, 0))
    tl.store(out, acc / total[:, None], boundary_check=(0,))


@pytest.mark.parametrize("block", [(512, 64), (64, 1024), (512, 512)], ids=str)
def test_attention(rng, block):
    q, k, v = (rng.standard_normal((600, 64)).astype(np.float32) for _ in range(3))
    o = np.full_like(q, 99)
    split(attention, (triton.cdiv(600, block[0]),), q, k, v, o, 600, 0.125, BLOCK_M=block[0], BLOCK_N=block[1], D=64)
    s = q.astype(np.float64) @ k.T * 0.125
    p = np.exp(s - s.max(1, keepdims=True))
    np.testing.assert_allclose(o, p / p.sum(1, keepdims=True) @ v, rtol=1e-4, atol=1e-5)


@triton.jit
def convolution(
    x_ptr, w_ptr, y_ptr, H, W, C: tl.constexpr, F: tl.constexpr, BLOCK: tl.constexpr, BLOCK_K: tl.constexpr
):
    """3 x 3, no padding, channels last: the rows of A are gathered patches."""
    pixel = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    width = W - 2
    pixels = (H - 2) * width
    k = tl.arange(0, BLOCK_K)
    dy, dx, c = k // (3 * C), k // C % 3, k % C
    at = ((pixel // width)[:, None] + dy[None, :]) * W + (pixel % width)[:, None] + dx[None, :]
    inside = (pixel < pixels)[:, None] & (k < 9 * C)[None, :]
    a = tl.load(x_ptr + at * C + c[None, :], mask=inside, other=0.0)
    f = tl.arange(0, F)
    b = tl.load(w_ptr + k[:, None] * F + f[None, :], mask=(k < 9 * C)[:, None], other=0.0)
    out = y_ptr + pixel[:, None] * F + f[None, :]
    tl.store(out, tl.dot(a, b), mask=(pixel < pixels)[:, None])


def test_im2col_convolution(rng):
    h, w, c, f = 66, 70, 3, 16
    x, weights = small(rng, h, w, c), small(rng, 3, 3, c, f)
    y = np.full((h - 2, w - 2, f), 99, np.float32)
    split(convolution, (1,), x, weights, y, h, w, C=c, F=f, BLOCK=8192, BLOCK_K=32)
    patches = np.lib.stride_tricks.sliding_window_view(x, (3, 3), axis=(0, 1))  # h, w, c, dy, dx
    assert np.array_equal(y, np.einsum("hwcyx,yxcf->hwf", patches, weights))


# --- In place and overlapping ----------------------------------------------------------------------------------------


@triton.jit
def double(x_ptr, y_ptr, N, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + at, tl.load(x_ptr + at, mask=at < N) * 2, mask=at < N)


@pytest.mark.parametrize("target,part", [("rv64gcv", 240), ("spacemit-a100", 256)])
def test_parts_fill_the_vectors_of_the_target(target, part):
    """240 divides 720, but its last vector of 32 lanes would be half empty."""
    x = np.zeros(720, np.float32)
    options = {"target": target, "auto_tile": True, "scratchpad_bytes": 2048}
    compiled = double.warmup(x, x, 720, BLOCK=720, grid=(1,), **options)
    assert f"720 in parts of {part}" in compiled.metadata.split


@triton.jit
def double_in_place(x_ptr, N, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x_ptr + at, tl.load(x_ptr + at, mask=at < N) * 2, mask=at < N)


@triton.jit
def reverse_in_place(x_ptr, N, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(x_ptr + at, tl.load(x_ptr + N - 1 - at, mask=at < N), mask=at < N)


def test_in_place(rng):
    x = small(rng, 200000)
    expected = 2 * x
    split(double_in_place, (1,), x, 200000, BLOCK=262144)
    assert np.array_equal(x, expected)


def test_store_that_changes_another_part_is_refused(rng):
    x = small(rng, 200000)
    with pytest.raises(
        ValueError, match=r"with N = 200000, elements of different parts .* have one address in 'x_ptr'"
    ):
        reverse_in_place[(1,)](x, 200000, BLOCK=262144, auto_tile=True, scratchpad_bytes=CAPACITY)


def test_arguments_that_overlap_are_refused(rng):
    x = small(rng, 300000)
    before = x.copy()
    options = {"BLOCK": 262144, "auto_tile": True, "scratchpad_bytes": CAPACITY}
    with pytest.raises(ValueError, match=r"'y_ptr' \(bytes .*\) and 'x_ptr' \(bytes .*\) share memory"):
        double[(1,)](x, x[1000:], 200000, **options)
    assert np.array_equal(x, before)
    y = np.zeros_like(x)
    double[(2,)](x, y, 300000, **options)
    assert np.array_equal(y, 2 * x)


@triton.jit
def while_sum(x_ptr, y_ptr, N, ROUNDS, BLOCK: tl.constexpr):
    n = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.float32)
    k = 0
    while k < ROUNDS:
        total += tl.load(x_ptr + k * N + n, mask=n < N)
        k += 1
    tl.store(y_ptr + n, total, mask=n < N)


def test_message_names_no_other_variable(rng):
    """The results of the loop have one location, and the frontend gives it the name of the counter."""
    x, y = small(rng, 3, 1000), np.zeros(1000, np.float32)
    with pytest.raises(spine_triton.ScratchpadExceeded, match=r"'scf\.while', which is not split") as info:
        while_sum[(1,)](x, y, 1000, 3, BLOCK=1024, auto_tile=True, scratchpad_bytes=4096)
    assert "'k'" not in str(info.value)


# --- Sizes that Triton refuses ---------------------------------------------------------------------------------------


@triton.jit
def whole_gemm(a_ptr, b_ptr, c_ptr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    """One program; the blocks are the matrices."""
    a = tl.load(tl.make_block_ptr(a_ptr, (M, K), (K, 1), (0, 0), (M, K), (1, 0)))
    b = tl.load(tl.make_block_ptr(b_ptr, (K, N), (N, 1), (0, 0), (K, N), (1, 0)))
    tl.store(tl.make_block_ptr(c_ptr, (M, N), (N, 1), (0, 0), (M, N), (1, 0)), tl.dot(a, b))


@pytest.mark.parametrize("m,k", [(518400, 27), (524288, 32), (100003, 27), (518400, 144)])
def test_block_of_the_whole_matrix(rng, m, k):
    """No padding, no masks, up to 75 million elements in a block: the sizes of the reported GEMM."""
    a, b = small(rng, m, k), small(rng, k, 16)
    c = np.full((m, 16), 99, np.float32)
    split(whole_gemm, (1,), a, b, c, M=m, N=16, K=k)
    assert np.array_equal(c, a @ b)


def test_block_that_is_too_large_names_the_option(rng):
    a, b, c = small(rng, 8, 8), small(rng, 8, 8), small(rng, 8, 8)
    with pytest.raises(Exception, match=r"(?s)exceeds triton maximum tensor numel.*auto_tile=True"):
        whole_gemm[(1,)](a, b, c, M=524288, N=16, K=32)
    with pytest.raises(Exception, match=r"(?s)must be a power of 2.*auto_tile=True"):
        whole_gemm[(1,)](a, b, c, M=512, N=16, K=27)


# --- Split equals whole ----------------------------------------------------------------------------------------------

RANDOM = settings(max_examples=12, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))


def both(kernel, grid, capacity, make_output, *args, **constants):
    """The outputs with tiles split for `capacity` and with whole ones, and the remark (empty if all fitted)."""
    outputs = []
    for options in ({"auto_tile": True, "scratchpad_bytes": capacity}, {"auto_tile": True, "residency": "off"}):
        output = make_output()
        if "scratchpad_bytes" not in options:
            options["scratchpad_bytes"] = 1 << 40
        compiled = kernel[grid](output, *args, **constants, **options)
        outputs.append((output, compiled.metadata.split))
    (split_output, remark), (whole, nothing) = outputs
    assert nothing == ""
    return split_output, whole, remark


@triton.jit
def random_product(c_ptr, a_ptr, b_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    row, col = tl.program_id(0) * BM, tl.program_id(1) * BN
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        a = tl.make_block_ptr(a_ptr, (M, K), (K, 1), (row, k), (BM, BK), (1, 0))
        b = tl.make_block_ptr(b_ptr, (K, N), (N, 1), (k, col), (BK, BN), (1, 0))
        x = tl.load(a, boundary_check=(0, 1), padding_option="zero")
        y = tl.load(b, boundary_check=(0, 1), padding_option="zero")
        acc = tl.dot(x, y, acc)
    c = tl.make_block_ptr(c_ptr, (M, N), (N, 1), (row, col), (BM, BN), (1, 0))
    tl.store(c, tl.sigmoid(acc), boundary_check=(0, 1))


@RANDOM
@given(
    sizes=st.tuples(*[st.integers(1, 90)] * 3),
    blocks=st.tuples(*[st.integers(1, 70)] * 3),
    capacity=st.integers(600, 20000),
    seed=st.integers(0, 99),
)
def test_products_are_the_same_to_the_bit(sizes, blocks, capacity, seed):
    """Splits of M and N change nothing, those of K keep the order of the sum."""
    rng = np.random.default_rng(seed)
    m, n, k = sizes
    a, b = rng.standard_normal((m, k)).astype(np.float32), rng.standard_normal((k, n)).astype(np.float32)
    grid = (triton.cdiv(m, blocks[0]), triton.cdiv(n, blocks[1]))
    c, whole, _ = both(
        random_product,
        grid,
        capacity,
        lambda: np.full((m, n), 99, np.float32),
        a,
        b,
        *sizes,
        BM=blocks[0],
        BN=blocks[1],
        BK=blocks[2],
    )
    assert np.array_equal(c, whole)
    np.testing.assert_allclose(c, 1 / (1 + np.exp(-(a @ b))), rtol=1e-4, atol=1e-5)


@triton.jit
def random_rows(y_ptr, x_ptr, w_ptr, M, N, BM: tl.constexpr, BN: tl.constexpr):
    row = tl.program_id(0) * BM
    m, n = row + tl.arange(0, BM), tl.arange(0, BN)
    inside = (m < M)[:, None] & (n < N)[None, :]
    x = tl.load(x_ptr + m[:, None] * N + n[None, :], mask=inside, other=0.0)
    x -= tl.max(x, axis=1)[:, None]
    w = tl.load(w_ptr + n, mask=n < N, other=0.0)
    z = x * w[None, :] / (1 + tl.sum(tl.where(inside, x * x, 0.0), axis=1))[:, None]
    tl.store(y_ptr + m[:, None] * N + n[None, :], z, mask=inside)


@RANDOM
@given(
    sizes=st.tuples(st.integers(1, 60), st.integers(1, 200)),
    rows=st.integers(1, 40),
    extra=st.integers(0, 60),
    capacity=st.integers(600, 20000),
)
def test_rows_are_the_same(sizes, rows, extra, capacity):
    """To the bit if only rows are split; else sums of float32 may be rounded differently."""
    rng = np.random.default_rng(rows)
    m, n = sizes
    x, w = rng.standard_normal((m, n)).astype(np.float32), rng.standard_normal(n).astype(np.float32)
    y, whole, remark = both(
        random_rows,
        (triton.cdiv(m, rows),),
        capacity,
        lambda: np.full((m, n), 99, np.float32),
        x,
        w,
        m,
        n,
        BM=rows,
        BN=n + extra,
    )
    if "accumulated" in remark:
        np.testing.assert_allclose(y, whole, rtol=1e-5, atol=1e-6)
    else:
        assert np.array_equal(y, whole)
    centred = x - np.maximum(x.max(axis=1, keepdims=True), 0 if extra else -np.inf)
    np.testing.assert_allclose(y, centred * w / (1 + (centred**2).sum(axis=1, keepdims=True)), rtol=1e-4, atol=1e-5)
