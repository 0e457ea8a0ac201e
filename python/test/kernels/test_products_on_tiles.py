# ===- test_products_on_tiles.py - 16-bit products by tile instructions ------===#
#
# Part of spine-triton, under the MIT licence.
#
# ===-----------------------------------------------------------------------===#
"""tl.dot of bf16 and fp16 on processors with AMX, bit by bit."""

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


def multiply_step(sums, lefts, rights):
    """What an instruction is said to compute: a sum of the products of one pair of operands, one of those of the other,
    with one rounding per multiply-add, and then their sum added to the rest."""
    halves = np.zeros((2, *sums.shape), np.float32)
    for i, (left, right) in enumerate(zip(lefts, rights, strict=True)):
        for k in range(left.shape[1]):
            halves[i] = (halves[i] + left[:, k, None].astype(np.longdouble) * right[None, k]).astype(np.float32)
    return sums + (halves[0] + halves[1])


def parts(x, is_right):
    """fp16 as the sum of two bf16 numbers; of a right operand, halves of those that need only one."""
    number = x.float()
    high = (number.view(torch.int32) & -0x10000).view(torch.float32)
    if is_right:
        high = torch.where(high == number, number / 2, high)
    low = number - high
    for part in (high, low):
        torch.testing.assert_close(part.bfloat16().float(), part, rtol=0, atol=0, equal_nan=True)
    return high.numpy(), low.numpy()


def by_steps(a, b, block_k, start=None):
    """bf16: the even elements of each step of 32 are one half, the odd ones the other. fp16: the high and the low parts of
    a row of A in each step of 16, with the high parts of B, and then with the low ones."""
    sums = np.zeros((a.shape[0], b.shape[1]), np.float32) if start is None else start.numpy().copy()
    step = 16 if a.dtype == torch.float16 else 32
    for block in range(0, a.shape[1], block_k):
        end = min(block + block_k, a.shape[1])
        for k in range(block, end, step):
            x, y = a[:, k : min(k + step, end)], b[k : min(k + step, end)]
            if a.dtype == torch.float16:
                for part in parts(y, True):
                    sums = multiply_step(sums, parts(x, False), (part, part))
            else:
                x, y = x.float().numpy(), y.float().numpy()
                sums = multiply_step(sums, (x[:, ::2], x[:, 1::2]), (y[::2], y[1::2]))
    return torch.from_numpy(sums)


class Random(np.random.Generator):
    """Makes operands of one type."""

    def __init__(self, seed, dtype):
        super().__init__(np.random.PCG64(seed))
        self.dtype = dtype


@pytest.fixture(params=[torch.bfloat16, torch.float16], ids=["bf16", "fp16"])
def rng(request):
    return Random(len(request.node.name), request.param)


def normal(rng, *shape):
    return torch.from_numpy(rng.standard_normal(shape).astype(np.float32)).to(rng.dtype)


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
    whole_a, whole_b = (torch.full(shape, torch.nan).to(rng.dtype) for shape in ((m + 9, k + 40), (k + 9, n + 16)))
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
    z = tl.dot((x * 2).to(x.dtype), y, acc=z)
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
        sums = tl.dot(tl.exp(x.to(tl.float32)).to(x.dtype), y, sums)
        if BLOCK_K == 256:
            sums = tl.dot(tl.sin(x.to(tl.float32)).to(x.dtype), y, sums)
    tl.store(tl.make_block_ptr(c, (M, N), (N, 1), (0, 0), (M, N), (1, 0)), tl.cos(sums).to(c.dtype.element_ty))


@pytest.mark.parametrize("overlaps", [False, True])
@pytest.mark.parametrize("block_k", [64, 256])
def test_calls_keep_tiles(block_k, overlaps, rng):
    m, n, k = 32, 16, 256
    memory = normal(rng, 32768)
    a, b = memory[: m * k].view(m, k), memory[m * k : m * k + k * n].view(k, n)
    c = memory[m * k - 64 :][: m * n].view(m, n) if overlaps else torch.empty(m, n, dtype=rng.dtype)
    exp, sin = a.float().exp().to(rng.dtype), a.float().sin().to(rng.dtype)
    sums = by_steps(exp, b, block_k)
    expected = (by_steps(sin, b, block_k, sums) if block_k == 256 else sums).cos()
    with_calls[(1,)](a, b, c, k, m, n, block_k)
    torch.testing.assert_close(c.float(), expected, rtol=0, atol=5e-3 + 2.0**-8)


