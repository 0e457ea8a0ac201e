# ===- test_elementwise.py - Arithmetic of every type ----------------------===#
#
# Part of spine-triton, under the MIT licence.
#
# ===-----------------------------------------------------------------------===#
"""Elementwise operations on all types against NumPy and torch; sizes leave a ragged last program."""

import zlib

import numpy as np
import pytest
import torch
from source_kernels import evaluate, kernel

SIGNED = ["int8", "int16", "int32", "int64"]
UNSIGNED = ["uint8", "uint16", "uint32", "uint64"]
INTEGERS = SIGNED + UNSIGNED
FLOATS = ["float16", "float32", "float64"]
COUNT = 77


def integers(dtype, rng, count=COUNT):
    """Values of the whole range with its ends, zero and one."""
    info = np.iinfo(dtype)
    x = rng.integers(info.min, info.max, count, dtype=dtype, endpoint=True)
    x[:4] = info.min, info.max, 0, 1
    rng.shuffle(x)
    return x


def close(actual, expected, dtype):
    """Within a few units in the last place of `dtype`, of values computed in float64."""
    eps = torch.finfo(getattr(torch, dtype)).eps
    np.testing.assert_allclose(np.asarray(actual, np.float64), expected, rtol=4 * eps, atol=2 * eps)


@pytest.fixture
def rng(request):
    return np.random.default_rng(zlib.crc32(request.node.name.encode()))


# Integers, exact.


@pytest.mark.parametrize("dtype", INTEGERS)
def test_integer_ring(dtype, rng):
    x, y = integers(dtype, rng), integers(dtype, rng)
    t = f"tl.{dtype}"
    for expression, expected in [
        (f"(x * y + (x - y)).to({t})", x * y + (x - y)),
        ("(x & y) ^ (x | ~y)", (x & y) ^ (x | ~y)),
        ("tl.minimum(x, y) - tl.maximum(x, y)", np.minimum(x, y) - np.maximum(x, y)),
        ("tl.where(x < y, x, y) + tl.where(x >= y, 1, 0).to(x.dtype)", np.where(x < y, x, y) + (x >= y).astype(dtype)),
        (
            "tl.where((x == y) | (x != 0) & (x > y), x, -y)",
            np.where((x == y) | (x != 0) & (x > y), x, (0 - y).astype(dtype)),
        ),
    ]:
        assert np.array_equal(evaluate(expression, np.zeros_like(x), x, y), expected), expression


@pytest.mark.parametrize("dtype", INTEGERS)
def test_integer_division(dtype, rng):
    x, y = integers(dtype, rng), integers(dtype, rng)
    y[y == 0] = 3
    if dtype in SIGNED:
        x[x == np.iinfo(dtype).min] += 1  # min / -1 overflows
    pairs = [(int(a), int(b)) for a, b in zip(x, y)]
    quotient = np.array([abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1) for a, b in pairs], dtype)
    assert np.array_equal(evaluate("x // y", np.zeros_like(x), x, y), quotient)
    assert np.array_equal(evaluate("x % y", np.zeros_like(x), x, y), x - quotient * y)


