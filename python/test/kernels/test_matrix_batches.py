# ===- test_matrix_batches.py - Products of one matrix per batch -----------===#
#
# Part of spine-triton, under the MIT licence.
#
# ===-----------------------------------------------------------------------===#
"""Tiles of 1 x M x N are matrices to the compiler: edges in all dimensions, types, paddings, what else uses them."""

import numpy as np
import pytest
import torch
import triton
import triton.language as tl
from hypothesis import given, settings
from hypothesis import strategies as st


@triton.jit
def bmm(
    a_ptr, b_ptr, c_ptr, B, M, N, K, ab, am, ak, bb, bk, bn, cb, cm, cn, batch, row, column,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, ACC: tl.constexpr, PADDING: tl.constexpr = "zero",
):  # fmt: skip
    batch += tl.program_id(2)
    row += tl.program_id(0) * BM
    column += tl.program_id(1) * BN
    a = tl.make_block_ptr(a_ptr, (B, M, K), (ab, am, ak), (batch, row, 0), (1, BM, BK), (2, 1, 0))
    b = tl.make_block_ptr(b_ptr, (B, K, N), (bb, bk, bn), (batch, 0, column), (1, BK, BN), (2, 1, 0))
    c = tl.make_block_ptr(c_ptr, (B, M, N), (cb, cm, cn), (batch, row, column), (1, BM, BN), (2, 1, 0))
    acc = tl.zeros((1, BM, BN), ACC)
    for _ in range(0, tl.cdiv(K, BK)):
        x = tl.load(a, boundary_check=(0, 1, 2), padding_option=PADDING)
        y = tl.load(b, boundary_check=(0, 1, 2), padding_option=PADDING)
        acc = tl.dot(x, y, acc, out_dtype=ACC)
        a = tl.advance(a, (0, 0, BK))
        b = tl.advance(b, (0, BK, 0))
    tl.store(c, acc.to(c_ptr.dtype.element_ty), boundary_check=(0, 1, 2))


def integers(rng, *shape):
    """Small whole numbers: sums of their products are exact in any order and type."""
    return rng.integers(-4, 5, shape)


def run(a, b, c, blocks, offsets=(0, 0, 0), acc=tl.float32, **options):
    (batches, m, k), n = a.shape, b.shape[2]
    strides = [s for x in (a, b, c) for s in x.stride()]
    grid = (
        triton.cdiv(m - min(offsets[1], 0), blocks[0]),
        triton.cdiv(n - min(offsets[2], 0), blocks[1]),
        batches - min(offsets[0], 0) + 2,  # programs behind the last batch, too
    )
    return bmm[grid](a, b, c, batches, m, n, k, *strides, *offsets, *blocks, ACC=acc, **options)


def tensor(values, dtype="float32", order=(0, 1, 2)):
    """With dimensions in memory from the outermost to the innermost as in `order`."""
    x = torch.from_numpy(np.ascontiguousarray(values.transpose(order))).to(getattr(torch, dtype))
    return x.permute(*np.argsort(order).tolist())


@settings(max_examples=12, deadline=None)
@given(
    st.tuples(st.integers(1, 4), st.integers(1, 70), st.integers(1, 40), st.integers(1, 150)),
    st.sampled_from([(16, 16, 16), (32, 8, 32), (64, 16, 64), (4, 32, 64), (128, 128, 32), (1, 16, 16), (8, 1, 16)]),
    st.tuples(st.integers(-2, 0), st.integers(-5, 0), st.integers(-5, 0)),
    st.tuples(*[st.permutations(range(3))] * 3),
)
def test_edges(shape, blocks, offsets, orders):
    """Batches, rows and columns before the first and behind the last, in tensors of any order, are not stored."""
    rng = np.random.default_rng(sum(shape))
    batches, m, n, k = shape
    left, right = integers(rng, batches, m, k), integers(rng, batches, k, n)
    c = tensor(np.full((batches, m, n), np.nan), order=orders[2])
    run(tensor(left, order=orders[0]), tensor(right, order=orders[1]), c, blocks, offsets)
    np.testing.assert_array_equal(c.numpy(), left @ right)


