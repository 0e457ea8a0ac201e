# ===- test_aliasing.py - Tiles that are read where they lie ----------------===#
#
# Part of spine-triton, under the MIT licence.
#
# ===-----------------------------------------------------------------------===#
"""A tile is read in place only if nothing overwrites it before its last use: random programs on views of one storage,
which overlap in every way, against the order in which the kernel says things happen."""

import numpy as np
import triton
import triton.language as tl
from hypothesis import example, given, settings
from hypothesis import strategies as st

N = 16
STEPS = 5


@triton.jit
def block(p, pitch, ACROSS: tl.constexpr, N: tl.constexpr):
    if ACROSS:
        pointer = tl.make_block_ptr(p, (N, N), (1, pitch), (0, 0), (N, N), (0, 1))
    else:
        pointer = tl.make_block_ptr(p, (N, N), (pitch, 1), (0, 0), (N, N), (1, 0))
    return pointer


@triton.jit
def pointers(p, pitch, ACROSS: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    if ACROSS:
        where = p + i[:, None] + i[None, :] * pitch
    else:
        where = p + i[:, None] * pitch + i[None, :]
    return where


@triton.jit
def access(p, pitch, HOW: tl.constexpr, N: tl.constexpr):
    """Bit 0: rows are columns in memory; bit 1: a tile of pointers."""
    if HOW & 2:
        where = pointers(p, pitch, HOW & 1, N)
    else:
        where = block(p, pitch, HOW & 1, N)
    return where


@triton.jit
def small(x):
    """Small whole numbers stay small whole numbers."""
    return x - 7 * tl.floor(x / 7)


@triton.jit
def random_program(p, q, r, pitch, trips, PROGRAM: tl.constexpr, N: tl.constexpr):
    a = tl.load(access(p, pitch, 0, N))
    b = tl.load(access(q, pitch, 0, N))
    for step in tl.static_range(len(PROGRAM)):
        place = p
        if PROGRAM[step][1] == 1:
            place = q
        elif PROGRAM[step][1] == 2:
            place = r
        if PROGRAM[step][0] == 0:
            a = tl.load(access(place, pitch, PROGRAM[step][2], N))
        elif PROGRAM[step][0] == 1:
            b = tl.load(access(place, pitch, PROGRAM[step][2], N)) + 1
        elif PROGRAM[step][0] == 2:
            tl.store(access(place, pitch, PROGRAM[step][2], N), a)
        elif PROGRAM[step][0] == 3:
            tl.store(access(place, pitch, PROGRAM[step][2], N), small(a + b))
        elif PROGRAM[step][0] == 4:
            a = small(tl.dot(a, b))
        elif PROGRAM[step][0] == 5:
            tl.store(access(place, pitch, PROGRAM[step][2], N), tl.dot(a, tl.trans(b)))
            a = small(tl.load(access(place, pitch, PROGRAM[step][2], N)))
            tl.store(access(place, pitch, PROGRAM[step][2], N), a)
        elif PROGRAM[step][0] == 6:
            b = small(b + tl.sum(a, axis=1)[:, None])
        else:
            for _ in range(trips):
                c = tl.load(access(place, pitch, PROGRAM[step][2], N))
                tl.store(access(q, pitch, PROGRAM[step][2], N), small(c + a))
                b = small(b + c)
    tl.store(access(r, pitch, 0, N), small(a + 2 * b))


def reference(storage, starts, pitch, trips, program):
    """One thing after the other: a load copies its tile, a store writes all of it."""

    def tile(number, how):
        item = storage.itemsize
        strides = (item, pitch * item) if how & 1 else (pitch * item, item)
        return np.lib.stride_tricks.as_strided(storage[starts[number] :], (N, N), strides)

    a, b = tile(0, 0).copy(), tile(1, 0).copy()
    for op, number, how in program:
        place = tile(number, how)
        if op == 0:
            a = place.copy()
        elif op == 1:
            b = place + 1
        elif op == 2:
            place[...] = a
        elif op == 3:
            place[...] = (a + b) % 7
        elif op == 4:
            a = a @ b % 7
        elif op == 5:
            a = a @ b.T % 7
            place[...] = a
        elif op == 6:
            b = (b + a.sum(1)[:, None]) % 7
        else:
            for _ in range(trips):
                c = tile(number, how).copy()
                tile(1, how)[...] = (c + a) % 7
                b = (b + c) % 7
    tile(2, 0)[...] = (a + 2 * b) % 7


STEP = st.tuples(st.integers(0, 7), st.integers(0, 2), st.integers(0, 3))
START = st.one_of(st.just(0), st.integers(0, 40), st.integers(0, N * N))


@given(
    program=st.lists(STEP, min_size=1, max_size=STEPS),
    starts=st.tuples(START, START, START),
    gap=st.sampled_from([0, 1, 3]),
    trips=st.integers(0, 2),
)
@example(program=[(2, 1, 1), (1, 0, 0), (5, 0, 1)], starts=(0, 0, 0), gap=0, trips=1)  # all in place
@example(program=[(3, 2, 1), (4, 0, 0), (3, 1, 2)], starts=(0, 1, 2), gap=0, trips=1)
@example(program=[(7, 0, 1), (2, 0, 0)], starts=(0, 5, 5), gap=3, trips=2)
@settings(max_examples=25, deadline=None)
def test_views_of_one_storage(program, starts, gap, trips):
    rng = np.random.default_rng(len(program))
    pitch = N + gap
    storage = rng.integers(0, 7, N * N + N * pitch + 1).astype(np.float32)
    expected = storage.copy()
    reference(expected, starts, pitch, trips, program)
    views = [storage[start:] for start in starts]
    random_program[(1,)](*views, pitch, trips, PROGRAM=tuple(program), N=N)
    assert np.array_equal(storage, expected)


@given(starts=st.permutations([0, N * N, 2 * N * N]), program=st.lists(STEP, min_size=1, max_size=STEPS))
@settings(max_examples=10, deadline=None)
def test_views_that_do_not_overlap(starts, program):
    """The version for distinct arguments gives what the careful one gives."""
    rng = np.random.default_rng(len(program))
    storage = rng.integers(0, 7, 3 * N * N).astype(np.float32)
    expected = storage.copy()
    reference(expected, starts, N, 2, program)
    views = [storage[start : start + N * N] for start in starts]
    random_program[(1,)](*views, N, 2, PROGRAM=tuple(program), N=N)
    assert np.array_equal(storage, expected)
