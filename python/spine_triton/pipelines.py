# ===- pipelines.py - The pass pipelines of a compilation ------------------===#
#
# Part of spine-triton, under the MIT licence.
#
# ===-----------------------------------------------------------------------===#
"""Texts of the named pipelines with the options that a kernel and its target call for."""

from __future__ import annotations

import re
from dataclasses import dataclass

SEVERITIES = {"error": "error", "warn": "warning", "off": "remark"}
"""The check's `severity` for each residency mode."""


_IN_MLIR = {"int4": "i4", "int8": "i8", "fp16": "f16", "fp32": "f32"}
"""Types of elements that descriptions of targets call by other names than MLIR."""


@dataclass(frozen=True)
class Residency:
    """What the residency check of one kernel is asked."""

    capacity: int
    reserve: int
    mode: str
    policy: str = "stage-all"
    alignment: int = 1
    granule: int = 64
    auto_tile: bool = False
    vector_bits: int = 0
    matrix_units: tuple[str, ...] = ()
    """Such as `i8:8x16x8`: the type of element in MLIR's words, and M x K x N."""
    num_stages: int = 1
    """Copies of a tile that a loop loads, where the loop does not say."""

    @staticmethod
    def of(options, target) -> Residency:
        """The kernel's own settings, and where it has none the target's.

        A scratchpad that is memory of its own, or whose size was given, is a hard limit. On a machine that only
        imitates one in its cache, a kernel that needs more runs correctly, if more slowly: nothing is said.
        """
        given = options.scratchpad_bytes is not None
        mode = options.residency or ("error" if given or target.has_scratchpad else "off")
        capacity = options.scratchpad_bytes if given else target.scratchpad_bytes
        reserve = 0 if given else target.reserve_bytes
        alignment, granule = target.alignment or 1, target.granule_bytes
        units = tuple(
            f"{_IN_MLIR.get(unit['input'], unit['input'])}:{unit['m']}x{unit['k']}x{unit['n']}"
            for unit in target.matrix_units
        )
        return Residency(
            capacity,
            reserve,
            mode,
            options.residency_policy,
            alignment,
            granule,
            options.auto_tile,
            target.vector_bits,
            units,
            max(options.num_stages, 1),  # some kernels for GPUs say 0: not pipelined
        )

    def options(self, target: str, constexprs: dict[str, int] | None = None) -> str:
        """The options of the check. Where nobody asked for it it still runs, and its remarks are dropped; so it does
        under the policy `as-needed`, where code is judged when it is made."""
        judges_code = self.policy == "as-needed"
        options = {
            "capacity": self.capacity,
            "reserve": self.reserve,
            "severity": "remark" if judges_code else SEVERITIES[self.mode],
            "target": target,
            "policy": "stage-all" if judges_code else self.policy,
            "alignment": self.alignment,
            "granule": self.granule,
            "num-stages": self.num_stages,
            "defer-to-launch": "true",
            "auto-tile": str(self.auto_tile).lower(),
            "auto-tile-hint": str(not self.auto_tile).lower(),
        }
        if self.auto_tile:
            options["vector-bits"] = self.vector_bits
            if self.matrix_units:
                options["matrix-units"] = ",".join(self.matrix_units)
        if constexprs:
            options["constexprs"] = ",".join(f"{name}={value}" for name, value in constexprs.items())
        return " ".join(f"{name}={value}" for name, value in options.items())


SIMPLIFY = "builtin.module(inline,canonicalize,cse,symbol-dce,loop-invariant-code-motion)"
"""What `spine-ttir` does before it checks: calls are inlined, and what is not used is gone."""


def ttir(target, residency: Residency, constexprs: dict[str, int] | None = None) -> str:
    """TTIR to TTIR, with the residency check and, if the kernel's options say so, tiles split to pass it.

    `constexprs` are the kernel's, to call blocks by their names.
    """
    return f"builtin.module(spine-ttir{{{residency.options(target.name, constexprs)}}})"


def linalg() -> str:
    """TTIR to linalg on tensors."""
    return "builtin.module(spine-to-linalg)"


def attach_target(target, flush_denorm: bool = True) -> str:
    """The pass that says in the module which target it is for, and whether instructions may be used that treat
    denormal numbers as zero."""
    options = {
        "name": target.name,
        "scratchpad-bytes": target.scratchpad_bytes,
        "reserve-bytes": target.reserve_bytes,
        "alignment": target.alignment,
        "granule-bytes": target.granule_bytes,
        "vector-bits": target.vector_bits,
        "vector-registers": target.vector_registers,
        "prefetch-rows": target.prefetch_rows,
        "kept-bytes": target.kept_bytes,
        "strided-lanes": target.strided_lanes,
        "widens-f16": target.widens_f16,
        "widens-bf16": target.widens_bf16,
        "tiles-bf16": target.tiles_bf16 if flush_denorm else 0,
    }
    text = " ".join(f"{name}={value}" for name, value in options.items())
    return f"spine-attach-target{{{text}}}"


def llvm(target, flush_denorm: bool = True, variants: str = "all") -> str:
    """linalg to the LLVM dialect, for the vectors and caches of a target.

    `variants` are the versions of the kernel that are made: `disjoint`, `may-alias`, or `all`.
    """
    return f"builtin.module({attach_target(target, flush_denorm)},spine-to-llvm{{variants={variants}}})"


def scratchpad(target) -> str:
    """TTIR to code whose buffers have their places: the part of `linalg` and `llvm` that decides what is in the
    scratchpad."""
    lower = f"{attach_target(target)},spine-lower-tiles,canonicalize,cse,loop-invariant-code-motion"
    return f"builtin.module(spine-to-linalg,{lower},spine-plan-scratchpad)"


MAX_STACK_BYTES = 4096
"""What the frame of a program may take of the stack without a word."""

_SPLIT = re.compile(r"kernel '[^']*' is split: ")


def says_split(text: str) -> bool:
    """Whether `text` is the remark that a kernel's tiles were split."""
    return bool(_SPLIT.match(text))


_REFUSED = re.compile(
    r"the scratchpad(?: on [^:]*)?: (?:it needs (\d+) bytes, (\d+) are available|the bytes that it needs)"
)


def refused_bytes(text: str) -> tuple[int, int] | None:
    """(needed, available) if `text` is the check's message, else None. 0 stands for a number that is not known."""
    match = _REFUSED.search(text)
    return (int(match.group(1) or 0), int(match.group(2) or 0)) if match else None
