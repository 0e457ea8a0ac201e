"""The reported GEMM, 518400 x K times K x 16, by block pointers, with and without the old rule.

A compiler that holds the numel of the *base tensor* against 2^20 refuses this kernel whatever its tiles are. Here both
rules judge it, it runs on this machine, and the result and the time are compared with NumPy's. The exit status is 0
only if everything in the table is as it should be.
"""

import argparse
import statistics
import sys
import time
from dataclasses import dataclass

import numpy as np
import triton
import triton.language as tl

import spine_triton

TARGET = "spacemit-a100"
M, N = 518400, 16
# The old rule's message; nothing but the base tensor's size is looked at.
OLD_RULE = "make_block_ptr cannot be used on tensors with numel > 1048576"


@triton.jit
def gemm(
    a_ptr, b_ptr, c_ptr, M, N, K, stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
):  # fmt: skip
    row = tl.program_id(0) * BLOCK_M
    a = tl.make_block_ptr(a_ptr, (M, K), (stride_am, stride_ak), (row, 0), (BLOCK_M, BLOCK_K), (1, 0))
    b = tl.make_block_ptr(b_ptr, (K, N), (stride_bk, stride_bn), (0, 0), (BLOCK_K, BLOCK_N), (1, 0))
    c = tl.make_block_ptr(c_ptr, (M, N), (stride_cm, stride_cn), (row, 0), (BLOCK_M, BLOCK_N), (1, 0))
    acc = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for _ in range(0, tl.cdiv(K, BLOCK_K)):
        a_tile = tl.load(a, boundary_check=(0, 1), padding_option="zero")
        b_tile = tl.load(b, boundary_check=(0, 1), padding_option="zero")
        acc = tl.dot(a_tile, b_tile, acc)
        a = tl.advance(a, (0, BLOCK_K))
        b = tl.advance(b, (BLOCK_K, 0))
    tl.store(c, acc, boundary_check=(0, 1))


@dataclass
class Case:
    """One row of the table."""

    k: int
    dtype: np.dtype
    block_m: int
    block_k: int


CASES = [Case(k, np.dtype(dtype), 512, 32) for k in (27, 144) for dtype in (np.float32, np.float16)]


def element_strides(array):
    return [stride // array.itemsize for stride in array.strides]


def launch(case, a, b, c):
    m, k = a.shape
    grid = (triton.cdiv(m, case.block_m),)
    strides = [stride for array in (a, b, c) for stride in element_strides(array)]
    return gemm[grid](a, b, c, m, N, k, *strides, BLOCK_M=case.block_m, BLOCK_N=N, BLOCK_K=case.block_k)


def multiply_numpy(a, b, c):
    # NumPy has no fast product of halves; converting first is the fastest way it offers.
    np.matmul(a.astype(np.float32, copy=False), b.astype(np.float32, copy=False), out=c)


def error_of(a, b, c, rows=32768):
    """The largest deviation from the exact product, and whether every element is within the bound of an fp32 sum."""
    largest, within = 0.0, True
    b64 = b.astype(np.float64)
    unit = np.finfo(np.float32).eps / 2
    for begin in range(0, len(a), rows):
        a64 = a[begin : begin + rows].astype(np.float64)
        deviation = np.abs(c[begin : begin + rows] - a64 @ b64)
        # k products and k - 1 sums, each rounded once, in any order.
        bound = 1.01 * (len(b) + 1) * unit * (np.abs(a64) @ np.abs(b64))
        largest = max(largest, float(deviation.max()))
        # Not a number is never within.
        within = within and bool((deviation <= bound).all())
    return largest, within


def alternate(first, second, seconds, least):
    """Median times of two functions, called in turn for about `seconds` and at least `least` times each."""
    times = ([], [])
    until = time.perf_counter() + seconds
    while len(times[0]) < least or time.perf_counter() < until:
        for function, record in zip((first, second), times, strict=True):
            begin = time.perf_counter()
            function()
            record.append(time.perf_counter() - begin)
    return tuple(statistics.median(record) for record in times)
