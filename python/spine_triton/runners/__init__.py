# ===- __init__.py - Where kernels run -------------------------------------===#
#
# Part of spine-triton, under the MIT licence.
#
# ===-----------------------------------------------------------------------===#
"""Ways to run kernels: `native`, in this process, and `qemu`, in an emulated machine of the target's kind."""

from __future__ import annotations

import platform

from spine_triton.targets import Target


class NativeMachine:
    """This process. `target` is given if kernels run on cores of its kind only."""

    def __init__(self, target: Target | None = None):
        self.target = target

    def launcher_options(self) -> dict:
        """What a launcher has to know of the cores."""
        if self.target is None:
            return {}
        vector_bytes = self.target.vector_bits // 8 if self.target.is_riscv else 0
        return {"core_model": self.target.core_model, "vector_bytes": vector_bytes}

    def load(self, binary: bytes, name: str):
        from spine_triton import _spine

        return _spine.load(binary, name)


def has_cores_of(target: Target) -> bool:
    """Whether this machine has cores of the kind that the target describes, as one kind of several."""
    if not target.core_model or target.description.get("triple", "").split("-")[0] != platform.machine():
        return False
    from spine_triton import _spine

    return bool(_spine.board_facts(target.core_model)["cores"])


def machine_for(runner: str, target: Target):
    """What runs kernels made for `target`. Raises RuntimeError or RunnerError if that is not possible."""
    if runner == "qemu":
        from spine_triton.runners import qemu

        return qemu.machine_for(target)
    if has_cores_of(target):
        return NativeMachine(target)
    if not target.is_host:
        raise RuntimeError(
            f"kernels for {target.name} cannot run in this process: set SPINE_TRITON_RUNNER=qemu (or the option "
            "runner='qemu') to run them in an emulator, or compile without running: kernel.warmup(..., grid=...)"
        )
    return NativeMachine()
