# ===- test_products.py - Matrix products, and what is built of them --------===#
#
# Part of spine-triton, under the MIT licence.
#
# ===-----------------------------------------------------------------------===#
"""tl.dot in all types and shapes, alone and inside of attention, convolutions and persistent loops."""

import numpy as np
import pytest
import torch
import triton
import triton.language as tl
from source_kernels import kernel


@pytest.fixture
def rng(request):
    return np.random.default_rng(len(request.node.name))


def tensor(rng, shape, dtype):
    """Small integers: products and sums of them are exact in every type."""
    kind = getattr(torch, dtype)
    return torch.from_numpy(rng.integers(-4, 5, shape)).to(kind)


@triton.jit
def product(
    a,
    b,
    c,
    d,
    M: tl.constexpr,
    N: tl.constexpr,
    K: tl.constexpr,
    TA: tl.constexpr,
    TB: tl.constexpr,
    ACC: tl.constexpr,
    OUT: tl.constexpr,
):
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    if TA:
        x = tl.trans(tl.load(a + k[:, None] * M + m[None, :]))
    else:
        x = tl.load(a + m[:, None] * K + k[None, :])
    if TB:
        y = tl.trans(tl.load(b + n[:, None] * K + k[None, :]))
    else:
        y = tl.load(b + k[:, None] * N + n[None, :])
    at = m[:, None] * N + n[None, :]
    if ACC:
        z = tl.dot(x, y, acc=tl.load(c + at), out_dtype=OUT)
    else:
        z = tl.dot(x, y, out_dtype=OUT)
    tl.store(d + at, z)


TYPES = [
    ("float32", "float32"),
    ("float16", "float32"),
    ("float16", "float16"),
    ("bfloat16", "float32"),
    ("int8", "int32"),
    ("float64", "float64"),
]
SHAPES = [(1, 1, 1), (1, 16, 16), (16, 1, 8), (2, 4, 32), (16, 16, 16), (8, 64, 2), (64, 32, 16), (4, 128, 1)]


@pytest.mark.parametrize("of, to", TYPES)
@pytest.mark.parametrize("shape", SHAPES)
def test_products(shape, of, to, rng):
    m, n, k = shape
    for number, (ta, tb, acc) in enumerate(
        [(False, False, False), (True, False, True), (False, True, True), (True, True, False)]
    ):
        a, b = tensor(rng, (m, k), of), tensor(rng, (k, n), of)
        c = tensor(rng, (m, n), to)
        d = torch.full_like(c, 99)
        x, y = (a.T.contiguous() if ta else a), (b.T.contiguous() if tb else b)
        product[(1,)](x, y, c, d, M=m, N=n, K=k, TA=ta, TB=tb, ACC=acc, OUT=getattr(tl, to))
        expected = a.double() @ b.double() + (c.double() if acc else 0)
        assert torch.equal(d.double(), expected), number


def test_sums_of_fp16_products_are_kept_in_fp32(rng):
    """2048 + 1 is not an fp16 number; a sum of ones in fp16 stops at 2048."""
    a, b = torch.ones((1, 4096), dtype=torch.float16), torch.ones((4096, 1), dtype=torch.float16)
    d = torch.zeros((1, 1), dtype=torch.float16)
    product[(1,)](a, b, d, d, M=1, N=1, K=4096, TA=False, TB=False, ACC=False, OUT=tl.float16)
    assert d.item() == 4096


def test_infinities_and_nans_reach_the_product():
    a = torch.zeros((16, 16))
    b = torch.ones((16, 16))
    a[0, 3], a[1, 5], b[15, 2] = float("inf"), float("nan"), float("inf")
    d = torch.zeros((16, 16))
    product[(1,)](a, b, d, d, M=16, N=16, K=16, TA=False, TB=False, ACC=False, OUT=tl.float32)
    assert torch.equal(torch.nan_to_num(d, 77.0), torch.nan_to_num(a @ b, 77.0))


