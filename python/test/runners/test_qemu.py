# ===- test_qemu.py - Kernels in an emulated machine -----------------------===#
#
# Part of spine-triton, under the MIT licence.
#
# ===-----------------------------------------------------------------------===#
"""What a caller sees of a kernel that runs under QEMU: results, messages, faults."""

import gc
import json
import os
import pickle
import subprocess
import sys
import time

import numpy as np
import pytest
import torch
import triton
import triton.language as tl
from kernels import add_one, copy_2d, gemm, mark_program
from threads import run_in_threads

from spine_triton import KernelFault, RunnerError, RunnerTimeout, targets
from spine_triton.runners import qemu as qemu_runner

pytestmark = pytest.mark.usefixtures("qemu")


def session(target="spacemit-a100"):
    return qemu_runner.machine_for(targets.find(target))._session


@triton.jit
def shift_and_exp(x_ptr, y_ptr, N, BLOCK: tl.constexpr):
    n = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + n, mask=n < N)
    tl.store(y_ptr + n, tl.exp(x) + tl.sin(x), mask=n < N)


@triton.jit
def swap(x_ptr, y_ptr, BLOCK: tl.constexpr):
    n = tl.arange(0, BLOCK)
    x, y = tl.load(x_ptr + n), tl.load(y_ptr + n)
    tl.store(x_ptr + n, y)
    tl.store(y_ptr + n, x)


@triton.jit
def copy_part(x_ptr, y_ptr, n, offset, stride, BLOCK: tl.constexpr, STRIDE: tl.constexpr):
    step = stride if STRIDE is None else STRIDE
    x = tl.make_block_ptr(x_ptr, (n,), (step,), (offset,), (BLOCK,), (0,))
    y = tl.make_block_ptr(y_ptr, (n,), (step,), (offset,), (BLOCK,), (0,))
    tl.store(y, tl.load(x, boundary_check=(0,), padding_option="zero"), boundary_check=(0,))


@triton.jit
def load_part(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    x = tl.make_block_ptr(x_ptr, (n,), (1,), (0,), (BLOCK,), (0,))
    y = tl.make_block_ptr(y_ptr, (BLOCK,), (1,), (0,), (BLOCK,), (0,))
    tl.store(y, tl.load(x, boundary_check=(0,), padding_option="zero"))


@triton.jit
def check_small(x_ptr, BLOCK: tl.constexpr):
    n = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + n)
    tl.device_assert(x < 100, "too large")
    tl.store(x_ptr + n, x + 1)


@triton.jit
def say(x_ptr):
    tl.device_print("value", tl.load(x_ptr + tl.program_id(0)))


@triton.jit
def write_far(x_ptr, offset):
    tl.store(x_ptr + offset, 1.0)


@triton.jit
def spin(x_ptr):
    while tl.atomic_add(x_ptr, 0) == 0:
        pass


@pytest.mark.parametrize("K", [27, 144])
def test_gemm_with_ragged_k(K, rng=None):
    rng = np.random.default_rng(K)
    a = rng.integers(-4, 5, (1000, K)).astype(np.float32)
    b = rng.integers(-4, 5, (K, 16)).astype(np.float32)
    c = np.full((1000, 16), np.nan, np.float32)
    gemm[(16,)](a, b, c, 1000, 16, K, BLOCK_M=64, BLOCK_N=16, BLOCK_K=32)
    assert np.array_equal(c, a @ b)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
def test_gemm_of_16_bit_floats(dtype):
    rng = torch.Generator().manual_seed(1)
    a = torch.randint(-4, 5, (200, 48), generator=rng).to(dtype)
    b = torch.randint(-4, 5, (48, 16), generator=rng).to(dtype)
    c = torch.full((200, 16), float("nan"))
    gemm[(4,)](a, b, c, 200, 16, 48, BLOCK_M=64, BLOCK_N=16, BLOCK_K=16)
    assert torch.equal(c, a.float() @ b.float())


