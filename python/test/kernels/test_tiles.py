# ===- test_tiles.py - Reductions, scans and changes of shape --------------===#
#
# Part of spine-triton, under the MIT licence.
#
# ===-----------------------------------------------------------------------===#
"""Operations on whole tiles against NumPy."""

import numpy as np
import pytest
import torch
from source_kernels import kernel

HELPERS = """
@triton.jit
def multiply(a, b):
    return a * b

@triton.jit
def larger(a, i, b, j):
    better = (a > b) | ((a == b) & (i < j))
    return tl.where(better, a, b), tl.where(better, i, j)

@triton.jit
def welford(mean, m2, n, mean_b, m2_b, n_b):
    total = n + n_b
    delta = mean_b - mean
    ratio = tl.where(total == 0, 0.0, n_b / total)
    return mean + delta * ratio, m2 + m2_b + delta * delta * n * ratio, total

@triton.jit
def branching(a, b):
    if a > b:
        r = a
    else:
        r = b
    return r

@triton.jit
def affine(a, b, c, d):
    return a * c, b * c + d
"""


@pytest.fixture
def rng(request):
    return np.random.default_rng(len(request.node.name))


def tile_kernel(body, inputs, before=HELPERS):
    """`body` sees the tiles x, y, ... of shapes given as constants and stores by `put(k, tile)`."""
    names = "xyzw"[:inputs]
    text = before + "\n@triton.jit\ndef kernel(" + "".join(f"{n}_ptr, " for n in names) + "o_ptr, p_ptr, q_ptr, "
    text += "A: tl.constexpr, B: tl.constexpr):\n"
    text += "    a = tl.arange(0, A)[:, None]\n    b = tl.arange(0, B)[None, :]\n"
    for n in names:
        text += f"    {n} = tl.load({n}_ptr + a * B + b)\n"
    text += "".join(f"    {line}\n" for line in body.splitlines())
    return kernel(text)


def run(body, arrays, outs):
    """Runs one program; outs are arrays to be filled."""
    a, b = arrays[0].shape
    outs = list(outs) + [np.zeros(1, np.int8)] * (3 - len(outs))
    tile_kernel(body, len(arrays))[(1,)](*arrays, *outs, A=a, B=b)


ROWS = "tl.store(o_ptr + tl.arange(0, A), {})"
COLUMNS = "tl.store(o_ptr + tl.arange(0, B), {})"
WHOLE = "tl.store(o_ptr + a * B + b, {})"


@pytest.mark.parametrize("shape", [(1, 1), (1, 32), (32, 1), (4, 64), (64, 4), (16, 16)])
@pytest.mark.parametrize("dtype", ["int8", "int32", "int64", "uint8", "float16", "float32", "float64"])
def test_reductions(shape, dtype, rng):
    x = rng.integers(0, 30, shape).astype(dtype)
    a, b = shape
    for name, function in [("sum", np.sum), ("max", np.max), ("min", np.min)]:
        wide = (x.astype(np.int64) if x.dtype.kind in "iu" else x) if name == "sum" else x
        rows = np.zeros(a, wide.dtype)
        run(ROWS.format(f"tl.{name}(x, axis=1)"), [x], [rows])
        assert np.array_equal(rows, function(wide.astype(np.float64), axis=1).astype(rows.dtype)), name
        columns = np.zeros(b, wide.dtype)
        run(COLUMNS.format(f"tl.{name}(x, axis=0)"), [x], [columns])
        assert np.array_equal(columns, function(wide.astype(np.float64), axis=0).astype(rows.dtype)), name
    if dtype in ("int32", "float32"):
        whole = np.zeros(1, dtype)
        run("tl.store(o_ptr, tl.sum(x))", [x], [whole])
        assert whole[0] == x.sum()


