"""The wheel for riscv64 that is made on another machine, and what can be done with it there.

Making it downloads 300 MB and compiles everything once more, which takes minutes: SPINE_RISCV64_WHEEL=1 asks for it.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from kernels import gemm

from spine_triton import frontend_ttir, targets
from spine_triton.runners import qemu

ROOT = Path(__file__).resolve().parents[3]
HERE = Path(__file__).parent
PYTHON = ROOT / ".sysroot-riscv64" / "usr" / "bin" / "python3-in-qemu"
pytestmark = [
    pytest.mark.wheel,
    pytest.mark.skipif(
        not os.environ.get("SPINE_RISCV64_WHEEL"),
        reason="makes a wheel for riscv64, which takes minutes and downloads 300 MB: set SPINE_RISCV64_WHEEL=1",
    ),
]


def run(*command, **more):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, timeout=3600, **more)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel():
    run(ROOT / "scripts" / "wheel-riscv64.sh", cwd=ROOT)
    return max((ROOT / "dist").glob("spine_triton-*riscv64.whl"), key=lambda path: path.stat().st_mtime)


def run_emulated(unpacked, *arguments):
    """Runs Python with the wheel on an emulated AI core of K3."""
    environment = os.environ | {
        "PYTHONPATH": str(unpacked),
        "QEMU_CPU": qemu.cpu(targets.find("spacemit-a100")),
        "SPINE_TRITON_NUM_THREADS": "2",
    }
    return subprocess.run(
        [PYTHON, *map(str, arguments)], env=environment, capture_output=True, text=True, timeout=600, cwd=unpacked
    )


def test_name_says_where_it_works(wheel):
    assert re.fullmatch(r"spine_triton-[\d.]+-cp312-abi3-manylinux_2_\d+_riscv64\.whl", wheel.name)


def test_holds_riscv64_code_and_all_licences(unpacked):
    (module,) = (unpacked / "spine_triton").glob("_spine*.so")
    assert module.name == "_spine.abi3.so"
    assert module.read_bytes()[18:20] == b"\xf3\x00"  # ELF machine RISC-V
    (info,) = unpacked.glob("*.dist-info")
    names = {p.name for p in info.rglob("licenses/**/*") if p.is_file()}
    linked = {"LLVM", "Apache-2.0", "nanobind", "zlib", "zstd", "glibc", "libstdc++"}
    assert names == {"LICENSE", *(f"{name}.txt" for name in linked)}


def test_c_library_in_the_name_is_what_auditwheel_finds(wheel):
    shown = run(sys.executable, "-m", "auditwheel", "show", wheel)
    (named,) = re.findall(r"manylinux_2_\d+_riscv64(?=\.whl)", wheel.name)
    assert named in shown.replace("\n", " "), shown


def test_needs_only_what_every_distribution_has(unpacked):
    (module,) = (unpacked / "spine_triton").glob("_spine*.so")
    lines = run("/usr/lib/llvm-22/bin/llvm-readelf", "--dynamic", module)
    needed = set(re.findall(r"\(NEEDED\)\s+Shared library: \[([^\]]*)\]", lines))
    usual = {"libc.so.6", "libm.so.6", "libstdc++.so.6", "libgcc_s.so.1", "libz.so.1", "ld-linux-riscv64-lp64d.so.1"}
    assert needed <= usual


def test_compiles_and_runs_a_gemm_in_the_process(unpacked, tmp_path):
    types = {"a_ptr": "*fp32", "b_ptr": "*fp32", "c_ptr": "*fp32", "M": "i32", "N": "i32", "K": "i32"}
    blocks = {"BLOCK_M": 64, "BLOCK_N": 16, "BLOCK_K": 32}
    (tmp_path / "gemm.ttir").write_text(frontend_ttir(gemm, types, blocks))
    script = shutil.copy(HERE / "wheel_riscv64.py", tmp_path)
    done = run_emulated(unpacked, script, tmp_path / "gemm.ttir")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "computed (1000, 16) with 2 threads" in done.stdout


def test_commands(unpacked):
    """The passes' own command; and the page on the installation, which says what is missing there: Triton."""
    kernel = ROOT / "test" / "Pipelines" / "Inputs" / "gemm_kloop.ttir"
    passes = ["--pass-pipeline=builtin.module(spine-ttir{capacity=1048576})", kernel]
    code = "import sys; from spine_triton.__main__ import opt; sys.exit(opt())"
    done = run_emulated(unpacked, "-c", code, *passes)
    assert done.returncode == 0, done.stderr
    assert done.stdout == run(Path(sys.executable).with_name("spine-triton-opt"), *passes)
    done = run_emulated(unpacked, "-m", "spine_triton", "doctor")
    lines = {line[:10].rstrip(): line[10:].split(None, 1) for line in done.stdout.splitlines() if line[0] != " "}
    assert lines["extension"][0] == lines["targets"][0] == lines["target"][0] == "ok", done.stdout
    assert lines["triton"][0] == "missing"
    assert "no wheel for riscv64" in done.stdout
