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
from spine_triton import options as settings


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
    shape = [settings.check_number(size, "a size of the shape", 1) for size in shape]
    strides = [settings.check_number(stride, "a stride", -(1 << 63)) for stride in strides]
    element_bytes = settings.check_number(element_bytes, "element_bytes", 1)
    granule = settings.check_number(granule, "granule", 1)
    if alignment is not None:
        alignment = settings.check_number(alignment, "alignment", 1)
    return Footprint(*_spine.footprint(shape, strides, element_bytes, granule, alignment))


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
    with_stack: bool = False,
) -> ResidencyReport:
    """Checks TTIR (a module, which is left as it is, or its text) against a target's scratchpad.

    Calls are inlined and what is unused is dropped before, as when a kernel is compiled. `scratchpad_bytes` replaces the
    target's capacity and reserve, `alignment` in bytes the target's. `policy` says which compiler's placements are meant:
    with `stage-all` each tile is packed, with `stage-mirrored` loads through block pointers occupy the granules that they
    touch. `as-needed` is this compiler: its code is generated as far as its buffers have their places, and the plan is
    theirs; of the variants of a kernel the one that needs most counts. `with_stack` compiles that code to the end and
    adds the bytes that a program takes of the stack (`stack_bytes` of a kernel). `num_stages` is the number of copies of
    tiles that a loop loads, where the loop itself does not say. Raises `MLIRError` if the module is not valid.
    """
    if scratchpad_bytes is not None:
        scratchpad_bytes = settings.check_number(scratchpad_bytes, "scratchpad_bytes", 0)
    if alignment is not None:
        alignment = settings.check_number(alignment, "alignment", 1)
    num_stages = settings.check_number(num_stages, "num_stages", 1, (1 << 31) - 1)
    if not isinstance(target, targets.Target):
        target = targets.find(target)
    if not isinstance(module, (str, _spine.Module)):
        raise TypeError(f"a module of TTIR or its text is expected, not {type(module).__name__}")
    module = _spine.Module.parse(_spine.Context(), module) if isinstance(module, str) else module.clone()
    _spine.run_pipeline(module, pipelines.SIMPLIFY)
    if scratchpad_bytes is not None:
        capacity = scratchpad_bytes
    else:
        capacity = target.scratchpad_bytes - target.reserve_bytes
    if policy == "as-needed":
        kernels = _plans_of_code(module, target, scratchpad_bytes, with_stack)
    else:
        kernels = _spine.check_residency(module, target.json, scratchpad_bytes, policy, alignment, num_stages)
    fits = all(k["fits"] for k in kernels)
    return ResidencyReport(target.name, capacity, fits, max((k["arena_bytes"] for k in kernels), default=0), kernels)


# --- The plan of this compiler's code -------------------------------------------------------------------------------


def _plans_of_code(
    module: _spine.Module, target: targets.Target, scratchpad_bytes: int | None, with_stack: bool
) -> list:
    """The plans of the buffers that code generation makes, per function of its result."""
    rebase = "builtin.module(spine-rebase-tensor-ptr,canonicalize,cse,loop-invariant-code-motion)"
    _spine.run_pipeline(module, rebase)
    frames = {}
    if with_stack:
        _spine.run_pipeline(module, pipelines.linalg())
        _spine.run_pipeline(module, pipelines.llvm(target))
        frames = _spine.stack_frames(_spine.emit_object(module, target.json))
    else:
        _spine.run_pipeline(module, pipelines.scratchpad(target))
    capacity = target.scratchpad_bytes if scratchpad_bytes is None else scratchpad_bytes
    reserve = target.reserve_bytes if scratchpad_bytes is None else 0
    plans = [_plan_of_code(plan, target, capacity, reserve) for plan in _spine.scratch_plans(module)]
    for plan in plans:
        plan["stack_bytes"] = frames.get(plan["kernel"])
    return plans