def test_code_that_is_not_optimised(rng, monkeypatch):
    monkeypatch.setenv("DISABLE_LLVM_OPT", "1")
    a, b = normal(rng, 70, 144), normal(rng, 144, 24)
    assert torch.equal(launch(a, b, unwritten(70, 24), (2, 8, 128)), by_steps(a, b, 128))


@pytest.mark.parametrize("rng", [torch.bfloat16], indirect=True)
def test_denormal_numbers(rng, monkeypatch):
    tiny = torch.tensor(2.0**-130).bfloat16()
    a, b = torch.full((16, 32), tiny.item()).bfloat16(), normal(rng, 32, 16)
    exact = (a.double() @ b.double()).float()
    assert launch(a, b, unwritten(16, 16), (16, 16, 32)).count_nonzero() == 0
    found = launch(a, b, unwritten(16, 16), (16, 16, 32), allow_flush_denorm=False)
    assert exact.count_nonzero() and torch.allclose(found, exact, rtol=0, atol=2.0**-144)
    monkeypatch.setenv("SPINE_TRITON_ALLOW_FLUSH_DENORM", "0")
    assert torch.equal(launch(a, b, unwritten(16, 16), (16, 16, 32)), found)


@pytest.mark.parametrize("rng", [torch.float16], indirect=True)
def test_denormal_numbers_of_fp16(rng):
    """They are none in fp32: every product counts. A sum that is one in fp32 does not."""
    a = torch.arange(1, 513).to(torch.int16).view(torch.float16).view(16, 32)
    b = (torch.randint(1, 2048, (32, 16)) * 2.0**-24).half()
    exact = a.double() @ b.double()
    found = launch(a, b, unwritten(16, 16), (16, 16, 32))
    assert torch.equal(found, by_steps(a, b, 32)) and torch.allclose(found.double(), exact, rtol=1e-6, atol=0)
    assert torch.equal(
        launch(a, b * 0 + 2.0**-24, unwritten(16, 16), (16, 16, 32)),
        a.sum(1, True, dtype=torch.float32) * 2.0**-24 + torch.zeros(16),
    )
    start = torch.full((16, 16), 2.0**-130)
    assert launch(a * 0, b, start.clone(), (16, 16, 32), adds=True).count_nonzero() == 0
    assert torch.equal(launch(a * 0, b, start.clone(), (16, 16, 32), adds=True, allow_flush_denorm=False), start)


SPECIAL = [
    0.0, -0.0, 1.0, -1.0, 1.0 + 2.0**-10, -1.5, 2.0**-24, -(2.0**-24), 3 * 2.0**-24, 1023 * 2.0**-24, 2.0**-14, 2047.0, 65504.0,
    -65504.0, 65472.0, 256.0, 257.0, 0.1, torch.inf, -torch.inf, torch.nan,
]  # fmt: skip


@pytest.mark.parametrize("rng", [torch.float16], indirect=True)
@pytest.mark.parametrize("where", ["in memory", "computed", "transposed"])
def test_every_product_of_two_special_numbers_is_exact(where, rng):
    """Sums of one product are the product as fp32 has it, but for the sign of zero."""
    special = torch.tensor(SPECIAL).half()
    a, b = torch.zeros(len(special), 32).half(), torch.zeros(32, len(special)).half()
    a[:, 7], b[7] = special, special
    if where == "transposed":
        a, b = a.T.contiguous().T, b.T.contiguous().T
    c = unwritten(len(special), len(special))
    if where == "computed":
        halves = torch.stack((a, torch.zeros_like(a))), b
        summed[(1,)](*halves, c, *c.shape, 32)
    else:
        launch(a, b, c, (32, 32, 32))
    expected = special.float()[:, None] * special.float()[None]
    torch.testing.assert_close(c, expected, rtol=0, atol=0, equal_nan=True)