@pytest.mark.parametrize("dtype", ["int16", "uint32", "float16", "float32"])
@pytest.mark.parametrize("axis", [0, 1])
def test_argmax_takes_the_first_of_equals(dtype, axis, rng):
    x = rng.integers(0, 4, (32, 16)).astype(dtype)
    n = x.shape[1 - axis]
    for name, function in [("argmax", np.argmax), ("argmin", np.argmin)]:
        out = np.zeros(n, np.int32)
        run((ROWS if axis else COLUMNS).format(f"tl.{name}(x, axis={axis})"), [x], [out])
        assert np.array_equal(out, function(x, axis=axis))
    values, where = np.zeros(n, dtype), np.zeros(n, np.int32)
    letter = "A" if axis else "B"
    body = f"v, i = tl.max(x, axis={axis}, return_indices=True)\ntl.store(o_ptr + tl.arange(0, {letter}), v)\ntl.store(p_ptr + tl.arange(0, {letter}), i)"
    run(body, [x], [values, where])
    assert np.array_equal(values, x.max(axis)) and np.array_equal(where, x.argmax(axis))


def test_other_reductions(rng):
    x = rng.integers(-50, 50, (8, 32)).astype(np.int32)
    out = np.zeros(8, np.int32)
    run(ROWS.format("tl.xor_sum(x, axis=1)"), [x], [out])
    assert np.array_equal(out, np.bitwise_xor.reduce(x, axis=1))
    run(ROWS.format("tl.reduce_or(x, axis=1)"), [x], [out])
    assert np.array_equal(out, np.bitwise_or.reduce(x, axis=1))
    run(ROWS.format("tl.reduce(x % 3 + 2, 1, multiply)"), [x], [out])
    assert np.array_equal(out, np.multiply.reduce(np.fmod(x, 3) + 2, axis=1, dtype=np.int32))
    run(ROWS.format("tl.reduce(x, 1, branching)"), [x], [out])
    assert np.array_equal(out, x.max(1))
    run(ROWS.format("tl.sum((x > 0).to(tl.int32), axis=1)"), [x], [out])
    assert np.array_equal(out, (x > 0).sum(1))
    run(ROWS.format("tl.max(x > 48, axis=1)"), [x], [out])
    assert np.array_equal(out, (x > 48).max(1))
    keep = np.zeros((8, 1), np.int32)
    run("tl.store(o_ptr + a, tl.sum(x, axis=1, keep_dims=True))", [x], [keep])
    assert np.array_equal(keep, x.sum(1, keepdims=True))
    whole = np.zeros((8, 32), np.int32)
    run(WHOLE.format("x - tl.max(x, axis=0, keep_dims=True) + tl.sum(x, axis=1, keep_dims=True)"), [x], [whole])
    assert np.array_equal(whole, x - x.max(0, keepdims=True) + x.sum(1, keepdims=True))


