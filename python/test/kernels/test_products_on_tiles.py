# ===- test_products_on_tiles.py - Products of bf16 by tile instructions -----===#
#
# Part of spine-triton, under the MIT licence.
#
# ===-----------------------------------------------------------------------===#
"""tl.dot of bf16 on processors with AMX, bit by bit."""

import subprocess
import sys

import numpy as np
import pytest
import torch
import triton
import triton.language as tl

from spine_triton import targets

pytestmark = pytest.mark.skipif(
    not targets.find("host").tiles_bf16, reason="this machine has no AMX, or the system does not give leave to use it"
)


@triton.jit
def gemm(
    a, b, c, M, N, K, am, ak, bk, bn, cm, cn, ALONE: tl.constexpr, ADDS: tl.constexpr,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
):  # fmt: skip
    row, column = tl.program_id(0) * BLOCK_M, tl.program_id(1) * BLOCK_N
    x = tl.make_block_ptr(a, (M, K), (am, ak), (row, 0), (BLOCK_M, BLOCK_K), (1, 0))
    y = tl.make_block_ptr(b, (K, N), (bk, bn), (0, column), (BLOCK_K, BLOCK_N), (1, 0))
    z = tl.make_block_ptr(c, (M, N), (cm, cn), (row, column), (BLOCK_M, BLOCK_N), (1, 0))
    sums = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    if ADDS:
        sums = tl.load(z, boundary_check=(0, 1), padding_option="zero").to(tl.float32)
    if ALONE:
        left = tl.load(x, boundary_check=(0, 1), padding_option="zero")
        sums = tl.dot(left, tl.load(y, boundary_check=(0, 1), padding_option="zero"), sums)
    else:
        for _ in range(0, K, BLOCK_K):
            left = tl.load(x, boundary_check=(0, 1), padding_option="zero")
            sums = tl.dot(left, tl.load(y, boundary_check=(0, 1), padding_option="zero"), sums)
            x, y = tl.advance(x, (0, BLOCK_K)), tl.advance(y, (BLOCK_K, 0))
    tl.store(z, sums.to(c.dtype.element_ty), boundary_check=(0, 1))


def launch(a, b, c, blocks, alone=False, adds=False, **options):
    (m, k), n = a.shape, b.shape[1]
    grid = (triton.cdiv(m, blocks[0]), triton.cdiv(n, blocks[1]))
    gemm[grid](a, b, c, m, n, k, *a.stride(), *b.stride(), *c.stride(), alone, adds, *blocks, **options)
    return c


def by_steps(a, b, block_k, start=None):
    """What the instructions are said to compute: for each step of 32 elements a sum of its even and one of its odd
    elements, with one rounding per multiply-add, and then their sum added to the rest."""
    a, b = a.float().numpy(), b.float().numpy()
    sums = np.zeros((a.shape[0], b.shape[1]), np.float32) if start is None else start.numpy().copy()
    for block in range(0, a.shape[1], block_k):
        end = min(block + block_k, a.shape[1])
        for step in range(block, end, 32):
            halves = np.zeros((2, *sums.shape), np.float32)
            for k in range(step, min(step + 32, end)):
                product = a[:, k, None].astype(np.longdouble) * b[None, k]
                halves[(k - step) % 2] = (halves[(k - step) % 2] + product).astype(np.float32)
            sums += halves[0] + halves[1]
    return torch.from_numpy(sums)


@pytest.fixture
def rng(request):
    return np.random.default_rng(len(request.node.name))


def normal(rng, *shape):
    return torch.from_numpy(rng.standard_normal(shape).astype(np.float32)).bfloat16()


def unwritten(m, n, dtype=torch.float32):
    return torch.full((m, n), torch.nan, dtype=dtype)


SHAPES = [(1, 1, 1), (16, 16, 32), (37, 16, 27), (50, 40, 144), (20, 3, 33), (100, 64, 5), (9, 70, 290)]


@pytest.mark.parametrize("block_k", [16, 32, 64, 256])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_bits(shape, block_k, rng):
    m, n, k = shape
    a, b, start = normal(rng, m, k), normal(rng, k, n), normal(rng, m, n).float()
    assert torch.equal(launch(a, b, unwritten(m, n), (32, 32, block_k)), by_steps(a, b, block_k))
    assert torch.equal(launch(a, b, start.clone(), (16, 16, block_k), adds=True), by_steps(a, b, block_k, start))
    if k <= block_k:
        assert torch.equal(launch(a, b, unwritten(m, n), (32, 64, block_k), True), by_steps(a, b, block_k))
        found = launch(a, b, start.clone(), (64, 4, block_k), True, True)
        assert torch.equal(found, by_steps(a, b, block_k, start))


