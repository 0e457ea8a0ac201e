# ===- test_kept_operands.py - Packed operands that outlive a program -------===#
#
# Part of spine-triton, under the MIT licence.
#
# ===-----------------------------------------------------------------------===#
"""Products whose packed operands serve several programs of a launch, and those for which that would be wrong."""

import os

import numpy as np
import pytest
import torch
import triton
import triton.language as tl
from hypothesis import given, settings
from hypothesis import strategies as st

from spine_triton import _spine, targets


@pytest.fixture(params=[1, 3])
def threads(request):
    before = _spine.num_threads()
    _spine.set_num_threads(request.param)
    yield request.param
    _spine.set_num_threads(before)


def keeps(compiled):
    """Whether the kernel has memory that its programs share."""
    return "__kept_at" in compiled.asm["llir"]


def assert_keeps(compiled):
    target = targets.find(os.environ.get("SPINE_TRITON_TARGET", "host"))
    assert keeps(compiled) == (target.kept_bytes > 0)


def integers(rng, shape, dtype=torch.float32, transposed=False):
    """Small integers: sums of their products are exact."""
    values = torch.from_numpy(rng.integers(-4, 5, shape[::-1] if transposed else shape)).to(dtype)
    return values.T if transposed else values


@triton.jit
def gemm(
    a_ptr, b_ptr, c_ptr, M, N, K, am, ak, bk, bn, cm, cn,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr,
):  # fmt: skip
    m, n = tl.program_id(0), tl.program_id(1)
    if GROUP:
        m, n = tl.swizzle2d(m, n, tl.num_programs(0), tl.num_programs(1), GROUP)
    a = tl.make_block_ptr(a_ptr, (M, K), (am, ak), (m * BM, 0), (BM, BK), (1, 0))
    b = tl.make_block_ptr(b_ptr, (K, N), (bk, bn), (0, n * BN), (BK, BN), (1, 0))
    acc = tl.zeros((BM, BN), tl.float32)
    for _ in range(0, tl.cdiv(K, BK)):
        x = tl.load(a, boundary_check=(0, 1), padding_option="zero")
        y = tl.load(b, boundary_check=(0, 1), padding_option="zero")
        acc = tl.dot(x, y, acc)
        a = tl.advance(a, (0, BK))
        b = tl.advance(b, (BK, 0))
    c = tl.make_block_ptr(c_ptr, (M, N), (cm, cn), (m * BM, n * BN), (BM, BN), (1, 0))
    tl.store(c, acc, boundary_check=(0, 1))


# What is packed for tiles is not kept.
WITHOUT_TILES = {"allow_flush_denorm": False}


def launch(a, b, c, blocks=(64, 128, 32), group=0, **options):
    (m, k), n = a.shape, b.shape[1]
    grid = (triton.cdiv(m, blocks[0]), triton.cdiv(n, blocks[1]))
    return gemm[grid](a, b, c, m, n, k, *a.stride(), *b.stride(), *c.stride(), *blocks, group, **options)


