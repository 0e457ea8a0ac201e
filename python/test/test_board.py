# ===- test_board.py - Kernels on the AI cores of a board ------------------===#
#
# Part of spine-triton, under the MIT licence.
#
# ===-----------------------------------------------------------------------===#
"""`-m board`: what a SpacemiT board has to show. The others imitate a board's files here.

The imitation: the first cores of this machine are AI cores, their file takes any thread, and the memory library is
`unittest/Runtime/MockTcm.c`.
"""

import json
import os
import pathlib
import platform
import shutil
import subprocess
import sys

import numpy as np
import pytest
import triton
from kernels import add_one, gemm

from spine_triton import RunnerError, _spine, runners, targets
from spine_triton.__main__ import main

MODEL = "Spacemit(R) A100"
MOCK = pathlib.Path(__file__).parents[2] / "unittest" / "Runtime" / "MockTcm.c"


def reported_gemm(M=1000, K=27, N=16):
    """Runs the reported GEMM on small integers and returns its result and NumPy's."""
    rng = np.random.default_rng(K)
    a = rng.integers(-4, 5, (M, K)).astype(np.float32)
    b = rng.integers(-4, 5, (K, N)).astype(np.float32)
    c = np.full((M, N), np.nan, np.float32)
    gemm[(triton.cdiv(M, 64),)](a, b, c, M, N, K, BLOCK_M=64, BLOCK_N=N, BLOCK_K=32)
    return c, a @ b


# --- On a board ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def board(monkeypatch):
    target = targets.find("spacemit-a100")
    if platform.machine() != "riscv64" or not _spine.board_facts(target.core_model)["cores"]:
        pytest.skip("this machine has no AI cores")
    monkeypatch.setenv("SPINE_TRITON_TARGET", target.name)
    monkeypatch.setenv("SPINE_TRITON_RUNNER", "native")
    return _spine.board_facts(target.core_model)


@pytest.mark.board
def test_gemm_on_the_ai_cores(board):
    for K in (27, 144):
        c, expected = reported_gemm(K=K)
        assert np.array_equal(c, expected)


@pytest.mark.board
def test_arenas_are_fast_memory_where_there_is_some(board):
    reported_gemm()
    if board["why_no_tcm"]:
        pytest.skip(f"no fast memory: {board['why_no_tcm']}")
    assert 0 < _spine.num_tcm_arenas() <= min(board["tcm_blocks"], len(board["cores"]))


@pytest.mark.board
def test_kernels_for_the_other_cores_run_beside(board, monkeypatch):
    reported_gemm()
    monkeypatch.setenv("SPINE_TRITON_TARGET", "host")
    c, expected = reported_gemm(K=144)
    assert np.array_equal(c, expected)


def test_one_command_is_enough_without_torch(tmp_path):
    """Files with other tests are not even read."""
    (tmp_path / "torch.py").write_text("raise ImportError('not for this machine')\n")
    environment = os.environ | {"PYTHONPATH": str(tmp_path)}
    command = [sys.executable, "-m", "pytest", "-q", "--collect-only", "-p", "no:cacheprovider", "-m", "board"]
    done = subprocess.run(
        [*command, pathlib.Path(__file__).parent], env=environment, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stdout
    assert "test_gemm_on_the_ai_cores" in done.stdout


# --- Imitated -----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    """The imitated memory library."""
    compiler = next(filter(None, map(shutil.which, ("cc", "clang-22", "clang", "gcc"))), None)
    if compiler is None:
        pytest.skip("no C compiler to build the imitated memory library with")
    path = tmp_path_factory.mktemp("tcm") / "libspine_tcm.so"
    subprocess.run([compiler, "-shared", "-fPIC", str(MOCK), "-o", str(path)], check=True)
    return path


@pytest.fixture
def imitation(tmp_path, monkeypatch, library):
    """A target for this processor whose cores are those of a board, and the board's files."""
    cores = sorted(os.sched_getaffinity(0))[:2]
    cpu_info, ai_threads = tmp_path / "cpuinfo", tmp_path / "set_ai_thread"
    cpu_info.write_text("".join(f"processor\t: {core}\nmodel name\t: {MODEL}\n\n" for core in cores))
    ai_threads.touch()
    description = json.loads(_spine.host_target_json()) | {"name": "imitated-board", "core_model": MODEL}
    description.pop("host", None)
    numbers = [key for key, value in description.items() if isinstance(value, int)]
    description["sources"] = dict.fromkeys(numbers, "this machine")
    (tmp_path / "targets").mkdir()
    (tmp_path / "targets" / "imitated-board.json").write_text(json.dumps(description))
    monkeypatch.setenv("SPINE_TRITON_TARGET_PATH", str(tmp_path / "targets"))
    monkeypatch.setenv("SPINE_TRITON_TARGET", "imitated-board")
    monkeypatch.delenv("MOCK_TCM", raising=False)
    _spine.set_board_files(str(ai_threads), str(cpu_info), str(library))
    yield tmp_path
    _spine.set_board_files()


def test_kernels_run_on_admitted_threads_with_fast_arenas(imitation):
    for K in (27, 144):
        c, expected = reported_gemm(K=K)
        assert np.array_equal(c, expected)
    assert int((imitation / "set_ai_thread").read_text()) not in (0, os.getpid())
    assert _spine.num_tcm_arenas() == len(_spine.board_facts(MODEL)["cores"])


def test_without_the_library_memory_is_ordinary(imitation):
    _spine.set_board_files(str(imitation / "set_ai_thread"), str(imitation / "cpuinfo"), "no-such-library.so")
    c, expected = reported_gemm()
    assert np.array_equal(c, expected)
    assert _spine.num_tcm_arenas() == 0
    assert "no-such-library.so" in _spine.board_facts(MODEL)["why_no_tcm"]


def test_thread_that_is_not_admitted_is_an_error(imitation):
    x, y = np.zeros(64, np.float32), np.zeros(64, np.float32)
    _spine.set_board_files("/proc/self/status", str(imitation / "cpuinfo"), "none")
    with pytest.raises(RunnerError, match=r"kernel 'add_one' cannot run: cannot .*/proc/self/status"):
        add_one[(1,)](x, y, 64, BLOCK=64)
    assert not y.any()


def test_machine_without_such_cores_says_how_to_run(imitation):
    (imitation / "cpuinfo").write_text("processor : 0\nmodel name : something else\n")
    with pytest.raises(RuntimeError, match="kernels for imitated-board cannot run in this process"):
        runners.machine_for("native", targets.find("imitated-board"))


def test_doctor_describes_cores_and_memory(imitation, monkeypatch, capsys, library):
    main(["doctor"])
    out = capsys.readouterr().out
    assert f"{MODEL}: " in out and "set_ai_thread" in out
    assert "4 blocks of 64 KiB, library version mock" in out
    monkeypatch.setenv("MOCK_TCM", "fake")
    main(["doctor"])
    out = capsys.readouterr().out
    assert "only imitates it in ordinary memory" in out
    assert "-> sudo apt-get install spacemit-tcm" in out
    _spine.set_board_files()
    main(["doctor"])
    assert "absent   no core 'Spacemit(R) A100' in this machine" in capsys.readouterr().out
