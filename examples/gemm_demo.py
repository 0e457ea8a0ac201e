"""The reported GEMM, 518400 x K times K x 16, by block pointers, with and without the old rule.

A compiler that holds the numel of the *base tensor* against 2^20 refuses this kernel whatever its tiles are. Here both
rules judge it, it runs on this machine, and the result and the time are compared with NumPy's. The exit status is 0
only if everything in the table is as it should be.
"""

import statistics
import sys
import time
import warnings
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
    dtype: type
    block_m: int
    block_k: int

    @property
    def dtype_name(self):
        return np.dtype(self.dtype).name

    @property
    def blocks(self):
        return {"BLOCK_M": self.block_m, "BLOCK_N": N, "BLOCK_K": self.block_k}


CASES = [
    Case(27, np.float32, 512, 32),
    Case(27, np.float16, 512, 32),
    Case(144, np.float32, 512, 64),
    Case(144, np.float16, 512, 64),
]


def element_strides(array):
    return [stride // array.itemsize for stride in array.strides]


# --- The two rules, each applied to what Triton's frontend makes of the kernel --------------------------------------


def ttir_of(case, **constants):
    """The kernel's TTIR with `constants` known at compile time and the other sizes at run time."""
    element = {"float32": "*fp32", "float16": "*fp16"}[case.dtype_name]
    types = dict.fromkeys(gemm.arg_names, "i32") | {"a_ptr": element, "b_ptr": element, "c_ptr": "*fp32"}
    constants |= case.blocks
    types = {name: kind for name, kind in types.items() if name not in constants}
    return spine_triton.frontend_ttir(gemm, types, constants)


def refused_by_old_rule(case):
    """Whether the old rule refuses the kernel with the report's message, the base tensor's size being known."""
    module = spine_triton.Module.parse(spine_triton.Context(), ttir_of(case, M=M, K=case.k))
    try:
        spine_triton.run_pipeline(module, "builtin.module(spine-check-residency{rule=base-numel})")
    except spine_triton.MLIRError as error:
        if OLD_RULE not in str(error):
            raise
        return True
    return False


# --- Running and measuring ------------------------------------------------------------------------------------------


def operands(case):
    rng = np.random.default_rng(case.k)
    a = rng.standard_normal((M, case.k), np.float32).astype(case.dtype)
    b = rng.standard_normal((case.k, N), np.float32).astype(case.dtype)
    return a, b


def multiply(case, a, b, c):
    strides = [stride for array in (a, b, c) for stride in element_strides(array)]
    gemm[(triton.cdiv(M, case.block_m),)](a, b, c, M, N, case.k, *strides, **case.blocks)


def multiply_numpy(a, b, c):
    # NumPy has no fast product of halves; converting them first is the fastest way it offers.
    np.matmul(a.astype(np.float32, copy=False), b.astype(np.float32, copy=False), out=c)


def error_of(c, reference, a, b, rows=32768):
    """The largest deviation from NumPy's result, and whether all of it is within the bound of two fp32 sums."""
    largest, within = 0.0, True
    unit = np.finfo(np.float32).eps / 2
    for begin in range(0, M, rows):
        part = slice(begin, begin + rows)
        deviation = np.abs(c[part].astype(np.float64) - reference[part])
        # Each side rounds k products and their sums, in an order of its own.
        magnitude = np.abs(a[part].astype(np.float32)) @ np.abs(b.astype(np.float32))
        largest = max(largest, float(deviation.max()))
        # A comparison with what is not a number is false, so that is never within.
        within = within and bool((deviation <= 2.02 * (len(b) + 1) * unit * magnitude).all())
    return largest, within


def alternate(first, second, seconds, least=5):
    """Median times of two functions that are called in turn, for about `seconds` and at least `least` times each.

    Threads of NumPy's library wait busily for 0.1 s after a call and would take a core from who comes next. So neither
    begins before that time is over, nor with caches and cores that its own last call did not warm up.
    """
    times = ([], [])
    until = time.perf_counter() + seconds
    while len(times[0]) < least or time.perf_counter() < until:
        for function, record in zip((first, second), times, strict=True):
            asleep = time.perf_counter() + 0.12
            while time.perf_counter() < asleep:
                pass
            function()
            begin = time.perf_counter()
            function()
            record.append(time.perf_counter() - begin)
    return tuple(statistics.median(record) for record in times)


def measure(case, a, b, c, reference, tries=3):
    """Median seconds of ours and of NumPy's. Something else may use the machine for a while: the best of some tries."""
    for _ in range(tries):
        times = alternate(lambda: multiply(case, a, b, c), lambda: multiply_numpy(a, b, reference), seconds=2)
        if times[0] <= times[1]:
            break
    return times


# --- The table ------------------------------------------------------------------------------------------------------

HEADER = (
    f"{'GEMM':>14} {'inputs':>8} {'base elements':>13} {'tile':>8} {'resident / capacity':>20} {'old rule':>8} "
    f"{'ours':>5} {'ms':>7} {'GFLOP/s':>8} {'NumPy ms':>9} {'GFLOP/s':>8} {'largest error':>13}"
)


def row(case):
    """Prints a line of the table and returns what is wrong with it."""
    wrong = []
    refused = refused_by_old_rule(case)
    report = spine_triton.check_residency(ttir_of(case), TARGET)

    a, b = operands(case)
    c, reference = np.full((M, N), np.nan, np.float32), np.empty((M, N), np.float32)
    multiply(case, a, b, c)
    multiply_numpy(a, b, reference)
    error, within = error_of(c, reference, a, b)
    ours, numpys = measure(case, a, b, c, reference)

    flop = 2 * M * N * case.k
    print(
        f"{f'{M}x{case.k}x{N}':>14} {case.dtype_name:>8} {M * case.k:>13,} {f'{case.block_m}x{case.block_k}':>8} "
        f"{f'{report.bytes} / {report.capacity}':>20} {'refused' if refused else 'passes':>8} "
        f"{'fits' if report.fits else 'no':>5} {ours * 1e3:7.1f} {flop / ours / 1e9:8.1f} {numpys * 1e3:9.1f} "
        f"{flop / numpys / 1e9:8.1f} {error:13.2e}",
        flush=True,
    )
    name = f"K = {case.k}, {case.dtype_name}"
    if not refused:
        wrong.append(f"{name}: the old rule should refuse the kernel")
    if not (report.fits and 0 < report.bytes <= report.capacity):
        wrong.append(f"{name}: the tiles should fit: {report}")
    if not within:
        wrong.append(f"{name}: the result differs from NumPy's by {error:.3g}")
    if case.dtype is np.float32 and ours > numpys:
        # A time depends on what else the machine does: it is said, and decides nothing.
        print(f"{'':14} slower than NumPy here: {ours * 1e3:.1f} ms to {numpys * 1e3:.1f} ms")
    return wrong


def main():
    # Triton 3.7 still has block pointers, and says at each use that a later version will not.
    warnings.filterwarnings("ignore", message=".*make_block_ptr is deprecated")
    print(f"C (fp32) = A x B by block pointers; residency judged for {TARGET}; run on this machine with "
          f"{spine_triton.num_threads()} threads\n")  # fmt: skip
    print(HEADER)
    wrong = [message for case in CASES for message in row(case)]
    print(
        f"\nThe old rule says: {OLD_RULE}."
        "\nThe tile is A's; resident bytes are those of all tiles that are live together, per core."
        "\nTimes are medians of alternating runs; NumPy's for float16 include the conversion to float32 that it needs."
    )
    for message in wrong:
        print(f"WRONG: {message}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