@pytest.mark.parametrize(
    "of, acc", [("float16", tl.float32), ("float16", tl.float16), ("bfloat16", tl.float32), ("int8", tl.int32)]
)
@pytest.mark.parametrize("blocks", [(32, 16, 32), (64, 64, 64)])
def test_types(of, acc, blocks):
    rng = np.random.default_rng(blocks[0])
    left, right = integers(rng, 3, 70, 100), integers(rng, 3, 100, 50)
    c = torch.full((3, 70, 50), 99, dtype=getattr(torch, acc.name.replace("fp", "float")))
    run(tensor(left, of), tensor(right, of), c, blocks, acc=acc)
    np.testing.assert_array_equal(c.double().numpy(), left @ right)


@pytest.mark.parametrize("k", [0, 1, 63, 512, 700])
def test_reductions(k):
    """None, of part of a tile, and more than one group of iterations."""
    rng = np.random.default_rng(k)
    left, right = integers(rng, 2, 65, k), integers(rng, 2, k, 40)
    c = torch.full((2, 65, 40), float("nan"))
    run(tensor(left), tensor(right), c, (64, 32, 64))
    np.testing.assert_array_equal(c.numpy(), left @ right)


def test_nan_padding():
    """What is padded with NaN reaches the rows and columns it is multiplied with, and no others."""
    rng = np.random.default_rng(0)
    left, right = integers(rng, 2, 20, 32), integers(rng, 2, 32, 20)
    for k, isnan in ((32, False), (30, True)):
        c = torch.zeros((2, 20, 20))
        run(tensor(left[:, :, :k]), tensor(right[:, :k]), c, (16, 16, 32), PADDING="nan")
        expected = np.full((2, 20, 20), np.nan) if isnan else left @ right
        np.testing.assert_array_equal(c.numpy(), expected)


@pytest.mark.parametrize("shift", [0, 1, 20 * 20, -7])
def test_result_over_operand(shift):
    """The version for arguments that overlap: each program's product is as if it were alone."""
    rng = np.random.default_rng(1)
    storage = torch.from_numpy(integers(rng, 3000).astype(np.float32))
    start = 1000
    left = storage[start : start + 400].view(1, 20, 20)
    right = tensor(integers(rng, 1, 20, 20))
    expected = storage.clone()
    expected[start + shift : start + shift + 400] = (left @ right).flatten()
    # One program: what others store is not ordered.
    c = storage[start + shift : start + shift + 400].view(1, 20, 20)
    bmm[(1, 1, 1)](left, right, c, 1, 20, 20, 20, *left.stride(), *right.stride(), *c.stride(), 0, 0, 0, 32, 32, 32,
                   ACC=tl.float32)  # fmt: skip
    assert torch.equal(storage, expected)


@triton.jit
def unchecked(
    a_ptr, b_ptr, c_ptr, B, M, K, row, T: tl.constexpr, CHECK: tl.constexpr, OTHER: tl.constexpr
):  # fmt: skip
    batch = tl.program_id(0)
    a = tl.make_block_ptr(a_ptr, (B, M, K), (M * K, K, 1), (batch, row, 0), (1, T, T), (2, 1, 0))
    b = tl.make_block_ptr(b_ptr, (T, T), (T, 1), (0, 0), (T, T), (1, 0))
    c = tl.make_block_ptr(c_ptr, (B, M, T), (M * T, T, 1), (batch, row, 0), (1, T, T), (2, 1, 0))
    x = tl.load(a, boundary_check=CHECK, padding_option="zero")
    z = tl.dot(x, tl.load(b)[None, :, :])
    z += tl.load(c, boundary_check=OTHER, padding_option="zero")
    tl.store(c, z, boundary_check=CHECK)


@pytest.mark.parametrize("check", [(0,), (1,), (2,), (0, 1), (0, 2), (1, 2), (0, 1, 2)])
@pytest.mark.parametrize("other", [(0,), (0, 1, 2)])
def test_dimensions_that_are_not_checked(check, other):
    """An access checks some dimensions, another of the same tile others; rows begin in the middle of the tensor."""
    rng = np.random.default_rng(len(check))
    batches, m, t, row = 3, 40, 16, 8
    a, b, c = integers(rng, batches, m, t), integers(rng, t, t), integers(rng, batches, m, t)
    result = tensor(c)
    programs = batches + (2 if 0 in check else 0)
    unchecked[(programs,)](tensor(a), torch.from_numpy(b).float(), result, batches, m, t, row, t, check, other)
    c[:, row : row + t] += a[:, row : row + t] @ b
    np.testing.assert_array_equal(result.numpy(), c)


