# ===- test_launch.py - Arguments, grids, hooks, threads -------------------===#
#
# Part of spine-triton, under the MIT licence.
#
# ===-----------------------------------------------------------------------===#

import numpy as np
import pytest
import torch
import triton
import triton.language as tl
from kernels import add_one, add_one_tensor, copy_2d, mark_program
from threads import run_in_threads
from triton import knobs

NUMPY_TYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
NUMPY_TYPES += ["float16", "float32", "float64"]
TORCH_TYPES = [torch.bool, torch.int8, torch.int16, torch.int32, torch.int64, torch.uint8, torch.uint16, torch.uint32]
TORCH_TYPES += [torch.uint64, torch.float16, torch.bfloat16, torch.float32, torch.float64]


def some_values(shape, dtype) -> np.ndarray:
    values = np.arange(np.prod(shape)).reshape(shape)
    return (values % 2 == 0) if dtype == "bool" else (values % 100).astype(dtype)


@pytest.mark.parametrize("dtype", NUMPY_TYPES)
def test_numpy_arrays_of_every_type(dtype):
    x = some_values((37, 45), dtype)
    y = np.zeros((37, 45), dtype)
    copy_2d[(3, 2)](x, y, 37, 45, 45, 1, 45, 1, BLOCK_M=16, BLOCK_N=32)
    assert np.array_equal(x, y)


@pytest.mark.parametrize("dtype", TORCH_TYPES, ids=str)
def test_torch_tensors_of_every_type(dtype):
    x = torch.arange(37 * 45).remainder(100).to(dtype).view(37, 45)
    y = torch.zeros((37, 45), dtype=dtype)
    copy_2d[(3, 2)](x, y, 37, 45, 45, 1, 45, 1, BLOCK_M=16, BLOCK_N=32)
    assert torch.equal(x.view(torch.uint8), y.view(torch.uint8))


