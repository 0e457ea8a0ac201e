# ===- test_programs.py - Control flow, functions and arguments -------------===#
#
# Part of spine-triton, under the MIT licence.
#
# ===-----------------------------------------------------------------------===#
"""Loops and branches that carry everything, functions, argument kinds, grids; and refusals that say where and why."""

import numpy as np
import pytest
import torch
import triton
from source_kernels import kernel


def make(body, arguments="p, o", before=""):
    text = before + f"\n@triton.jit\ndef kernel({arguments}):\n"
    return kernel(text + "".join(f"    {line}\n" for line in body.strip().splitlines()))


def ramp(n, dtype=np.float32):
    return np.arange(n, dtype=dtype)


# Control flow.


def test_while_on_a_carried_tile():
    run = make("""
i = tl.arange(0, 16)
x = tl.load(p + i)
n = 0
while tl.max(x, 0) > 3:
    x = tl.where(x > 3, x / 2, x)
    n += 1
tl.store(o + i, x)
tl.store(o + 16, n)
""")
    x, n, o = ramp(16), 0, np.zeros(17, np.float32)
    run[(1,)](x, o)
    while x.max() > 3:
        x, n = np.where(x > 3, x / 2, x), n + 1
    assert np.array_equal(o, np.append(x, n))


def test_while_on_loaded_data():
    run = make("""
c = tl.load(p)
s = 0
while c >= 0:
    s += c
    c = tl.load(p + c)
tl.store(o, s)
""")
    o = np.zeros(1, np.int32)
    run[(1,)](np.array([3, 5, -1, 1, 0, 2], np.int32), o)
    assert o[0] == 3 + 1 + 5 + 2


@pytest.mark.parametrize(
    "first, last, step", [(10, 0, -3), (0, 10, 3), (5, 5, 1), (5, 0, 1), (2**40, 2**40 + 2**33, 2**31), (-7, 8, 5)]
)
def test_ranges(first, last, step):
    # Triton's front end turns a negative constant step into a positive one; other steps may be values.
    how = "c" if step > 0 else step
    run = make(f"""
s = tl.zeros((1,), tl.int64)
n = 0
for i in range(a, b, {how}):
    n += 1
    s += i * n
tl.store(o + tl.arange(0, 1), s)
tl.store(o + 1, n)
""", "o, a, b, c")  # fmt: skip
    o = np.zeros(2, np.int64)
    run[(1,)](o, first, last, step)
    assert o.tolist() == [
        sum(v * (n + 1) for n, v in enumerate(range(first, last, step))),
        len(range(first, last, step)),
    ]


def test_tiles_pointers_and_numbers_through_nested_branches():
    run = make("""
i = tl.arange(0, 8)
a = tl.make_block_ptr(p, (40,), (1,), (0,), (8,), (0,))
x = tl.zeros((8,), tl.float32)
q = p
n = 0
for k in range(rounds):
    if k % 2 == 0:
        x += tl.load(a, boundary_check=(0,))
        if k % 4 == 0:
            a = tl.advance(a, (7,))
            q = q + 3
        else:
            a = tl.make_block_ptr(p, (20,), (2,), (k - 4,), (8,), (0,))
            for j in tl.static_range(2):
                x = x * 2 - j
    else:
        n, x = n + 1, tl.load(q + i) - x
tl.store(o + i, x)
tl.store(o + 8, n)
""", "p, o, rounds")  # fmt: skip
    p = ramp(64)
    for rounds in range(9):
        o = np.zeros(9, np.float32)
        run[(1,)](p, o, rounds)
        x, q, n, extent, stride, offset = np.zeros(8, np.float32), 0, 0, 40, 1, 0
        for k in range(rounds):
            if k % 2 == 0:
                at = offset + np.arange(8)
                inside = (at >= 0) & (at < extent)
                x = x + np.where(inside, p[np.where(inside, at * stride, 0)], 0)
                if k % 4 == 0:
                    offset, q = offset + 7, q + 3
                else:
                    extent, stride, offset = 20, 2, k - 4
                    for j in range(2):
                        x = x * 2 - j
            else:
                n, x = n + 1, p[q : q + 8] - x
        assert np.array_equal(o, np.append(x, n)), rounds


