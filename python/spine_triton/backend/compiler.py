# ===- compiler.py - TTIR to object code, for Triton -----------------------===#
#
# Part of spine-triton, under the MIT licence.
#
# ===-----------------------------------------------------------------------===#
"""The compiler half of the Triton backend `spine`.

Triton imports this while it is being imported itself, so nothing here may need more of Triton than its
`backends.compiler` module at import time, and nothing may need the extension module before a kernel is compiled.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, fields
from types import ModuleType
from typing import Any

from triton.backends.compiler import BaseBackend, GPUTarget

from spine_triton import options as settings
from spine_triton import targets


@dataclass(frozen=True)
class SpineOptions:
    """What a launch may set. The first part is what every Triton backend knows; most of it means nothing to a CPU."""

    num_warps: int = 4
    num_ctas: int = 1
    num_stages: int = 1
    warp_size: int = 1
    maxnreg: int | None = None
    cluster_dims: tuple[int, ...] = (1, 1, 1)
    ir_override: str | None = None
    enable_fp_fusion: bool = True
    launch_cooperative_grid: bool = False
    launch_pdl: bool = False
    supported_fp8_dtypes: tuple[str, ...] = ()
    deprecated_fp8_dot_operand_dtypes: tuple[str, ...] = ()
    # Products are exact in any case: what asks for less precision gets more.
    default_dot_input_precision: str = "ieee"
    allowed_dot_input_precisions: tuple[str, ...] = ("ieee", "tf32", "tf32x3", "bf16x3", "bf16x6")
    max_num_imprecise_acc_default: int = 0
    extern_libs: tuple = ()
    debug: bool = False
    sanitize_overflow: bool = True
    backend_name: str = "spine"
    arch: str = "host"
    instrumentation_mode: str = ""

    # Ours. `target` is a dictionary in the shape of Triton's GPUTarget, since the compiled kernel's metadata has one
    # entry of this name for both.
    target: Any = None
    scratchpad_bytes: int | None = None
    residency: str | None = None
    residency_policy: str = "stage-all"
    auto_tile: bool = False
    allow_flush_denorm: bool = True
    runner: str = "native"

    def hash(self) -> str:
        """A text that differs whenever the code could."""
        text = "_".join(f"{name}-{value}" for name, value in sorted(self.__dict__.items()))
        return hashlib.sha256((text + targets.find(self.arch).digest).encode()).hexdigest()


_GPU_ONLY = {"warp_size", "backend_name", "arch"}
_FIELDS = [f.name for f in fields(SpineOptions) if f.name not in _GPU_ONLY]


def _target_name(value: object) -> str | None:
    """The name in a `target` option; None if it is something else, such as a kernel's own argument of that name."""
    if isinstance(value, str):
        return value
    if isinstance(value, GPUTarget):
        return str(value.arch)
    if isinstance(value, dict) and value.get("backend") == "spine":
        return str(value["arch"])
    return None


def _min_dot_size(lhs_type, rhs_type) -> tuple[int, int, int]:
    """Any shape is welcome in tl.dot."""
    return (1, 1, 1)


class SpineBackend(BaseBackend):
    """Compiles with the passes and code generators of this package."""

    binary_ext = "obj"
    accepts_numpy = True

    def __init__(self, target: GPUTarget) -> None:
        from spine_triton import _triton_compat

        if target.backend == "cpu":
            target = GPUTarget("spine", settings.environment().target, 0)
        super().__init__(target)
        self.binary_ext = "obj"
        _triton_compat.install()

    @staticmethod
    def supports_target(target: GPUTarget) -> bool:
        """Our own targets, and `cpu` where no other backend claims it."""
        if target.backend == "cpu":
            from spine_triton import _triton_compat

            return not _triton_compat.others_support(target)
        return target.backend == "spine"

    def hash(self) -> str:
        from spine_triton import _spine

        versions = "-".join(f"{k}={v}" for k, v in sorted(_spine.versions().items()))
        return f"spine-{versions}-{targets.find(str(self.target.arch)).digest}"

    def parse_options(self, opts: dict) -> SpineOptions:
        from triton import knobs

        env = settings.environment()
        args = {k: opts[k] for k in _FIELDS if opts.get(k) is not None}
        name = _target_name(args.pop("target", None)) or str(self.target.arch)
        targets.find(name)  # an unknown name is an error here, not at the first cache miss
        args["arch"] = name
        args["target"] = {"backend": "spine", "arch": name, "warp_size": 0}
        for key, check in (
            ("scratchpad_bytes", settings.check_scratchpad_bytes),
            ("residency", settings.check_residency_mode),
            ("residency_policy", settings.check_residency_policy),
            ("auto_tile", settings.check_flag),
            ("allow_flush_denorm", settings.check_flag),
            ("runner", settings.check_runner),
        ):
            value = check(args[key], f"the option {key}") if key in args else getattr(env, key)
            args[key] = value
        args.setdefault("enable_fp_fusion", knobs.language.default_fp_fusion)
        for key in ("extern_libs", "cluster_dims", "supported_fp8_dtypes", "allowed_dot_input_precisions"):
            if key in args:
                value = args[key]
                args[key] = tuple(value.items() if isinstance(value, dict) else value)
        if args.get("num_ctas", 1) != 1:
            raise ValueError(f"num_ctas must be 1 on a CPU, not {args['num_ctas']}")
        for key, least in (("num_warps", 1), ("num_stages", 0)):
            if key in args:
                args[key] = settings.check_number(args[key], key, least, (1 << 31) - 1)
        return SpineOptions(**args)

    def pack_metadata(self, metadata) -> tuple:
        return (metadata.name, metadata.arena_bytes)

    def get_codegen_implementation(self, options) -> dict:
        return {"min_dot_size": _min_dot_size}

    def get_module_map(self) -> dict[str, ModuleType]:
        from spine_triton import libdevice

        # The second is CUDA's own, which kernels import by name too.
        names = ("triton.language.extra.libdevice", "triton.language.extra.cuda.libdevice")
        return dict.fromkeys(names, libdevice)

    def load_dialects(self, ctx) -> None:
        pass

    def add_stages(self, stages: dict, options: SpineOptions, language=None) -> None:
        from spine_triton import _stages

        _stages.add(stages, options, language)
