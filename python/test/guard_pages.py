# ===- guard_pages.py - Kernels at the edge of mapped memory ---------------===#
#
# Part of spine-triton, under the MIT licence.
#
# ===-----------------------------------------------------------------------===#
"""Run as a program by test_guard_pages.py, since a stray access ends the process: `guard_pages.py RANK DTYPE...`.

Each array ends at the last byte of a page, or begins at the first, and the page on the other side cannot be accessed.
What is about to run is printed first, so that the last line names the culprit.
"""

# Functions made in a loop run before its next step.
# ruff: noqa: B023

import ctypes
import itertools
import mmap
import sys

import numpy as np
import torch
import triton
import triton.language as tl

PAGE = mmap.PAGESIZE
_libc = ctypes.CDLL(None, use_errno=True)
_libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
_mappings = []


def at_edge(values: np.ndarray, edge: str) -> np.ndarray:
    """A copy of `values` that touches an inaccessible page with its first or its last byte."""
    size = -(-values.nbytes // PAGE) * PAGE
    mapping = mmap.mmap(-1, size + 2 * PAGE)
    _mappings.append(mapping)  # stays mapped: a protected page must not be handed out again
    address = ctypes.addressof(ctypes.c_char.from_buffer(mapping))
    for page in (address, address + PAGE + size):
        if _libc.mprotect(page, PAGE, 0) != 0:
            raise OSError(ctypes.get_errno(), "mprotect")
    offset = PAGE if edge == "start" else PAGE + size - values.nbytes
    array = np.frombuffer(mapping, values.dtype, values.size, offset).reshape(values.shape)
    array[...] = values
    return array


# Sizes and alignments are not specialised on, strides are: a few compilations serve all shapes.
_GENERAL = {
    "do_not_specialize": ["B", "M", "N", "K", "start"],
    "do_not_specialize_on_alignment": ["x_ptr", "y_ptr", "a_ptr", "b_ptr", "c_ptr", "sm", "sn"],
}


@triton.jit(**_GENERAL)
def block_1d(x_ptr, y_ptr, N, start, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + start
    x_blk = tl.make_block_ptr(x_ptr, (N,), (1,), (at,), (BLOCK,), (0,))
    y_blk = tl.make_block_ptr(y_ptr, (N,), (1,), (at,), (BLOCK,), (0,))
    tl.store(y_blk, tl.load(x_blk, boundary_check=(0,), padding_option="zero"), boundary_check=(0,))


@triton.jit(**_GENERAL)
def masked_1d(x_ptr, y_ptr, N, start, BLOCK: tl.constexpr):
    n = tl.program_id(0) * BLOCK + start + tl.arange(0, BLOCK)
    mask = (n >= 0) & (n < N)
    tl.store(y_ptr + n, tl.load(x_ptr + n, mask=mask), mask=mask)


@triton.jit(**_GENERAL)
def block_2d(x_ptr, y_ptr, M, N, sm, sn, start, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, ORDER: tl.constexpr):
    row = tl.program_id(0) * BLOCK_M + start
    col = tl.program_id(1) * BLOCK_N + start
    x_blk = tl.make_block_ptr(x_ptr, (M, N), (sm, sn), (row, col), (BLOCK_M, BLOCK_N), ORDER)
    y_blk = tl.make_block_ptr(y_ptr, (M, N), (sm, sn), (row, col), (BLOCK_M, BLOCK_N), ORDER)
    tl.store(y_blk, tl.load(x_blk, boundary_check=(0, 1), padding_option="zero"), boundary_check=(0, 1))


@triton.jit(**_GENERAL)
def masked_2d(x_ptr, y_ptr, M, N, sm, sn, start, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    m = (tl.program_id(0) * BLOCK_M + start + tl.arange(0, BLOCK_M))[:, None]
    n = (tl.program_id(1) * BLOCK_N + start + tl.arange(0, BLOCK_N))[None, :]
    mask = (m >= 0) & (m < M) & (n >= 0) & (n < N)
    offsets = m * sm + n * sn
    tl.store(y_ptr + offsets, tl.load(x_ptr + offsets, mask=mask), mask=mask)


@triton.jit(**_GENERAL)
def block_3d(x_ptr, y_ptr, B, M, N, start, BLOCK_B: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    first = (tl.program_id(0) * BLOCK_B + start, tl.program_id(1) * BLOCK_M + start, tl.program_id(2) * BLOCK_N + start)
    x_blk = tl.make_block_ptr(x_ptr, (B, M, N), (M * N, N, 1), first, (BLOCK_B, BLOCK_M, BLOCK_N), (2, 1, 0))
    y_blk = tl.make_block_ptr(y_ptr, (B, M, N), (M * N, N, 1), first, (BLOCK_B, BLOCK_M, BLOCK_N), (2, 1, 0))
    tl.store(y_blk, tl.load(x_blk, boundary_check=(0, 1, 2), padding_option="zero"), boundary_check=(0, 1, 2))


@triton.jit(**_GENERAL)
def dot_2d(
    a_ptr, b_ptr, c_ptr, M, N, K, am, ak, bk, bn,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr
):  # fmt: skip
    row = tl.program_id(0) * BLOCK_M
    a_blk = tl.make_block_ptr(a_ptr, (M, K), (am, ak), (row, 0), (BLOCK_M, BLOCK_K), (1, 0))
    b_blk = tl.make_block_ptr(b_ptr, (K, N), (bk, bn), (0, 0), (BLOCK_K, BLOCK_N), (1, 0))
    acc = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for _ in range(0, K, BLOCK_K):
        acc = tl.dot(tl.load(a_blk, boundary_check=(0, 1)), tl.load(b_blk, boundary_check=(0, 1)), acc)
        a_blk = tl.advance(a_blk, (0, BLOCK_K))
        b_blk = tl.advance(b_blk, (BLOCK_K, 0))
    c_blk = tl.make_block_ptr(c_ptr, (M, N), (N, 1), (row, 0), (BLOCK_M, BLOCK_N), (1, 0))
    tl.store(c_blk, acc.to(c_ptr.dtype.element_ty), boundary_check=(0, 1))


@triton.jit(**_GENERAL)
def dot_batch(
    a_ptr, b_ptr, c_ptr, B, M, N, K, start, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr
):  # fmt: skip
    """One matrix of a batch per program; some programs have none."""
    batch, row = tl.program_id(1) + start, tl.program_id(0) * BLOCK_M
    a_blk = tl.make_block_ptr(a_ptr, (B, M, K), (M * K, K, 1), (batch, row, 0), (1, BLOCK_M, BLOCK_K), (2, 1, 0))
    b_blk = tl.make_block_ptr(b_ptr, (B, K, N), (K * N, N, 1), (batch, 0, 0), (1, BLOCK_K, BLOCK_N), (2, 1, 0))
    acc = tl.zeros((1, BLOCK_M, BLOCK_N), tl.float32)
    for _ in range(0, K, BLOCK_K):
        acc = tl.dot(tl.load(a_blk, boundary_check=(0, 1, 2)), tl.load(b_blk, boundary_check=(0, 1, 2)), acc)
        a_blk = tl.advance(a_blk, (0, 0, BLOCK_K))
        b_blk = tl.advance(b_blk, (0, BLOCK_K, 0))
    c_blk = tl.make_block_ptr(c_ptr, (B, M, N), (M * N, N, 1), (batch, row, 0), (1, BLOCK_M, BLOCK_N), (2, 1, 0))
    tl.store(c_blk, acc, boundary_check=(0, 1, 2))


@triton.jit
def dot_whole(
    a_ptr, b_ptr, c_ptr, am, ak, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, BLOCK_K: tl.constexpr
):  # fmt: skip
    """One tile of exactly the size of C: nothing is checked."""
    acc = tl.zeros((M, N), c_ptr.dtype.element_ty)
    for k in range(0, K, BLOCK_K):
        a_blk = tl.make_block_ptr(a_ptr, (M, K), (am, ak), (0, k), (M, BLOCK_K), (1, 0))
        b_blk = tl.make_block_ptr(b_ptr, (K, N), (N, 1), (k, 0), (BLOCK_K, N), (1, 0))
        acc = tl.dot(tl.load(a_blk), tl.load(b_blk), acc, out_dtype=c_ptr.dtype.element_ty)
    c_blk = tl.make_block_ptr(c_ptr, (M, N), (N, 1), (0, 0), (M, N), (1, 0))
    tl.store(c_blk, acc)


def operand_at_edge(values: np.ndarray, dtype: str, edge: str):
    """Small whole numbers in a type that NumPy may lack."""
    if dtype != "bfloat16":
        return at_edge(values.astype(dtype), edge)
    bits = (values.astype(np.float32).view(np.uint32) >> 16).astype(np.int16)
    return torch.from_numpy(at_edge(bits, edge)).view(torch.bfloat16)


def numbers(shape, dtype):
    values = np.arange(1, 1 + np.prod(shape)).reshape(shape)
    return values % 2 == 0 if dtype == "bool" else (values % 89).astype(dtype)


def pairs(x):
    """Source and destination, of which one lies at an edge."""
    for edge in ("start", "end"):
        yield f"load at {edge}", at_edge(x, edge), np.zeros_like(x)
        yield f"store at {edge}", x.copy(), at_edge(np.zeros_like(x), edge)


def run(label, launch, x):
    for where, source, target in pairs(x):
        print(f"{label}, {where}", flush=True)
        launch(source, target)
        assert np.array_equal(source, target), f"{label}, {where}: wrong result"


def rank_1(dtype):
    for n, start, kernel in itertools.product((1, 37, 64, 100), (0, -5), (block_1d, masked_1d)):
        grid = (triton.cdiv(n - start, 64),)
        run(
            f"{kernel.__name__} {dtype} {n} from {start}",
            lambda x, y: kernel[grid](x, y, n, start, BLOCK=64),
            numbers((n,), dtype),
        )


def rank_2(dtype):
    for (m, n), start, transposed in itertools.product(((1, 1), (13, 27), (33, 16), (5, 70)), (0, -3), (False, True)):
        x = numbers((m, n), dtype)
        sm, sn = (1, m) if transposed else (n, 1)
        grid = (triton.cdiv(m - start, 16), triton.cdiv(n - start, 32))
        order = (0, 1) if transposed else (1, 0)
        label = f"{dtype} {m}x{n} strides {sm},{sn} from {start}"
        run(f"block_2d {label}", lambda x, y: block_2d[grid](x, y, m, n, sm, sn, start, 16, 32, order), x)
        run(f"masked_2d {label}", lambda x, y: masked_2d[grid](x, y, m, n, sm, sn, start, 16, 32), x)


def rank_3(dtype):
    for (b, m, n), start in itertools.product(((1, 1, 1), (3, 5, 27), (4, 17, 8)), (0, -2)):
        grid = (triton.cdiv(b - start, 2), triton.cdiv(m - start, 8), triton.cdiv(n - start, 16))
        run(
            f"block_3d {dtype} {b}x{m}x{n} from {start}",
            lambda x, y: block_3d[grid](x, y, b, m, n, start, 2, 8, 16),
            numbers((b, m, n), dtype),
        )


def dots(dtype):
    """All three matrices at the same edge, A and B in rows and in columns."""
    shapes = ((100, 16, 27), (70, 16, 144), (33, 13, 45), (1, 1, 1))
    for (m, n, k), at, bt, edge in itertools.product(shapes, (False, True), (False, True), ("start", "end")):
        print(f"dot_2d {dtype} {m}x{n}x{k}{' A' * at}{' B' * bt}, transposed or not, at {edge}", flush=True)
        a, b = numbers((m, k), "float32") % 5, numbers((k, n), "float32") % 7
        a_strides, a_stored = ((1, m), a.T) if at else ((k, 1), a)
        b_strides, b_stored = ((1, k), b.T) if bt else ((n, 1), b)
        c = at_edge(np.zeros((m, n), np.float32), edge)
        a_edge, b_edge = (operand_at_edge(np.ascontiguousarray(x), dtype, edge) for x in (a_stored, b_stored))
        dot_2d[(triton.cdiv(m, 64),)](a_edge, b_edge, c, m, n, k, *a_strides, *b_strides, 64, 16, 32)
        assert np.array_equal(c, a @ b), "wrong result"


def batch_dots(dtype):
    """The first and the last matrix of a batch, and programs before and behind them."""
    shapes = ((2, 33, 13, 45), (1, 70, 16, 64), (3, 1, 1, 1))
    for (batches, m, n, k), edge in itertools.product(shapes, ("start", "end")):
        print(f"dot_batch {dtype} {batches}x{m}x{n}x{k} at {edge}", flush=True)
        a, b = numbers((batches, m, k), dtype) % 5, numbers((batches, k, n), dtype) % 7
        c = at_edge(np.zeros((batches, m, n), np.float32), edge)
        grid = (triton.cdiv(m, 64), batches + 4)
        dot_batch[grid](at_edge(a, edge), at_edge(b, edge), c, batches, m, n, k, -2, 64, 16, 32)
        assert np.array_equal(c, a.astype(np.float32) @ b.astype(np.float32)), "wrong result"


def whole_dots(dtype):
    """Tiles whose last rows fill neither a block of registers nor a vector, A in rows and in columns."""
    shapes = ((28, 4, 16, 2), (28, 4, 16, 16), (64, 16, 32, 8), (64, 64, 32, 32), (65, 17, 8, 4), (999, 3, 8, 8))
    for (m, n, k, block_k), transposed in itertools.product(shapes, (False, True)):
        a, b = numbers((m, k), "float32") % 5, numbers((k, n), "float32") % 7
        strides, stored = ((1, m), a.T) if transposed else ((k, 1), a)
        out = np.float64 if dtype == "float64" else np.float32
        for edge in ("start", "end"):
            print(f"dot_whole {dtype} {m}x{n}x{k} strides {strides} at {edge}", flush=True)
            c = at_edge(np.zeros((m, n), out), edge)
            a_edge, b_edge = (operand_at_edge(x, dtype, edge) for x in (np.ascontiguousarray(stored), b))
            dot_whole[(1,)](a_edge, b_edge, c, *strides, M=m, N=n, K=k, BLOCK_K=block_k, auto_tile=True)
            assert np.array_equal(c, a @ b), "wrong result"


if __name__ == "__main__":
    for name in sys.argv[2:]:
        {"1": rank_1, "2": rank_2, "3": rank_3, "dot": dots, "batch-dot": batch_dots, "whole-dot": whole_dots}[
            sys.argv[1]
        ](name)
    print("done", flush=True)
