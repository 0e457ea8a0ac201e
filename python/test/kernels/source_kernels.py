# ===- source_kernels.py - Kernels made from text --------------------------===#
#
# Part of spine-triton, under the MIT licence.
#
# ===-----------------------------------------------------------------------===#
"""Kernels built from text, so that one test can have the same body for many expressions."""

import itertools
import linecache

import triton
import triton.language as tl

_count = itertools.count()


def kernel(text, name="kernel"):
    """The function `name` defined by `text`, compiled as a Triton kernel; decorate helpers in the text."""
    file = f"<kernel {next(_count)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    scope = {"__name__": __name__, "triton": triton, "tl": tl}
    exec(compile(text, file, "exec"), scope)
    return scope[name]


def elementwise(expression, inputs, before=""):
    """out[i] = expression of x, y, z, ..., which are loaded from `inputs` pointers; i runs over BLOCK."""
    names = "xyzw"[:inputs]
    lines = [before, "@triton.jit"]
    lines.append(f"def kernel(out_ptr, {''.join(f'{n}_ptr, ' for n in names)}N, BLOCK: tl.constexpr):")
    lines.append("    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)")
    lines += [f"    {n} = tl.load({n}_ptr + i, mask=i < N)" for n in names]
    lines.append(f"    tl.store(out_ptr + i, {expression}, mask=i < N)")
    return kernel("\n".join(lines) + "\n")


def evaluate(expression, out, *arrays, block=32, before=""):
    """Runs `elementwise` over whole arrays and returns `out`."""
    n = len(out)
    elementwise(expression, len(arrays), before)[(-(-n // block),)](out, *arrays, n, BLOCK=block)
    return out