BLOCKS = [(1, 16), (8, 2), (16, 16), (64, 1), (128, 32), (256, 64), (64, 128)]


@pytest.mark.parametrize("block_k", [16, 64])
def test_splits_of_rows_and_columns_change_no_bit(block_k, rng):
    a, b = normal(rng, 203, 144), normal(rng, 144, 90)
    expected = by_steps(a, b, block_k)
    for m, n in BLOCKS:
        assert torch.equal(launch(a, b, unwritten(203, 90), (m, n, block_k)), expected), (m, n)


def test_blocks_of_any_size(rng):
    a, b = normal(rng, 203, 54), normal(rng, 54, 45)
    for m, n, k in ((27, 15, 27), (203, 45, 54), (101, 9, 18)):
        found = launch(a, b, unwritten(203, 45), (m, n, k), auto_tile=True)
        assert torch.equal(found, by_steps(a, b, k)), (m, n, k)
    found = launch(a, b, unwritten(203, 45), (203, 45, 54), auto_tile=True, scratchpad_bytes=24576)
    assert torch.equal(found, by_steps(a, b, 54))


@pytest.mark.parametrize("at", [False, True])
@pytest.mark.parametrize("bt", [False, True])
@pytest.mark.parametrize("ct", [False, True])
def test_layouts(at, bt, ct, rng):
    def stored(x, transposed):
        return x.T.contiguous().T if transposed else x

    a, b = normal(rng, 75, 100), normal(rng, 100, 48)
    for blocks in ((32, 16, 32), (64, 64, 64)):
        c = stored(unwritten(75, 48), ct)
        found = launch(stored(a, at), stored(b, bt), c, blocks)
        assert torch.equal(found, by_steps(a, b, blocks[2]))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_results_in_other_types(dtype, rng):
    a, b = normal(rng, 70, 144), normal(rng, 144, 24)
    found = launch(a, b, unwritten(70, 24, dtype), (64, 16, 64))
    assert torch.equal(found, by_steps(a, b, 64).to(dtype))


@pytest.mark.parametrize("k, block_k", [(27, 32), (144, 64), (5, 16)])
def test_what_is_not_finite(k, block_k, rng):
    """NaN and infinity reach what they are part of, and from outside of the tensor nothing does."""
    m, n = 41, 16
    whole_a, whole_b = (torch.full(shape, torch.nan).bfloat16() for shape in ((m + 9, k + 40), (k + 9, n + 16)))
    a, b = whole_a[:m, :k], whole_b[:k, :n]
    a[:], b[:] = normal(rng, m, k), normal(rng, k, n)
    assert torch.equal(launch(a, b, unwritten(m, n), (16, 16, block_k)), by_steps(a, b, block_k))
    a[3, 0], a[7, k - 1], a[40, 2], b[1, 5] = torch.nan, torch.inf, -torch.inf, torch.inf
    found, expected = launch(a, b, unwritten(m, n), (16, 16, block_k)), (a.double() @ b.double()).float()
    assert expected.isnan().any() and expected.isinf().any()
    torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-4, equal_nan=True)


