# ===- _stages.py - The stages of a compilation ----------------------------===#
#
# Part of spine-triton, under the MIT licence.
#
# ===-----------------------------------------------------------------------===#
"""ttir -> linalg -> llvmir -> llir -> obj, as functions that Triton calls one after the other.

Triton writes each result to its cache as text and hands it to the next function. To save parsing it again, a result
carries the module it was printed from; text that comes from elsewhere (an overridden stage) is parsed.
"""

from __future__ import annotations

import os
import sys
import warnings

from spine_triton import _spine, _triton_compat, errors, pipelines, targets


class Stage:
    """The module of one stage. `str()` is its text with locations, printed when first asked for."""

    def __init__(self, module: _spine.Module):
        self.module = module
        self._text: str | None = None

    def __str__(self) -> str:
        if self._text is None:
            self._text = self.module.to_string(debug_info=True)
        return self._text

    def create_location_snapshot(self, path: str) -> None:
        """Makes the lines of the file at `path` the locations, for USE_IR_LOC."""
        text = self.module.to_string()
        with open(path, "w") as f:
            f.write(text)
        self.module = _spine.Module.parse(_spine.Context(), text, path)
        self._text = None


def _enabled(variable: str, kernel: str) -> bool:
    """Whether a switch of Triton's is on for this kernel: 1, or the kernel's name."""
    value = os.environ.get(variable, "")
    return value.lower() in ("1", "true", "yes", "on", "y") or (value != "" and value == kernel)