def test_batches(rng):
    batched = kernel("""
@triton.jit
def kernel(a, b, c, B: tl.constexpr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    x = tl.load(tl.make_block_ptr(a, (B, M, K), (M * K, K, 1), (0, 0, 0), (B, M, K), (2, 1, 0)))
    y = tl.load(tl.make_block_ptr(b, (B, N, K), (N * K, K, 1), (0, 0, 0), (B, N, K), (2, 1, 0)))
    z = tl.dot(x, tl.permute(y, (0, 2, 1)), out_dtype=tl.float32)
    z = tl.dot(x, tl.permute(y, (0, 2, 1)), acc=z)
    tl.store(tl.make_block_ptr(c, (B, M, N), (M * N, N, 1), (0, 0, 0), (B, M, N), (2, 1, 0)), z)
""")
    for b, m, n, k in [(1, 16, 16, 16), (4, 8, 16, 32), (2, 1, 4, 2)]:
        x, y = tensor(rng, (b, m, k), "float32"), tensor(rng, (b, n, k), "float32")
        z = torch.zeros((b, m, n))
        batched[(1,)](x, y, z, B=b, M=m, N=n, K=k)
        assert torch.equal(z, 2 * x @ y.mT)


def test_products_of_computed_tiles(rng):
    chain = kernel("""
@triton.jit
def kernel(a, b, c, d, N: tl.constexpr, TIMES: tl.constexpr):
    i = tl.arange(0, N)
    at = i[:, None] * N + i[None, :]
    x, y = tl.load(a + at), tl.load(b + at)
    acc = tl.zeros((N, N), tl.float32)
    other = tl.full((N, N), 1.0, tl.float32)
    for t in range(TIMES):
        u = tl.dot(x + t, tl.where(y > 0, y, 0.0))
        v = tl.dot(tl.trans(x) * 2, tl.reshape(tl.reshape(y, (N * N,)), (N, N)) - u, acc=acc)
        acc, other = other + tl.sum(u, 1)[:, None], v % 1009
        y = tl.trans(y)
    tl.store(c + at, acc)
    tl.store(d + at, other)
""")
    n = 16
    a, b = (rng.integers(-2, 3, (n, n)).astype(np.float32) for _ in range(2))
    for times in (0, 1, 2, 3):
        c, d = np.zeros((n, n), np.float32), np.zeros((n, n), np.float32)
        chain[(1,)](a, b, c, d, n, times)
        x, y, acc, other = a.astype(np.float64), b.astype(np.float64), np.zeros((n, n)), np.ones((n, n))
        for t in range(times):
            u = (x + t) @ np.maximum(y, 0)
            v = (2 * x.T) @ (y - u) + acc
            acc, other = other + u.sum(1, keepdims=True), np.fmod(v, 1009)
            y = y.T
        assert np.array_equal(c, acc) and np.array_equal(d, other)


def test_accumulators_that_change_places(rng):
    exchange = kernel("""
@triton.jit
def kernel(a, c, d, rounds, N: tl.constexpr):
    i = tl.arange(0, N)
    at = i[:, None] * N + i[None, :]
    x = tl.load(a + at)
    p = tl.zeros((N, N), tl.float32)
    q = tl.full((N, N), 1.0, tl.float32)
    for k in range(rounds):
        if k % 3 == 2:
            p += tl.dot(x, x)
        elif k % 3 == 1:
            q = tl.dot(x, tl.trans(x), acc=p)
        else:
            p = p - tl.dot(x, q) % 97
        p, q = q, p
    tl.store(c + at, p)
    tl.store(d + at, q)
""")
    n = 8
    a = rng.integers(-2, 3, (n, n)).astype(np.float32)
    for rounds in range(6):
        c, d = np.zeros((n, n), np.float32), np.zeros((n, n), np.float32)
        exchange[(1,)](a, c, d, rounds, N=n)
        p, q = np.zeros((n, n)), np.ones((n, n))
        for k in range(rounds):
            if k % 3 == 2:
                p = p + a @ a
            elif k % 3 == 1:
                q = a @ a.T + p
            else:
                p = p - np.fmod(a @ q, 97)
            p, q = q, p
        assert np.array_equal(c, p) and np.array_equal(d, q)


