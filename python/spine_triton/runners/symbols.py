# ===- symbols.py - Names of kernels in a runner ---------------------------===#
#
# Part of spine-triton, under the MIT licence.
#
# ===-----------------------------------------------------------------------===#
"""SPINE_TRITON_SYMBOLS for kernels that run in another process.

`perf` writes the file that perf would look for, with the addresses that the emulated program sees: they are the ones in
messages on faults, in what QEMU's own log prints, and in QEMU's debugger interface. `gdb` is for kernels in this process.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spine_triton import _spine

REQUESTS = ("perf", "gdb")


def requested() -> set[str]:
    """The names in SPINE_TRITON_SYMBOLS. Raises ValueError for one that is not known."""
    names = {name for name in os.environ.get("SPINE_TRITON_SYMBOLS", "").split(",") if name}
    for name in sorted(names.difference(REQUESTS)):
        raise ValueError(f"SPINE_TRITON_SYMBOLS must be perf, gdb or both with a comma between, not '{name}'")
    return names


def announce(pid: int, image: _spine.LinkedImage) -> None:
    """Adds the functions of code that a process has loaded to its map, if that was asked for."""
    if "perf" not in requested():
        return
    path = f"/tmp/perf-{pid}.map"
    try:
        with open(path, "a") as f:
            f.writelines(f"{address:x} {size:x} {name}\n" for name, address, size in image.functions)
    except OSError as e:
        raise RuntimeError(f"SPINE_TRITON_SYMBOLS=perf: cannot write {path}: {e.strerror}") from None