@triton.jit
def attention(q_ptr, k_ptr, v_ptr, o_ptr, B, L, T: tl.constexpr, D: tl.constexpr):
    """Reductions along tiles of one matrix per batch, and what they make of 1 x M elements."""
    batch, row = tl.program_id(1), tl.program_id(0) * T
    q = tl.make_block_ptr(q_ptr, (B, L, D), (L * D, D, 1), (batch, row, 0), (1, T, D), (2, 1, 0))
    k = tl.make_block_ptr(k_ptr, (B, L, D), (L * D, D, 1), (batch, 0, 0), (1, T, D), (2, 1, 0))
    v = tl.make_block_ptr(v_ptr, (B, L, D), (L * D, D, 1), (batch, 0, 0), (1, T, D), (2, 1, 0))
    most = tl.full((1, T), float("-inf"), tl.float32)
    total = tl.zeros((1, T), tl.float32)
    acc = tl.zeros((1, T, D), tl.float32)
    query = tl.load(q, boundary_check=(0, 1))
    for start in range(0, L, T):
        scores = tl.dot(query, tl.permute(tl.load(k, boundary_check=(0, 1)), (0, 2, 1)))
        scores = tl.where((start + tl.arange(0, T) < L)[None, None, :], scores, float("-inf"))
        largest = tl.maximum(most, tl.max(scores, 2))
        p = tl.exp(scores - largest[:, :, None])
        factor = tl.exp(most - largest)
        total = total * factor + tl.sum(p, 2)
        values = tl.load(v, boundary_check=(0, 1), padding_option="zero")
        acc = tl.dot(p, values, acc * factor[:, :, None])
        most = largest
        k, v = tl.advance(k, (0, T, 0)), tl.advance(v, (0, T, 0))
    o = tl.make_block_ptr(o_ptr, (B, L, D), (L * D, D, 1), (batch, row, 0), (1, T, D), (2, 1, 0))
    tl.store(o, acc / total[:, :, None], boundary_check=(0, 1))


def test_attention():
    torch.manual_seed(0)
    q, k, v = torch.randn(3, 3, 70, 32)
    o = torch.full_like(q, float("nan"))
    attention[(triton.cdiv(70, 16), 3)](q, k, v, o, 3, 70, 16, 32)
    torch.testing.assert_close(o, torch.softmax(q @ k.mT, -1) @ v, rtol=1e-4, atol=1e-5)


@triton.jit
def gathered(a_ptr, c_ptr, n, T: tl.constexpr):
    at = tl.arange(0, T)[None, :, None] * T + tl.arange(0, T)[None, None, :]
    at += tl.program_id(0) * T * T
    x = tl.load(a_ptr + at, mask=at < n, other=2)
    z = tl.dot(x, tl.permute(x, (0, 2, 1)))
    tl.store(c_ptr + at, tl.where(z > 0, z, -z), mask=at < n)
    tl.atomic_add(c_ptr + at, z, mask=at < n)


def test_tiles_of_pointers():
    rng = np.random.default_rng(3)
    a = integers(rng, 3, 16, 16).astype(np.float32)
    n = a.size - 21
    c = np.full_like(a, 7)
    padded = a.copy().reshape(-1)
    padded[n:] = 2
    padded = padded.reshape(a.shape)
    expected = padded @ padded.transpose(0, 2, 1)
    expected = np.abs(expected) + expected
    expected.reshape(-1)[n:] = 7
    gathered[(3,)](a, c, n, 16)
    np.testing.assert_array_equal(c, expected)


@pytest.mark.parametrize("capacity", [1 << 40, 65536, 16384])
def test_auto_tile(capacity):
    """Parts of tiles, and loops over parts in loops over the reduction, give the same."""
    rng = np.random.default_rng(5)
    left, right = integers(rng, 2, 130, 200), integers(rng, 2, 200, 100)
    c = torch.full((2, 130, 100), float("nan"))
    compiled = run(tensor(left), tensor(right), c, (128, 128, 64), auto_tile=True, scratchpad_bytes=capacity)
    assert bool(compiled.metadata.split) == (capacity < 1 << 40)
    np.testing.assert_array_equal(c.numpy(), left @ right)


def test_results_are_stored_from_registers():
    """As those of plain matrices: neither the accumulator nor an operand has a buffer of its tile's size."""
    a, b, c = torch.ones(3, 2, 64, 64)
    compiled = run(a, b, c, (64, 16, 32))
    assert "linalg.matmul" in compiled.asm["linalg"]
    assert "1x64" not in compiled.asm["linalg"]
    assert compiled.metadata.shared < 64 * 1024
