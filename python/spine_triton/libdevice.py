# ===- libdevice.py - triton.language.extra.libdevice ----------------------===#
#
# Part of spine-triton, under the MIT licence.
#
# ===-----------------------------------------------------------------------===#
"""The functions of `triton.language.extra.libdevice` that kernels can use with this backend.

On a GPU that module stands for the vendor's library of mathematical functions. There is none here: a function is either
one of Triton's own operations, or is put together from them. Functions without an operation of their own are computed in
fp64 and rounded once: an fp32 result is off by half a unit of its last place and a hair. They refuse fp64 arguments.

Any other function of that module raises an error that names those which exist.
"""

from __future__ import annotations

import triton
import triton.language as tl
from triton.language import core

# --- Triton's own operations ----------------------------------------------------------------------------------------


@triton.jit
def abs(arg0):
    return tl.abs(arg0)


@triton.jit
def floor(arg0):
    return tl.floor(arg0)


@triton.jit
def ceil(arg0):
    return tl.ceil(arg0)


@triton.jit
def sqrt(arg0):
    return tl.sqrt(arg0)


@triton.jit
def sqrt_rn(arg0):
    return tl.sqrt_rn(arg0)


@triton.jit
def rsqrt(arg0):
    return tl.rsqrt(arg0)


@triton.jit
def exp(arg0):
    return tl.exp(arg0)


@triton.jit
def exp2(arg0):
    return tl.exp2(arg0)


@triton.jit
def log(arg0):
    return tl.log(arg0)


@triton.jit
def log2(arg0):
    return tl.log2(arg0)


@triton.jit
def sin(arg0):
    return tl.sin(arg0)


@triton.jit
def cos(arg0):
    return tl.cos(arg0)


@triton.jit
def erf(arg0):
    return tl.erf(arg0)


@triton.jit
def fma(arg0, arg1, arg2):
    return tl.fma(arg0, arg1, arg2)


@triton.jit
def div_rn(arg0, arg1):
    return tl.div_rn(arg0, arg1)


fma_rn = fma
fast_sinf = sin
fast_cosf = cos
fast_expf = exp
fast_logf = log
fast_log2f = log2
fast_dividef = div_rn


# --- Exact combinations of them -------------------------------------------------------------------------------------


@triton.jit
def _bits(arg0):
    """The bits of a number as an unsigned integer."""
    if arg0.dtype.primitive_bitwidth == 16:
        return arg0.to(tl.uint16, bitcast=True)
    elif arg0.dtype.primitive_bitwidth == 32:
        return arg0.to(tl.uint32, bitcast=True)
    else:
        return arg0.to(tl.uint64, bitcast=True)


@triton.jit
def copysign(arg0, arg1):
    tl.static_assert(arg0.dtype == arg1.dtype, "copysign takes two numbers of one type")
    last: tl.constexpr = arg0.dtype.primitive_bitwidth - 1
    size, sign = (_bits(arg0) << 1) >> 1, (_bits(arg1) >> last) << last
    return (size | sign).to(arg0.dtype, bitcast=True)


@triton.jit
def signbit(arg0):
    return (_bits(arg0) >> (arg0.dtype.primitive_bitwidth - 1)) != 0


@triton.jit
def trunc(arg0):
    return copysign(tl.floor(tl.abs(arg0)), arg0)


@triton.jit
def isnan(arg0):
    return arg0 != arg0


@triton.jit
def isinf(arg0):
    return tl.abs(arg0) == float("inf")


@triton.jit
def finitef(arg0):
    return tl.abs(arg0) < float("inf")


isfinited = finitef


@triton.jit
def saturatef(arg0):
    return tl.where(arg0 > 0, tl.where(arg0 < 1, arg0, 1.0), 0.0)


@triton.jit
def fdim(arg0, arg1):
    return tl.where(arg0 <= arg1, 0.0, arg0 - arg1)


@triton.jit
def float_as_int(arg0):
    return arg0.to(tl.int32, bitcast=True)


@triton.jit
def int_as_float(arg0):
    return arg0.to(tl.float32, bitcast=True)


@triton.jit
def float_as_uint(arg0):
    return arg0.to(tl.uint32, bitcast=True)


@triton.jit
def uint_as_float(arg0):
    return arg0.to(tl.float32, bitcast=True)


@triton.jit
def double_as_longlong(arg0):
    return arg0.to(tl.int64, bitcast=True)


@triton.jit
def longlong_as_double(arg0):
    return arg0.to(tl.float64, bitcast=True)


@triton.jit
def rint(arg0):
    """To the nearest integer, halves to the even one."""
    size = tl.abs(arg0)
    down = tl.floor(size)
    rest = size - down  # exact
    odd = tl.floor(down * 0.5) * 2.0 != down
    up = (rest > 0.5) | ((rest == 0.5) & odd)
    return copysign(tl.where(up, down + 1.0, down), arg0)