@pytest.mark.parametrize("form", ["NN", "TN", "NT", "TT"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
@pytest.mark.parametrize("sizes", [(512, 512, 512), (333, 517, 299), (70, 1100, 3), (700, 130, 64)])
def test_programs_share(threads, form, dtype, sizes):
    rng = np.random.default_rng(1)
    m, n, k = sizes
    a, b = integers(rng, (m, k), dtype, form[0] == "T"), integers(rng, (k, n), dtype, form[1] == "T")
    c = torch.full((m, n), torch.nan)
    for group in (0, 3):
        compiled = launch(a, b, c, group=group, **WITHOUT_TILES)
        assert_keeps(compiled)
        assert torch.equal(c, a.float() @ b.float())


def test_nothing_is_kept_for_the_next_launch(threads):
    """The same addresses, other elements."""
    rng = np.random.default_rng(2)
    a, b, c = (torch.empty(256, 256) for _ in range(3))
    for _ in range(5):
        a.copy_(integers(rng, (256, 256)))
        b.copy_(integers(rng, (256, 256)))
        launch(a, b, c)
        assert torch.equal(c, a @ b)
        b.neg_()
        launch(a, b, c)
        assert torch.equal(c, a @ b)


@settings(max_examples=25, deadline=None)
@given(
    st.tuples(st.integers(1, 400), st.integers(1, 600), st.integers(1, 700)),
    st.sampled_from([(32, 128, 16), (64, 64, 64), (128, 256, 32), (16, 128, 128)]),
    st.sampled_from([0, 2, 8]),
    st.booleans(),
    st.booleans(),
)
def test_any_size(sizes, blocks, group, at, bt):
    rng = np.random.default_rng(sum(sizes))
    m, n, k = sizes
    a, b, c = integers(rng, (m, k), transposed=at), integers(rng, (k, n), transposed=bt), torch.empty(m, n)
    launch(a, b, c, blocks, group)
    assert torch.equal(c, a @ b)


@triton.jit
def ragged(a_ptr, b_ptr, c_ptr, lengths_ptr, widths_ptr, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """Each block of rows has its own length of the reduction, each block of columns its own width."""
    m, n = tl.program_id(0), tl.program_id(1)
    length, width = tl.load(lengths_ptr + m), tl.load(widths_ptr + n)
    a = tl.make_block_ptr(a_ptr, (BM, length), (K, 1), (0, 0), (BM, BK), (1, 0))
    b = tl.make_block_ptr(b_ptr, (length, width), (N, 1), (0, 0), (BK, BN), (1, 0))
    acc = tl.zeros((BM, BN), tl.float32)
    for _ in range(0, tl.cdiv(K, BK)):
        x = tl.load(a, boundary_check=(0, 1), padding_option="zero")
        y = tl.load(b, boundary_check=(0, 1), padding_option="zero")
        acc = tl.dot(x, y, acc)
        a = tl.advance(a, (0, BK))
        b = tl.advance(b, (BK, 0))
    c = tl.make_block_ptr(c_ptr + (m * tl.num_programs(1) + n) * BM * BN, (BM, BN), (BN, 1), (0, 0), (BM, BN), (1, 0))
    tl.store(c, acc)


def test_what_is_valid_is_part_of_the_key(threads):
    """All programs read tiles that begin at the same addresses."""
    rng = np.random.default_rng(3)
    m, n, k = 64, 128, 256
    lengths, widths = torch.tensor([256, 100, 256, 1, 0, 100, 37]), torch.tensor([128, 7, 128, 0])
    a, b = integers(rng, (m, k)), integers(rng, (k, n))
    c = torch.full((len(lengths), len(widths), m, n), torch.nan)
    assert_keeps(ragged[c.shape[:2]](a, b, c, lengths, widths, n, k, m, n, 32))
    for i, length in enumerate(lengths):
        for j, width in enumerate(widths):
            expected = torch.zeros(m, n)
            expected[:, :width] = a[:, :length] @ b[:length, :width]
            assert torch.equal(c[i, j], expected)


@triton.jit
def gathered(a_ptr, b_ptr, c_ptr, blocks_ptr, COUNT, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """Sums over blocks of the reduction that a table lists for each program."""
    m, n = tl.program_id(0), tl.program_id(1)
    acc = tl.zeros((BM, BN), tl.float32)
    for i in range(0, COUNT):
        k = tl.load(blocks_ptr + (m * tl.num_programs(1) + n) * COUNT + i) * BK
        a = tl.make_block_ptr(a_ptr, (BM, K), (K, 1), (0, k), (BM, BK), (1, 0))
        b = tl.make_block_ptr(b_ptr, (K, BN), (BN, 1), (k, 0), (BK, BN), (1, 0))
        acc = tl.dot(tl.load(a), tl.load(b), acc)
    c = tl.make_block_ptr(c_ptr + (m * tl.num_programs(1) + n) * BM * BN, (BM, BN), (BN, 1), (0, 0), (BM, BN), (1, 0))
    tl.store(c, acc)


def test_every_iteration_is_part_of_the_key(threads):
    """Groups of iterations of different programs begin alike and differ later."""
    rng = np.random.default_rng(4)
    m, n, k, depth, count = 64, 128, 512, 32, 11
    a, b = integers(rng, (m, k)), integers(rng, (k, n))
    blocks = torch.from_numpy(rng.integers(0, k // depth, (3, 4, count)).astype(np.int32))
    blocks[..., :7] = blocks[0, 0, :7]
    c = torch.full((3, 4, m, n), torch.nan)
    gathered[(3, 4)](a, b, c, blocks, count, n, k, m, n, depth)
    for i in range(3):
        for j in range(4):
            rows = torch.cat([torch.arange(x * depth, (x + 1) * depth) for x in blocks[i, j]])
            assert torch.equal(c[i, j], a[:, rows] @ b[rows])


@triton.jit
def squarings(a_ptr, TIMES, T: tl.constexpr, BK: tl.constexpr):
    """Takes a matrix to the power 2^TIMES, in place."""
    for _ in range(0, TIMES):
        a = tl.make_block_ptr(a_ptr, (T, T), (T, 1), (0, 0), (T, BK), (1, 0))
        b = tl.make_block_ptr(a_ptr, (T, T), (T, 1), (0, 0), (BK, T), (1, 0))
        acc = tl.zeros((T, T), tl.float32)
        for _ in range(0, T // BK):
            acc = tl.dot(tl.load(a), tl.load(b), acc)
            a = tl.advance(a, (0, BK))
            b = tl.advance(b, (BK, 0))
        tl.store(tl.make_block_ptr(a_ptr, (T, T), (T, 1), (0, 0), (T, T), (1, 0)), acc)


def test_operands_that_the_kernel_writes():
    """A permutation: every power of it is exact."""
    rng = np.random.default_rng(5)
    a = torch.eye(128)[torch.from_numpy(rng.permutation(128))]
    expected = torch.linalg.matrix_power(a, 2**5)
    assert not keeps(squarings[(1,)](a, 5, 128, 32))
    assert torch.equal(a, expected)


def test_operands_that_overlap_with_the_result(threads):
    """One program after the other would see what others stored; all results are products with zeros."""
    a, c = torch.zeros(256, 256), torch.zeros(512, 256)
    c[:256] = 1
    launch(a, c[:256], c[128:384].fill_(1))
    assert torch.equal(c[128:384], torch.zeros(256, 256))


@triton.jit
def two_products(a_ptr, b_ptr, d_ptr, c_ptr, N, K, T: tl.constexpr, BK: tl.constexpr, CHECK: tl.constexpr):
    """A B, and A D with the columns of D behind each other."""
    m, n = tl.program_id(0), tl.program_id(1)
    if CHECK:
        tl.device_assert(m * tl.num_programs(1) + n != 5, "the fifth program")
    a = tl.make_block_ptr(a_ptr, (K, K), (K, 1), (m * T, 0), (T, BK), (1, 0))
    b = tl.make_block_ptr(b_ptr, (K, N), (N, 1), (0, n * T), (BK, T), (1, 0))
    acc = tl.zeros((T, T), tl.float32)
    for _ in range(0, K // BK):
        acc = tl.dot(tl.load(a), tl.load(b), acc)
        a = tl.advance(a, (0, BK))
        b = tl.advance(b, (BK, 0))
    e = tl.make_block_ptr(a_ptr, (K, K), (K, 1), (m * T, 0), (T, BK), (1, 0))
    d = tl.make_block_ptr(d_ptr, (K, N), (1, K), (0, n * T), (BK, T), (0, 1))
    for _ in range(0, K // BK):
        acc = tl.dot(tl.load(e), tl.load(d), acc)
        e = tl.advance(e, (0, BK))
        d = tl.advance(d, (BK, 0))
    tl.store(tl.make_block_ptr(c_ptr, (K, N), (N, 1), (m * T, n * T), (T, T), (1, 0)), acc)


def test_two_products_and_a_failed_launch(threads, monkeypatch):
    rng = np.random.default_rng(6)
    a, b, c = integers(rng, (512, 512)), integers(rng, (512, 256)), torch.empty(512, 256)
    d = integers(rng, (512, 256), transposed=True)
    for _ in range(2):
        with pytest.raises(AssertionError, match="the fifth program"):
            two_products[(4, 2)](a, b, d, c, 256, 512, 128, 32, True, debug=True)
        b.neg_()
        assert_keeps(two_products[(4, 2)](a, b, d, c, 256, 512, 128, 32, False))
        assert torch.equal(c, a @ b + a @ d)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_padding_and_nan(threads, dtype):
    """NaN in one block of rows stays there; what is behind the edges of A and B is never read as a number."""
    a, b = torch.full((300, 200), torch.nan, dtype=dtype), torch.full((300, 400), torch.nan, dtype=dtype)
    a[:, :150], b[:150] = 1, 2
    a[64:128, 7] = torch.nan
    c = torch.empty(300, 260)
    launch(a[:, :150], b[:150, :260], c)
    expected = torch.full((300, 260), 300.0)
    expected[64:128] = torch.nan
    assert torch.equal(c.nan_to_num(-1), expected.nan_to_num(-1))


@triton.jit
def sums_of_products(
    a_ptr, b_ptr, d_ptr, c_ptr, Z, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr
):  # fmt: skip
    """Several products per result, of matrices that come again in another order."""
    m, n = tl.program_id(0) * BM, tl.program_id(1) * BN
    for z in range(0, Z):
        acc = tl.zeros((BM, BN), tl.float32)
        for r in range(0, 2):
            a = tl.make_block_ptr(a_ptr + (z * 2 + r) % 3 * M * K, (M, K), (K, 1), (m, 0), (BM, BK), (1, 0))
            b = tl.make_block_ptr(b_ptr + (z + r) % 2 * K * N, (K, N), (N, 1), (0, n), (BK, BN), (1, 0))
            for _ in range(0, K, BK):
                acc = tl.dot(tl.load(a, boundary_check=(0, 1)), tl.load(b, boundary_check=(0, 1)), acc)
                a = tl.advance(a, (0, BK))
                b = tl.advance(b, (BK, 0))
        e = tl.make_block_ptr(a_ptr, (M, K), (K, 1), (m, 0), (BM, BK), (1, 0))
        d = tl.make_block_ptr(d_ptr + z * K * N, (K, N), (N, 1), (0, n), (BK, BN), (1, 0))
        for _ in range(0, K, BK):
            acc = tl.dot(tl.load(e, boundary_check=(0, 1)), tl.load(d, boundary_check=(0, 1)), acc)
            e = tl.advance(e, (0, BK))
            d = tl.advance(d, (BK, 0))
        c = tl.make_block_ptr(c_ptr + z * M * N, (M, N), (N, 1), (m, n), (BM, BN), (1, 0))
        tl.store(c, acc, boundary_check=(0, 1))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
def test_product_loops_in_loops(threads, dtype):
    rng = np.random.default_rng(7)
    m, n, k = 200, 300, 170
    a, b, d = (integers(rng, (count, *shape), dtype) for count, shape in ((3, (m, k)), (2, (k, n)), (3, (k, n))))
    c = torch.full((3, m, n), torch.nan)
    assert_keeps(sums_of_products[(4, 3)](a, b, d, c, 3, m, n, k, 64, 128, 32, **WITHOUT_TILES))
    a, b, d = a.float(), b.float(), d.float()
    for z in range(3):
        expected = a[z * 2 % 3] @ b[z % 2] + a[(z * 2 + 1) % 3] @ b[(z + 1) % 2] + a[0] @ d[z]
        assert torch.equal(c[z], expected)


@triton.jit
def counts_itself(a_ptr, b_ptr, row_ptr, c_ptr, K, T: tl.constexpr, BK: tl.constexpr):
    """Multiplies, then adds one to `row_ptr`, which may be a row of B."""
    a = tl.make_block_ptr(a_ptr, (T, K), (K, 1), (0, 0), (T, BK), (1, 0))
    b = tl.make_block_ptr(b_ptr, (K, T), (T, 1), (0, 0), (BK, T), (1, 0))
    acc = tl.zeros((T, T), tl.float32)
    for _ in range(0, K // BK):
        acc = tl.dot(tl.load(a), tl.load(b), acc)
        a = tl.advance(a, (0, BK))
        b = tl.advance(b, (BK, 0))
    tl.store(c_ptr + tl.program_id(0) * T * T + tl.arange(0, T)[:, None] * T + tl.arange(0, T)[None, :], acc)
    tl.atomic_add(row_ptr + tl.arange(0, T), 1.0, sem="relaxed")


@pytest.mark.parametrize("same_object", [True, False])
def test_operands_that_atomics_change(same_object):
    """One worker runs the programs in their order, so that each sees one more; two arrays may share memory unseen."""
    before = _spine.num_threads()
    _spine.set_num_threads(1)
    rng = np.random.default_rng(8)
    a, values = (integers(rng, (128, 128)).numpy() for _ in range(2))
    memory = bytearray(values.tobytes())
    b = np.frombuffer(memory, np.float32)
    row = b[128:] if same_object else np.frombuffer(memory, np.float32, offset=4 * 128)
    c = np.full((4, 128, 128), np.nan, np.float32)
    counts_itself[(4,)](a, b, row, c, 128, 128, 32)
    _spine.set_num_threads(before)
    for result in c:
        assert np.array_equal(result, a @ values)
        values[1] += 1
