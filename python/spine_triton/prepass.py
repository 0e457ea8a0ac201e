# ===- prepass.py - Our passes in front of another backend -----------------===#
#
# Part of spine-triton, under the MIT licence.
#
# ===-----------------------------------------------------------------------===#
"""The TTIR passes of this project as a pre-pass for any Triton backend: text in, text out.

    from spine_triton import prepass

    with prepass.install("nvidia", budget=100 * 1024):
        kernel[grid](...)           # judged by its tiles before NVIDIA's passes see it

    text = prepass.Prepass(budget=384 * 1024, base_numel=2**20)(text)      # without any backend

What is done to a kernel:

1. With a `budget`, the bytes of the tiles that are live at the same time are compared with it, under the policy
   `stage-all`: every loaded, stored and accumulated tile counts, and one that is loaded in a loop once for each stage of
   the loop's pipeline. A kernel that does not fit is split into loops over parts of its tiles that do, if `auto_tile` is
   on (`spine-auto-tile`); else it raises `ScratchpadExceeded`, which `triton.autotune` takes as "skip this configuration".
2. With a `base_numel`, the kernel is judged as a compiler does that multiplies the shape operands of
   `tt.make_tensor_ptr`. If that product is larger, or not known before the kernel runs, each op is rewritten to describe
   its tile alone (`spine-rebase-tensor-ptr`).

A kernel that fits in both ways is handed on as it is, to the byte: the other backend makes the same code as without the
pre-pass. Otherwise the text has been simplified (calls inlined, constants folded) as well. It contains only operations
that stock Triton parses.

A kernel that is split may rely on its arguments not overlapping in memory, or on numbers of the launch: notes on standard
error say so. The launcher of this project's backend refuses other launches; with another backend it is for the caller to
see to.
"""

from __future__ import annotations

import hashlib
import sys
from dataclasses import dataclass, fields

from spine_triton import _spine, _triton_compat, errors, options, pipelines

MAX_BYTES = (1 << 63) - 1
"""Also elements: what the passes count in."""
MAX_COPIES = (1 << 31) - 1


def _module(passes: str) -> str:
    return f"builtin.module({passes})"


