# ===- test_cli.py - The command line --------------------------------------===#
#
# Part of spine-triton, under the MIT licence.
#
# ===-----------------------------------------------------------------------===#

import os
import re
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


def doctor(capsys):
    """The exit status of `spine-triton doctor`, its lines by name, and the commands below them."""
    status = main(["doctor"])
    lines, fixes, name = {}, {}, None
    for line in capsys.readouterr().out.splitlines():
        if line.startswith(" "):
            fixes[name] = line.split("-> ")[1]
            continue
        name = line[:10].rstrip()
        lines[name] = tuple(line[10:].split(None, 1))
    return status, lines, fixes


def test_doctor(capsys):
    status, lines, _ = doctor(capsys)
    assert status == 0
    assert lines["triton"] == ("ok", triton.__version__)
    assert lines["numpy"] == ("ok", np.__version__)
    assert f"LLVM {versions()['llvm']}" in lines["extension"][1]
    assert "spacemit-a100" in lines["targets"][1]
    assert re.match(r"\d+ usable here, \d+ of host; \d+ threads run programs", lines["cores"][1])
    assert "residency: off" in lines["scratchpad"][1]
    assert os.environ["TRITON_CACHE_DIR"] in lines["cache"][1]
    assert lines["kernel"] == ("ok", "a test kernel computed the right result")


def test_doctor_of_a_target_with_a_scratchpad(monkeypatch, capsys):
    monkeypatch.setenv("SPINE_TRITON_TARGET", "spacemit-a100")
    monkeypatch.setenv("SPINE_TRITON_RUNNER", "qemu")
    _, lines, _ = doctor(capsys)
    assert lines["target"][1] == "spacemit-a100 generic-rv64, vectors of 1024 bits, run by qemu"
    assert lines["scratchpad"][1].startswith("384 KiB per core of a scratchpad")
    assert "residency: error" in lines["scratchpad"][1]


def test_doctor_runs_a_kernel_for_each_emulated_target(qemu, capsys):
    status, lines, fixes = doctor(capsys)
    assert status == 0 and "qemu" not in fixes
    assert re.search(r"version \d+\.\d+", lines["qemu"][1])
    assert lines["runner"][1].endswith("spine-runner-riscv64")
    assert lines["in qemu"][0] == "ok"
    assert all(name in lines["in qemu"][1] for name in ("rv64gcv", "spacemit-a100", "spacemit-x60"))


def test_doctor_says_what_is_wrong(monkeypatch, capsys):
    monkeypatch.setenv("SPINE_TRITON_TARGET", "gpu")
    status, lines, _ = doctor(capsys)
    assert status == 1
    assert lines["target"][0] == "failed" and lines["target"][1].startswith("unknown target 'gpu'")
    assert lines["targets"][0] == "ok"


def test_doctor_names_the_command_for_what_is_missing(monkeypatch, capsys):
    """Neither QEMU nor the runner nor torch: nothing of it is needed. A Triton that is too new is."""
    from spine_triton.runners import qemu

    monkeypatch.setattr(qemu, "PROGRAM", "no-such-program")
    monkeypatch.setattr(qemu, "RUNNER", "no-such-runner")
    qemu.program_path.cache_clear()
    monkeypatch.setitem(sys.modules, "torch", None)
    monkeypatch.setattr(triton, "__version__", "9.0.0")
    try:
        status, lines, fixes = doctor(capsys)
    finally:
        qemu.program_path.cache_clear()
    assert status == 1
    assert lines["triton"][0] == "failed" and fixes["triton"] == "pip install 'triton>=3.6,<3.8'"
    assert lines["torch"][0] == "absent" and fixes["torch"] == "pip install torch"
    assert lines["qemu"][0] == "absent" and "apt-get install qemu-user" in fixes["qemu"]
    assert lines["runner"][0] == "absent" and "make build" in fixes["runner"]
    assert lines["in qemu"] == ("absent", "needs both lines above")


def test_installed_command():
    done = subprocess.run([sys.executable, "-m", "spine_triton", "--version"], capture_output=True, text=True)
    assert done.stdout.startswith("spine-triton ")
