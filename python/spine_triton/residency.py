# ===- residency.py - The residency check from Python ----------------------===#
#
# Part of spine-triton, under the MIT licence.
#
# ===-----------------------------------------------------------------------===#
"""Do the tiles of a kernel fit the scratchpad of a target?"""

from __future__ import annotations

from dataclasses import dataclass, field

from spine_triton import _spine, targets


@dataclass(frozen=True)
class ResidencyReport:
    """The answer for one module, and the facts about each of its kernels and their tiles."""

    target: str
    capacity: int
    """Bytes of scratchpad that tiles may take."""
    fits: bool
    bytes: int
    """The most bytes that are live at one point of any kernel; 0 if that is not known."""
    kernels: list[_spine.KernelResidency] = field(default_factory=list, compare=False)

    def __str__(self) -> str:
        verdict = "fits" if self.fits else "does not fit"
        lines = [f"{verdict} {self.target}: {self.bytes} of {self.capacity} bytes of scratchpad per core"]
        for kernel in self.kernels:
            lines.append(f"  kernel '{kernel['kernel']}': {kernel['unbounded'] or str(kernel['bytes']) + ' bytes'}")
            lines.extend(_tile(tile) for tile in kernel["tiles"] if tile["live_at_peak"])
        return "\n".join(lines)


def _tile(tile: _spine.TileResidency) -> str:
    shape = "x".join(str(n) for n in (*tile["shape"], tile["element_type"]))
    place = f"{tile['file']}:{tile['line']}: " if tile["file"] else ""
    return f"    {place}'{tile['name']}': {shape}, {tile['bytes']} bytes, {tile['role']}"


def check_residency(
    module: _spine.Module | str,
    target: str | targets.Target = "host",
    *,
    scratchpad_bytes: int | None = None,
) -> ResidencyReport:
    """Checks TTIR (a module, which is left as it is, or its text) against a target's scratchpad.

    `scratchpad_bytes` replaces the target's capacity and reserve. Raises `MLIRError` if the module is not valid.
    """
    if isinstance(target, str):
        target = targets.find(target)
    if isinstance(module, str):
        module = _spine.Module.parse(_spine.Context(), module)
    if scratchpad_bytes is not None:
        capacity = scratchpad_bytes
    else:
        capacity = target.scratchpad_bytes - target.reserve_bytes
    kernels = _spine.check_residency(module, target.json, scratchpad_bytes)
    fits = all(k["fits"] for k in kernels)
    return ResidencyReport(target.name, capacity, fits, max((k["bytes"] for k in kernels), default=0), kernels)