nearbyint = rint


@triton.jit
def round(arg0):
    """To the nearest integer, halves away from zero."""
    size = tl.abs(arg0)
    down = tl.floor(size)
    return copysign(tl.where(size - down >= 0.5, down + 1.0, down), arg0)


# --- Functions computed in fp64 -------------------------------------------------------------------------------------


@triton.jit
def _wide(arg0):
    """The argument in fp64."""
    tl.static_assert(
        arg0.dtype.primitive_bitwidth < 64,
        "this function of libdevice is available for fp16, bf16 and fp32 with the backend spine",
    )
    return arg0.to(tl.float64)


@triton.jit
def tanh(arg0):
    x = _wide(arg0)
    t = tl.exp(-2.0 * tl.abs(x))
    far = (1.0 - t) / (1.0 + t)
    result = tl.where(x < 0, -far, far)
    near = x - x * x * x * 0.3333333333333333
    return tl.where(tl.abs(x) < 1e-3, near, result).to(arg0.dtype)


@triton.jit
def sinh(arg0):
    x = _wide(arg0)
    e = tl.exp(x)
    near = x + x * x * x * 0.16666666666666666
    return tl.where(tl.abs(x) < 1e-3, near, 0.5 * (e - 1.0 / e)).to(arg0.dtype)


@triton.jit
def cosh(arg0):
    e = tl.exp(tl.abs(_wide(arg0)))
    return (0.5 * (e + 1.0 / e)).to(arg0.dtype)


@triton.jit
def tan(arg0):
    x = _wide(arg0)
    return (tl.sin(x) / tl.cos(x)).to(arg0.dtype)


@triton.jit
def expm1(arg0):
    x = _wide(arg0)
    near = x + x * x * (0.5 + x * 0.16666666666666666)
    return tl.where(tl.abs(x) < 1e-4, near, tl.exp(x) - 1.0).to(arg0.dtype)


@triton.jit
def log1p(arg0):
    x = _wide(arg0)
    near = x - x * x * (0.5 - x * 0.3333333333333333)
    return tl.where(tl.abs(x) < 1e-4, near, tl.log(1.0 + x)).to(arg0.dtype)


@triton.jit
def exp10(arg0):
    return tl.exp2(_wide(arg0) * 3.321928094887362).to(arg0.dtype)


@triton.jit
def log10(arg0):
    return (tl.log2(_wide(arg0)) * 0.3010299956639812).to(arg0.dtype)


@triton.jit
def cbrt(arg0):
    x = _wide(arg0)
    root = tl.exp2(tl.log2(tl.abs(x)) * 0.3333333333333333)
    return tl.where(x == 0, x, tl.where(x < 0, -root, root)).to(arg0.dtype)


@triton.jit
def hypot(arg0, arg1):
    x, y = _wide(arg0), _wide(arg1)
    length = tl.sqrt(x * x + y * y)
    infinite = (tl.abs(x) == float("inf")) | (tl.abs(y) == float("inf"))
    return tl.where(infinite, float("inf"), length).to(arg0.dtype)


@triton.jit
def pow(arg0, arg1):
    x, y = _wide(arg0), _wide(arg1)
    size = tl.exp2(y * tl.log2(tl.abs(x)))
    whole = tl.floor(y) == y
    odd = whole & (tl.floor(y * 0.5) * 2.0 != y)
    # A power of a negative number that is not whole exists only where its size, 0 or infinite, says it all.
    broken = (x < 0) & (x > -float("inf")) & (whole == 0)
    result = tl.where(signbit(x) & odd, -size, tl.where(broken, float("nan"), size))
    # The cases where a logarithm says nothing: 1 to any power, any number to the power 0, -1 to an infinite one.
    one = (x == 1) | (y == 0) | ((x == -1) & (tl.abs(y) == float("inf")))
    return tl.where(one, 1.0, result).to(arg0.dtype)


fast_tanhf = tanh
fast_tanf = tan
fast_exp10f = exp10
fast_log10f = log10
fast_powf = pow


# --- The rest -------------------------------------------------------------------------------------------------------


def available() -> list[str]:
    """Names of the functions that can be used."""
    return sorted(n for n, f in globals().items() if isinstance(f, triton.JITFunction) and not n.startswith("_"))


def __getattr__(name: str):
    from triton.language.extra import libdevice

    if name.startswith("_") or not hasattr(libdevice, name):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

    @core.builtin
    def missing(*args, _semantic=None):
        raise NotImplementedError(
            f"libdevice.{name} is not available with the backend spine; write it with functions of tl, or use one of "
            + ", ".join(available())
        )

    return missing