def _plan_of_code(plan: _spine.ScratchPlan, target: targets.Target, capacity: int, reserve: int) -> dict:
    """A plan in the form of `_spine.check_residency`; points of the program are buffers' positions in the code."""
    nowhere = {"file": "", "line": 0, "column": 0}
    ends = sorted({point for tile in plan["tiles"] for point in tile["live_range"]})
    numbers = {point: number for number, point in enumerate(ends)}
    live = [0] * max(len(ends), 1)
    for tile in plan["tiles"]:
        for point in range(numbers[tile["live_range"][0]], numbers[tile["live_range"][1]] + 1):
            live[point] += tile["bytes"]
    peak = live.index(max(live))
    tiles = [_tile_of_code(tile, numbers, peak) for tile in plan["tiles"]]
    at_peak = max((t for t in tiles if t["live_at_peak"]), key=lambda t: t["live_range"][0], default=nowhere)
    return {
        "kernel": plan["function"],
        "policy": "as-needed",
        "fits": plan["arena_bytes"] <= capacity - reserve,
        "live_peak_bytes": plan["live_peak_bytes"],
        "arena_bytes": plan["arena_bytes"],
        "capacity_bytes": capacity,
        "reserve_bytes": reserve,
        "granule_bytes": target.granule_bytes,
        "alignment": target.alignment,
        "unbounded": None,
        "contract": None,
        "peak_point": peak,
        "points": len(live),
        "peak": {key: at_peak[key] for key in nowhere},
        "tiles": tiles,
        "placements": plan["placements"],
        "stack_bytes": None,
        "smaller_blocks": [],
        **nowhere,
    }


def _tile_of_code(tile: _spine.ScratchTile, numbers: dict[int, int], peak: int) -> dict:
    first, last = (numbers[point] for point in tile["live_range"])
    place = {key: tile[key] for key in ("file", "line", "column")}
    return {
        "id": tile["id"],
        "tile_id": tile["tile_id"],
        "is_temporary": tile["is_temporary"],
        "name": tile["name"] or f"buffer {tile['id']}",
        "is_variable": tile["is_variable"],
        "role": tile["role"] or "materialised",
        "placement": "packed",
        "shape": tile["shape"],
        "dtype": tile["dtype"],
        "bytes": tile["bytes"],
        "copies": 1,
        "dense_bytes": tile["bytes"],
        "span_bytes": None,
        "granule_bytes": None,
        "span_expression": None,
        "granule_expression": None,
        "strides": None,
        "live_at_peak": first <= peak <= last,
        "live_range": (first, last),
        "offset": tile["offset"],
        "last_use": {"file": "", "line": 0, "column": 0},
        **place,
    }


def exceeding(
    name: str, module: _spine.Module, target: targets.Target, residency: pipelines.Residency
) -> Exception | None:
    """The error for generated code whose arena does not fit, with the buffers that are live at its peak; else None."""
    from spine_triton import errors

    plan = max(_spine.scratch_plans(module), key=lambda p: p["arena_bytes"], default=None)
    available = residency.capacity - residency.reserve
    if plan is None or plan["arena_bytes"] <= available:
        return None
    kernel = _plan_of_code(plan, target, residency.capacity, residency.reserve)
    needed = kernel["arena_bytes"]
    text = f"kernel '{name}' does not fit the scratchpad: its code needs {needed} bytes, {available} are available"
    messages = [errors.Message("error", f"{text} on {target.name}")]
    for tile in sorted(kernel["tiles"], key=lambda t: -t["bytes"]):
        if tile["live_at_peak"]:
            shape = "x".join(str(n) for n in (*tile["shape"], tile["dtype"]))
            note = f"tile '{tile['name']}': {shape}, {tile['bytes']} bytes, {tile['role']}, {tile['placement']}"
            messages.append(errors.Message("note", note, tile["file"], tile["line"], tile["column"]))
    messages.append(errors.Message("note", f"{needed - available} bytes too many: use smaller blocks"))
    return errors.ScratchpadExceeded(name, needed, available, tuple(messages))


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
    report = check_residency(
        ttir,
        target,
        scratchpad_bytes=options.scratchpad_bytes,
        policy=options.residency_policy,
        num_stages=asked.num_stages,
    )
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