def test_gemm_of_bf16_with_instructions_for_it(tmp_path, monkeypatch):
    """zvfbfwma: multiply-adds take bf16 as it is."""
    description = targets.find("spacemit-a100").description | {"name": "with-bf16", "widens_bf16": 1}
    description["sources"] |= {"widens_bf16": "a test"}
    description["features"] += ",+zfbfmin,+zvfbfmin,+zvfbfwma"
    description["qemu_cpu"] += ",zfbfmin=true,zvfbfmin=true,zvfbfwma=true"
    path = tmp_path / "with-bf16.json"
    path.write_text(json.dumps(description))
    monkeypatch.setenv("SPINE_TRITON_TARGET", str(path))
    rng = torch.Generator().manual_seed(1)
    a = torch.randint(-4, 5, (200, 48), generator=rng).to(torch.bfloat16)
    b = torch.randint(-4, 5, (48, 16), generator=rng).to(torch.bfloat16)
    c = torch.full((200, 16), float("nan"))
    kernel = gemm[(4,)](a, b, c, 200, 16, 48, BLOCK_M=64, BLOCK_N=16, BLOCK_K=16)
    assert torch.equal(c, a.float() @ b.float())
    assert b"zvfbfwma" in kernel.asm["obj"]  # among the object's attributes


def test_mathematical_functions_are_in_the_runner():
    x = np.linspace(-3, 3, 1000, dtype=np.float32)
    y = np.zeros_like(x)
    shift_and_exp[(16,)](x, y, 1000, BLOCK=64)
    np.testing.assert_allclose(y, np.exp(x) + np.sin(x), rtol=1e-5, atol=1e-6)


def test_kernel_options_choose_target_and_runner(monkeypatch):
    monkeypatch.delenv("SPINE_TRITON_TARGET")
    monkeypatch.delenv("SPINE_TRITON_RUNNER")
    x, y = np.arange(100, dtype=np.float32), np.zeros(100, np.float32)
    kernel = add_one[(2,)](x, y, 100, BLOCK=64, target="spacemit-x60", runner="qemu")
    assert np.array_equal(y, x + 1)
    assert kernel.asm["obj"][18:20] == b"\xf3\x00"  # ELF machine RISC-V
    assert session("spacemit-x60").process.hello.vector_bytes == 32


def test_views_of_one_storage_stay_views_of_it():
    both = np.zeros((2, 64), np.float32)
    both[0] = np.arange(64)
    swap[(1,)](both[0], both[1], BLOCK=64)
    assert np.array_equal(both[1], np.arange(64))
    assert not both[0].any()
    line = torch.arange(128, dtype=torch.float32)
    swap[(1,)](line[:64], line[32:96], BLOCK=64)  # overlapping: what was loaded first counts
    assert line[32:96].tolist() == list(range(64))


def test_strided_view_leaves_the_rest_of_its_storage_alone():
    base = torch.full((50, 90), -1.0)
    view = base[3:45:2, 5:80:3]
    x = torch.arange(21 * 25, dtype=torch.float32).view(21, 25)
    copy_2d[(2, 1)](x, view, 21, 25, 25, 1, *view.stride(), BLOCK_M=16, BLOCK_N=32)
    assert torch.equal(view, x)
    view.fill_(-1)
    assert (base == -1).all()


TYPES = [torch.int8, torch.int64, torch.float16, torch.bfloat16, torch.float32, torch.float64]


@pytest.mark.parametrize("dtype", TYPES, ids=str)
@pytest.mark.parametrize("constant", [1, None], ids=["contiguous", "strided"])
def test_both_ends_of_a_tensor(dtype, constant):
    """A tile that leaves the tensor in front, behind or on both sides: nothing else is written."""
    BLOCK, stride = 64, constant or 3
    x = torch.arange(1, 100 * stride + 1).remainder(100).to(dtype)
    for n in (1, 31, 33, 63, 64, 65, 90):
        for offset in (-64, -63, -33, -32, -1, 0, 1, 5, 31, 64, 89):
            y = torch.full_like(x, -1)
            copy_part[(1,)](x, y, n, offset, stride, BLOCK=BLOCK, STRIDE=constant)
            expected = torch.full_like(x, -1)
            begin, end = max(offset, 0), max(min(offset + BLOCK, n), 0)
            where = slice(begin * stride, max(begin, end) * stride, stride)
            expected[where] = x[where]
            assert torch.equal(y, expected), (n, offset)


@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_what_is_behind_a_tensor_is_padding(dtype):
    x = torch.arange(1, 65).to(dtype)
    for n in (0, 1, 15, 31, 32, 33, 63, 64):
        y = torch.full_like(x, -1)
        load_part[(1,)](x, y, n, BLOCK=64)
        assert torch.equal(y, torch.where(torch.arange(64) < n, x, torch.zeros_like(x))), n


@pytest.mark.parametrize("dtype,shift", [(np.float32, 3), (np.float32, 2), (np.float16, 1), (np.int64, 4)], ids=str)
def test_misaligned_argument_is_refused(dtype, shift):
    """The vector unit may trap on it; only whole elements' addresses are sure to work."""
    raw = np.zeros(8 * 100 + shift, np.uint8)
    x, y = np.arange(100).astype(dtype), raw[shift : shift + 100 * np.dtype(dtype).itemsize].view(dtype)
    size = np.dtype(dtype).itemsize
    with pytest.raises(ValueError, match=rf"argument 1 \(\*\w+\) is at an address that is no multiple of {size}"):
        add_one[(2,)](x, y, 100, BLOCK=64)
    assert not raw.any()