@triton.jit
def batched(a, b, c, B: tl.constexpr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    x = tl.load(tl.make_block_ptr(a, (B, M, K), (M * K, K, 1), (0, 0, 0), (B, M, K), (2, 1, 0)))
    y = tl.load(tl.make_block_ptr(b, (B, K, N), (K * N, N, 1), (0, 0, 0), (B, K, N), (2, 1, 0)))
    z = tl.dot(x, y, out_dtype=tl.float32)
    z = tl.dot((x * 2).to(tl.bfloat16), y, acc=z)
    tl.store(tl.make_block_ptr(c, (B, M, N), (M * N, N, 1), (0, 0, 0), (B, M, N), (2, 1, 0)), z)


def test_batches(rng):
    for count, m, n, k in ((1, 16, 16, 16), (4, 8, 16, 64), (2, 32, 4, 2)):
        a, b, c = normal(rng, count, m, k), normal(rng, count, k, n), torch.full((count, m, n), torch.nan)
        batched[(1,)](a, b, c, count, m, n, k)
        for x, y, z in zip(a, b, c, strict=True):
            assert torch.equal(z, by_steps(x * 2, y, k, by_steps(x, y, k)))


@triton.jit
def with_calls(a, b, c, K, M: tl.constexpr, N: tl.constexpr, BLOCK_K: tl.constexpr):
    """Functions of the C library are called where operands are made and where results are stored."""
    sums = tl.zeros((M, N), tl.float32)
    for k in range(0, K, BLOCK_K):
        x = tl.load(tl.make_block_ptr(a, (M, K), (K, 1), (0, k), (M, BLOCK_K), (1, 0)))
        y = tl.load(tl.make_block_ptr(b, (K, N), (N, 1), (k, 0), (BLOCK_K, N), (1, 0)))
        sums = tl.dot(tl.exp(x.to(tl.float32)).to(tl.bfloat16), y, sums)
        if BLOCK_K == 256:
            sums = tl.dot(tl.sin(x.to(tl.float32)).to(tl.bfloat16), y, sums)
    tl.store(tl.make_block_ptr(c, (M, N), (N, 1), (0, 0), (M, N), (1, 0)), tl.cos(sums).to(c.dtype.element_ty))


@pytest.mark.parametrize("overlaps", [False, True])
@pytest.mark.parametrize("block_k", [64, 256])
def test_calls_keep_tiles(block_k, overlaps, rng):
    m, n, k = 32, 16, 256
    memory = normal(rng, 32768)
    a, b = memory[: m * k].view(m, k), memory[m * k : m * k + k * n].view(k, n)
    c = memory[m * k - 64 :][: m * n].view(m, n) if overlaps else torch.empty(m, n, dtype=torch.bfloat16)
    exp, sin = a.float().exp().bfloat16(), a.float().sin().bfloat16()
    sums = by_steps(exp, b, block_k)
    expected = (by_steps(sin, b, block_k, sums) if block_k == 256 else sums).cos()
    with_calls[(1,)](a, b, c, k, m, n, block_k)
    torch.testing.assert_close(c.float(), expected, rtol=0, atol=5e-3 + 2.0**-8)


def test_code_that_is_not_optimised(rng, monkeypatch):
    monkeypatch.setenv("DISABLE_LLVM_OPT", "1")
    a, b = normal(rng, 70, 144), normal(rng, 144, 24)
    assert torch.equal(launch(a, b, unwritten(70, 24), (2, 8, 128)), by_steps(a, b, 128))


def test_denormal_numbers(rng, monkeypatch):
    tiny = torch.tensor(2.0**-130).bfloat16()
    a, b = torch.full((16, 32), tiny.item()).bfloat16(), normal(rng, 32, 16)
    exact = (a.double() @ b.double()).float()
    assert launch(a, b, unwritten(16, 16), (16, 16, 32)).count_nonzero() == 0
    found = launch(a, b, unwritten(16, 16), (16, 16, 32), allow_flush_denorm=False)
    assert exact.count_nonzero() and torch.allclose(found, exact, rtol=0, atol=2.0**-144)
    monkeypatch.setenv("SPINE_TRITON_ALLOW_FLUSH_DENORM", "0")
    assert torch.equal(launch(a, b, unwritten(16, 16), (16, 16, 32)), found)


def test_without_tiles_products_are_those_of_fp32(rng):
    a, b = normal(rng, 70, 144), normal(rng, 144, 48)
    found = launch(a, b, unwritten(70, 48), (32, 16, 64), allow_flush_denorm=False)
    assert torch.equal(found, launch(a.float(), b.float(), unwritten(70, 48), (32, 16, 64)))
    assert not torch.equal(found, by_steps(a, b, 64))


def test_overlapping_arguments(rng):
    """The variant of the kernel for them multiplies alike."""
    memory = normal(rng, 4096)
    a, b, c = memory[:1440].view(20, 72), memory[1440:2592].view(72, 16), memory[2592:2912].view(20, 16)
    expected = by_steps(a.clone(), b.clone(), 32).bfloat16()
    assert torch.equal(launch(a, b, c, (16, 16, 32)), expected)
    c = memory[:320].view(20, 16)
    expected = by_steps(a[:16].clone(), b.clone(), 128).bfloat16()
    assert torch.equal(launch(a[:16], b, c[:16], (16, 16, 128)), expected)


REFUSED = """
import ctypes

class Stack(ctypes.Structure):
    _fields_ = [("address", ctypes.c_void_p), ("flags", ctypes.c_int), ("size", ctypes.c_size_t)]

memory = ctypes.create_string_buffer(8192)  # Too small for the registers of tiles.
libc = ctypes.CDLL(None, use_errno=True)
assert libc.sigaltstack(ctypes.byref(Stack(ctypes.addressof(memory), 0, 8192)), None) == 0
from spine_triton import targets
print(targets.find("host").tiles_bf16)
"""


def test_a_process_that_must_not_use_tiles():
    done = subprocess.run([sys.executable, "-c", REFUSED], capture_output=True, text=True)
    assert (done.stdout, done.returncode) == ("0\n", 0), done.stderr
