# ===- test_auto_tile_memory.py - Split kernels that rewrite memory --------===#
#
# Part of spine-triton, under the MIT licence.
#
# ===-----------------------------------------------------------------------===#
"""Tiles that are stored where others are loaded: split ones give what whole ones give, or are refused with a reason."""

import contextlib
import io
import pickle

import numpy as np
import pytest
import triton
import triton.language as tl
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import spine_triton
from spine_triton import errors

SPLIT = {"auto_tile": True, "scratchpad_bytes": 1024}
WHOLE = {"auto_tile": False, "scratchpad_bytes": 1 << 40}
REFUSED = (errors.LaunchOverlap, spine_triton.ScratchpadExceeded)
RANDOM = settings(deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))


def agree(kernel, arrays, *args, **constants) -> bool:
    """Whether the kernel was split; then its results, and all other memory, are those of whole tiles. A launch that is
    refused changes nothing."""
    whole, parts = ([a.copy() for a in arrays] for _ in range(2))
    kernel[(1,)](*(a[a.size // 2 :] for a in whole), *args, **constants, **WHOLE)
    try:
        with contextlib.redirect_stderr(io.StringIO()):
            compiled = kernel[(1,)](*(a[a.size // 2 :] for a in parts), *args, **constants, **SPLIT)
    except REFUSED:
        assert all(np.array_equal(a, b) for a, b in zip(arrays, parts, strict=True))
        return False
    assert compiled.metadata.split
    for a, b in zip(whole, parts, strict=True):
        assert np.array_equal(a, b)
    return True


# --- Strides and offsets ---------------------------------------------------------------------------------------------

NUMBERS = ["sm", "sn", "tm", "tn", "source", "target", "M", "N"]


@triton.jit(do_not_specialize=NUMBERS)
def rewrite(
    x_ptr, sm, sn, tm, tn, source, target, M, N, BM: tl.constexpr, BN: tl.constexpr, BLOCK: tl.constexpr
):  # fmt: skip
    if BLOCK:
        p = tl.make_block_ptr(x_ptr + source, (M, N), (sm, sn), (0, 0), (BM, BN), (1, 0))
        q = tl.make_block_ptr(x_ptr + target, (M, N), (tm, tn), (0, 0), (BM, BN), (1, 0))
        t = tl.load(p, boundary_check=(0, 1), padding_option="zero")
        tl.store(q, t * 2 + 1, boundary_check=(0, 1))
    else:
        m, n = tl.arange(0, BM), tl.arange(0, BN)
        inside = (m < M)[:, None] & (n < N)[None, :]
        t = tl.load(x_ptr + source + m[:, None] * sm + n[None, :] * sn, mask=inside, other=0.0)
        tl.store(x_ptr + target + m[:, None] * tm + n[None, :] * tn, t * 2 + 1, mask=inside)


def numbers(count=8192):
    return np.random.default_rng(0).standard_normal(count).astype(np.float32)


STRIDES = st.one_of(
    st.sampled_from([(64, 1), (1, 32), (0, 1), (1, 0), (0, 0), (32, 1), (15, 1), (2, 64)]),
    st.tuples(st.integers(-40, 40), st.integers(-4, 4)),
)
OFFSETS = st.one_of(st.just((0, 0)), st.tuples(st.integers(-20, 20), st.integers(-600, 600)))


@settings(RANDOM, max_examples=150)
@given(
    blocks=st.sampled_from([(32, 16), (8, 64)]),
    strides=STRIDES,
    others=st.one_of(st.none(), STRIDES),
    offsets=OFFSETS,
    sizes=st.tuples(st.integers(0, 33), st.integers(0, 66)),
    block_pointers=st.booleans(),
)
def test_any_strides(blocks, strides, others, offsets, sizes, block_pointers):
    agree(
        rewrite, [numbers()], *strides, *(others or strides), *offsets, *sizes,
        BM=blocks[0], BN=blocks[1], BLOCK=block_pointers,
    )  # fmt: skip


@pytest.mark.parametrize("block_pointers", [False, True])
@pytest.mark.parametrize(
    "strides,offsets,sizes,is_split",
    [
        ((16, 1), (0, 0), (32, 16), True),  # rows, dense
        ((1, 32), (0, 0), (32, 16), True),  # columns
        ((-16, 1), (0, 0), (32, 16), True),
        ((10, 1), (0, 0), (32, 10), True),  # masked to their distance
        ((32, 1), (0, 16), (32, 16), True),  # the other half of each row
        ((2, 64), (1, 0), (32, 16), True),  # odd and even elements
        ((16, 1), (0, 512), (32, 16), True),  # elsewhere
        ((10, 1), (0, 0), (32, 11), False),
        ((15, 1), (0, 0), (32, 16), False),
        ((0, 1), (0, 0), (32, 16), False),
        ((16, 1), (0, 16), (32, 16), False),  # the next row
    ],
    ids=str,
)
def test_strides(strides, offsets, sizes, is_split, block_pointers):
    found = agree(rewrite, [numbers()], *strides, *strides, *offsets, *sizes, BM=32, BN=16, BLOCK=block_pointers)
    assert found == is_split


def test_message_of_a_launch():
    with pytest.raises(errors.LaunchOverlap, match=r"with .*tm = 15.* have one address in 'x_ptr'; .*py:\d+") as info:
        rewrite[(1,)](numbers(), 15, 1, 15, 1, 0, 0, 32, 16, BM=32, BN=16, BLOCK=False, **SPLIT)
    assert isinstance(info.value, ValueError) and "auto_tile=False" in str(info.value)
    assert str(pickle.loads(pickle.dumps(info.value))) == str(info.value)


# --- Addresses that are no sums --------------------------------------------------------------------------------------


@triton.jit
def at_remainder(x_ptr, y_ptr, D, B: tl.constexpr):
    p = x_ptr + tl.arange(0, B) % D
    tl.store(p, tl.load(p) * 2)


@triton.jit
def at_quotient(x_ptr, y_ptr, D, B: tl.constexpr):
    p = x_ptr + tl.arange(0, B) // D
    tl.store(p, tl.load(p) * 2)


@triton.jit
def at_most(x_ptr, y_ptr, D, B: tl.constexpr):
    p = x_ptr + tl.minimum(tl.arange(0, B), D)
    tl.store(p, tl.load(p) * 2)


@triton.jit
def at_loaded(x_ptr, y_ptr, D, B: tl.constexpr):
    p = x_ptr + tl.load(y_ptr + tl.arange(0, B)).to(tl.int32) % D
    tl.store(p, tl.load(p) * 2)


@triton.jit
def at_either(x_ptr, y_ptr, D, B: tl.constexpr):
    n = tl.arange(0, B)
    p = x_ptr + tl.where(n < D, n, 0)
    tl.store(p, tl.load(p) * 2)


@triton.jit
def reversed_in_place(x_ptr, y_ptr, D, B: tl.constexpr):
    n = tl.arange(0, B)
    tl.store(x_ptr + n, tl.load(x_ptr + B - 1 - n))


@triton.jit
def shifted_stores(x_ptr, y_ptr, D, B: tl.constexpr):
    n = tl.arange(0, B)
    t = tl.load(y_ptr + n)
    tl.store(x_ptr + n, t)
    tl.store(x_ptr + n + 1, t * 2)


@pytest.mark.parametrize(
    "kernel", [at_remainder, at_quotient, at_most, at_loaded, at_either, reversed_in_place, shifted_stores]
)
def test_addresses_that_meet_are_refused(kernel):
    x, y = numbers(1024), np.arange(1024, dtype=np.float32)
    with pytest.raises(spine_triton.ScratchpadExceeded, match=r"(?s)one address in 'x_ptr'.*store to another argument"):
        kernel[(1,)](x, y, 7, B=512, **SPLIT)


@triton.jit
def gather(x_ptr, at_ptr, y_ptr, B: tl.constexpr):
    n = tl.arange(0, B)
    tl.store(y_ptr + n, tl.load(x_ptr + tl.load(at_ptr + n)))


@triton.jit
def scatter(x_ptr, at_ptr, y_ptr, B: tl.constexpr):
    n = tl.arange(0, B)
    tl.store(y_ptr + tl.load(at_ptr + n), tl.load(x_ptr + n))


@triton.jit
def scatter_rows(x_ptr, at_ptr, y_ptr, B: tl.constexpr):
    m, n = tl.arange(0, B // 8), tl.arange(0, 8)
    rows = tl.load(at_ptr + m)
    tl.store(y_ptr + rows[:, None] + n[None, :], tl.load(x_ptr + m[:, None] * 8 + n[None, :]))


@pytest.mark.parametrize("kernel", [gather, scatter, scatter_rows])
def test_gathers_and_scatters_are_split(kernel):
    """Of elements with one address the last one remains, as with whole tiles."""
    at = np.random.default_rng(1).integers(0, 100, 1024).astype(np.int32)
    assert agree(kernel, [numbers(2048), at, np.zeros(2048, np.float32)], B=512)
    x = numbers(2048)
    with pytest.raises(errors.LaunchOverlap, match=r"'y_ptr' .* and 'x_ptr' .* share memory"):
        kernel[(1,)](x, at, x[1024:], B=512, **SPLIT)


# --- Different arguments ---------------------------------------------------------------------------------------------


@triton.jit(do_not_specialize=["sx", "sy"])
def double_rows(y_ptr, x_ptr, sy, sx, BM: tl.constexpr, BN: tl.constexpr):
    m, n = tl.program_id(0) * BM + tl.arange(0, BM), tl.arange(0, BN)
    t = tl.load(x_ptr + m[:, None] * sx + n[None, :])
    tl.store(y_ptr + m[:, None] * sy + n[None, :], t * 2)


@pytest.mark.parametrize(
    "view,is_split",
    [
        (lambda x: (x[:, :16], x[:, 16:]), True),  # columns of one array
        (lambda x: (x[:64, :16], x[64:, :16]), True),  # rows
        (lambda x: (x[:, :16], x[:, :16]), True),  # in place
        (lambda x: (x[:, :16], x[:, 8:]), True),  # the rows are split, in which each part has whole ones
        (lambda x: (x[1:, :16], x[:, :16]), False),
    ],
    ids=["columns", "rows", "same", "overlapping columns", "next row"],
)
def test_views_of_one_array(view, is_split):
    x = numbers(130 * 32).reshape(130, 32)
    whole = x.copy()
    y, source = view(whole)
    double_rows[(2,)](y, source, 32, 32, BM=32, BN=16, **WHOLE)
    y, source = view(x)
    if is_split:
        double_rows[(2,)](y, source, 32, 32, BM=32, BN=16, **SPLIT)
        assert np.array_equal(x, whole)
    else:
        with pytest.raises(errors.LaunchOverlap, match=r"'y_ptr' \(bytes 0x\w+ to 0x\w+\) and 'x_ptr' .* share memory"):
            double_rows[(2,)](y, source, 32, 32, BM=32, BN=16, **SPLIT)


# --- Products --------------------------------------------------------------------------------------------------------


@triton.jit
def product(a_ptr, b_ptr, c_ptr, s, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    a = tl.make_block_ptr(a_ptr, (M, K), (s, 1), (0, 0), (M, K), (1, 0))
    b = tl.make_block_ptr(b_ptr, (K, N), (s, 1), (0, 0), (K, N), (1, 0))
    c = tl.make_block_ptr(c_ptr, (M, N), (s, 1), (0, 0), (M, N), (1, 0))
    tl.store(c, tl.dot(tl.load(a), tl.load(b)))


@triton.jit
def product_in_b(a_ptr, b_ptr, c_ptr, s, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    m, n, k = tl.arange(0, M)[:, None], tl.arange(0, N)[None, :], tl.arange(0, K)
    t = tl.dot(tl.load(a_ptr + m * s + k[None, :]), tl.load(b_ptr + k[:, None] * s + n))
    tl.store(b_ptr + m * s + n, t)


@pytest.mark.parametrize("capacity", [2048, 4096, 8192, 12288, 16384, 32768])
@pytest.mark.parametrize("kernel, over", [(product, None), (product, "a"), (product, "b"), (product_in_b, "b")])
def test_product_stored_over_an_operand(kernel, over, capacity):
    """Where M and N are split, B is loaded again for the next rows of C: after those before were stored."""
    rng = np.random.default_rng(0)
    a, b, c = (rng.integers(-3, 4, (128, 128)).astype(np.float32) for _ in range(3))
    want, out = a @ b[:, :64], {"a": a, "b": b, None: c}[over]
    before = out.copy()
    try:
        with contextlib.redirect_stderr(io.StringIO()):
            compiled = kernel[(1,)](a, b, out, 128, M=128, N=64, K=128, auto_tile=True, scratchpad_bytes=capacity)
    except REFUSED:
        assert over and np.array_equal(out, before)
    else:
        assert np.array_equal(out[:, :64], want) and np.array_equal(out[:, 64:], before[:, 64:])
        assert over or compiled.metadata.split


@pytest.mark.parametrize("capacity", [4096, 8192, 16384])
def test_product_into_the_columns_beside_an_operand(capacity):
    """The last part of A ends where C begins: parts of K are counted to their own end, not to one more."""
    rng = np.random.default_rng(0)
    both, b = (rng.integers(-3, 4, (128, 128)).astype(np.float32) for _ in range(2))
    want = both[:, :64] @ b[:64, :64]
    with contextlib.redirect_stderr(io.StringIO()):
        compiled = product[(1,)](
            both, b, both[:, 64:], 128, M=128, N=64, K=64, auto_tile=True, scratchpad_bytes=capacity
        )
    assert compiled.metadata.split and np.array_equal(both[:, 64:], want)


# --- Loops -----------------------------------------------------------------------------------------------------------


@triton.jit(do_not_specialize=["S", "T", "COUNT"])
def running(y_ptr, x_ptr, S, T, COUNT, B: tl.constexpr):
    n = tl.arange(0, B)
    total = tl.zeros((B,), tl.float32)
    for k in range(COUNT):
        total = total * 0.5 + tl.load(x_ptr + k * S + n)
        tl.store(y_ptr + k * T + n, total)


@pytest.mark.parametrize(
    "source,target,count,is_split", [(512, 512, 3, True), (100, 600, 3, True), (7, 500, 1, True), (512, 511, 3, False)]
)
def test_store_that_moves_on(source, target, count, is_split):
    """The loop is executed once per part: rows that it stores must not overlap."""
    assert agree(running, [numbers(), numbers()], source, target, count, B=512) == is_split


@pytest.mark.parametrize("stride,is_split", [(512, True), (600, True), (511, False), (0, True)])
def test_store_that_moves_on_in_place(stride, is_split):
    """With a stride of zero, each element is stored to the same place again: no other part's."""
    x, whole = numbers(), numbers()
    running[(1,)](whole, whole, stride, stride, 4, B=512, **WHOLE)
    if is_split:
        running[(1,)](x, x, stride, stride, 4, B=512, **SPLIT)
        assert np.array_equal(x, whole)
    else:
        with pytest.raises(errors.LaunchOverlap, match=rf"with .*= {stride}"):
            running[(1,)](x, x, stride, stride, 4, B=512, **SPLIT)


# --- Kernels as they are written -------------------------------------------------------------------------------------


@triton.jit
def residual(x_ptr, y_ptr, w_ptr, M, N, B: tl.constexpr, R: tl.constexpr):
    """What is stored to `y` is needed again after its reduction: only rows can be split."""
    r, n = tl.program_id(0) * R + tl.arange(0, R), tl.arange(0, B)
    inside = (r < M)[:, None] & (n < N)[None, :]
    at = r[:, None] * N + n[None, :]
    w = tl.load(w_ptr + n, mask=n < N, other=0.0)
    t = tl.load(x_ptr + at, mask=inside, other=0.0) + tl.load(y_ptr + at, mask=inside, other=0.0)
    tl.store(y_ptr + at, t, mask=inside)
    scale = tl.rsqrt(tl.sum(t * t, axis=1) / N + 1e-5)
    tl.store(x_ptr + at, t * scale[:, None] * w[None, :], mask=inside)


@triton.jit
def rotate_halves(x_ptr, cos_ptr, sin_ptr, S, H: tl.constexpr, B: tl.constexpr):
    r, n = tl.program_id(0) * B + tl.arange(0, B), tl.arange(0, H)
    p, at = x_ptr + r[:, None] * S + n[None, :], r[:, None] * H + n[None, :]
    a, b, c, s = tl.load(p), tl.load(p + H), tl.load(cos_ptr + at), tl.load(sin_ptr + at)
    tl.store(p, a * c - b * s)
    tl.store(p + H, b * c + a * s)


def test_residual_in_place():
    assert agree(residual, [numbers(), numbers(), numbers()], 13, 25, B=32, R=16)


@pytest.mark.parametrize("stride,is_split", [(64, True), (96, True), (48, False)])
def test_halves_of_rows_in_place(stride, is_split):
    assert agree(rotate_halves, [numbers(), numbers(), numbers()], stride, H=32, B=16) == is_split


# --- Scans -----------------------------------------------------------------------------------------------------------


@triton.jit
def weighted(a, m, b, n):
    return a * b, m * b + n


@triton.jit
def scans(
    x_ptr, y_ptr, M: tl.constexpr, N: tl.constexpr, AXIS: tl.constexpr, REVERSE: tl.constexpr, PAIRS: tl.constexpr
):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    t = tl.load(x_ptr + at)
    if PAIRS:
        t, u = tl.associative_scan((t, t + 1), AXIS, weighted, reverse=REVERSE)
        t += u
    else:
        t = tl.cumsum(t, axis=AXIS, reverse=REVERSE)
    tl.store(y_ptr + at, t - tl.max(t, axis=AXIS, keep_dims=True))


@pytest.mark.parametrize("axis,dim", [(0, 1), (1, 0)])
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("pairs", [False, True])
def test_scans_are_split_along_other_axes(axis, dim, reverse, pairs):
    """To the bit: each part has whole rows (or columns)."""
    arrays = [numbers(4096), np.zeros(4096, np.float32)]
    constants = {"M": 32, "N": 32, "AXIS": axis, "REVERSE": reverse, "PAIRS": pairs}
    assert agree(scans, arrays, **constants)
    compiled = scans.warmup(*arrays, **constants, grid=(1,), **SPLIT)
    assert f"dimension {dim} of" in compiled.metadata.split
    assert f"dimension {axis} of" not in compiled.metadata.split


@triton.jit
def scan_of_all(x_ptr, y_ptr, N: tl.constexpr):
    tl.store(y_ptr + tl.arange(0, N), tl.cumsum(tl.load(x_ptr + tl.arange(0, N)), axis=0))


def test_scan_along_the_only_axis_is_refused():
    with pytest.raises(spine_triton.ScratchpadExceeded, match="is not split: a scan runs along it"):
        scan_of_all[(1,)](numbers(), numbers(), N=2048, **SPLIT)