def test_aligned_arguments_keep_their_place_in_a_page():
    """Aligned to an element and to nothing more."""
    raw = np.zeros(4 * 100 + 4, np.uint8)
    x = np.arange(100, dtype=np.float32)
    y = raw[4:].view(np.float32)
    assert y.ctypes.data % 8 == 4
    add_one[(2,)](x, y, 100, BLOCK=64)
    assert np.array_equal(y, x + 1)


def test_bytes_may_be_anywhere():
    raw = np.zeros(101, np.uint8)
    x = np.arange(100, dtype=np.int8)
    y = raw[1:].view(np.int8)
    add_one[(2,)](x, y, 100, BLOCK=64)
    assert np.array_equal(y, x + 1)


def test_read_only_arguments_are_never_written(tmp_path):
    """The file is mapped without write access: a store would end this process."""
    np.arange(5000, dtype=np.float32).tofile(tmp_path / "x")
    x = np.memmap(tmp_path / "x", np.float32, "r")
    y = np.zeros(5000, np.float32)
    add_one[(79,)](x, y, 5000, BLOCK=64)
    assert np.array_equal(y, x + 1)


def test_grids_of_three_axes_and_empty_ones():
    out = np.zeros(3 * 5 * 7, np.int64)
    mark_program[(3, 5, 7)](out)
    assert np.array_equal(out, np.arange(1, 106))
    mark_program[(3, 0, 7)](np.zeros(1, np.int64))


def test_launches_of_threads_and_many_arrays():
    def work(seed):
        for n in range(5):
            x = np.random.default_rng((seed, n)).random(1000 * (n + 1), dtype=np.float32)
            y = np.zeros_like(x)
            add_one[(triton.cdiv(x.size, 64),)](x, y, x.size, BLOCK=64)
            assert np.array_equal(y, x + np.float32(1))

    run_in_threads(4, work)


def test_launch_takes_milliseconds():
    x, y = np.arange(1000, dtype=np.float32), np.zeros(1000, np.float32)
    times = []
    for _ in range(30):
        begin = time.perf_counter()
        add_one[(2,)](x, y, 1000, BLOCK=512)
        times.append(time.perf_counter() - begin)
    assert sorted(times)[5] < 0.01


def test_code_of_kernels_that_are_gone_is_unloaded():
    from spine_triton.runners.remote import RemoteKernel

    x, y = np.arange(100, dtype=np.float32), np.zeros(100, np.float32)
    kernel = add_one[(2,)](x, y, 100, BLOCK=64)
    machine = qemu_runner.machine_for(targets.find("spacemit-a100"))
    copy = RemoteKernel("add_one", kernel.asm["obj"])
    with machine._lock:
        image = session().image_of(copy, 60)
    key = id(copy)
    assert session()._images[key][2] is image
    free = sum(size for _, size in session()._space._free)
    del copy
    gc.collect()
    add_one[(2,)](x, y, 100, BLOCK=64)
    assert key not in session()._images
    assert sum(size for _, size in session()._space._free) >= free + image.bytes


def test_assertion_of_a_program():
    x = np.zeros(256, np.int32)
    check_small[(4,)](x, BLOCK=64, debug=True)
    assert (x == 1).all()
    x[200] = 100
    with pytest.raises(AssertionError, match=r"test_qemu.py:\d+: in check_small: .*too large.*program \(3, 0, 0\)"):
        check_small[(4,)](x, BLOCK=64, debug=True)
    x[200] = 5
    check_small[(4,)](x, BLOCK=64, debug=True)  # the runner goes on


def test_prints_arrive_on_standard_output(capfd):
    say[(3,)](np.array([5, 6, 7], np.int32))
    lines = sorted(capfd.readouterr().out.splitlines())
    assert lines == ["pid (0, 0, 0) idx () value: 5", "pid (1, 0, 0) idx () value: 6", "pid (2, 0, 0) idx () value: 7"]