def test_early_returns():
    run = make("""
pid = tl.program_id(0)
if pid % 2 == 1:
    return
if pid >= n:
    return
tl.store(o + pid, pid + 1)
""", "o, n")  # fmt: skip
    o = np.zeros(10, np.int32)
    run[(10,)](o, 7)
    assert o.tolist() == [1, 0, 3, 0, 5, 0, 7, 0, 0, 0]


def test_selected_pointers():
    run = make("""
q = p
if n > 3:
    q = o
a = tl.make_block_ptr(p, (8,), (1,), (0,), (8,), (0,))
b = tl.make_block_ptr(o, (8,), (1,), (0,), (8,), (0,))
c = a if n > 0 else b
tl.store(c, tl.load(c) + 1)
tl.store(q, 50.0)
i = tl.arange(0, 8)
tl.store(tl.where(i % 2 == 0, p + 8 + i, o + 8 + i), i * 10.0)
""", "p, o, n")  # fmt: skip
    for n in (0, 1, 9):
        p, o = ramp(16), ramp(16) + 100
        x, y = p.copy(), o.copy()
        (x if n > 0 else y)[:8] += 1
        (y if n > 3 else x)[0] = 50
        x[8::2], y[9::2] = 10 * np.arange(0, 8, 2), 10 * np.arange(1, 8, 2)
        run[(1,)](p, o, n)
        assert np.array_equal(p, x) and np.array_equal(o, y)


# Functions and arguments.


def test_functions_that_are_not_inlined_take_block_pointers():
    run = make("""
b = tl.make_block_ptr(p, (20,), (1,), (0,), (8,), (0,))
s = tl.zeros((8,), tl.float32)
for i in range(8):
    b, x = following(b)
    s += x
tl.store(o + tl.arange(0, 8), s)
""", before="""
@triton.jit(noinline=True)
def following(b):
    return tl.advance(b, (2,)), tl.load(b, boundary_check=(0,))
""")  # fmt: skip
    o = np.zeros(8, np.float32)
    run[(1,)](ramp(64), o)
    assert o.tolist() == [sum(j for j in range(i, i + 16, 2) if j < 20) for i in range(8)]


def test_functions_with_several_returns():
    run = make("""
i = tl.program_id(0)
tl.store(o + i, half(i, 3))
""", "o", """
@triton.jit
def half(x, bound):
    if x > bound:
        if x == 6:
            return 100
        return x * 2
    return x
""")  # fmt: skip
    o = np.zeros(8, np.int32)
    run[(8,)](o)
    assert o.tolist() == [0, 1, 2, 3, 8, 10, 100, 14]


def test_tuples():
    run = make("""
i = tl.arange(0, 8)
t = (ps[0], ps[1])
for q in tl.static_range(2):
    tl.store(t[q] + i, tl.load(t[q] + i) * ps[2] + q)
""", "ps")  # fmt: skip
    x, y = ramp(8), ramp(8)
    run[(1,)]((x, y, 3))
    assert np.array_equal(x, 3 * ramp(8)) and np.array_equal(y, 3 * ramp(8) + 1)


def test_integers_of_all_sizes():
    run = make("tl.store(o, a)\ntl.store(o + 1, b)\ntl.store(o + 2, c)", "o, a, b, c")
    o = np.zeros(3, np.uint64)
    run[(1,)](o, 2**63 + 5, 2**31, -1)
    assert o.tolist() == [2**63 + 5, 2**31, 2**64 - 1]
    with pytest.raises(OverflowError):
        run[(1,)](o, 2**64, 0, 0)


def test_none_floats_and_booleans():
    run = make("""
if b is not None:
    tl.store(o, tl.load(b) * f)
elif flag:
    tl.store(o, f)
else:
    tl.store(o, -f)
""", "o, b, f, flag")  # fmt: skip
    o = np.zeros(1, np.float64)
    for b, f, flag, expected in [(None, 0.5, True, 0.5), (None, 0.5, False, -0.5), (np.full(1, 3.0), 1.5, False, 4.5)]:
        run[(1,)](o, b, f, flag)
        assert o[0] == expected


def test_many_arguments():
    names = [f"a{i}" for i in range(120)]
    run = make(
        "\n".join(["s = 0", *(f"s += {n} * {i + 1}" for i, n in enumerate(names)), "tl.store(o, s)"]),
        "o, " + ", ".join(names),
    )
    o = np.zeros(1, np.int64)
    run[(1,)](o, *range(120))
    assert o[0] == sum(i * (i + 1) for i in range(120))


