# ===- test_memory.py - Aliasing, atomics, odd addresses -------------------===#
#
# Part of spine-triton, under the MIT licence.
#
# ===-----------------------------------------------------------------------===#
"""What kernels do to memory: overlapping arguments, order of accesses, atomics, views that start anywhere."""

import threading

import numpy as np
import pytest
import torch
import triton
import triton.language as tl
from source_kernels import kernel


@pytest.fixture
def rng(request):
    return np.random.default_rng(len(request.node.name))


@triton.jit
def shift_tile(src, dst, N: tl.constexpr):
    x = tl.load(tl.make_block_ptr(src, (N,), (1,), (0,), (N,), (0,)))
    tl.store(tl.make_block_ptr(dst, (N,), (1,), (0,), (N,), (0,)), x + 1)


@triton.jit
def shift_pointers(src, dst, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(dst + i, tl.load(src + i) + 1)


@pytest.mark.parametrize("distance", [-17, -3, -1, 0, 1, 2, 5, 64])
@pytest.mark.parametrize("function", [shift_tile, shift_pointers])
def test_overlapping_views(function, distance, rng):
    """The whole tile is read before any of it is written."""
    memory = rng.integers(0, 99, 400).astype(np.int32)
    src, dst = memory[100:228], memory[100 + distance : 228 + distance]
    expected = src + 1
    function[(1,)](src, dst, N=128)
    assert np.array_equal(dst, expected)


@triton.jit
def transpose_tile(src, dst, N: tl.constexpr):
    x = tl.load(tl.make_block_ptr(src, (N, N), (N, 1), (0, 0), (N, N), (1, 0)))
    tl.store(tl.make_block_ptr(dst, (N, N), (1, N), (0, 0), (N, N), (0, 1)), x)


def test_transposition_in_place(rng):
    x = rng.normal(size=(32, 32)).astype(np.float32)
    expected = x.T.copy()
    transpose_tile[(1,)](x, x, N=32)
    assert np.array_equal(x, expected)


@triton.jit
def product_in_place(a, b, N: tl.constexpr, TIMES: tl.constexpr):
    i = tl.arange(0, N)[:, None] * N + tl.arange(0, N)[None, :]
    for _ in range(TIMES):
        x = tl.load(tl.make_block_ptr(a, (N, N), (N, 1), (0, 0), (N, N), (1, 0)))
        y = tl.load(tl.make_block_ptr(b, (N, N), (N, 1), (0, 0), (N, N), (1, 0)))
        tl.store(a + i, tl.dot(x, y))
        tl.store(b + i, x)


@pytest.mark.parametrize("same", [False, True])
def test_product_over_its_own_operand(same):
    rng = np.random.default_rng(3)
    a = rng.integers(-2, 3, (16, 16)).astype(np.float32)
    b = a if same else rng.integers(-2, 3, (16, 16)).astype(np.float32)
    x, y = a.copy(), b.copy()
    for _ in range(2):
        old = x
        x, y = (old, old) if same else (old @ y, old)
        if same:
            x = old  # the second store is the last
    product_in_place[(1,)](a, b, N=16, TIMES=2)
    assert np.array_equal(a, x) and np.array_equal(b, y)


@triton.jit
def swap(a, b, n, BLOCK: tl.constexpr):
    for start in range(0, n, BLOCK):
        a_blk = tl.make_block_ptr(a, (n,), (1,), (start,), (BLOCK,), (0,))
        b_blk = tl.make_block_ptr(b, (n,), (1,), (start,), (BLOCK,), (0,))
        x = tl.load(a_blk, boundary_check=(0,))
        y = tl.load(b_blk, boundary_check=(0,))
        tl.store(a_blk, y, boundary_check=(0,))
        tl.store(b_blk, x, boundary_check=(0,))


@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.float32, np.int64])
def test_swapping_two_arrays(dtype, rng):
    a, b = (rng.integers(0, 99, 77).astype(dtype) for _ in range(2))
    x, y = a.copy(), b.copy()
    swap[(1,)](a, b, 77, BLOCK=16)
    assert np.array_equal(a, y) and np.array_equal(b, x)