@triton.jit
def matmul(
    a,
    b,
    c,
    M,
    N,
    K,
    sam,
    sak,
    sbk,
    sbn,
    scm,
    scn,
    BM: tl.constexpr,
    BN: tl.constexpr,
    BK: tl.constexpr,
    GROUP: tl.constexpr,
    ACT: tl.constexpr,
):
    """The grouped order and the tensors of pointers of Triton's tutorial."""
    pid = tl.program_id(0)
    rows, columns = tl.cdiv(M, BM), tl.cdiv(N, BN)
    group = GROUP * columns
    first = pid // group * GROUP
    size = min(rows - first, GROUP)
    pm, pn = first + (pid % group) % size, (pid % group) // size
    m = (pm * BM + tl.arange(0, BM)) % M
    n = (pn * BN + tl.arange(0, BN)) % N
    k = tl.arange(0, BK)
    ap = a + m[:, None] * sam + k[None, :] * sak
    bp = b + k[:, None] * sbk + n[None, :] * sbn
    acc = tl.zeros((BM, BN), tl.float32)
    for step in range(0, tl.cdiv(K, BK)):
        x = tl.load(ap, mask=k[None, :] < K - step * BK, other=0.0)
        y = tl.load(bp, mask=k[:, None] < K - step * BK, other=0.0)
        acc = tl.dot(x, y, acc)
        ap += BK * sak
        bp += BK * sbk
    if ACT:
        acc = tl.where(acc >= 0, acc, 0.5 * acc)
    m, n = pm * BM + tl.arange(0, BM), pn * BN + tl.arange(0, BN)
    tl.store(
        c + m[:, None] * scm + n[None, :] * scn, acc.to(c.dtype.element_ty), mask=(m[:, None] < M) & (n[None, :] < N)
    )


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
@pytest.mark.parametrize(
    "size, block", [((33, 50, 70), (16, 32, 16)), ((64, 16, 5), (32, 16, 8)), ((1, 1, 100), (16, 16, 32))]
)
def test_tutorial_matmul(size, block, dtype, rng):
    m, n, k = size
    a, b = tensor(rng, (m, k), dtype), tensor(rng, (n, k), dtype).T
    c = torch.zeros((m, n), dtype=a.dtype)
    grid = (triton.cdiv(m, block[0]) * triton.cdiv(n, block[1]),)
    matmul[grid](a, b, c, m, n, k, *a.stride(), *b.stride(), *c.stride(), *block, GROUP=2, ACT=True)
    expected = a.double() @ b.double()
    assert torch.equal(c, torch.where(expected >= 0, expected, expected / 2).to(c.dtype))


