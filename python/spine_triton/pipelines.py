# ===- pipelines.py - The pass pipelines of a compilation ------------------===#
#
# Part of spine-triton, under the MIT licence.
#
# ===-----------------------------------------------------------------------===#
"""Texts of the named pipelines with the options that a kernel and its target call for."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Residency:
    """Capacity and severity of the residency check of one kernel."""

    capacity: int
    reserve: int
    mode: str

    @staticmethod
    def of(options, target) -> Residency:
        """The kernel's own settings, and where it has none the target's.

        A scratchpad that is memory of its own, or whose size was given, is a hard limit. On a machine that only
        imitates one in its cache, a kernel that needs more runs correctly, if more slowly: a warning is enough.
        """
        given = options.scratchpad_bytes is not None
        mode = options.residency or ("error" if given or target.has_scratchpad else "off")
        capacity = options.scratchpad_bytes if given else target.scratchpad_bytes
        return Residency(capacity, 0 if given else target.reserve_bytes, mode)


def ttir(options, target, residency: Residency) -> str:
    """TTIR to TTIR, with the check."""
    text = f"capacity={residency.capacity} residency={residency.mode}"
    return f"builtin.module(spine-ttir{{{text}}})"


def linalg(options, target) -> str:
    return "builtin.module(spine-to-linalg)"


def llvm(options, target) -> str:
    keys = {"vector-bits": "vector_bits", "vector-registers": "vector_registers", "alignment": "alignment"}
    known = target.description
    text = " ".join(f"{option}={known[key]}" for option, key in keys.items() if known.get(key))
    return f"builtin.module(spine-to-llvm{{{text}}})"


_RESIDENCY = re.compile(r"needs? (\d+) bytes.*?(\d+)", re.DOTALL)


def residency_figures(text: str) -> tuple[int, int] | None:
    """(required, available) bytes if `text` is the residency check's message, else None."""
    if "scratchpad" not in text:
        return None
    match = _RESIDENCY.search(text)
    return (int(match.group(1)), int(match.group(2))) if match else None