@triton.jit
def read_write_read(p, out, N: tl.constexpr):
    i = tl.arange(0, N)
    before = tl.load(p + i)
    tl.store(p + i, before * 2)
    after = tl.load(p + i)
    tl.store(p + N - 1 - i, after + before)
    tl.store(out + i, before)
    tl.store(out + N + i, after)
    tl.store(out + 2 * N + i, tl.load(p + i))


def test_order_of_loads_and_stores(rng):
    x = rng.integers(0, 99, 64).astype(np.int64)
    out = np.zeros((3, 64), np.int64)
    p = x.copy()
    read_write_read[(1,)](p, out, N=64)
    assert np.array_equal(out, [x, 2 * x, (3 * x)[::-1]])


@triton.jit
def scalar_traffic(p, q, out):
    a = tl.load(p)
    tl.store(q, a + 1)
    b = tl.load(p)
    tl.store(q, b + 1)
    tl.store(out, a)
    tl.store(out + 1, b)
    tl.store(out + 2, tl.load(p))


@pytest.mark.parametrize("same", [False, True])
def test_scalar_loads_and_stores(same):
    p, out = np.array([5], np.int32), np.zeros(3, np.int32)
    q = p if same else np.array([100], np.int32)
    scalar_traffic[(1,)](p, q, out)
    assert out.tolist() == ([5, 6, 7] if same else [5, 5, 5])


@pytest.mark.parametrize("dtype", ["int8", "int16", "float16", "bfloat16", "int32", "float64"])
@pytest.mark.parametrize("offset", [1, 3, 7])
def test_views_that_start_anywhere(dtype, offset):
    """Elements are aligned, vectors of them need not be."""
    memory = torch.arange(400).remainder(100).to(getattr(torch, dtype))
    src, dst = memory[offset : offset + 128].clone(), memory[200 + offset : 328 + offset]
    for function in (shift_tile, shift_pointers):
        function[(1,)](memory[offset : offset + 128], dst, N=128)
        assert torch.equal(dst, src + 1)


# Atomics.


@triton.jit
def accumulate(out, old, x, n, OP: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n, other=0)
    if OP == "add":
        r = tl.atomic_add(out + i % 4, v, mask=i < n)
    elif OP == "max":
        r = tl.atomic_max(out + i % 4, v, mask=i < n)
    elif OP == "min":
        r = tl.atomic_min(out + i % 4, v, mask=i < n)
    elif OP == "and":
        r = tl.atomic_and(out + i % 4, v, mask=i < n)
    elif OP == "or":
        r = tl.atomic_or(out + i % 4, v, mask=i < n)
    else:
        r = tl.atomic_xor(out + i % 4, v, mask=i < n)
    tl.store(old + i, r, mask=i < n)


@pytest.mark.parametrize("dtype", [np.int32, np.uint32, np.int64, np.uint64, np.float32, np.float64, np.float16])
def test_atomic_arithmetic(dtype, rng):
    n = 300
    x = rng.integers(-20 if np.dtype(dtype).kind != "u" else 0, 20, n).astype(dtype)
    groups = [x[k::4] for k in range(4)]
    operations = {"add": np.add.reduce, "max": np.max, "min": np.min}
    if np.dtype(dtype).kind in "iu":
        operations |= {"and": np.bitwise_and.reduce, "or": np.bitwise_or.reduce, "xor": np.bitwise_xor.reduce}
    if dtype == np.float16:
        operations = {"add": np.add.reduce}
    for name, function in operations.items():
        start = np.array([3, 1, 7, 5], dtype)
        out, old = start.copy(), np.full(n, 99, dtype)
        accumulate[(5,)](out, old, x, n, OP=name, BLOCK=64)
        expected = [function(np.append(g, s)) for g, s in zip(groups, start)]
        assert np.array_equal(out, expected), name
        assert (old != 99).all() or name not in ("max", "min")