@triton.jit
def persistent(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """One loop over tiles and steps, as persistent kernels are written."""
    columns = tl.cdiv(N, BN)
    for tile in tl.range(tl.program_id(0), tl.cdiv(M, BM) * columns, tl.num_programs(0), num_stages=2):
        m, n = tile // columns * BM, tile % columns * BN
        a_blk = tl.make_block_ptr(a, (M, K), (K, 1), (m, 0), (BM, BK), (1, 0))
        b_blk = tl.make_block_ptr(b, (K, N), (N, 1), (0, n), (BK, BN), (1, 0))
        acc = tl.zeros((BM, BN), tl.float32)
        for _ in range(0, K, BK):
            acc += tl.dot(tl.load(a_blk, boundary_check=(0, 1)), tl.load(b_blk, boundary_check=(0, 1)))
            a_blk, b_blk = tl.advance(a_blk, (0, BK)), tl.advance(b_blk, (BK, 0))
        c_blk = tl.make_block_ptr(c, (M, N), (N, 1), (m, n), (BM, BN), (1, 0))
        tl.store(c_blk, acc, boundary_check=(0, 1))


@pytest.mark.parametrize("programs", [1, 3, 100])
def test_persistent_matmul(programs, rng):
    a, b = rng.integers(-4, 5, (70, 45)).astype(np.float32), rng.integers(-4, 5, (45, 37)).astype(np.float32)
    c = np.zeros((70, 37), np.float32)
    persistent[(programs,)](a, b, c, 70, 37, 45, BM=16, BN=16, BK=16)
    assert np.array_equal(c, a @ b)


@triton.jit
def split_k(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m, n, part, parts = tl.program_id(0) * BM, tl.program_id(1) * BN, tl.program_id(2), tl.num_programs(2)
    a_blk = tl.make_block_ptr(a, (M, K), (1, M), (m, part * BK), (BM, BK), (0, 1))
    b_blk = tl.make_block_ptr(b, (K, N), (1, K), (part * BK, n), (BK, BN), (0, 1))
    acc = tl.zeros((BM, BN), tl.float32)
    for _ in range(part * BK, K, parts * BK):
        acc = tl.dot(tl.load(a_blk, boundary_check=(0, 1)), tl.load(b_blk, boundary_check=(0, 1)), acc)
        a_blk, b_blk = tl.advance(a_blk, (0, parts * BK)), tl.advance(b_blk, (parts * BK, 0))
    i, j = m + tl.arange(0, BM)[:, None], n + tl.arange(0, BN)[None, :]
    tl.atomic_add(c + i * N + j, acc, mask=(i < M) & (j < N))


def test_split_k_with_atomics(rng):
    a, b = rng.integers(-4, 5, (20, 100)).astype(np.float32), rng.integers(-4, 5, (100, 33)).astype(np.float32)
    c = np.zeros((20, 33), np.float32)
    split_k[(2, 3, 3)](np.asfortranarray(a), np.asfortranarray(b), c, 20, 33, 100, BM=16, BN=16, BK=16)
    assert np.array_equal(c, a @ b)


@triton.jit
def attention(q, k, v, out, scale, L, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, CAUSAL: tl.constexpr):
    head = tl.program_id(1) * L * D
    m = tl.program_id(0) * BM
    q_blk = tl.make_block_ptr(q + head, (L, D), (D, 1), (m, 0), (BM, D), (1, 0))
    k_blk = tl.make_block_ptr(k + head, (D, L), (1, D), (0, 0), (D, BN), (0, 1))
    v_blk = tl.make_block_ptr(v + head, (L, D), (D, 1), (0, 0), (BN, D), (1, 0))
    largest = tl.full((BM,), float("-inf"), tl.float32)
    total = tl.zeros((BM,), tl.float32)
    acc = tl.zeros((BM, D), tl.float32)
    rows = m + tl.arange(0, BM)
    x = tl.load(q_blk, boundary_check=(0,))
    end = min(m + BM, L) if CAUSAL else L
    for start in range(0, end, BN):
        columns = start + tl.arange(0, BN)
        s = tl.dot(x, tl.load(k_blk, boundary_check=(1,))) * scale
        allowed = columns[None, :] < L
        if CAUSAL:
            allowed = allowed & (rows[:, None] >= columns[None, :])
        s = tl.where(allowed, s, float("-inf"))
        new = tl.maximum(largest, tl.max(s, 1))
        p = tl.exp2((s - new[:, None]) * 1.44269504)
        shrink = tl.exp2((largest - new) * 1.44269504)
        total = total * shrink + tl.sum(p, 1)
        y = tl.load(v_blk, boundary_check=(0,))
        acc = tl.dot(p.to(y.dtype), y, acc * shrink[:, None])
        largest = new
        k_blk, v_blk = tl.advance(k_blk, (0, BN)), tl.advance(v_blk, (BN, 0))
    o_blk = tl.make_block_ptr(out + head, (L, D), (D, 1), (m, 0), (BM, D), (1, 0))
    tl.store(o_blk, (acc / total[:, None]).to(out.dtype.element_ty), boundary_check=(0,))


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
def test_attention(causal, dtype, rng):
    heads, length, depth = 2, 50, 32
    q, k, v = (torch.from_numpy(rng.normal(size=(heads, length, depth))).to(getattr(torch, dtype)) for _ in range(3))
    out = torch.zeros_like(q)
    attention[(4, heads)](q, k, v, out, 0.3, length, D=depth, BM=16, BN=16, CAUSAL=causal)
    s = q.double() @ k.double().mT * 0.3
    if causal:
        s = s.masked_fill(torch.ones(length, length).triu(1).bool(), float("-inf"))
    expected = torch.softmax(s, -1) @ v.double()
    tolerance = {"float32": 1e-5, "float16": 3e-3, "bfloat16": 3e-2}[dtype]
    torch.testing.assert_close(out.double(), expected, rtol=tolerance, atol=tolerance)


@triton.jit
def convolution(
    x, w, y, H, W, HO, WO, C: tl.constexpr, F: tl.constexpr, R: tl.constexpr, PAD: tl.constexpr, BW: tl.constexpr
):
    """One output row per program: R*R products, the image's frame by boundary checks."""
    row = tl.program_id(0)
    columns = tl.program_id(1) * BW
    acc = tl.zeros((BW, F), tl.float32)
    for r in tl.static_range(R):
        for s in range(R):
            image = tl.make_block_ptr(
                x, (H, W, C), (W * C, C, 1), (row + r - PAD, columns + s - PAD, 0), (1, BW, C), (2, 1, 0)
            )
            weights = tl.make_block_ptr(w, (R * R, C, F), (C * F, F, 1), (r * R + s, 0, 0), (1, C, F), (2, 1, 0))
            tile = tl.reshape(tl.load(image, boundary_check=(0, 1)), (BW, C))
            acc = tl.dot(tile, tl.reshape(tl.load(weights), (C, F)), acc)
    out = tl.make_block_ptr(y, (HO, WO, F), (WO * F, F, 1), (row, columns, 0), (1, BW, F), (2, 1, 0))
    tl.store(out, tl.reshape(acc, (1, BW, F)), boundary_check=(0, 1))


def test_convolution(rng):
    x, w = tensor(rng, (9, 21, 8), "float32"), tensor(rng, (3, 3, 8, 16), "float32")
    y = torch.zeros((9, 21, 16))
    convolution[(9, 2)](x, w, y, 9, 21, 9, 21, C=8, F=16, R=3, PAD=1, BW=16)
    expected = torch.nn.functional.conv2d(x.permute(2, 0, 1)[None], w.permute(3, 2, 0, 1), padding=1)[0].permute(
        1, 2, 0
    )
    assert torch.equal(y, expected)


@triton.jit
def layer_norm(x, w, b, y, mean_ptr, N, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    x += row * N
    y += row * N
    mean = tl.zeros((BLOCK,), tl.float32)
    for off in range(0, N, BLOCK):
        i = off + tl.arange(0, BLOCK)
        mean += tl.load(x + i, mask=i < N, other=0.0).to(tl.float32)
    mean = tl.sum(mean, axis=0) / N
    var = tl.zeros((BLOCK,), tl.float32)
    for off in range(0, N, BLOCK):
        i = off + tl.arange(0, BLOCK)
        v = tl.load(x + i, mask=i < N, other=0.0).to(tl.float32)
        v = tl.where(i < N, v - mean, 0.0)
        var += v * v
    scale = 1 / tl.sqrt(tl.sum(var, axis=0) / N + eps)
    tl.store(mean_ptr + row, mean)
    for off in range(0, N, BLOCK):
        i = off + tl.arange(0, BLOCK)
        mask = i < N
        v = tl.load(x + i, mask=mask, other=0.0).to(tl.float32)
        tl.store(y + i, (v - mean) * scale * tl.load(w + i, mask=mask) + tl.load(b + i, mask=mask), mask=mask)


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
def test_layer_norm(dtype, rng):
    kind = getattr(torch, dtype)
    x = torch.from_numpy(rng.normal(size=(7, 150))).to(kind)
    w, b = (torch.from_numpy(rng.normal(size=150)).to(kind) for _ in range(2))
    y, mean = torch.zeros_like(x), torch.zeros(7)
    layer_norm[(7,)](x, w, b, y, mean, 150, 1e-5, BLOCK=64)
    expected = torch.nn.functional.layer_norm(x.double(), (150,), w.double(), b.double(), 1e-5)
    tolerance = 8 * torch.finfo(kind).eps
    torch.testing.assert_close(y.double(), expected, rtol=tolerance, atol=tolerance)


@triton.jit
def softmax(y, x, stride, rows, n, BLOCK: tl.constexpr):
    for row in tl.range(tl.program_id(0), rows, tl.num_programs(0), num_stages=3):
        i = tl.arange(0, BLOCK)
        v = tl.load(x + row * stride + i, mask=i < n, other=-float("inf"))
        e = tl.exp(v - tl.max(v, axis=0))
        tl.store(y + row * stride + i, e / tl.sum(e, axis=0), mask=i < n)


def test_softmax_of_strided_rows(rng):
    x = rng.normal(size=(23, 100)).astype(np.float32)
    y = np.zeros_like(x)
    softmax[(4,)](y, x, 100, 23, 77, BLOCK=128)
    e = np.exp(x[:, :77].astype(np.float64))
    np.testing.assert_allclose(y[:, :77], e / e.sum(1, keepdims=True), rtol=1e-5)
    assert not y[:, 77:].any()
    z = x.copy()
    softmax[(4,)](z, z, 100, 23, 77, BLOCK=128)
    assert np.array_equal(z[:, :77], y[:, :77]) and np.array_equal(z[:, 77:], x[:, 77:])
