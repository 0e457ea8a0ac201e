# ===- test_accumulators.py - Loops around products -------------------------===#
#
# Part of spine-triton, under the MIT licence.
#
# ===-----------------------------------------------------------------------===#
"""What the body of a product's loop may do with the accumulator, each next to its NumPy spelling."""

import numpy as np
import pytest
from source_kernels import kernel

N = 16
LOOP = """
@triton.jit
def kernel(a, b, c, d, M, K, rounds, N: tl.constexpr):
    i = tl.arange(0, N)
    at = i[:, None] * N + i[None, :]
    ab = tl.make_block_ptr(a, (M, K), (K, 1), (0, 0), (N, N), (1, 0))
    bb = tl.make_block_ptr(b, (K, N), (N, 1), (0, 0), (N, N), (1, 0))
    acc = tl.zeros((N, N), tl.float32)
    oth = tl.full((N, N), 1.0, tl.float32)
    for k in range(rounds):
        x = tl.load(ab, boundary_check=(0, 1))
        y = tl.load(bb, boundary_check=(0, 1))
BODY
        ab = tl.advance(ab, (0, N))
        bb = tl.advance(bb, (N, 0))
    tl.store(c + at, acc)
    tl.store(d + at, oth)
"""

BODIES = {
    "plain": ("acc = tl.dot(x, y, acc)", "acc = x@y+acc"),
    "addback": ("acc = acc + tl.dot(x, y)", "acc = x@y+acc"),
    "sub": ("acc = acc - tl.dot(x, y)", "acc = acc-x@y"),
    "scaled": ("acc = tl.dot(x, y, acc * 2)", "acc = x@y+acc*2"),
    "after": ("acc = tl.dot(x, y, acc) * 2 - 1", "acc = (x@y+acc)*2-1"),
    "two": ("acc = tl.dot(x, y, acc)\noth = tl.dot(y, x, oth)", "acc = x@y+acc\noth = y@x+oth"),
    "swap": ("acc, oth = tl.dot(x, y, oth), acc", "acc, oth = x@y+oth, acc"),
    "used": ("acc = tl.dot(x, y, acc)\noth += tl.sum(acc, 1)[:, None]", "acc = x@y+acc\noth = oth+acc.sum(1)[:,None]"),
    "usedbefore": ("oth += acc\nacc = tl.dot(x, y, acc)", "oth = oth+acc\nacc = x@y+acc"),
    "feeds": ("acc = tl.dot(x, acc, acc) % 97", "acc = np.fmod(x@acc+acc+0,97)"),
    "feeds2": ("acc = tl.dot(acc, y, acc) % 97 + 1", "acc = np.fmod(acc@y+acc,97)+1"),
    "twice": ("acc = tl.dot(x, y, acc)\nacc = tl.dot(y, x, acc)", "acc = x@y+acc\nacc = y@x+acc"),
    "if": ("if k % 2 == 0:\n    acc = tl.dot(x, y, acc)", "if k%2==0: acc = x@y+acc"),
    "ifelse": (
        "if k % 2 == 0:\n    acc = tl.dot(x, y, acc)\nelse:\n    acc, oth = oth, acc",
        "if k%2==0: acc = x@y+acc\nelse: acc,oth=oth,acc",
    ),
    "store": (
        "acc = tl.dot(x, y, acc)\ntl.store(a + at, acc % 5)",
        "acc = x@y+acc\na[:N*N] = np.fmod(acc,5).reshape(-1)",
    ),
    "storeacc": (
        "acc = tl.dot(x, y, acc)\ntl.store(b + at, tl.trans(acc) % 5)",
        "acc = x@y+acc\nb[:N*N] = np.fmod(acc.T,5).reshape(-1)",
    ),
    "inner": ("for j in range(2):\n    acc = tl.dot(x + j, y, acc)", "for j in range(2): acc = (x+j)@y+acc"),
    "trans": ("acc = tl.dot(tl.trans(y), tl.trans(x), acc)", "acc = y.T@x.T+acc"),
    "kdep": ("acc = tl.dot(tl.where(x > k, x, 0.0), y * k, acc)", "acc = np.where(x>k,x,0)@(y*k)+acc"),
    "square": ("acc = tl.dot(x, tl.trans(x), acc)", "acc = x@x.T+acc"),
    "samevalue": ("acc = tl.dot(x, y, oth)", "acc = x@y+oth"),
    "last": ("oth = x\nacc = tl.dot(x, y, acc)", "oth = x\nacc = x@y+acc"),
    "reset": ("acc = tl.where(k == 2, 0.0, acc)\nacc = tl.dot(x, y, acc)", "acc = np.where(k==2,0,acc)\nacc=x@y+acc"),
    "rescale": (
        "s = tl.max(x, 1) - 1\nacc = tl.dot(x, y, acc * s[:, None]) % 101",
        "s=x.max(1)-1\nacc=np.fmod(x@y+acc*s[:,None],101)",
    ),
    "break": (
        "if tl.sum(tl.sum(acc, 1), 0) < 50:\n    acc = tl.dot(x, y, acc)\n    oth = acc",
        "if acc.sum()<50:\n    acc=x@y+acc\n    oth=acc",
    ),
}


def tile(matrix, row, column):
    out = np.zeros((N, N))
    part = matrix[row : row + N, column : column + N]
    out[: part.shape[0], : part.shape[1]] = part
    return out


def expected(body, a, b, M, K, rounds):
    names = {"np": np, "N": N, "acc": np.zeros((N, N)), "oth": np.ones((N, N)), "a": a, "b": b}
    for k in range(rounds):
        x, y = tile(a[: M * K].reshape(M, K), 0, k * N), tile(b[: K * N].reshape(K, N), k * N, 0)
        names |= {"k": k, "x": x, "y": y}
        exec(body, names)
    return names["acc"], names["oth"]


@pytest.mark.parametrize("name", BODIES)
def test_bodies(name):
    """Exact: all values are small integers. The last case passes one array for both operands."""
    body, numpy_body = BODIES[name]
    run = kernel(LOOP.replace("BODY", "\n".join("        " + line for line in body.splitlines())))
    for M, K, rounds, same in [
        (16, 48, 3, False),
        (11, 37, 3, False),
        (16, 16, 0, False),
        (7, 40, 5, False),
        (16, 48, 3, True),
    ]:
        memory = np.random.default_rng(M * K).integers(-2, 3, (2, 4096)).astype(np.float32)
        other = memory.copy()
        acc, oth = expected(numpy_body, other[0], other[0 if same else 1], M, K, rounds)
        c, d = np.zeros((2, N, N), np.float32)
        run[(1,)](memory[0], memory[0 if same else 1], c, d, M, K, rounds, N=N)
        assert np.array_equal(c, acc) and np.array_equal(d, oth) and np.array_equal(memory, other), (M, K, rounds, same)