@triton.jit
def summed(a, b, c, M, N, K: tl.constexpr):
    """The left operand is computed: the sum of two matrices."""
    x = tl.make_block_ptr(a, (M, K), (K, 1), (0, 0), (32, K), (1, 0))
    z = tl.make_block_ptr(a + M * K, (M, K), (K, 1), (0, 0), (32, K), (1, 0))
    y = tl.make_block_ptr(b, (K, N), (N, 1), (0, 0), (K, 32), (1, 0))
    left = tl.load(x, boundary_check=(0, 1)) + tl.load(z, boundary_check=(0, 1))
    product = tl.dot(left, tl.load(y, boundary_check=(0, 1)))
    tl.store(tl.make_block_ptr(c, (M, N), (N, 1), (0, 0), (32, 32), (1, 0)), product, boundary_check=(0, 1))


@pytest.mark.parametrize("rng", [torch.float16], indirect=True)
def test_sums_of_integers_are_exact(rng):
    """Up to 2**23: the parts are halves at the least."""
    a, b = (torch.from_numpy(rng.integers(-2048, 2049, shape)).half() for shape in ((40, 144), (144, 40)))
    a[:, 2:] %= 40
    exact = a.double() @ b.double()
    assert 2.0**22 < exact.abs().max() < 2.0**23
    assert torch.equal(launch(a, b, unwritten(40, 40), (32, 32, 64)).double(), exact)


@pytest.mark.parametrize("rng", [torch.float16], indirect=True)
def test_random_bits_of_fp16(rng):
    """Any numbers: infinities and NaN where exact arithmetic has them, the steps' bits elsewhere."""
    for m, n, k in ((16, 16, 16), (37, 21, 50), (64, 40, 144)):
        a, b = (
            torch.from_numpy(rng.integers(-(2**15), 2**15, s).astype(np.int16)).view(torch.float16)
            for s in ((m, k), (k, n))
        )
        # Most rows and columns are finite.
        a[: m // 2], b[:, : n // 2] = a[: m // 2].nan_to_num(), b[:, : n // 2].nan_to_num()
        found = launch(a, b, unwritten(m, n), (16, 16, 64))
        exact = a.double() @ b.double()
        finite = exact.isfinite()
        assert torch.equal(found[finite], by_steps(a, b, 64)[finite])
        torch.testing.assert_close(found[~finite], exact[~finite].float(), rtol=0, atol=0, equal_nan=True)


@pytest.mark.parametrize("rng", [torch.float16], indirect=True)
def test_every_fp16_number(rng):
    """Each as an element of either operand, times a number with as many bits."""
    numbers = torch.arange(-(2**15), 2**15).to(torch.int16).view(torch.float16).view(4096, 16)
    factor = 1.0 + 2.0**-10
    expected = numbers.float() * factor
    found = launch(numbers, torch.eye(16).half() * factor, unwritten(4096, 16), (512, 16, 16))
    is_finite = numbers.isfinite().all(1)
    assert torch.equal(found[is_finite], expected[is_finite])
    found = launch(torch.eye(16).half() * factor, numbers.T, unwritten(16, 4096), (16, 512, 16))
    assert torch.equal(found.T[is_finite], expected[is_finite])


def test_without_tiles_products_are_those_of_fp32(rng):
    a, b = normal(rng, 70, 144), normal(rng, 144, 48)
    found = launch(a, b, unwritten(70, 48), (32, 16, 64), allow_flush_denorm=False)
    assert torch.equal(found, launch(a.float(), b.float(), unwritten(70, 48), (32, 16, 64)))
    assert not torch.equal(found, by_steps(a, b, 64))


def test_overlapping_arguments(rng):
    """The variant of the kernel for them multiplies alike."""
    memory = normal(rng, 4096)
    a, b, c = memory[:1440].view(20, 72), memory[1440:2592].view(72, 16), memory[2592:2912].view(20, 16)
    expected = by_steps(a.clone(), b.clone(), 32).to(rng.dtype)
    assert torch.equal(launch(a, b, c, (16, 16, 32)), expected)
    c = memory[:320].view(20, 16)
    expected = by_steps(a[:16].clone(), b.clone(), 128).to(rng.dtype)
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
