# ===- test_libdevice.py - triton.language.extra.libdevice -----------------===#
#
# Part of spine-triton, under the MIT licence.
#
# ===-----------------------------------------------------------------------===#
"""Each function that is offered, against Python's own; the others say that they are missing."""

import ctypes
import math

import numpy as np
import pytest
import triton
import triton.language as tl
from triton.compiler.errors import CompilationError
from triton.language.extra import libdevice
from triton.language.extra.libdevice import tanh

from spine_triton import libdevice as ours

COUNT = 1024

c_pow = ctypes.CDLL("libm.so.6").pow
c_pow.restype, c_pow.argtypes = ctypes.c_double, [ctypes.c_double, ctypes.c_double]


@triton.jit
def one_argument(f: tl.constexpr, x_ptr, out_ptr, N: tl.constexpr):
    n = tl.arange(0, N)
    tl.store(out_ptr + n, f(tl.load(x_ptr + n)).to(out_ptr.dtype.element_ty))


@triton.jit
def two_arguments(f: tl.constexpr, x_ptr, y_ptr, out_ptr, N: tl.constexpr):
    n = tl.arange(0, N)
    tl.store(out_ptr + n, f(tl.load(x_ptr + n), tl.load(y_ptr + n)).to(out_ptr.dtype.element_ty))


def apply(name, *arrays, dtype=None):
    out = np.empty(COUNT, dtype or arrays[0].dtype)
    kernel = one_argument if len(arrays) == 1 else two_arguments
    kernel[(1,)](getattr(ours, name), *arrays, out, N=COUNT)
    return out


def ulps(found, exact):
    """The largest distance from the exact results, given in fp64, in units of the last place of fp32."""
    wanted = exact.astype(np.float32)
    same = (found == wanted) | (np.isnan(found) & np.isnan(wanted))
    size = np.spacing(np.abs(np.where(same, 1, wanted)))
    return np.max(np.where(same, 0, np.abs(found.astype(np.float64) - exact) / size))


