# ===- test_setup.py - What is installed before anything is built ----------===#
#
# Part of spine-triton, under the MIT licence.
#
# ===-----------------------------------------------------------------------===#
"""scripts/setup-debian.sh on releases and machines that are not this one: Debian's programs are imitated."""

import os
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]

PROGRAMS = {
    "dpkg": """case $1 in
        --print-architecture) echo "$ARCHITECTURE" ;;
        --compare-versions) [ "$2" != 0 ] ;;
    esac""",
    "dpkg-query": """case "$*" in
        *'${Version}'*) echo 1:10.0.2 ;;
        *) for package in $PRESENT; do echo "installed $package"; done ;;
    esac""",
    "apt-cache": """case $1 in
        pkgnames) printf '%s\\n' $AVAILABLE ;;
        show) case " $AVAILABLE " in *" $3 "*) ;; *) exit 1 ;; esac ;;
    esac""",
    "apt-get": 'echo "$@" >>"$LOG"',
    "sudo": '"$@"',
}
LISTED = [line for line in (ROOT / "scripts/debian-packages.txt").read_text().split("\n") if line and line[0] != "#"]
ORDINARY = [name for name in LISTED if not name.endswith("-riscv64-cross")]


@pytest.fixture
def setup(tmp_path):
    for name, text in PROGRAMS.items():
        (tmp_path / name).write_text(f"#!/bin/bash\n{text}\n")
        (tmp_path / name).chmod(0o755)

    def run(architecture, available, present=()):
        log = tmp_path / "log"
        log.write_text("")
        environment = os.environ | {
            "PATH": f"{tmp_path}:{os.environ['PATH']}",
            "ARCHITECTURE": architecture,
            "AVAILABLE": " ".join(available),
            "PRESENT": " ".join(present),
            "LOG": str(log),
        }
        script = ROOT / "scripts/setup-debian.sh"
        done = subprocess.run([script], env=environment, capture_output=True, text=True)
        found = re.search(r"install .*--no-install-recommends (.*)", log.read_text())
        return done, found.group(1).split() if found else []

    return run


@pytest.mark.parametrize("version", [12, 14])
def test_cross_library_of_the_release(setup, version):
    """Debian 12 has libstdc++ 12 for cross-building, Debian 13 has 13 and 14: the newest is taken."""
    cross = [f"libstdc++-{n}-dev-riscv64-cross" for n in range(12, version + 1)]
    noise = ["libstdc++-99-pic-riscv64-cross", "libstdc++-99-dev", "libc6-dev-riscv64-cross"]
    done, installed = setup("amd64", [*ORDINARY, *noise, *cross])
    assert done.returncode == 0, done.stderr
    assert set(installed) == {*ORDINARY, "libc6-dev-riscv64-cross", cross[-1]}


def test_nothing_is_done_where_all_is_installed(setup):
    """Whichever version of the cross library it is."""
    done, installed = setup(
        "amd64", [], [*ORDINARY, "libc6-dev-riscv64-cross:all", "libstdc++-13-dev-riscv64-cross:all"]
    )
    assert (done.returncode, done.stdout, installed) == (0, "", [])


def test_riscv64_needs_no_cross_libraries(setup):
    done, installed = setup("riscv64", [*ORDINARY, "python3-numpy"])
    assert done.returncode == 0, done.stderr
    assert set(installed) == {*ORDINARY, "python3-numpy"}


def test_unknown_packages_are_named(setup):
    done, installed = setup("amd64", [name for name in ORDINARY if name != "libmlir-22-dev"])
    assert done.returncode == 1 and not installed
    for name in ("libmlir-22-dev", "libc6-dev-riscv64-cross", "libstdc++-*-dev-riscv64-cross"):
        assert name in done.stderr
