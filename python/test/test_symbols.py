# ===- test_symbols.py - Names of kernels in profilers and debuggers -------===#
#
# Part of spine-triton, under the MIT licence.
#
# ===-----------------------------------------------------------------------===#
"""SPINE_TRITON_SYMBOLS is read when the first kernel is loaded, so each test has a process of its own."""

import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

CODE = """
import os, sys
import numpy as np
from kernels import add_one
from spine_triton import _spine

if sys.argv[1:] == ["blocked"]:
    os.mkdir(f"/tmp/perf-{os.getpid()}.map")
    print(os.getpid(), flush=True)
x, y = np.arange(100, dtype=np.float32), np.zeros(100, np.float32)
compiled = add_one[(2,)](x, y, 100, BLOCK=64)
assert np.array_equal(y, x + 1)
kernel = _spine.load(compiled.asm["obj"], "add_one")
print(os.getpid(), kernel.address, flush=True)
if sys.argv[1:] == ["fault"]:
    compiled[(1, 1, 1)](x, 16, 64)  # writes to the address 16
"""


def run(symbols, *arguments, command=()):
    environment = os.environ | {"SPINE_TRITON_SYMBOLS": symbols, "SPINE_TRITON_NUM_THREADS": "1"}
    words = [*command, sys.executable, "-c", CODE, *arguments]
    folder = pathlib.Path(__file__).parent
    return subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, timeout=300)


def read_map(pid):
    """The size and the name of the code at each address in a process's map for perf, which is removed."""
    path = pathlib.Path(f"/tmp/perf-{pid}.map")
    try:
        lines = [line.split(None, 2) for line in path.read_text().splitlines()]
    finally:
        path.unlink()
    return {int(begin, 16): (int(size, 16), name) for begin, size, name in lines}


def assert_map_names_the_kernel(done):
    """`done` printed its process and the kernel's address."""
    assert done.returncode == 0, done.stderr
    pid, address = map(int, done.stdout.split())
    size, name = read_map(pid)[address]
    assert name == "add_one"
    assert 16 < size < 1 << 20


def test_map_for_perf_names_the_code():
    done = run("perf")
    assert_map_names_the_kernel(done)


def test_map_that_cannot_be_written_is_named():
    done = run("perf", "blocked")
    os.rmdir(f"/tmp/perf-{done.stdout.split()[0]}.map")
    assert done.returncode == 1
    assert "SPINE_TRITON_SYMBOLS=perf: cannot write /tmp/perf-" in done.stderr


def test_nothing_is_written_without_a_request():
    done = run("")
    assert done.returncode == 0, done.stderr
    assert not os.path.exists(f"/tmp/perf-{done.stdout.split()[0]}.map")


def test_unknown_request_is_refused():
    done = run("perf,lldb")
    assert done.returncode == 1
    assert "SPINE_TRITON_SYMBOLS must be perf, gdb or both with a comma between, not 'lldb'" in done.stderr


QEMU = """
import sys
import numpy as np
from kernels import add_one
from spine_triton import KernelFault, targets
from spine_triton.runners import qemu

x, y = np.arange(100, dtype=np.float32), np.zeros(100, np.float32)
compiled = add_one[(2,)](x, y, 100, BLOCK=64, target="spacemit-a100", runner="qemu")
assert np.array_equal(y, x + 1)
session = qemu.machine_for(targets.find("spacemit-a100"))._session
(_, _, image), = session._images.values()
print(session.process.pid, image.function)
"""


def run_in_qemu(symbols):
    environment = os.environ | {"SPINE_TRITON_SYMBOLS": symbols}
    folder = pathlib.Path(__file__).parent
    return subprocess.run(
        [sys.executable, "-c", QEMU], cwd=folder, env=environment, capture_output=True, text=True, timeout=300
    )


def test_map_of_a_runner_names_the_emulated_code(qemu):
    """The file is the runner's, the addresses are those that the emulated program sees."""
    done = run_in_qemu("perf,gdb")
    assert_map_names_the_kernel(done)


def test_request_for_a_runner_is_checked(qemu):
    done = run_in_qemu("lldb")
    assert done.returncode == 1
    assert "SPINE_TRITON_SYMBOLS must be perf, gdb or both with a comma between, not 'lldb'" in done.stderr


def test_map_of_a_runner_that_cannot_be_written_is_named(tmp_path, monkeypatch):
    from spine_triton.runners import symbols

    monkeypatch.setenv("SPINE_TRITON_SYMBOLS", "perf")
    folder = pathlib.Path(f"/tmp/perf-{os.getpid()}-x.map")
    folder.mkdir()
    try:
        with pytest.raises(
            RuntimeError, match=r"SPINE_TRITON_SYMBOLS=perf: cannot write /tmp/perf-\d+-x.map: Is a dir"
        ):
            symbols.announce(f"{os.getpid()}-x", None)
    finally:
        folder.rmdir()


@pytest.mark.skipif(shutil.which("gdb") is None, reason="gdb is not installed")
def test_gdb_names_the_kernel_in_a_backtrace():
    # Somebody may pause the process meanwhile.
    orders = ["set debuginfod enabled off", "handle SIGSTOP nostop noprint pass", "run", "bt"]
    command = ["gdb", "-nx", "-batch", *(word for order in orders for word in ("-ex", order)), "--args"]
    done = run("gdb", "fault", command=command)
    assert "SIGSEGV" in done.stdout, done.stdout + done.stderr
    assert re.search(r" in add_one[.\w]* \(\)", done.stdout), done.stdout
