# ===- residency.py - The residency check from Python ----------------------===#
#
# Part of spine-triton, under the MIT licence.
#
# ===-----------------------------------------------------------------------===#
"""Do the tiles of a kernel fit the scratchpad of a target?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from spine_triton import _spine, pipelines, targets


class Footprint(NamedTuple):
    """Bytes of an access to a tile. None for what does not fit 64 bits."""

    dense_bytes: int
    """Of the elements without gaps."""
    span_bytes: int | None
    """From the first to the last byte that is reached."""
    granule_bytes: int | None
    """Of the distinct granules (cache lines) that are touched."""


def footprint(
    shape: Sequence[int],
    strides: Sequence[int],
    element_bytes: int,
    *,
    granule: int = 64,
    alignment: int | None = None,
) -> Footprint:
    """The footprint of an access to a tile of `shape` with `strides` in elements, which may be 0 and negative.

    `alignment` in bytes, a power of two, divides the address of the first element, which by default is the first of a
    granule; with less, the granule bytes are the most of all places it can have. Raises ValueError for a size below 1.
    """
    return Footprint(*_spine.footprint(list(shape), list(strides), element_bytes, granule, alignment))


@dataclass(frozen=True)
class ResidencyReport:
    """The answer for one module, and the plan of each of its kernels."""

    target: str
    capacity: int
    """Bytes of scratchpad that tiles may take."""
    fits: bool
    bytes: int
    """Arena bytes of the kernel that needs most; what is known at launch only is not in it."""
    kernels: list[_spine.KernelResidency] = field(default_factory=list, compare=False)

    def __str__(self) -> str:
        verdict = "fits" if self.fits else "does not fit"
        lines = [f"{verdict} {self.target}: {self.bytes} of {self.capacity} bytes of scratchpad per core"]
        for kernel in self.kernels:
            lines.append(f"  kernel '{kernel['kernel']}': {_need(kernel)}")
            lines.extend(_tile(tile) for tile in kernel["tiles"] if tile["live_at_peak"])
        return "\n".join(lines)


def _need(kernel: _spine.KernelResidency) -> str:
    if kernel["unbounded"]:
        return kernel["unbounded"]
    more = " and what depends on arguments" if kernel["contract"] else ""
    return f"{kernel['arena_bytes']} bytes{more}"


def _tile(tile: _spine.TileResidency) -> str:
    shape = "x".join(str(n) for n in (*tile["shape"], tile["dtype"]))
    place = f"{tile['file']}:{tile['line']}: " if tile["file"] else ""
    size = f"{tile['bytes']} bytes" if tile["bytes"] is not None else f"{tile['granule_expression']} bytes"
    copies = f", {tile['copies']} copies" if tile["copies"] > 1 else ""
    return f"    {place}'{tile['name']}': {shape}, {size}, {tile['role']}, {tile['placement']}{copies}"


def check_residency(
    module: _spine.Module | str,
    target: str | targets.Target = "host",
    *,
    scratchpad_bytes: int | None = None,
    policy: str = "stage-all",
    alignment: int | None = None,
    num_stages: int = 1,
) -> ResidencyReport:
    """Checks TTIR (a module, which is left as it is, or its text) against a target's scratchpad.

    Calls are inlined and what is unused is dropped before, as when a kernel is compiled. `scratchpad_bytes` replaces the
    target's capacity and reserve, `alignment` in bytes the target's. `policy` says which compiler's placements are meant:
    with `stage-all` each tile is packed, with `stage-mirrored` loads through block pointers occupy the granules that they
    touch. `num_stages` is the number of copies of tiles that a loop loads, where the loop itself does not say. Raises
    `MLIRError` if the module is not valid.
    """
    if isinstance(target, str):
        target = targets.find(target)
    module = _spine.Module.parse(_spine.Context(), module) if isinstance(module, str) else module.clone()
    _spine.run_pipeline(module, pipelines.SIMPLIFY)
    if scratchpad_bytes is not None:
        capacity = scratchpad_bytes
    else:
        capacity = target.scratchpad_bytes - target.reserve_bytes
    kernels = _spine.check_residency(module, target.json, scratchpad_bytes, policy, alignment, num_stages)
    fits = all(k["fits"] for k in kernels)
    return ResidencyReport(target.name, capacity, fits, max((k["arena_bytes"] for k in kernels), default=0), kernels)


# --- Autotuning -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Judged:
    """One configuration of an autotuner."""

    config: object
    fits: bool
    bytes: int
    ttir: str
    options: object
    constants: dict[str, int]


def _judge(kernel: object, config: object, arguments: dict) -> _Judged:
    from spine_triton import _triton_compat

    ttir, options, constants = _triton_compat.frontend_ttir_of_call(kernel, {**arguments, **config.all_kwargs()})
    target = targets.find(options.arch)
    asked = pipelines.Residency.of(options, target)
    if asked.mode != "error":
        return _Judged(config, True, 0, ttir, options, constants)
    report = check_residency(ttir, target, scratchpad_bytes=options.scratchpad_bytes, policy=options.residency_policy)
    # What depends on arguments is the launch's business, as when the kernel is compiled.
    fits = all(
        k["fits"] or (k["contract"] and k["arena_bytes"] <= k["capacity_bytes"] - k["reserve_bytes"])
        for k in report.kernels
    )
    return _Judged(config, fits, report.bytes, ttir, options, constants)


def _refuse(judged: list[_Judged]) -> None:
    """Raises what compiling the smallest configuration would."""
    from spine_triton import errors

    best = min(judged, key=lambda j: j.bytes)
    target = targets.find(best.options.arch)
    asked = pipelines.Residency.of(best.options, target)
    module = _spine.Module.parse(_spine.Context(), best.ttir)
    try:
        _spine.run_pipeline(module, pipelines.ttir(target, asked, best.constants))
    except _spine.MLIRError as e:
        error = errors.translate_error("kernel", "ttir", e, pipelines.refused_bytes)
        error.add_note(f"none of {len(judged)} configurations fits; this is the one that needs least: {best.config}")
        raise error from None


def prune_by_residency(configs: list, named_args: dict, **kwargs) -> list:
    """The configurations of `triton.autotune` whose tiles fit, in their order; for `prune_configs_by`:

        @triton.autotune(configs, key=["M"], prune_configs_by={"early_config_prune": spine_triton.prune_by_residency})

    Each is judged by what the frontend makes of it, without generating code, for the target and the capacity that a
    launch would have (`target`, `scratchpad_bytes`, `residency` and their environment variables). Where a launch would
    not be refused (`residency="off"`, or `"warn"`) all configurations stay. Raises `ScratchpadExceeded` if none fits.
    """
    from spine_triton import _triton_compat

    kernel = _triton_compat.autotuned_kernel()
    judged = [_judge(kernel, config, {**named_args, **kwargs}) for config in configs]
    fitting = [j.config for j in judged if j.fits]
    if judged and not fitting:
        _refuse(judged)
    return fitting
