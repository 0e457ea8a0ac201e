# ===- residency.py - The residency check from Python ----------------------===#
#
# Part of spine-triton, under the MIT licence.
#
# ===-----------------------------------------------------------------------===#
"""Do the tiles of a kernel fit the scratchpad of a target?"""

from __future__ import annotations

from dataclasses import dataclass, field

from spine_triton import _spine, pipelines, targets


@dataclass(frozen=True)
class ResidencyReport:
    """The answer for one module. `bytes` is what is needed at the worst point, 0 if that is not known."""

    target: str
    capacity: int
    fits: bool
    bytes: int
    diagnostics: list = field(default_factory=list, compare=False)

    def __str__(self) -> str:
        verdict = "fits" if self.fits else "does not fit"
        lines = [f"{verdict} {self.target}: {self.bytes} of {self.capacity} bytes of scratchpad per core"]
        for d in self.diagnostics:
            lines.append(str(d))
            lines.extend(f"  {n}" for n in d.notes)
        return "\n".join(lines)


def check_residency(
    module: _spine.Module | str,
    target: str | targets.Target = "host",
    *,
    scratchpad_bytes: int | None = None,
) -> ResidencyReport:
    """Runs the check on TTIR (a module, which is left as it is, or its text) against a target's scratchpad.

    `scratchpad_bytes` replaces the target's capacity. Raises `MLIRError` if the module is not valid.
    """
    if isinstance(target, str):
        target = targets.find(target)
    if isinstance(module, str):
        module = _spine.Module.parse(_spine.Context(), module)
    if scratchpad_bytes is not None:
        check = pipelines.Residency(scratchpad_bytes, 0, "remark")
    else:
        check = pipelines.Residency(target.scratchpad_bytes, target.reserve_bytes, "remark")
    work = module.clone()
    found = _spine.run_pipeline(work, pipelines.residency_check(target, check))
    peaks = pipelines.attached_peaks(str(work))
    refusals = [d for d in found if pipelines.refused_bytes(d.message) is not None]
    return ResidencyReport(target.name, check.capacity - check.reserve, not refusals, max(peaks, default=0), found)
