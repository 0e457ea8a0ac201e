# ===- test_random_blocks.py - Random block pointers against NumPy ----------===#
#
# Part of spine-triton, under the MIT licence.
#
# ===-----------------------------------------------------------------------===#
"""Copies, reductions and products by block pointers of random shape, stride, offset, order and padding."""

import numpy as np
import triton
import triton.language as tl
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

few = settings(max_examples=60, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))

MARGIN = 64
TILES = [(1, 1), (1, 16), (16, 1), (4, 8), (32, 4), (16, 32)]
DTYPES = [np.int8, np.int32, np.float32, np.float64]


@triton.jit
def copy(
    src, dst, sh0, sh1, ss0, ss1, so0, so1, dh0, dh1, ds0, ds1, do0, do1,
    T0: tl.constexpr, T1: tl.constexpr, ORDER: tl.constexpr, CHECK: tl.constexpr, FLIP: tl.constexpr,
):  # fmt: skip
    s = tl.make_block_ptr(src, (sh0, sh1), (ss0, ss1), (so0, so1), (T0, T1), ORDER)
    x = tl.load(s, boundary_check=CHECK)
    if FLIP:
        d = tl.make_block_ptr(dst, (dh1, dh0), (ds1, ds0), (do1, do0), (T1, T0), ORDER)
        tl.store(d, tl.trans(x), boundary_check=(0, 1))
    else:
        d = tl.make_block_ptr(dst, (dh0, dh1), (ds0, ds1), (do0, do1), (T0, T1), ORDER)
        tl.store(d, x, boundary_check=(0, 1))


@triton.jit
def sum_blocks(src, out, h0, h1, s0, s1, o0, o1, steps, A0, A1, T0: tl.constexpr, T1: tl.constexpr, AXIS: tl.constexpr):
    """Sums a walk of tiles and reduces the result along an axis."""
    p = tl.make_block_ptr(src, (h0, h1), (s0, s1), (o0, o1), (T0, T1), (1, 0))
    acc = tl.zeros((T0, T1), tl.int64)
    for _ in range(steps):
        acc += tl.load(p, boundary_check=(0, 1)).to(tl.int64)
        p = tl.advance(p, (A0, A1))
    n: tl.constexpr = T1 if AXIS == 0 else T0
    tl.store(out + tl.arange(0, n), tl.sum(acc, AXIS))
    tl.store(out + n + tl.arange(0, n), tl.max(acc, AXIS))


@triton.jit
def gemm(
    a, b, c, M, N, K, sam, sak, sbk, sbn, scm, scn,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, SWAPPED: tl.constexpr,
):  # fmt: skip
    m, n = tl.program_id(0) * BM, tl.program_id(1) * BN
    a_blk = tl.make_block_ptr(a, (M, K), (sam, sak), (m, 0), (BM, BK), (1, 0))
    b_blk = tl.make_block_ptr(b, (K, N), (sbk, sbn), (0, n), (BK, BN), (0, 1))
    if SWAPPED:
        acc = tl.zeros((BN, BM), tl.float32)
    else:
        acc = tl.zeros((BM, BN), tl.float32)
    for _ in range(0, K, BK):
        x, y = tl.load(a_blk, boundary_check=(0, 1)), tl.load(b_blk, boundary_check=(0, 1))
        if SWAPPED:
            acc += tl.dot(tl.trans(y), tl.trans(x))
        else:
            acc += tl.dot(x, y)
        a_blk, b_blk = tl.advance(a_blk, (0, BK)), tl.advance(b_blk, (BK, 0))
    if SWAPPED:
        acc = tl.trans(acc)
    c_blk = tl.make_block_ptr(c, (M, N), (scm, scn), (m, n), (BM, BN), (1, 0))
    tl.store(c_blk, acc.to(c.dtype.element_ty), boundary_check=(0, 1))


@st.composite
def layouts(draw, shape):
    """Strides of a matrix in which no two elements meet, and the first element's place in a buffer."""
    row_major = draw(st.booleans())
    inner = draw(st.sampled_from([1, 1, 1, 2]))
    pitch = inner * (shape[1] if row_major else shape[0]) + draw(st.integers(0, 3))
    strides = [pitch, inner] if row_major else [inner, pitch]
    start = MARGIN
    for d in range(2):
        if draw(st.integers(0, 5)) == 0:  # this dimension runs backwards
            start += (shape[d] - 1) * strides[d]
            strides[d] = -strides[d]
    return strides, start


def buffer_for(shape, strides, dtype):
    span = sum((n - 1) * abs(s) for n, s in zip(shape, strides)) + 1
    return np.random.default_rng(span).integers(-50, 50, span + 2 * MARGIN).astype(dtype)


def view_at(memory, shape, strides, start):
    item = memory.itemsize
    return np.lib.stride_tricks.as_strided(memory[start:], shape, [s * item for s in strides])


