# ===- test_cli.py - The command line --------------------------------------===#
#
# Part of spine-triton, under the MIT licence.
#
# ===-----------------------------------------------------------------------===#

import subprocess
import sys

import numpy as np
import pytest
import triton
from kernels import copy_2d

from spine_triton import __version__, frontend_ttir, versions
from spine_triton.__main__ import main

TYPES = {"x_ptr": "*fp32", "y_ptr": "*fp32"} | dict.fromkeys(["M", "N", "sxm", "sxn", "sym", "syn"], "i32")


@pytest.fixture
def ttir(tmp_path):
    """A function that writes the TTIR of a copy kernel with tiles of some size."""

    def write(block_m, block_n=64):
        path = tmp_path / f"copy-{block_m}x{block_n}.ttir"
        path.write_text(frontend_ttir(copy_2d, TYPES, {"BLOCK_M": block_m, "BLOCK_N": block_n}))
        return str(path)

    return write


def test_version(capsys):
    with pytest.raises(SystemExit) as e:
        main(["--version"])
    assert e.value.code == 0
    assert capsys.readouterr().out == f"spine-triton {__version__} (LLVM {versions()['llvm']})\n"


def test_targets(capsys):
    assert main(["targets"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("host ")
    assert "spacemit-a100" in out and "384 KiB scratchpad per core" in out
    assert "spacemit-x60" in out and "128 KiB" in out


def test_check_fits(ttir, capsys):
    assert main(["check", ttir(64), "--target", "spacemit-a100"]) == 0
    assert "fits spacemit-a100: 16384 of 393216 bytes" in capsys.readouterr().out


def test_check_does_not_fit(ttir, capsys):
    assert main(["check", ttir(64), ttir(4096), "--target", "spacemit-a100"]) == 1
    out = capsys.readouterr().out
    assert "does not fit spacemit-a100: 1048576 of 393216 bytes" in out


def test_check_with_a_capacity_of_ones_own(ttir, capsys):
    assert main(["check", ttir(64), "--scratchpad-bytes", "16383"]) == 1
    assert main(["check", ttir(64), "--scratchpad-bytes", "16384"]) == 0


def test_check_of_what_is_no_ttir(tmp_path, capsys):
    path = tmp_path / "bad.ttir"
    path.write_text("module {\n  nonsense\n}\n")
    assert main(["check", str(path)]) == 2
    assert "bad.ttir:2:" in capsys.readouterr().err
    assert main(["check", str(tmp_path / "missing.ttir")]) == 2


def test_unknown_target(ttir, capsys):
    assert main(["check", ttir(64), "--target", "gpu"]) == 2
    assert "unknown target 'gpu'" in capsys.readouterr().err


def test_doctor(capsys):
    assert main(["doctor"]) == 0
    out = capsys.readouterr().out
    assert f"triton     ok       {triton.__version__}" in out
    assert f"numpy      ok       {np.__version__}" in out
    assert "a test kernel computed the right result" in out


def test_doctor_says_what_is_wrong(monkeypatch, capsys):
    monkeypatch.setenv("SPINE_TRITON_TARGET", "gpu")
    assert main(["doctor"]) == 1
    assert "target     failed   unknown target 'gpu'" in capsys.readouterr().out


def test_installed_command():
    done = subprocess.run([sys.executable, "-m", "spine_triton", "--version"], capture_output=True, text=True)
    assert done.stdout.startswith("spine-triton ")
