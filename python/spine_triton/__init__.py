# ===- __init__.py - spine-triton ------------------------------------------===#
#
# Part of spine-triton, under the MIT licence.
#
# ===-----------------------------------------------------------------------===#
"""MLIR passes for Triton kernels and a Triton backend for CPUs with a scratchpad.

Installing the package is enough to run Triton kernels with it: the backend `spine` is found by its entry point. The
passes can be used without Triton:

    import spine_triton

    context = spine_triton.Context()
    module = spine_triton.Module.parse(context, text)
    spine_triton.run_pipeline(module, "builtin.module(spine-rebase-tensor-ptr)")
    report = spine_triton.check_residency(module, "spacemit-a100")
    print(report)
"""

from __future__ import annotations

__version__ = "0.1.0"

# The extension module and Triton are imported when they are needed: Triton imports this package to look for backends,
# also where another one is used.
_FROM = {
    "activate": "_triton_compat",
    "CompiledKernel": "_spine",
    "Context": "_spine",
    "Diagnostic": "_spine",
    "MLIRError": "_spine",
    "Module": "_spine",
    "frontend_ttir": "_triton_compat",
    "lower": "_spine",
    "num_threads": "_spine",
    "run_pipeline": "_spine",
    "set_num_threads": "_spine",
    "versions": "_spine",
    "KernelCompilationError": "errors",
    "KernelFault": "errors",
    "ResidencyWarning": "errors",
    "RunnerError": "errors",
    "RunnerTimeout": "errors",
    "ScratchpadExceeded": "errors",
    "LaunchExceedsScratchpad": "errors",
    "Footprint": "residency",
    "ResidencyReport": "residency",
    "footprint": "residency",
    "prune_by_residency": "residency",
    "check_residency": "residency",
    "Target": "targets",
    "Prepass": "prepass",
}

__all__ = ["__version__", *sorted(_FROM)]


def __getattr__(name: str):
    home = _FROM.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    value = getattr(importlib.import_module(f"{__name__}.{home}"), name)
    globals()[name] = value
    return value


def __dir__():
    return sorted({*globals(), *__all__})