def numbers(low, high):
    rng = np.random.default_rng(1)
    x = rng.uniform(low, high, COUNT)
    x[: COUNT // 4] *= 1e-4  # where differences cancel
    return x.astype(np.float32)


WIDE = {
    "tanh": (np.tanh, -20, 20),
    "sinh": (np.sinh, -80, 80),
    "cosh": (np.cosh, -80, 80),
    "tan": (np.tan, -100, 100),
    "expm1": (np.expm1, -20, 80),
    "log1p": (np.log1p, -0.999, 1e6),
    "exp10": (lambda x: 10.0**x, -30, 30),
    "log10": (np.log10, 0, 1e6),
    "cbrt": (np.cbrt, -1e6, 1e6),
}


@pytest.mark.parametrize("name", WIDE)
def test_functions_computed_in_fp64(name):
    exact, low, high = WIDE[name]
    x = numbers(low, high)
    assert ulps(apply(name, x), exact(x.astype(np.float64))) <= 0.51


@pytest.mark.parametrize("name", ["exp", "exp2", "log", "log2", "sin", "cos", "sqrt", "rsqrt", "erf"])
def test_functions_with_operations_of_their_own(name):
    x = numbers(1e-3, 10)
    exact = {"rsqrt": lambda v: 1 / np.sqrt(v), "erf": np.vectorize(math.erf)}.get(name) or getattr(np, name)
    np.testing.assert_allclose(apply(name, x), exact(x.astype(np.float64)), rtol=2e-6, atol=1e-6)


HALVES = np.resize(
    np.array(
        [0.0, -0.0, 0.4, 0.5, 0.6, 1.5, 2.5, -0.3, -0.5, -0.7, -1.5, -2.5, 8388609, 1e30, np.inf, -np.inf, np.nan]
    ),
    COUNT,
).astype(np.float32)


def same_bits(a, b):
    return np.array_equal(a.view(np.int32) | (np.isnan(a) * -1), b.view(np.int32) | (np.isnan(b) * -1))


@pytest.mark.parametrize(
    "name,exact",
    [
        ("trunc", np.trunc),
        ("rint", np.rint),
        ("nearbyint", np.rint),
        ("floor", np.floor),
        ("ceil", np.ceil),
        ("round", lambda x: np.copysign(np.floor(np.abs(x) + np.float32(0.5) * (np.abs(x) < 2**22)), x)),
    ],
)
def test_rounding(name, exact):
    """Zeros with their sign, halves, infinities, NaN."""
    assert same_bits(apply(name, HALVES), exact(HALVES).astype(np.float32))


@pytest.mark.parametrize(
    "name,exact", [("isnan", np.isnan), ("isinf", np.isinf), ("finitef", np.isfinite), ("isfinited", np.isfinite)]
)
def test_classes_of_numbers(name, exact):
    assert np.array_equal(apply(name, HALVES, dtype=np.int32), exact(HALVES).astype(np.int32))


def test_bits():
    assert np.array_equal(apply("float_as_int", HALVES, dtype=np.int32), HALVES.view(np.int32))
    assert np.array_equal(apply("float_as_uint", HALVES, dtype=np.uint32), HALVES.view(np.uint32))
    back = apply("int_as_float", HALVES.view(np.int32), dtype=np.float32)
    assert np.array_equal(back.view(np.int32), HALVES.view(np.int32))
    wide = HALVES.astype(np.float64)
    assert np.array_equal(apply("double_as_longlong", wide, dtype=np.int64), wide.view(np.int64))


def test_signs():
    other = np.resize(np.array([1, -1, -0.0, 0.0, np.nan, -np.inf], np.float32), COUNT)
    assert same_bits(apply("copysign", HALVES, other), np.copysign(HALVES, other))
    assert np.array_equal(apply("signbit", HALVES, dtype=np.int32), np.signbit(HALVES).astype(np.int32))
    half = other.astype(np.float16)
    assert np.array_equal(apply("signbit", half, dtype=np.int32), np.signbit(half).astype(np.int32))


def test_saturate_and_difference():
    assert np.array_equal(apply("saturatef", HALVES), np.nan_to_num(np.clip(HALVES, 0, 1)))
    x, y = numbers(-5, 5), numbers(-5, 5)[::-1].copy()
    assert np.array_equal(apply("fdim", x, y), np.maximum(x - y, 0))


@pytest.mark.parametrize("name,exact", [("hypot", np.hypot), ("pow", np.power)])
def test_two_arguments(name, exact):
    x, y = np.abs(numbers(1e-3, 30)), numbers(-8, 8)[::-1].copy()
    assert ulps(apply(name, x, y), exact(x.astype(np.float64), y.astype(np.float64))) <= 0.51


def test_powers_at_the_edges():
    edges = np.array([0, -0.0, 1, -1, 2, -2, 0.5, np.inf, -np.inf, np.nan, 3, -3], np.float32)
    x, y = (np.resize(a.ravel(), COUNT).astype(np.float32) for a in np.meshgrid(edges, edges))
    wanted = np.array([c_pow(float(a), float(b)) for a, b in zip(x, y)], np.float32)
    assert np.array_equal(apply("pow", x, y), wanted, equal_nan=True)


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_dtype_stays(dtype):
    x = np.linspace(-3, 3, COUNT).astype(dtype)
    assert np.array_equal(apply("tanh", x), np.tanh(x.astype(np.float64)).astype(dtype))


@triton.jit
def by_module(x_ptr, out_ptr, N: tl.constexpr):
    n = tl.arange(0, N)
    tl.store(out_ptr + n, libdevice.tanh(tl.load(x_ptr + n)))


@triton.jit
def by_name(x_ptr, out_ptr, N: tl.constexpr):
    n = tl.arange(0, N)
    tl.store(out_ptr + n, tanh(tl.load(x_ptr + n)))


@pytest.mark.parametrize("kernel", [by_module, by_name], ids=["module", "name"])
def test_both_ways_to_import(kernel):
    x = np.linspace(-3, 3, COUNT, dtype=np.float32)
    out = np.empty_like(x)
    kernel[(1,)](x, out, N=COUNT)
    assert ulps(out, np.tanh(x.astype(np.float64))) <= 0.51


@triton.jit
def missing(x_ptr, N: tl.constexpr):
    n = tl.arange(0, N)
    tl.store(x_ptr + n, libdevice.j0(tl.load(x_ptr + n)))


def test_missing_function_is_named_with_its_line():
    with pytest.raises(CompilationError) as e:
        missing[(1,)](np.zeros(COUNT, np.float32), N=COUNT)
    text = str(e.value)
    assert "libdevice.j0 is not available with the backend spine" in text
    assert "tanh" in text and "libdevice.j0(tl.load(x_ptr + n))" in text


def test_wide_functions_refuse_fp64():
    with pytest.raises(CompilationError) as e:
        apply("tanh", np.zeros(COUNT, np.float64))
    causes = []
    error = e.value
    while error is not None:
        causes.append(str(error))
        error = error.__cause__ or error.__context__
    assert any("available for fp16, bf16 and fp32" in cause for cause in causes)


def test_every_offered_function_is_one_of_libdevice():
    offered = ours.available()
    assert offered and all(hasattr(libdevice, name) for name in offered)
    with pytest.raises(AttributeError):
        _ = ours.no_such_function