@dataclass(frozen=True)
class Prepass:
    """What to do with TTIR; calling it does it.

    budget: bytes of on-chip memory for the tiles of one program. None: they are not counted.
    copies: how many copies of a tile that is loaded in a loop the other compiler keeps. None: the launch's `num_stages`.
    auto_tile: whether a kernel that does not fit is split into loops over parts that do.
    base_numel: elements of a base tensor that the other compiler accepts. None: it has no such limit.
    rebase: True rewrites every block pointer, False none; None those of kernels that exceed `base_numel`.
    residency: what happens if a kernel does not fit: `error`, `warn` or `off`.
    target: the name of the other compiler's target, for the message.
    """

    budget: int | None = None
    copies: int | None = None
    auto_tile: bool = False
    base_numel: int | None = None
    rebase: bool | None = None
    residency: str = "error"
    target: str = ""

    def __post_init__(self):
        for name, most in (("budget", MAX_BYTES), ("base_numel", MAX_BYTES), ("copies", MAX_COPIES)):
            value = getattr(self, name)
            if value is not None:
                object.__setattr__(self, name, options.check_number(value, name, 1, most))
        if not isinstance(self.auto_tile, bool):
            raise TypeError(f"auto_tile must be True or False, not {self.auto_tile!r}")
        if not (self.rebase is None or isinstance(self.rebase, bool)):
            raise TypeError(f"rebase must be True, False or None, not {self.rebase!r}")
        if self.auto_tile and self.budget is None:
            raise ValueError("auto_tile splits what exceeds a budget: give one")
        options.check_residency_mode(self.residency, "residency")
        if not isinstance(self.target, str):
            raise TypeError(f"target must be a name, not {self.target!r}")
        if not (self.target == "" or self.target.replace("-", "").replace("_", "").isalnum()):
            raise ValueError(f"target must be a name of letters, digits, - and _, not {self.target!r}")

    @property
    def key(self) -> str:
        """A text that differs whenever the result could: settings and build of this package."""
        settings = ",".join(f"{f.name}={getattr(self, f.name)!r}" for f in fields(self))
        versions = ",".join(f"{k}={v}" for k, v in sorted(_spine.versions().items()))
        return hashlib.sha256(f"spine-prepass:{settings}:{versions}".encode()).hexdigest()

    def __call__(self, ttir: str, num_stages: int = 1) -> str:
        """The TTIR to compile instead of `ttir`, which is the same text if nothing needs to be done.

        `num_stages` is that of the launch; 0 is taken as 1. Raises `ScratchpadExceeded` if the tiles do not fit,
        `KernelCompilationError` if the text is not TTIR.
        """
        if not isinstance(ttir, str):
            raise TypeError(f"TTIR is a text, not {type(ttir).__name__}")
        stages = options.check_number(num_stages, "num_stages", 0, MAX_COPIES)
        kernel = _triton_compat.kernel_name(ttir, ttir)
        try:
            module = _spine.Module.parse(_spine.Context(), ttir, f"{kernel}.ttir")
            simple = _spine.lower(module, pipelines.SIMPLIFY)
            result = self._fit(simple, self.copies or stages or 1)
            changed = result is not simple
            if self._wants_rebase(result):
                _spine.run_pipeline(result, _module("spine-rebase-tensor-ptr,canonicalize,cse"))
                changed = True
        except _spine.MLIRError as e:
            raise errors.translate_error(kernel, "prepass", e, pipelines.refused_bytes) from None
        return result.to_string(debug_info=True) if changed else ttir

    def _fit(self, module: _spine.Module, copies: int) -> _spine.Module:
        """Compares the tiles with the budget; returns the module, or another one in which they are split."""
        if self.budget is None:
            return module
        limits = f"capacity={self.budget} num-stages={copies} target={self.target}"
        result, judged = self._split(module, limits) if self.auto_tile else (module, module.clone())
        if self.residency != "off":
            check = f"spine-check-residency{{{limits} severity={pipelines.SEVERITIES[self.residency]}}}"
            errors.report(_spine.run_pipeline(judged, _module(check)))
        return result

    @staticmethod
    def _split(module: _spine.Module, limits: str) -> tuple[_spine.Module, _spine.Module]:
        """Splits tiles, and says on standard error how. Returns the module if nothing was split, else the one that was
        made, and one to be judged, which says why others were not split."""
        # The other backend's launcher looks for no attribute of ours: the remark alone says what the result relies on.
        split = f"spine-auto-tile{{{limits} mark-assumptions=false mark-obstacles="
        judged = module.clone()
        remarks = _spine.run_pipeline(judged, _module(f"{split}true}}"))
        if not any(pipelines.says_split(remark.message) for remark in remarks):
            return module, judged
        print(errors.render(errors.messages_of(remarks)), file=sys.stderr)
        result = module.clone()
        _spine.run_pipeline(result, _module(f"{split}false}},canonicalize,cse"))
        return result, judged

    def _wants_rebase(self, module: _spine.Module) -> bool:
        if self.rebase is not None or self.base_numel is None:
            return bool(self.rebase)
        # A remark is the answer yes; an error is one of something else.
        check = f"spine-check-residency{{rule=base-numel max-numel={self.base_numel} severity=remark}}"
        return bool(_spine.run_pipeline(module.clone(), _module(check)))


def install(backend: str | type, **settings) -> _triton_compat.Installed:
    """Runs the pre-pass on every kernel that a Triton backend compiles from now on.

    `backend` is the name that Triton knows it by (`nvidia`, `amd`, `spine_triton`) or its compiler class; `settings` are
    those of `Prepass`. The result's `remove()` undoes it; it is a context manager too, which removes it at its end.

    Where the backend offers its stages to Triton's `add_stages_inspection_hook`, that is used; where it does not, its
    `make_ttir` is wrapped. Kernels that were compiled before are compiled again; with Triton 3.6, whose kernels ask nobody
    once they are in memory, those of this process are not.
    """
    return _triton_compat.install_prepass(_triton_compat.backend_class(backend), Prepass(**settings))
