# ===- test_language.py - Parts of the language without cases of their own -===#
#
# Part of spine-triton, under the MIT licence.
#
# ===-----------------------------------------------------------------------===#
"""Assertions, printing, functions, unrolled loops, while, casts and math, small."""

import math

import numpy as np
import pytest
import torch
import triton
import triton.language as tl


@triton.jit
def unrolled(out_ptr, COUNT: tl.constexpr, BLOCK: tl.constexpr):
    acc = tl.zeros((BLOCK,), tl.int32)
    for i in tl.static_range(COUNT):
        acc += i * i
    tl.store(out_ptr + tl.arange(0, BLOCK), acc)


@pytest.mark.parametrize("count", [0, 1, 7])
def test_static_range(count):
    out = np.full(16, -1, np.int32)
    unrolled[(1,)](out, COUNT=count, BLOCK=16)
    assert (out == sum(i * i for i in range(count))).all()


@triton.jit
def asserting(x_ptr, N, BLOCK: tl.constexpr):
    n = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + n, mask=n < N, other=0)
    tl.device_assert(x >= 0, "x must not be negative", mask=n < N)
    tl.store(x_ptr + n, x + 1, mask=n < N)


def test_device_assert_that_holds():
    x = np.arange(100, dtype=np.int32)
    asserting[(4,)](x, 100, BLOCK=32, debug=True)
    assert np.array_equal(x, 1 + np.arange(100))


def test_device_assert_that_fails():
    x = np.arange(100, dtype=np.int32)
    x[70] = -1
    with pytest.raises(AssertionError) as e:
        asserting[(4,)](x, 100, BLOCK=32, debug=True)
    text = str(e.value)
    assert "x must not be negative" in text and "test_language.py" in text and "asserting" in text
    x[70] = 5
    asserting[(4,)](x, 100, BLOCK=32, debug=True)  # a failure leaves the launcher usable


def test_device_assert_without_debug_is_no_code():
    x = np.full(32, -1, np.int32)
    asserting[(1,)](x, 32, BLOCK=32)
    assert not x.any()


@triton.jit
def printing(x_ptr, BLOCK: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, BLOCK))
    tl.device_print("value", x)
    tl.device_print("scalar", tl.program_id(1))
    tl.device_print("nothing")


def test_device_print(capfd):
    printing[(1, 2)](np.array([0.5, -1, 2, 4], np.float32), BLOCK=4)
    out = capfd.readouterr()
    lines = (out.out + out.err).splitlines()
    values = [line for line in lines if "value" in line]
    assert len(values) == 8
    assert any(line.startswith("pid (0, 1, 0) idx (1)") and "-1" in line for line in values)
    scalars = [line for line in lines if "scalar" in line]
    assert len(scalars) == 2 and any(line.startswith("pid (0, 1, 0)") for line in scalars)


@triton.jit
def square(x):
    return x * x


@triton.jit(noinline=True)
def cube(x):
    return x * x * x


@triton.jit
def calling(x_ptr, y_ptr, BLOCK: tl.constexpr):
    n = tl.arange(0, BLOCK)
    tl.store(y_ptr + n, square(tl.load(x_ptr + n)) + cube(tl.load(x_ptr + 3)))


def test_functions_inlined_and_not():
    x, y = np.arange(16, dtype=np.float32), np.zeros(16, np.float32)
    calling[(1,)](x, y, BLOCK=16)
    assert np.array_equal(y, x**2 + 27)


@triton.jit
def collatz(x_ptr, steps_ptr):
    i = tl.program_id(0)
    n = tl.load(x_ptr + i)
    steps = 0
    while n != 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    tl.store(steps_ptr + i, steps)


