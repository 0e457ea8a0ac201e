"""Reductions whose combine function is associative but not commutative, and promises of the user."""

import numpy as np
import pytest
import torch
import triton
import triton.language as tl


@triton.jit
def compose(a, b, c, d):
    """Composition of the affine maps x -> a x + b and x -> c x + d, the first one applied first."""
    return a * c, b * c + d


@triton.jit
def reduce_maps(p, q, out, M: tl.constexpr, N: tl.constexpr, AXIS: tl.constexpr):
    i = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    u, v = tl.reduce((tl.load(p + i), tl.load(q + i)), AXIS, compose)
    n: tl.constexpr = M if AXIS == 1 else N
    tl.store(out + tl.arange(0, n), u)
    tl.store(out + n + tl.arange(0, n), v)


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("shape", [(1, 64), (8, 16), (16, 8)], ids=str)
def test_elements_are_combined_in_order(shape, axis):
    rng = np.random.default_rng(sum(shape) + axis)
    p = rng.choice([-1, 1], size=shape).astype(np.int32)
    q = rng.integers(-3, 4, size=shape).astype(np.int32)
    kept = shape[1 - axis]
    out = torch.zeros(2 * kept, dtype=torch.int32)
    reduce_maps[(1,)](torch.from_numpy(p), torch.from_numpy(q), out, M=shape[0], N=shape[1], AXIS=axis)
    u, v = np.take(p, 0, axis), np.take(q, 0, axis)
    for k in range(1, shape[axis]):
        c, d = np.take(p, k, axis), np.take(q, k, axis)
        u, v = u * c, v * c + d
    assert np.array_equal(out.numpy(), np.concatenate([u, v]))


@triton.jit
def copy_positive(x, y, n, BLOCK: tl.constexpr):
    tl.assume(n > 0)
    i = tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i, mask=i < n, other=0.0), mask=i < n)


def test_assumptions_are_accepted():
    x, y = torch.arange(10.0), torch.zeros(10)
    copy_positive[(1,)](x, y, 10, BLOCK=16)
    assert torch.equal(x, y)