@triton.jit
def histogram(counts, x, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(counts + tl.load(x + i, mask=i < n, other=0), 1, mask=i < n, sem="relaxed")


def test_histogram_by_atomics(rng):
    x = rng.integers(0, 10, 5000).astype(np.int32)
    counts = np.zeros(10, np.int64)
    histogram[(40,)](counts, x, 5000, BLOCK=128)
    assert np.array_equal(counts, np.bincount(x))


@triton.jit
def tickets(counter, taken):
    mine = tl.atomic_add(counter, 1)
    tl.store(taken + mine, tl.program_id(0))


def test_every_program_gets_its_own_ticket():
    counter, taken = np.zeros(1, np.int32), np.full(3000, -1, np.int32)
    tickets[(3000,)](counter, taken)
    assert counter[0] == 3000 and np.array_equal(np.sort(taken), np.arange(3000))


@triton.jit
def exchange(p, old, compare, new, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(old + i, tl.atomic_cas(p + i, tl.load(compare + i), tl.load(new + i)))
    tl.store(old + BLOCK + i, tl.atomic_xchg(p + i, tl.load(new + i) * 2, mask=i % 2 == 0), mask=i % 2 == 0)


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.float32, np.float64])
def test_compare_and_exchange(dtype, rng):
    p, compare, new = (rng.integers(0, 3, 32).astype(dtype) for _ in range(3))
    old, before = np.zeros(64, dtype), p.copy()
    exchange[(1,)](p, old, compare, new, BLOCK=32)
    swapped = np.where(before == compare, new, before)
    assert np.array_equal(old[:32], before) and np.array_equal(old[32::2], swapped[::2])
    assert np.array_equal(p, np.where(np.arange(32) % 2 == 0, new * 2, swapped))


@triton.jit
def locked_update(lock, value, rounds, N: tl.constexpr):
    i = tl.arange(0, N)
    for _ in range(rounds):
        while tl.atomic_cas(lock, 0, 1) == 1:
            pass
        x = tl.load(value + i)
        tl.store(value + i, x + 1)
        tl.debug_barrier()
        tl.atomic_xchg(lock, 0)


def test_updates_under_a_lock():
    """The lock of Triton's layer norm tutorial."""
    lock, value = np.zeros(1, np.int32), np.zeros(64, np.float32)
    locked_update[(64,)](lock, value, 20, N=64)
    assert (value == 64 * 20).all() and lock[0] == 0


@triton.jit
def locked_read(lock, value, out, rounds, N: tl.constexpr):
    i = tl.arange(0, N)
    wrong = tl.zeros((N,), tl.int32)
    for _ in range(rounds):
        while tl.atomic_cas(lock, 0, 1) == 1:
            pass
        tl.store(value + i, tl.load(value + i) + 1)
        x = tl.load(value + i)
        tl.atomic_xchg(lock, 0)
        wrong += (x != tl.max(x, 0)).to(tl.int32)
    tl.store(out + tl.program_id(0) * N + i, wrong)


def test_loads_stay_before_the_release_of_a_lock():
    """Between the release and the use of what was loaded another program may write."""
    n = 4096
    lock, value, out = np.zeros(1, np.int32), np.zeros(n, np.int32), np.zeros((8, n), np.int32)
    locked_read[(8,)](lock, value, out, 200, N=n)
    assert not out.any() and (value == 1600).all()