def test_while_with_if():
    x = np.arange(1, 50, dtype=np.int64)
    steps = np.zeros(49, np.int32)
    collatz[(49,)](x, steps)

    def count(n):
        return 0 if n == 1 else 1 + count(n // 2 if n % 2 == 0 else 3 * n + 1)

    assert steps.tolist() == [count(n) for n in range(1, 50)]


@triton.jit
def cast(x_ptr, y_ptr, N, BLOCK: tl.constexpr):
    x_blk = tl.make_block_ptr(x_ptr, (N,), (1,), (0,), (BLOCK,), (0,))
    y_blk = tl.make_block_ptr(y_ptr, (N,), (1,), (0,), (BLOCK,), (0,))
    tl.store(y_blk, tl.load(x_blk, boundary_check=(0,)).to(y_ptr.dtype.element_ty), boundary_check=(0,))


TYPES = [torch.int8, torch.int16, torch.int32, torch.int64, torch.uint8, torch.float16, torch.bfloat16]
TYPES += [torch.float32, torch.float64]


@pytest.mark.parametrize("to", TYPES, ids=str)
@pytest.mark.parametrize("of", TYPES, ids=str)
def test_casts(of, to):
    low = 0 if torch.uint8 in (of, to) else -100
    x = torch.arange(low, 101).to(of)
    y = torch.zeros(x.numel(), dtype=to)
    cast[(1,)](x, y, x.numel(), BLOCK=256)
    assert torch.equal(y, x.to(to))


@triton.jit
def math_functions(x_ptr, out_ptr, N, BLOCK: tl.constexpr):
    n = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + n, mask=n < N, other=1.0)
    tl.store(out_ptr + 0 * N + n, tl.exp(x), mask=n < N)
    tl.store(out_ptr + 1 * N + n, tl.log(x), mask=n < N)
    tl.store(out_ptr + 2 * N + n, tl.sqrt(x), mask=n < N)
    tl.store(out_ptr + 3 * N + n, tl.sin(x), mask=n < N)
    tl.store(out_ptr + 4 * N + n, tl.cos(x), mask=n < N)
    tl.store(out_ptr + 5 * N + n, tl.exp2(x), mask=n < N)
    tl.store(out_ptr + 6 * N + n, tl.log2(x), mask=n < N)
    tl.store(out_ptr + 7 * N + n, tl.floor(x), mask=n < N)
    tl.store(out_ptr + 8 * N + n, tl.ceil(x), mask=n < N)
    tl.store(out_ptr + 9 * N + n, tl.erf(x), mask=n < N)
    tl.store(out_ptr + 10 * N + n, tl.rsqrt(x), mask=n < N)
    tl.store(out_ptr + 11 * N + n, tl.abs(-x), mask=n < N)
    tl.store(out_ptr + 12 * N + n, tl.fma(x, x, x), mask=n < N)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_math(dtype):
    x = np.linspace(0.01, 9, 200).astype(dtype)
    out = np.zeros((13, 200), dtype)
    math_functions[(1,)](x, out, 200, BLOCK=256)
    d = x.astype(np.float64)
    erf = np.array([math.erf(v) for v in d])
    want = [np.exp(d), np.log(d), np.sqrt(d), np.sin(d), np.cos(d), np.exp2(d), np.log2(d), np.floor(d), np.ceil(d)]
    want += [erf, 1 / np.sqrt(d), d, d * d + d]
    eps = np.finfo(dtype).eps
    np.testing.assert_allclose(out, np.array(want), rtol=8 * eps, atol=4 * eps)


@triton.jit
def combine_max_abs(a, b):
    return tl.where(tl.abs(a) > tl.abs(b), a, b)


@triton.jit
def reductions(x_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr):
    m, n = tl.arange(0, M), tl.arange(0, N)
    x = tl.load(x_ptr + m[:, None] * N + n[None, :])
    tl.store(out_ptr + 0 * N + n, tl.sum(x, 0))
    tl.store(out_ptr + 1 * N + n, tl.max(x, 0))
    tl.store(out_ptr + 2 * N + n, tl.min(x, 0))
    tl.store(out_ptr + 3 * N + n, tl.argmax(x, 0).to(tl.float32))
    tl.store(out_ptr + 4 * N + n, tl.reduce(x, 0, combine_max_abs))
    tl.store(out_ptr + 5 * N + n, tl.sum(tl.sum(x, 1), 0))


def test_reductions():
    rng = np.random.default_rng(0)
    x = rng.permutation(np.arange(-256, 256)).astype(np.float32).reshape(32, 16)
    out = np.zeros((6, 16), np.float32)
    reductions[(1,)](x, out, M=32, N=16)
    largest = np.take_along_axis(x, np.abs(x).argmax(0)[None], 0)[0]
    want = [x.sum(0), x.max(0), x.min(0), x.argmax(0), largest, np.full(16, x.sum())]
    assert np.array_equal(out[[0, 1, 2, 3, 5]], np.array(want)[[0, 1, 2, 3, 5]])
    assert np.array_equal(np.abs(out[4]), np.abs(largest))


@triton.jit
def dot(a_ptr, b_ptr, c_ptr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, PRECISION: tl.constexpr):
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    a = tl.load(a_ptr + m[:, None] * K + k[None, :])
    b = tl.load(b_ptr + k[:, None] * N + n[None, :])
    tl.store(c_ptr + m[:, None] * N + n[None, :], tl.dot(a, b, input_precision=PRECISION))


@pytest.mark.parametrize("precision", [None, "ieee", "tf32", "tf32x3"])
def test_dot_is_exact_whatever_precision_is_asked_for(precision):
    rng = np.random.default_rng(0)
    a, b = (rng.integers(-4000, 4000, (16, 16)).astype(np.float32) for _ in range(2))
    a, b = np.floor(a / 8), np.floor(b / 8)
    c = np.zeros((16, 16), np.float32)
    dot[(1,)](a, b, c, M=16, N=16, K=16, PRECISION=precision)
    assert np.array_equal(c, a @ b)