@pytest.mark.parametrize("grid", [(0,), (1,), (3, 0, 2), (7, 5, 3), (1, 1, 1000), (100000,)])
def test_grids(grid):
    run = make(
        "tl.atomic_add(o, 1 + tl.program_id(0) + 10 * tl.program_id(1) + 100 * tl.program_id(2), sem='relaxed')", "o"
    )
    o = np.zeros(1, np.int64)
    run[grid](o)
    nx, ny, nz = (*grid, 1, 1)[:3]
    n = nx * ny * nz
    assert o[0] == n + ((nx - 1) * n + 10 * (ny - 1) * n + 100 * (nz - 1) * n) // 2


def test_autotune_and_heuristics():
    run = kernel("""
@triton.autotune(configs=[triton.Config({"B": 32}), triton.Config({"B": 64}, num_warps=8, num_stages=4)], key=["n"])
@triton.heuristics({"EVEN": lambda a: a["n"] % a["B"] == 0})
@triton.jit
def kernel(p, o, n, B: tl.constexpr, EVEN: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    mask = None if EVEN else i < n
    tl.store(o + i, tl.load(p + i, mask=mask) * 2, mask=mask)
""")
    for n in (96, 128):
        x, o = torch.arange(float(n)), torch.zeros(n)
        run[lambda meta: (triton.cdiv(meta["n"], meta["B"]),)](x, o, n)
        assert torch.equal(o, 2 * x)


def test_hints_change_nothing():
    run = make("""
i = tl.max_contiguous(tl.multiple_of(tl.arange(0, 64), 64), 64)
x = tl.load(p + i, mask=i < n, other=3, cache_modifier=".ca", eviction_policy="evict_last", volatile=True)
tl.debug_barrier()
for k in tl.range(0, 4, loop_unroll_factor=2, num_stages=3, flatten=False, disallow_acc_multi_buffer=True):
    x += k
tl.store(o + i, x, cache_modifier=".wb")
""", "p, o, n")  # fmt: skip
    o = np.zeros(64, np.float32)
    run[(1,)](ramp(64), o, 60)
    assert np.array_equal(o, 6 + np.where(ramp(64) < 60, ramp(64), 3))


def test_large_tiles():
    run = make("""
i = tl.arange(0, 1048576)
x = tl.load(p + i)
tl.store(o + i, x * 2 + tl.sum(x, 0))
""")
    x = np.ones(1 << 20, np.int32)
    o = np.zeros_like(x)
    run[(1,)](x, o)
    assert (o == (1 << 20) + 2).all()
    scan = make("i = tl.arange(0, 65536)\ntl.store(o + i, tl.cumsum(tl.load(p + i), 0))")
    scan[(1,)](x, o)
    assert np.array_equal(o[:65536], np.arange(1, 65537))


# Refusals.


@pytest.mark.parametrize("body, words", [
    ("i = tl.arange(0, 32)\ntl.store(o + i, tl.inline_asm_elementwise('mov $0, $1;', '=r,r', [tl.load(p + i)], tl.float32, True, 1))", "inline_asm"),
    ("tl.store(o, tl.extra.cuda.globaltimer().to(tl.float32))", "inline_asm"),
])  # fmt: skip
def test_what_is_not_supported_is_named_with_its_line(body, words):
    with pytest.raises(Exception) as e:
        make(body)[(1,)](ramp(64), ramp(64))
    text = str(e.value)
    assert type(e.value).__name__ == "KernelCompilationError"
    assert words in text and "<kernel " in text and "error: " in text


@pytest.mark.parametrize("argument, error", [("abc", TypeError), ([1, 2], TypeError), (np.zeros(2, complex), TypeError), (torch.zeros(2, device="meta"), ValueError)])  # fmt: skip
def test_arguments_that_cannot_be_passed(argument, error):
    with pytest.raises(error):
        make("tl.store(o, 1.0)")[(1,)](argument, ramp(1))


@pytest.mark.parametrize("grid", [(2**31,), (-1,), (1, 2**31)])
def test_grids_that_cannot_be(grid):
    with pytest.raises(ValueError, match="grid"):
        make("tl.store(o, 1.0)")[grid](ramp(1), ramp(1))