def test_numpy_views_keep_their_strides():
    x = np.arange(200 * 90, dtype=np.float32).reshape(200, 90)[7:150:3, 5:80:2]
    y = np.zeros(x.shape, np.float32, order="F")
    strides = [s // 4 for s in (*x.strides, *y.strides)]
    copy_2d[(3, 2)](x, y, *x.shape, *strides, BLOCK_M=16, BLOCK_N=32)
    assert np.array_equal(x, y)


def test_numpy_and_torch_and_read_only_arrays_together():
    x = np.arange(100, dtype=np.float32)
    x.flags.writeable = False
    y = torch.zeros(100)
    add_one[(2,)](x, y, 100, BLOCK=64)
    assert np.array_equal(y.numpy(), x + 1)


def test_store_to_a_read_only_array_is_refused():
    y = np.zeros(100, np.float32)
    y.flags.writeable = False
    with pytest.raises(triton.CompilationError, match=r"(?s)add_one|constant pointer"):
        add_one_tensor[(2,)](np.ones(100, np.float32), y, 100, BLOCK=64)
    assert not y.any()


@pytest.mark.parametrize(
    "array,message",
    [
        (np.zeros(4, np.complex64), "dtype complex64 cannot be a kernel argument"),
        (np.zeros(4, ">f4"), "byte order '>' cannot be a kernel argument"),
        (np.zeros(4, object), "dtype object cannot be a kernel argument"),
        (np.zeros(4, "M8[s]"), "cannot be a kernel argument"),
    ],
)
def test_arrays_that_no_kernel_can_read(array, message):
    with pytest.raises(TypeError, match=message):
        add_one[(1,)](array, np.zeros(4, np.float32), 4, BLOCK=4)


def test_tensors_that_no_kernel_can_read():
    with pytest.raises(TypeError, match=r"dtype torch\.complex64 cannot be a kernel argument"):
        add_one[(1,)](torch.zeros(4, dtype=torch.complex64), np.zeros(4, np.float32), 4, BLOCK=4)


@triton.jit
def scalars(out_ptr, i, j, u, f, b, n):
    tl.store(out_ptr + 0, i.to(tl.float64))
    tl.store(out_ptr + 1, j.to(tl.float64))
    tl.store(out_ptr + 2, u.to(tl.float64))
    tl.store(out_ptr + 3, f.to(tl.float64))
    tl.store(out_ptr + 4, b.to(tl.float64))
    if n is None:
        tl.store(out_ptr + 5, 5.0)


@pytest.mark.parametrize("wrap", [lambda v: v, lambda v: np.asarray(v)[()]], ids=["python", "numpy"])
def test_scalars_of_all_kinds(wrap):
    out = np.zeros(6)
    scalars[(1,)](out, wrap(-7), wrap(2**40 + 3), wrap(2**63 + 2**20), wrap(0.5), wrap(True), None)
    assert out.tolist() == [-7, 2**40 + 3, 2**63 + 2**20, 0.5, 1, 5]


def test_numpy_scalar_one():
    """Triton makes a Python 1 a constant; a NumPy 1 must not get lost on that way."""
    x, y = np.arange(4, dtype=np.float32), np.zeros(4, np.float32)
    add_one[(1,)](x, y, np.int64(1), BLOCK=4)
    assert y.tolist() == [1, 0, 0, 0]


@triton.jit
def add_members(pair, out_ptr, N, BLOCK: tl.constexpr):
    n = tl.arange(0, BLOCK)
    tl.store(out_ptr + n, tl.load(pair[0] + n, mask=n < N) * pair[1], mask=n < N)


@pytest.mark.parametrize("make", [torch.from_numpy, lambda a: a], ids=["torch", "numpy"])
def test_tuple_arguments(make):
    x, y = np.arange(20, dtype=np.int32), np.zeros(20, np.int32)
    add_members[(1,)]((make(x), 3), make(y), 20, BLOCK=32)
    assert np.array_equal(y, 3 * x)


@pytest.mark.parametrize(
    "grid", [(1,), (5,), (3, 4), (2, 3, 5), (13, 7, 2), (1, 1, 7), (70000,), (1, 70000), (1, 1, 70000)], ids=str
)
def test_every_program_runs_once(grid):
    out = np.zeros(np.prod(grid), np.int64)
    mark_program[grid](out)
    assert np.array_equal(out, 1 + np.arange(out.size))


@pytest.mark.parametrize("grid", [(0,), (0, 5), (5, 0, 2), (3, 4, 0)], ids=str)
def test_empty_grid_runs_nothing(grid):
    out = np.zeros(4, np.int64)
    mark_program[grid](out)
    assert not out.any()


@pytest.mark.parametrize("grid,error", [((-1,), ValueError), ((2**31,), ValueError), ((1.5,), TypeError)], ids=str)
def test_grid_that_is_none(grid, error):
    with pytest.raises(error):
        mark_program[grid](np.zeros(4, np.int64))


def test_grid_from_a_function_and_numpy_numbers():
    out = np.zeros(6, np.int64)
    mark_program[lambda meta: (np.int64(2), 3)](out)
    assert np.array_equal(out, 1 + np.arange(6))


def test_in_place_and_overlapping_arguments():
    """Programs read what they themselves write, or what lies apart from it; nothing may be moved across that."""
    x = np.arange(256, dtype=np.float32)
    want = x + 1
    add_one[(4,)](x, x, 256, BLOCK=64)
    assert np.array_equal(x, want)
    # One program: y is x moved by one element. All is loaded before anything is stored.
    buffer = np.arange(65, dtype=np.float32)
    want = buffer[:64] + 1
    add_one[(1,)](buffer[:64], buffer[1:], 64, BLOCK=64)
    assert np.array_equal(buffer[1:], want) and buffer[0] == 0


@triton.jit
def add_two(x_ptr, y_ptr, z_ptr, SCALE: tl.constexpr, N, BLOCK: tl.constexpr):
    x_blk = tl.make_block_ptr(x_ptr, (N,), (1,), (tl.program_id(0) * BLOCK,), (BLOCK,), (0,))
    y_blk = tl.make_block_ptr(y_ptr, (N,), (1,), (tl.program_id(0) * BLOCK,), (BLOCK,), (0,))
    z_blk = tl.make_block_ptr(z_ptr, (N,), (1,), (tl.program_id(0) * BLOCK,), (BLOCK,), (0,))
    total = tl.load(x_blk, boundary_check=(0,)) + SCALE * tl.load(y_blk, boundary_check=(0,))
    tl.store(z_blk, total, boundary_check=(0,))


def test_inputs_may_be_views_of_one_tensor():
    """Only what is written has to lie apart from what is read; the slower variant is for that."""
    both = np.arange(256, dtype=np.float32)
    z = np.zeros(128, np.float32)
    kernel = add_two[(4,)](both[:128], both[128:], z, 2, 128, BLOCK=32)
    assert np.array_equal(z, both[:128] + 2 * both[128:])
    assert sorted(map(tuple, kernel.metadata.disjoint_arguments)) == [(0, 2), (1, 2)]
    assert not kernel._run._native.may_alias((both[:128], both[128:], z, 128))
    assert kernel._run._native.may_alias((both[:128], z, both[128:], 128))
    # One program: z is x moved by one element. All is loaded before anything is stored.
    buffer = np.arange(65, dtype=np.float32)
    want = 3 * buffer[:64]
    add_two[(1,)](buffer[:64], buffer[:64], buffer[1:], 2, 64, BLOCK=64)
    assert np.array_equal(buffer[1:], want)


@triton.jit
def swap(x_ptr, y_ptr, N, BLOCK: tl.constexpr):
    x_blk = tl.make_block_ptr(x_ptr, (N,), (1,), (tl.program_id(0) * BLOCK,), (BLOCK,), (0,))
    y_blk = tl.make_block_ptr(y_ptr, (N,), (1,), (tl.program_id(0) * BLOCK,), (BLOCK,), (0,))
    x = tl.load(x_blk, boundary_check=(0,))
    y = tl.load(y_blk, boundary_check=(0,))
    tl.store(x_blk, y, boundary_check=(0,))
    tl.store(y_blk, x, boundary_check=(0,))


def test_swap():
    x, y = np.arange(100.0), -np.arange(100.0)
    swap[(4,)](x, y, 100, BLOCK=32)
    assert np.array_equal(x, -np.arange(100.0)) and np.array_equal(y, np.arange(100.0))


def test_launch_hooks_are_called_around_the_launch(monkeypatch):
    seen = []
    out = np.zeros(2, np.int64)

    def enter(metadata):
        seen.append(("enter", metadata.get()["name"], out.any()))

    def leave(metadata):
        seen.append(("exit", metadata.get()["name"], out.all()))

    knobs.runtime.launch_enter_hook.add(enter)
    knobs.runtime.launch_exit_hook.add(leave)
    try:
        mark_program[(2,)](out)
    finally:
        knobs.runtime.launch_enter_hook.remove(enter)
        knobs.runtime.launch_exit_hook.remove(leave)
    mark_program[(2,)](out)
    assert seen == [("enter", "mark_program", False), ("exit", "mark_program", True)]


def test_launches_from_many_threads():
    """The first launches of a kernel, all at the same time, each thread with its own data."""

    @triton.jit
    def kernel(x_ptr, y_ptr, N, BLOCK: tl.constexpr):
        n = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.store(y_ptr + n, tl.load(x_ptr + n, mask=n < N) * 2, mask=n < N)

    def work(k):
        x = np.full(1000 + k, k, np.float32)
        for _ in range(20):
            y = np.zeros_like(x)
            kernel[(triton.cdiv(x.size, 128),)](x, y, x.size, BLOCK=128)
            assert np.array_equal(y, 2 * x)

    run_in_threads(8, work)


def test_works_without_torch(tmp_path):
    """A process that cannot import torch, with NumPy arrays and do_bench."""
    import subprocess
    import sys
    from pathlib import Path

    script = """
import sys
sys.modules["torch"] = None
import numpy as np, triton
from triton.testing import do_bench
from kernels import add_one
x, y = np.arange(100, dtype=np.float32), np.zeros(100, np.float32)
add_one[(2,)](x, y, 100, BLOCK=64)
assert np.array_equal(y, x + 1)
assert do_bench(lambda: add_one[(2,)](x, y, 100, BLOCK=64), warmup=1, rep=2) > 0
"""
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=Path(__file__).parent, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