def padded(matrix, offset, tile):
    """The tile at an offset, zero where it leaves the matrix."""
    out = np.zeros(tile, matrix.dtype)
    rows, columns = (np.arange(t) + o for t, o in zip(tile, offset))
    inside = [(r >= 0) & (r < n) for r, n in zip((rows, columns), matrix.shape)]
    out[np.ix_(*inside)] = matrix[np.ix_(rows[inside[0]], columns[inside[1]])]
    return out


sizes = st.tuples(st.integers(1, 40), st.integers(1, 40))


@few
@given(st.data())
def test_copies(data):
    """Every element inside goes to its place, padding is zero, and nothing else changes."""
    tile = data.draw(st.sampled_from(TILES))
    dtype = data.draw(st.sampled_from(DTYPES))
    flip, order = data.draw(st.booleans()), data.draw(st.sampled_from([(1, 0), (0, 1)]))
    check = data.draw(st.sampled_from([(0, 1), (0, 1), (0,), (1,), ()]))
    src_shape, dst_shape = data.draw(sizes), data.draw(sizes)
    # A dimension that is not checked has to hold the tile.
    src_shape = tuple(n if d in check else max(n, tile[d]) for d, n in enumerate(src_shape))
    offset = tuple(
        data.draw(st.integers(-tile[d] - 1, n + 1) if d in check else st.integers(0, n - tile[d]))
        for d, n in enumerate(src_shape)
    )
    target = tuple(data.draw(st.integers(-tile[d], n)) for d, n in enumerate(dst_shape))
    (ss, s0), (ds, d0) = data.draw(layouts(src_shape)), data.draw(layouts(dst_shape))
    src, dst = buffer_for(src_shape, ss, dtype), buffer_for(dst_shape, ds, dtype)
    expected = dst.copy()
    values = padded(view_at(src, src_shape, ss, s0), offset, tile)
    out = view_at(expected, dst_shape, ds, d0)
    for i in range(max(0, -target[0]), min(tile[0], dst_shape[0] - target[0])):
        for j in range(max(0, -target[1]), min(tile[1], dst_shape[1] - target[1])):
            out[i + target[0], j + target[1]] = values[i, j]
    copy[(1,)](
        src[s0:], dst[d0:], *src_shape, *ss, *offset, *dst_shape, *ds, *target,
        T0=tile[0], T1=tile[1], ORDER=order, CHECK=check, FLIP=flip,
    )  # fmt: skip
    assert np.array_equal(dst, expected)


@few
@given(st.data())
def test_sums_of_a_walk(data):
    tile = data.draw(st.sampled_from(TILES))
    dtype = data.draw(st.sampled_from([np.int8, np.int32, np.int64]))
    shape = data.draw(sizes)
    strides, start = data.draw(layouts(shape))
    offset = tuple(data.draw(st.integers(-t, n)) for t, n in zip(tile, shape))
    step = tuple(data.draw(st.integers(-9, 9)) for _ in range(2))
    axis, steps = data.draw(st.integers(0, 1)), data.draw(st.integers(0, 4))
    src = buffer_for(shape, strides, dtype)
    matrix = view_at(src, shape, strides, start)
    acc = np.zeros(tile, np.int64)
    for i in range(steps):
        acc += padded(matrix, [o + i * s for o, s in zip(offset, step)], tile)
    out = np.zeros(2 * tile[1 - axis], np.int64)
    sum_blocks[(1,)](src[start:], out, *shape, *strides, *offset, steps, *step, T0=tile[0], T1=tile[1], AXIS=axis)
    assert np.array_equal(out, np.concatenate([acc.sum(axis), acc.max(axis)]))


@few
@given(st.data())
def test_gemms(data):
    """Small integers: exact in fp32, whatever the order of the sums."""
    block = data.draw(st.sampled_from([(16, 16, 16), (32, 16, 8), (4, 64, 32), (1, 16, 2), (64, 2, 4)]))
    dtype = data.draw(st.sampled_from([np.float32, np.float32, np.float16]))
    m, n, k = (data.draw(st.integers(1, 70)) for _ in range(3))
    (sa, a0), (sb, b0), (sc, c0) = (data.draw(layouts(shape)) for shape in ((m, k), (k, n), (m, n)))
    a, b, c = buffer_for((m, k), sa, dtype), buffer_for((k, n), sb, dtype), buffer_for((m, n), sc, np.float32)
    a, b = np.fmod(a, 9).astype(dtype), np.fmod(b, 9).astype(dtype)
    expected = c.copy()
    product = view_at(a, (m, k), sa, a0).astype(np.float64) @ view_at(b, (k, n), sb, b0).astype(np.float64)
    view_at(expected, (m, n), sc, c0)[...] = product
    grid = (triton.cdiv(m, block[0]), triton.cdiv(n, block[1]))
    gemm[grid](
        a[a0:], b[b0:], c[c0:], m, n, k, *sa, *sb, *sc,
        BM=block[0], BN=block[1], BK=block[2], SWAPPED=data.draw(st.booleans()),
    )  # fmt: skip
    assert np.array_equal(c, expected)