@pytest.mark.parametrize("dtype", INTEGERS)
def test_division_by_zero_in_masked_elements(dtype):
    """What lies outside of the mask is loaded as zero and divided by; the result is not stored."""
    x = np.full(5, 100, dtype)
    y = np.arange(1, 6).astype(dtype)
    for expression, expected in [("x // y", x // y), ("x % y", x % y)]:
        assert np.array_equal(evaluate(expression, np.zeros_like(x), x, y, block=64), expected)


@pytest.mark.parametrize("dtype", INTEGERS)
def test_shifts(dtype, rng):
    x = integers(dtype, rng)
    y = rng.integers(0, np.iinfo(dtype).bits, COUNT).astype(dtype)
    assert np.array_equal(evaluate("x << y", np.zeros_like(x), x, y), x << y)
    assert np.array_equal(evaluate("x >> y", np.zeros_like(x), x, y), x >> y)


@pytest.mark.parametrize("dtype", SIGNED)
def test_integer_abs(dtype, rng):
    x = integers(dtype, rng)
    assert np.array_equal(evaluate("tl.abs(x)", np.zeros_like(x), x), np.abs(x))


@pytest.mark.parametrize("dtype", ["uint32", "int32", "uint64"])
def test_umulhi(dtype, rng):
    x, y = integers(dtype, rng), integers(dtype, rng)
    bits = np.iinfo(dtype).bits
    expected = [(int(a) % 2**bits * (int(b) % 2**bits)) >> bits for a, b in zip(x, y)]
    expected = np.array(expected, f"uint{bits}").view(dtype)
    assert np.array_equal(evaluate("tl.umulhi(x, y)", np.zeros_like(x), x, y), expected)


def test_booleans(rng):
    x, y = rng.integers(0, 2, COUNT).astype(bool), rng.integers(0, 2, COUNT).astype(bool)
    for expression, expected in [
        ("x & y", x & y),
        ("x | y", x | y),
        ("x ^ y", x ^ y),
        ("~x", ~x),
        ("x == y", x == y),
        ("x < y", x < y),
        ("tl.where(x, y, ~y)", np.where(x, y, ~y)),
        ("x.to(tl.int8) - y.to(tl.int8) != 0", x != y),
    ]:
        assert np.array_equal(evaluate(expression, np.zeros(COUNT, bool), x, y), expected), expression
    assert np.array_equal(evaluate("x + y.to(tl.int32)", np.zeros(COUNT, np.int32), x, y), x + y.astype(np.int32))


# Floating point.

MATH = {
    "tl.exp(x)": np.exp,
    "tl.exp2(x)": np.exp2,
    "tl.log(tl.abs(x) + 0.5)": lambda x: np.log(np.abs(x) + 0.5),
    "tl.log2(tl.abs(x) + 0.5)": lambda x: np.log2(np.abs(x) + 0.5),
    "tl.sin(x) * tl.cos(x)": lambda x: np.sin(x) * np.cos(x),
    "tl.sqrt(tl.abs(x))": lambda x: np.sqrt(np.abs(x)),
    "tl.rsqrt(tl.abs(x) + 1)": lambda x: 1 / np.sqrt(np.abs(x) + 1),
    "tl.floor(x) + 2 * tl.ceil(x)": lambda x: np.floor(x) + 2 * np.ceil(x),
    "tl.erf(x)": lambda x: torch.erf(torch.tensor(x)).numpy(),
    "tl.sigmoid(x)": lambda x: 1 / (1 + np.exp(-x)),
    "tl.fma(x, x, 2.5)": lambda x: x * x + 2.5,
    "tl.div_rn(x, x + 9)": lambda x: x / (x + 9),
    "tl.sqrt_rn(tl.abs(x))": lambda x: np.sqrt(np.abs(x)),
    "tl.abs(x) - x": lambda x: np.abs(x) - x,
    "-x": lambda x: -x,
    "tl.clamp(x, -1.0, 0.75)": lambda x: np.clip(x, -1, 0.75),
}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_math(dtype, rng):
    x = rng.uniform(-4, 4, COUNT).astype(dtype)
    for expression, function in MATH.items():
        if "_rn" in expression and dtype == "float64":
            continue
        close(evaluate(expression, np.zeros_like(x), x), function(x.astype(np.float64)), dtype)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_math_by_way_of_fp32(dtype, rng):
    """Triton's mathematical functions take fp32 and fp64; narrower floats go there and back."""
    x = torch.tensor(rng.uniform(-4, 4, COUNT)).to(getattr(torch, dtype))
    for expression, function in MATH.items():
        out = torch.zeros_like(x)
        evaluate(
            f"({expression.replace('x', 'X').replace('eXp', 'exp').replace('X', 'x.to(tl.float32)')}).to(tl.{dtype})",
            out,
            x,
        )
        close(out.double().numpy(), function(x.double().numpy()), dtype)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_float_arithmetic(dtype, rng):
    """Correctly rounded, so equal to torch's."""
    kind = getattr(torch, dtype)
    x, y = (torch.tensor(rng.normal(size=COUNT) * 8).to(kind) for _ in range(2))
    for expression, expected in [
        ("x + y", x + y),
        ("x - y", x - y),
        ("x * y", x * y),
        ("tl.where(x < y, -x, y)", torch.where(x < y, -x, y)),
        ("tl.abs(x)", x.abs()),
        ("tl.maximum(x, y) + tl.minimum(x, y)", torch.maximum(x, y) + torch.minimum(x, y)),
    ]:
        out = evaluate(expression, torch.zeros_like(x), x, y)
        assert torch.equal(out, expected), expression
    close(evaluate("x / y", torch.zeros_like(x), x, y).double(), (x.double() / y.double()).numpy(), dtype)
    close(evaluate("x % y", torch.zeros_like(x), x, y).double(), torch.fmod(x, y).double().numpy(), dtype)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_special_values(dtype):
    kind = getattr(torch, dtype)
    tiny = torch.finfo(kind).smallest_normal / 4
    special = [0.0, -0.0, 1.0, -1.0, float("inf"), float("-inf"), float("nan"), tiny, torch.finfo(kind).max]
    x, y = (
        t.flatten() for t in torch.meshgrid(*[torch.tensor(special, dtype=torch.float64).to(kind)] * 2, indexing="ij")
    )

    def check(expression, expected):
        out = evaluate(expression, torch.zeros_like(expected), x, y)
        same = (out == expected) | (out.isnan() & expected.isnan()) if expected.is_floating_point() else out == expected
        assert same.all(), (expression, x[~same], y[~same], out[~same], expected[~same])

    check("x + y", x + y)
    check("x * y", x * y)
    check("x < y", x < y)
    check("x >= y", x >= y)
    check("x != y", x != y)
    check("x == y", x == y)
    check("tl.maximum(x, y, propagate_nan=tl.PropagateNan.ALL)", torch.maximum(x, y))
    check("tl.minimum(x, y, propagate_nan=tl.PropagateNan.ALL)", torch.minimum(x, y))
    check("tl.maximum(x, y)", torch.fmax(x, y))
    check("tl.minimum(x, y)", torch.fmin(x, y))
    check("tl.clamp(x, -1.0, 0.5, propagate_nan=tl.PropagateNan.ALL)", torch.clamp(x, -1, 0.5))


# Conversions.

ALL = INTEGERS + ["float16", "bfloat16", "float32", "float64", "bool"]


@pytest.mark.parametrize("of", ALL)
def test_casts(of, rng):
    """Numbers that the other type holds are kept; the rest of the rules is NumPy's for integers."""
    kind = getattr(torch, of)
    if of == "bool":
        x = torch.tensor(rng.integers(0, 2, COUNT)).to(kind)
    elif kind.is_floating_point:
        # torch rounds fp64 by way of fp32, so start with what fp32 holds.
        x = (
            torch.tensor(np.concatenate([rng.uniform(-120, 120, COUNT - 5), [0.0, -0.0, 0.5, -0.5, 1.0]]))
            .float()
            .to(kind)
        )
    else:
        x = torch.from_numpy(integers(of, rng))
    for to in ALL:
        source = x
        target = getattr(torch, to)
        if to in UNSIGNED and kind.is_floating_point:
            source = x.abs()
        if to == "bool":
            expected = source != 0 if of in ("bool", *FLOATS, "bfloat16") else torch.from_numpy(source.numpy() != 0)
        elif of in INTEGERS and to in INTEGERS:
            expected = torch.from_numpy(source.numpy().astype(to))
        elif of in INTEGERS:
            # One rounding, from the exact number.
            wide = source.numpy()
            expected = (
                torch.from_numpy(wide.astype(to))
                if to in ("float32", "float64")
                else torch.from_numpy(wide.astype("float64")).to(target)
            )
        else:
            expected = source.to(target)
        out = evaluate(f"x.to(tl.{'int1' if to == 'bool' else to})", torch.zeros(COUNT, dtype=target), source)
        same = (out.numpy() == expected.numpy()) if to != "bfloat16" else (out == expected).numpy()
        assert same.all(), (
            to,
            source[~torch.from_numpy(same)],
            out[~torch.from_numpy(same)],
            expected[~torch.from_numpy(same)],
        )


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_rounding_to_nearest_even(dtype):
    """All bit patterns of the upper half and ties, near-ties and NaNs below it."""
    high = np.arange(0, 1 << 16, 7, dtype=np.uint32) << 16
    x = np.concatenate([high + low for low in (0, 0x1000, 0x3000, 0x7FFF, 0x8000, 0x8001, 0xFFFF)]).astype(np.uint32)
    x = torch.from_numpy(x.view(np.float32))
    out = torch.zeros(len(x), dtype=getattr(torch, dtype))
    evaluate(f"x.to(tl.{dtype})", out, x, block=4096)
    expected = x.to(out.dtype)
    same = (out.view(torch.int16) == expected.view(torch.int16)) | (out.isnan() & expected.isnan())
    assert same.all(), (x[~same][:8], out[~same][:8], expected[~same][:8])


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_fp64_is_rounded_once(dtype, rng):
    kind = getattr(torch, dtype)
    step = torch.finfo(kind).eps
    x = torch.tensor(
        [1 + step / 2, 1 + step / 2 + 2**-40, 1 + step / 2 - 2**-40, 1 + 1.5 * step, 1 + 1.5 * step - 2**-40],
        dtype=torch.float64,
    )
    x = torch.cat([x, -x])
    out = evaluate(f"x.to(tl.{dtype})", torch.zeros(len(x), dtype=kind), x)
    expected = torch.tensor([1, 1 + step, 1, 1 + 2 * step, 1 + step], dtype=torch.float64)
    assert torch.equal(out.double(), torch.cat([expected, -expected]))


def test_bitcasts(rng):
    x = rng.normal(size=COUNT).astype(np.float32)
    assert np.array_equal(evaluate("x.to(tl.int32, bitcast=True)", np.zeros(COUNT, np.int32), x), x.view(np.int32))
    h = rng.normal(size=COUNT).astype(np.float16)
    assert np.array_equal(evaluate("x.to(tl.uint16, bitcast=True)", np.zeros(COUNT, np.uint16), h), h.view(np.uint16))
    i = integers("int64", rng)
    out = evaluate("x.to(tl.float64, bitcast=True)", np.zeros(COUNT, np.float64), i)
    assert np.array_equal(out.view(np.int64), i)


def test_scalars_of_every_type():
    """The same operations on scalars as on tiles."""
    run = kernel("""
@triton.jit
def kernel(i_ptr, f_ptr, a, b, f, g, flag):
    tl.store(i_ptr + 0, a // b)
    tl.store(i_ptr + 1, a % b)
    tl.store(i_ptr + 2, a << 3)
    tl.store(i_ptr + 3, (a ^ b) & 0xFFFF)
    tl.store(i_ptr + 4, tl.where(flag, a, b))
    tl.store(i_ptr + 5, (f * g).to(tl.int64))
    tl.store(i_ptr + 6, max(a, b) - min(a, b))
    tl.store(i_ptr + 7, tl.cdiv(a, b))
    tl.store(f_ptr + 0, f / g)
    tl.store(f_ptr + 1, tl.exp(f))
    tl.store(f_ptr + 2, a / b)
    tl.store(f_ptr + 3, f.to(tl.float16).to(tl.float32))
    tl.store(f_ptr + 4, tl.sqrt(g) if flag else f)
    tl.store(f_ptr + 5, tl.fma(f, g, 1.0))
""")
    for a, b, f, g, flag in [(17, 5, 1.5, 2.25, True), (-17, 5, -0.3, 9.0, False), (2**40, -3, 3.7, 0.5, True)]:
        i, o = np.zeros(8, np.int64), np.zeros(6, np.float32)
        run[(1,)](i, o, a, b, f, g, flag)
        quotient = int(a / b)
        ceil = int((a + b - 1) / b)
        assert i.tolist() == [
            quotient,
            a - quotient * b,
            a << 3,
            (a ^ b) & 0xFFFF,
            a if flag else b,
            int(f * g),
            abs(a - b),
            ceil,
        ]
        half = float(np.float16(np.float32(f)))
        np.testing.assert_allclose(o, [f / g, np.exp(f), a / b, half, np.sqrt(g) if flag else f, f * g + 1], rtol=1e-6)


def test_expressions_of_many_operations(rng):
    """More operations than one loop body takes."""
    x, y = rng.integers(-5, 6, COUNT), rng.integers(-5, 6, COUNT)
    expression, expected = "x", x
    for i in range(90):
        expression, expected = f"(({expression}) * {i % 3 - 1} + y * {i})", expected * (i % 3 - 1) + y * i
        if i % 30 == 29:
            expression = f"({expression}) % 1009"
            expected = np.fmod(expected, 1009)
    assert np.array_equal(evaluate(expression, np.zeros_like(x), x, y), expected)


def test_mixed_types_follow_tritons_promotion(rng):
    x = rng.integers(-100, 100, COUNT).astype(np.int8)
    y = rng.integers(-30000, 30000, COUNT).astype(np.int16)
    z = rng.normal(size=COUNT).astype(np.float16)
    assert np.array_equal(evaluate("x + y", np.zeros(COUNT, np.int64), x, y), (x + y).astype(np.int64))
    expected = (x.astype(np.float16) * z).astype(np.float32)
    assert np.array_equal(evaluate("x * y", np.zeros(COUNT, np.float32), x, z), expected)
    u = rng.integers(0, 2**32, COUNT, dtype=np.uint32)
    assert np.array_equal(
        evaluate("x.to(tl.int32) < y", np.zeros(COUNT, bool), y.astype(np.int32), u),
        y.astype(np.int32).view(np.uint32) < u,
    )


def test_division_of_integers_is_real(rng):
    x, y = rng.integers(-99, 100, COUNT).astype(np.int32), rng.integers(1, 50, COUNT).astype(np.int32)
    np.testing.assert_allclose(evaluate("x / y", np.zeros(COUNT, np.float32), x, y), x / y, rtol=1e-6)


@pytest.mark.parametrize("block", [1, 2, 4, 8, 128, 1024])
def test_block_sizes(block, rng):
    x = rng.integers(-9, 10, 300).astype(np.int16)
    assert np.array_equal(evaluate("x * 3 - 1", np.zeros_like(x), x, block=block), x * 3 - 1)