@triton.jit
def load_then_signal(p, flag, out, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(p + i)
    tl.atomic_add(flag + 0 * tl.program_id(0), 1)
    while tl.atomic_add(flag, 0) < 2:
        pass
    tl.store(out + i, x)


def test_loads_stay_before_a_signal():
    """Another thread waits for the signal, overwrites what was loaded and answers."""
    p, flag, out = np.arange(64), np.zeros(1, np.int32), np.zeros(64, np.int64)
    load_then_signal[(1,)](np.arange(64), np.full(1, 5, np.int32), out, N=64)  # compiles

    def answer():
        while flag[0] < 1:
            pass
        p[:] = -1
        flag[0] = 2

    thread = threading.Thread(target=answer)
    thread.start()
    load_then_signal[(1,)](p, flag, out, N=64)
    thread.join()
    assert np.array_equal(out, np.arange(64))


@triton.jit
def store_with_stride_zero(p, n, BLOCK: tl.constexpr):
    tl.store(
        tl.make_block_ptr(p, (n,), (0,), (0,), (BLOCK,), (0,)), tl.full((BLOCK,), 7, tl.int32), boundary_check=(0,)
    )


@pytest.mark.parametrize("n", [0, 1, 5, 16])
def test_stride_zero_stores(n):
    p = np.zeros(4, np.int32)
    store_with_stride_zero[(1,)](p, n, BLOCK=16)
    assert p.tolist() == [7 if n else 0, 0, 0, 0]


def test_tiles_of_five_dimensions(rng):
    copy = kernel("""
@triton.jit
def kernel(x, y, a, b, c, d, e, TRANSPOSED: tl.constexpr):
    src = tl.make_block_ptr(x, (a, b, c, d, e), (b * c * d * e, c * d * e, d * e, e, 1), (-1, 0, 1, 0, -2), (4, 2, 4, 2, 8), (4, 3, 2, 1, 0))
    tile = tl.load(src, boundary_check=(0, 1, 2, 3, 4), padding_option="zero")
    if TRANSPOSED:
        tile = tl.permute(tile, (4, 2, 0, 3, 1))
        tl.store(tl.make_block_ptr(y, (8, 4, 4, 2, 2), (64, 16, 4, 2, 1), (0, 0, 0, 0, 0), (8, 4, 4, 2, 2), (4, 3, 2, 1, 0)), tile)
    else:
        tl.store(tl.make_block_ptr(y, (4, 2, 4, 2, 8), (128, 64, 16, 8, 1), (0, 0, 0, 0, 0), (4, 2, 4, 2, 8), (4, 3, 2, 1, 0)), tile)
""")
    x = rng.integers(1, 99, (3, 2, 4, 1, 7)).astype(np.int32)
    expected = np.zeros((4, 2, 4, 2, 8), np.int32)
    expected[1:4, :2, :3, :1, 2:8] = x[:, :, 1:, :, :6]
    y = np.full((4, 2, 4, 2, 8), -1, np.int32)
    kernel_arguments = (x, y, *x.shape)
    copy[(1,)](*kernel_arguments, TRANSPOSED=False)
    assert np.array_equal(y, expected)
    z = np.full((8, 4, 4, 2, 2), -1, np.int32)
    copy[(1,)](x, z, *x.shape, TRANSPOSED=True)
    assert np.array_equal(z, expected.transpose(4, 2, 0, 3, 1))


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
@pytest.mark.parametrize("pad", ["zero", "nan"])
def test_padding(dtype, pad):
    pads = kernel(f"""
@triton.jit
def kernel(x, y, o, n, BLOCK: tl.constexpr):
    tile = tl.load(tl.make_block_ptr(x, (n,), (1,), (o,), (BLOCK,), (0,)), boundary_check=(0,), padding_option="{pad}")
    tl.store(y + tl.arange(0, BLOCK), tile)
""")
    x = torch.arange(1, 21).to(getattr(torch, dtype))
    for offset in (-40, -5, 0, 3, 19, 50, 2**31 - 40):
        y = torch.full((32,), 5.0, dtype=x.dtype)
        pads[(1,)](x, y, offset, 20, BLOCK=32)
        inside = torch.arange(32) + offset
        ok = (inside >= 0) & (inside < 20)
        assert torch.equal(y[ok], x[inside[ok]])
        assert (y[~ok].isnan() if pad == "nan" else y[~ok] == 0).all()


def test_booleans_in_memory(rng):
    flip = kernel("""
@triton.jit
def kernel(x, y, z, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(x + i)
    tl.store(y + i, ~a)
    tl.store(z + i, tl.where(a, i, -i))
""")
    x = rng.integers(0, 2, 64).astype(bool)
    y, z = np.zeros(64, bool), np.zeros(64, np.int32)
    flip[(1,)](x, y, z, N=64)
    i = np.arange(64)
    assert np.array_equal(y, ~x) and np.array_equal(z, np.where(x, i, -i))


def test_pointers_in_memory():
    """Grouped kernels get arrays of addresses."""
    collect = kernel("""
@triton.jit
def kernel(table, out, n, BLOCK: tl.constexpr):
    p = tl.load(table + tl.program_id(0)).to(tl.pointer_type(tl.float32))
    i = tl.arange(0, BLOCK)
    tl.store(out + tl.program_id(0) * BLOCK + i, tl.load(p + i, mask=i < n, other=-1.0))
""")
    arrays = [np.arange(k, k + 20, dtype=np.float32) for k in range(3)]
    table = np.array([a.ctypes.data for a in arrays], np.int64)
    out = np.zeros((3, 32), np.float32)
    collect[(3,)](table, out, 20, BLOCK=32)
    assert np.array_equal(out[:, :20], arrays) and (out[:, 20:] == -1).all()
