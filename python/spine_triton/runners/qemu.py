# ===- qemu.py - Kernels under QEMU ----------------------------------------===#
#
# Part of spine-triton, under the MIT licence.
#
# ===-----------------------------------------------------------------------===#
"""Runs the runner for riscv64 in QEMU's user mode, on a processor like the target's.

QEMU proves results; it says nothing about speed. Tail and mask elements that an instruction may leave alone or
overwrite are overwritten with ones, so that code which depends on them gives wrong results here and not only on some
hardware.
"""

from __future__ import annotations

import functools
import os
import re
import shutil
import subprocess
from importlib import resources

from spine_triton.errors import RunnerError
from spine_triton.runners.remote import RemoteMachine, machine
from spine_triton.targets import Target

PROGRAM = "qemu-riscv64"
RUNNER = "spine-runner-riscv64"
# The first version with the vector extension's fp16 arithmetic (QEMU's change log of 8.1).
LEAST_VERSION = (8, 1)
_STRICT = ("rvv_ta_all_1s=true", "rvv_ma_all_1s=true")
INSTALL = "install Debian's package qemu-user (on Debian 12 from bookworm-backports: scripts/setup-debian.sh does it)"
INSTALL_COMMAND = "sudo apt-get install qemu-user (Debian 12: sudo apt-get install -t bookworm-backports qemu-user)"
BUILD_RUNNER_COMMAND = (
    "scripts/setup-debian.sh && make build (in a clone; it takes Debian's cross libraries for riscv64)"
)


def runner_path() -> str:
    """The runner's file. Raises RunnerError if the package was built without it."""
    path = resources.files("spine_triton") / "runners" / RUNNER
    if not os.access(str(path), os.X_OK):
        raise RunnerError(
            f"this build of spine-triton has no runner for riscv64 ({path}): install libc6-dev-riscv64-cross and "
            "a libstdc++-*-dev-riscv64-cross and build again"
        )
    return str(path)


@functools.cache
def program_path() -> str:
    """QEMU's file. Raises RunnerError if it is not there or too old."""
    path = shutil.which(PROGRAM)
    if path is None:
        raise RunnerError(f"{PROGRAM} is not installed: {INSTALL}")
    found = version(path)
    if found < LEAST_VERSION:
        wanted = ".".join(map(str, LEAST_VERSION))
        raise RunnerError(f"{path} is version {'.'.join(map(str, found))}, {wanted} is needed: {INSTALL}")
    return path


def version(path: str) -> tuple[int, ...]:
    """The version of a QEMU, such as (10, 0, 2)."""
    done = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=60)
    match = re.search(r"version (\d+(?:\.\d+)+)", done.stdout)
    if match is None:
        raise RunnerError(f"{path} --version says {done.stdout or done.stderr!r}")
    return tuple(int(n) for n in match.group(1).split("."))


def cpu(target: Target) -> str:
    """QEMU's description of the target's processor. Raises RunnerError if the target has none."""
    found = target.description.get("qemu_cpu")
    if not found:
        raise RunnerError(
            f"QEMU cannot stand for the target {target.name}: its description has no 'qemu_cpu'; "
            "use a riscv64 target such as spacemit-a100"
        )
    return ",".join([found, *_STRICT])


def command(target: Target) -> list[str]:
    """The words that start the runner; a connected socket's number is to be added."""
    return [program_path(), "-cpu", cpu(target), runner_path()]


def machine_for(target: Target) -> RemoteMachine:
    """The machine that runs the target's kernels in this process."""

    def make() -> RemoteMachine:
        words = command(target)  # what is missing is an error now
        return RemoteMachine(f"{target.name} (QEMU)", target.vector_bits, lambda: words)

    return machine(("qemu", target.name, target.digest), make)