@pytest.mark.parametrize("axis", [0, 1])
def test_reductions_of_several_operands(axis, rng):
    x = rng.integers(0, 9, (16, 32)).astype(np.float32)
    y = rng.permutation(512).reshape(16, 32).astype(np.int32)
    n, letter = x.shape[1 - axis], "AB"[1 - axis]
    values, where = np.zeros(n, np.float32), np.zeros(n, np.int32)
    run(
        f"v, i = tl.reduce((x, y), {axis}, larger)\ntl.store(o_ptr + tl.arange(0, {letter}), v)\ntl.store(p_ptr + tl.arange(0, {letter}), i)",
        [x, y],
        [values, where],
    )
    best = x.max(axis, keepdims=True)
    assert np.array_equal(values, best.squeeze(axis))
    assert np.array_equal(where, np.where(x == best, y, 10**6).min(axis))

    mean, m2 = np.zeros(n, np.float32), np.zeros(n, np.float32)
    run(
        f"m, s, c = tl.reduce((x, tl.zeros((A, B), tl.float32), tl.full((A, B), 1.0, tl.float32)), {axis}, welford)\ntl.store(o_ptr + tl.arange(0, {letter}), m)\ntl.store(p_ptr + tl.arange(0, {letter}), s / c)",
        [x],
        [mean, m2],
    )
    np.testing.assert_allclose(mean, x.mean(axis), rtol=1e-5)
    np.testing.assert_allclose(m2, x.var(axis), rtol=1e-4)


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("shape", [(1, 64), (32, 8), (16, 1)])
def test_scans(shape, axis, reverse, rng):
    def along(function, x):
        turned = np.flip(x, axis) if reverse else x
        result = function(turned, axis=axis)
        return np.flip(result, axis) if reverse else result

    x = rng.integers(-3, 4, shape).astype(np.int32)
    out = np.zeros(shape, np.int32)
    run(WHOLE.format(f"tl.cumsum(x, axis={axis}, reverse={reverse})"), [x], [out])
    assert np.array_equal(out, along(np.cumsum, x))
    run(WHOLE.format(f"tl.cumprod(x, axis={axis}, reverse={reverse})"), [x], [out])
    assert np.array_equal(out, along(np.cumprod, x).astype(np.int32))
    run(WHOLE.format(f"tl.associative_scan(x, {axis}, branching, reverse={reverse})"), [x], [out])
    assert np.array_equal(out, along(np.maximum.accumulate, x))
    f, g = x.astype(np.float32) / 4, rng.integers(-3, 4, shape).astype(np.float32)
    first, second = np.zeros(shape, np.float32), np.zeros(shape, np.float32)
    run(
        f"u, v = tl.associative_scan((x, y), {axis}, affine, reverse={reverse})\ntl.store(o_ptr + a * B + b, u)\ntl.store(p_ptr + a * B + b, v)",
        [f, g],
        [first, second],
    )
    ff, gg = (np.moveaxis(np.flip(t, axis) if reverse else t, axis, 0).astype(np.float64) for t in (f, g))
    carried, expected = gg[0], [gg[0]]
    for i in range(1, len(ff)):
        carried = carried * ff[i] + gg[i]
        expected.append(carried)
    expected = np.moveaxis(np.stack(expected), 0, axis)
    np.testing.assert_allclose(second, np.flip(expected, axis) if reverse else expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("dtype", ["float32", "uint8"])
def test_sorting(dtype, rng):
    x = rng.integers(0, 100, (8, 8)).astype(dtype)
    out, top = np.zeros_like(x), np.zeros((8, 4), dtype)
    run(
        WHOLE.format("tl.sort(x)") + "\ntl.store(p_ptr + a * 4 + tl.arange(0, 4)[None, :], tl.topk(x, 4))",
        [x],
        [out, top],
    )
    assert np.array_equal(out, np.sort(x, axis=1)) and np.array_equal(top, out[:, :-5:-1])
    if dtype == "float32":
        run(WHOLE.format("tl.sort(tl.flip(x, 1), descending=True)"), [x], [out])
        assert np.array_equal(out, -np.sort(-x, axis=1))


def test_changes_of_shape(rng):
    x = rng.integers(-99, 99, (8, 16)).astype(np.int32)
    y = rng.integers(-99, 99, (8, 16)).astype(np.int32)
    flat = "tl.store(o_ptr + tl.arange(0, {n}), tl.reshape({}, ({n},)))"
    for expression, expected in [
        ("tl.trans(x)", x.T),
        ("tl.trans(x) + tl.trans(y)", (x + y).T),
        ("tl.ravel(x)", x),
        ("tl.reshape(x, (4, 2, 16))", x),
        ("tl.permute(tl.reshape(x, (4, 2, 16)), (2, 0, 1))", x.reshape(4, 2, 16).transpose(2, 0, 1)),
        (
            "tl.permute(tl.reshape(x + y, (2, 2, 2, 4, 4)), (3, 1, 4, 0, 2))",
            (x + y).reshape(2, 2, 2, 4, 4).transpose(3, 1, 4, 0, 2),
        ),
        ("tl.join(x, y)", np.stack([x, y], -1)),
        ("tl.interleave(x, y)", np.stack([x, y], -1).reshape(8, 32)),
        ("tl.trans(tl.interleave(tl.trans(x), tl.trans(y)))", np.stack([x.T, y.T], -1).reshape(16, 16).T),
        ("tl.broadcast_to(tl.sum(x, 1)[:, None], (8, 16)) * y", x.sum(1, keepdims=True) * y),
        ("tl.expand_dims(x, 1) + tl.expand_dims(y, 1)", x + y),
        ("tl.cumsum(tl.reshape(x, (16, 8)), 0)", x.reshape(16, 8).cumsum(0)),
        ("tl.sum(tl.reshape(x, (2, 4, 4, 4)), 2)", x.reshape(2, 4, 4, 4).sum(2)),
        (
            "tl.sum(tl.permute(tl.reshape(x, (2, 4, 4, 4)), (2, 0, 3, 1)), 1)",
            x.reshape(2, 4, 4, 4).transpose(2, 0, 3, 1).sum(1),
        ),
        ("(x[:, None, :] - y[None, :, :])", x[:, None, :] - y[None]),
        ("tl.flip(tl.flip(x, 0), 1)", x[::-1, ::-1]),
    ]:
        out = np.zeros(expected.size, np.int32)
        run(flat.format(expression, n=expected.size), [x, y], [out])
        assert np.array_equal(out, expected.ravel()), expression
    out, other = np.zeros((8, 8), np.int32), np.zeros((8, 8), np.int32)
    at = "a * 8 + tl.arange(0, 8)[None, :]"
    run(
        f"l, r = tl.split(tl.reshape(x, (A, 8, 2)))\ntl.store(o_ptr + {at}, l)\ntl.store(p_ptr + {at}, r * 2)",
        [x],
        [out, other],
    )
    assert np.array_equal(out, x[:, ::2]) and np.array_equal(other, 2 * x[:, 1::2])


def test_cat_holds_all_elements(rng):
    x = rng.permutation(64).reshape(1, 64).astype(np.int32)
    out = np.zeros(128, np.int32)
    run("tl.store(o_ptr + tl.arange(0, 128), tl.cat(tl.ravel(x), tl.ravel(x) + 64, can_reorder=True))", [x], [out])
    assert np.array_equal(np.sort(out), np.arange(128))


def test_gather(rng):
    x = rng.integers(-99, 99, (8, 16)).astype(np.float32)
    for axis in (0, 1):
        y = rng.integers(0, x.shape[axis], (8, 16)).astype(np.int32)
        out = np.zeros_like(x)
        run(WHOLE.format(f"tl.gather(x, y, {axis})"), [x, y], [out])
        assert np.array_equal(out, np.take_along_axis(x, y, axis))


def test_histogram(rng):
    x = rng.integers(0, 16, (1, 256)).astype(np.int32)
    out = np.zeros(16, np.int32)
    run("tl.store(o_ptr + tl.arange(0, 16), tl.histogram(tl.ravel(x), 16))", [x], [out])
    assert np.array_equal(out, np.bincount(x[0], minlength=16))


def test_boolean_tiles(rng):
    x = rng.integers(-9, 9, (8, 32)).astype(np.int32)
    out = np.zeros((8, 32), bool)
    run(
        "m = x > 0\nm = m & (tl.sum(x, 1)[:, None] > 0) | (tl.trans(tl.trans(m)) ^ (x == 3))\n" + WHOLE.format("m"),
        [x],
        [out],
    )
    assert np.array_equal(out, (x > 0) & (x.sum(1)[:, None] > 0) | ((x > 0) ^ (x == 3)))
    flat = np.zeros((32, 8), bool)
    run(
        "tl.store(o_ptr + tl.arange(0, B)[:, None] * A + tl.arange(0, A)[None, :], tl.reshape(x > 2, (B, A)))",
        [x],
        [flat],
    )
    assert np.array_equal(flat, (x > 2).reshape(32, 8))


def test_random_numbers_are_philox():
    run_random = kernel("""
@triton.jit
def kernel(out_ptr, f_ptr, seed, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out_ptr + i, tl.randint(seed, i))
    tl.store(f_ptr + i, tl.rand(seed, i))
""")

    def philox(counter, seed):
        c = [counter, 0, 0, 0]
        k = [seed & 0xFFFFFFFF, seed >> 32]
        for _ in range(10):
            p, q = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
            c = [(q >> 32) ^ c[1] ^ k[0], q & 0xFFFFFFFF, (p >> 32) ^ c[3] ^ k[1], p & 0xFFFFFFFF]
            k = [(k[0] + 0x9E3779B9) & 0xFFFFFFFF, (k[1] + 0xBB67AE85) & 0xFFFFFFFF]
        return c[0]

    out, f = np.zeros(64, np.uint32), np.zeros(64, np.float32)
    run_random[(1,)](out, f, 12345, N=64)
    assert out.tolist() == [philox(i, 12345) for i in range(64)]
    assert (0 <= f).all() and (f < 1).all() and f.std() > 0.1


def test_torch_tensors_are_taken_too():
    x = torch.arange(64, dtype=torch.int32).reshape(8, 8)
    out = torch.zeros(8, dtype=torch.int64)
    run(ROWS.format("tl.sum(x, axis=1)"), [x], [out])
    assert torch.equal(out, x.sum(1))