class _Compilation:
    """One kernel on its way, with what all stages must know."""

    def __init__(self, options):
        self.options = options
        self.target = targets.find(options.arch)
        self.residency = pipelines.Residency.of(options, self.target)
        self.kernel = "kernel"
        self.split = ""

    def module_of(self, stage: object, name: str) -> _spine.Module:
        if isinstance(stage, Stage):
            return stage.module
        if stage is None:
            raise RuntimeError(f"the override of the stage before {name} was not read; override ttir or llir instead")
        text = _triton_compat.module_text(stage)
        if name == "ttir":
            self.kernel = _triton_compat.kernel_name(stage, text)
        return self.guard(name, _spine.Module.parse, _spine.Context(), text, f"{self.kernel}.{name}")

    def guard(self, stage: str, function, *args, **kwargs):
        """Calls the compiler and turns its error into one that a Triton user expects."""
        try:
            return function(*args, **kwargs)
        except _spine.MLIRError as e:
            raise errors.translate_error(self.kernel, stage, e, pipelines.refused_bytes) from None

    def run(self, stage: str, source: object, pipeline: str) -> Stage:
        module = self.module_of(source, stage)
        dumps = _enabled("MLIR_ENABLE_DUMP", self.kernel)
        found = self.guard(
            stage,
            _spine.run_pipeline,
            module,
            pipeline,
            verify_each=dumps,  # otherwise a tenth of the time goes into it
            print_after_all=dumps,
            timing=_enabled("MLIR_ENABLE_TIMING", self.kernel),
        )
        errors.report(found)
        self.note_split(found)
        return Stage(module)

    def note_split(self, diagnostics) -> None:
        """Keeps the remark that tiles were split. It is shown even if nobody asked for remarks."""
        for d in diagnostics:
            if pipelines.says_split(d.message):
                self.split = errors.render(errors.messages_of([d]))
                print(self.split, file=sys.stderr)

    def judge_code(self, module: _spine.Module) -> None:
        """Refuses code whose arena is larger than the scratchpad, or warns of it."""
        if self.residency.mode == "off":
            return
        from spine_triton import residency

        error = residency.exceeding(self.kernel, module, self.target, self.residency)
        if error is not None and self.residency.mode == "error":
            raise error
        if error is not None:
            warnings.warn(str(error), errors.ResidencyWarning, stacklevel=2)

    def judge_stack(self, frame: int) -> None:
        """Warns of a stack frame that is not small: spilled vectors are scratchpad that no plan knows of."""
        if frame > pipelines.MAX_STACK_BYTES:
            text = (
                f"a program of kernel '{self.kernel}' takes {frame} bytes of the stack on {self.target.name}, more than "
                f"{pipelines.MAX_STACK_BYTES}: they are not in the residency plan; smaller blocks spill less"
            )
            warnings.warn(text, errors.ResidencyWarning, stacklevel=2)

    # --- The stages, each called with the result of the one before and the metadata to fill in.

    def ttir(self, source, metadata):
        constants = _triton_compat.constants_of_last_kernel()
        stage = self.run("ttir", source, pipelines.ttir(self.target, self.residency, constants))
        metadata["launch_conditions"] = None
        for facts in self.guard("ttir", _spine.residency_facts, stage.module):
            metadata["shared"] = facts["arena_bytes"]
            metadata["launch_conditions"] = facts["conditions"]
            if self.residency.mode == "error" and self.residency.policy != "as-needed":
                metadata["residency_contract"] = facts["contract"]
        metadata["split"] = self.split
        return stage

    def linalg(self, source, metadata):
        return self.run("linalg", source, pipelines.linalg())

    def waits_for_overlap(self) -> bool:
        """Whether the variant for overlapping arguments is left for the first launch that has such.

        Not where its arena is judged as well, nor where somebody looks at or replaces what is compiled.
        """
        judges_code = self.residency.policy == "as-needed" and self.residency.mode != "off"
        return not (judges_code or self.options.ir_override or _triton_compat.looks_at_stages())

    def lower(self, source, variants: str) -> Stage:
        return self.run("llvmir", source, pipelines.llvm(self.target, self.options.allow_flush_denorm, variants))

    def llvmir(self, source, metadata):
        waits = self.waits_for_overlap()
        text = source_text(source) if waits else None
        stage = self.lower(source, "disjoint" if waits else "all")
        facts = self.guard("llvmir", _spine.kernel_metadata, stage.module)
        metadata["may_alias_source"] = text if facts["disjoint_arguments"] else None
        metadata["name"] = facts["name"]
        metadata["arena_bytes"] = facts["arena_bytes"]
        metadata["has_may_alias"] = facts["has_may_alias"]
        metadata["disjoint_arguments"] = facts["disjoint_arguments"]
        metadata["scratchpad_capacity"] = self.residency.capacity
        if self.residency.policy == "as-needed":
            metadata["shared"] = facts["arena_bytes"]
            self.judge_code(stage.module)
        # What the tiles need. Triton compares it with a limit of its own; ours is checked when compiling.
        metadata.setdefault("shared", 0)
        metadata.setdefault("residency_contract", None)
        return stage

    def llir(self, source, metadata):
        level = 0 if _enabled("DISABLE_LLVM_OPT", self.kernel) else 3
        module = self.module_of(source, "llir")
        code = self.guard("llir", _spine.translate, module, self.target.json, level)
        if _enabled("LLVM_IR_ENABLE_DUMP", self.kernel):
            print(code, file=sys.stderr)
        return code

    def obj(self, source, metadata):
        if not isinstance(source, _spine.LLVMModule):
            source = self.guard("obj", _spine.LLVMModule.parse, str(source), self.target.json)
        code = self.guard("obj", source.emit_object)
        frames = self.guard("obj", _spine.stack_frames, code)
        metadata["stack_bytes"] = max(frames.values(), default=0)
        if self.residency.mode != "off":
            self.judge_stack(metadata["stack_bytes"])
        return code


def source_text(stage: object) -> str:
    """The text of a module that a stage is given."""
    return str(stage) if isinstance(stage, Stage) else _triton_compat.module_text(stage)


def compile_may_alias(metadata) -> bytes:
    """The code for overlapping arguments of a compiled kernel that has none yet, whose metadata these are."""
    compilation = _Compilation(metadata)
    compilation.kernel = metadata.name
    module = compilation.guard(
        "linalg", _spine.Module.parse, _spine.Context(), metadata.may_alias_source, f"{metadata.name}.linalg"
    )
    stage = compilation.lower(Stage(module), "may-alias")
    return compilation.obj(compilation.llir(stage, {}), {})


def add(stages: dict, options, language=None) -> None:
    """Fills in the table of stages for one compilation."""
    from triton import knobs
    from triton.backends.compiler import Language

    if language is not None and language != Language.TRITON:
        raise NotImplementedError("the backend spine compiles Triton kernels; Gluon is for GPUs")
    if knobs.compilation.store_binary_only:
        raise NotImplementedError(
            "TRITON_STORE_BINARY_ONLY keeps the binaries of GPUs only and would drop this backend's: unset it"
        )
    compilation = _Compilation(options)
    for name in ("ttir", "linalg", "llvmir", "llir", "obj"):
        stages[name] = getattr(compilation, name)