def test_fault_names_kernel_and_address_and_the_runner_starts_again():
    x = np.zeros(16, np.float32)
    write_far[(1,)](x, 3)
    assert x[3] == 1
    pid = session().process.pid
    with pytest.raises(KernelFault, match=r"kernel 'write_far' ended with SIGSEGV .*kernel 'write_far' at 0x") as e:
        write_far[(1,)](x, -(1 << 38))
    assert e.value.kernel == "write_far" and e.value.signal == "SIGSEGV" and e.value.address > 1 << 40
    assert str(pickle.loads(pickle.dumps(e.value))) == str(e.value)
    write_far[(1,)](x, 5)
    assert x[5] == 1
    assert session().process.pid != pid


def test_fault_close_to_an_argument_says_where():
    x = np.zeros(1024, np.float32)
    with pytest.raises(KernelFault, match=r"which is byte 40000 of an argument's storage of 4096 bytes"):
        write_far[(1,)](x, 10000)


def test_killed_runner_is_an_error_and_starts_again():
    x, y = np.arange(100, dtype=np.float32), np.zeros(100, np.float32)
    add_one[(2,)](x, y, 100, BLOCK=64)
    os.kill(session().process.pid, 9)
    with pytest.raises(RunnerError, match=r"spacemit-a100 \(QEMU\) ended unexpectedly \(signal SIGKILL\)"):
        add_one[(2,)](x, y, 100, BLOCK=64)
    add_one[(2,)](x, y, 100, BLOCK=64)
    assert np.array_equal(y, x + 1)


def test_time_limit(monkeypatch):
    x = np.zeros(1, np.int32)
    x[0] = 1
    spin[(1,)](x)
    x[0] = 0
    monkeypatch.setenv("SPINE_TRITON_RUNNER_TIMEOUT", "1")
    begin = time.monotonic()
    with pytest.raises(RunnerTimeout, match="did not answer within 1 seconds") as e:
        spin[(1,)](x)
    assert isinstance(e.value, TimeoutError)
    assert time.monotonic() - begin < 20
    x[0] = 1
    spin[(1,)](x)


@pytest.mark.parametrize("text", ["0", "-1", "soon"])
def test_wrong_time_limit_is_named(monkeypatch, text):
    monkeypatch.setenv("SPINE_TRITON_RUNNER_TIMEOUT", text)
    with pytest.raises(ValueError, match="SPINE_TRITON_RUNNER_TIMEOUT must be a positive number of seconds"):
        add_one[(1,)](np.zeros(4, np.float32), np.zeros(4, np.float32), 4, BLOCK=64)


def test_bare_address_is_refused():
    x, y = np.zeros(64, np.float32), np.zeros(64, np.float32)
    compiled = add_one.warmup(x, y, 64, BLOCK=64, grid=(1,))
    with pytest.raises(ValueError, match="argument 0 is the address 0x1000 without an extent"):
        compiled[(1, 1, 1)](0x1000, y, 64)


def test_vector_length_is_compared_before_anything_runs(monkeypatch):
    from spine_triton.runners.remote import Session

    target = targets.find("spacemit-a100")
    with pytest.raises(RunnerError, match="vector registers of 512 bits, the runner's machine has 1024"):
        Session(qemu_runner.command(target), target.name, 512)


def test_host_target_has_no_emulator(monkeypatch):
    monkeypatch.setenv("SPINE_TRITON_TARGET", "host")
    with pytest.raises(RunnerError, match="QEMU cannot stand for the target host"):
        add_one[(1,)](np.zeros(4, np.float32), np.zeros(4, np.float32), 4, BLOCK=64)


def test_runner_ends_with_its_host():
    code = (
        "import numpy as np, os, time\n"
        "from kernels import add_one\n"
        "from spine_triton import targets\n"
        "from spine_triton.runners import qemu\n"
        "x = np.zeros(4, np.float32)\n"
        "add_one[(1,)](x, x.copy(), 4, BLOCK=64)\n"
        "print(qemu.machine_for(targets.find('spacemit-a100'))._session.process.pid, flush=True)\n"
        "os._exit(0)\n"
    )
    folder = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    pid = int(done.stdout)
    for _ in range(100):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return
        time.sleep(0.1)
    raise AssertionError("the runner is still there")


def test_child_process_starts_a_runner_of_its_own():
    x, y = np.arange(100, dtype=np.float32), np.zeros(100, np.float32)
    add_one[(2,)](x, y, 100, BLOCK=64)
    pid = session().process.pid
    child = os.fork()
    if child == 0:
        y[:] = 0
        add_one[(2,)](x, y, 100, BLOCK=64)
        os._exit(0 if np.array_equal(y, x + 1) and session().process.pid != pid else 1)
    assert os.waitpid(child, 0)[1] == 0
    add_one[(2,)](x, y, 100, BLOCK=64)
    assert session().process.pid == pid
