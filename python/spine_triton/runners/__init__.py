# ===- __init__.py - Where kernels run -------------------------------------===#
#
# Part of spine-triton, under the MIT licence.
#
# ===-----------------------------------------------------------------------===#
"""Ways to run kernels: `native`, in this process, and `qemu`, in an emulated machine of the target's kind."""

from __future__ import annotations

from spine_triton.targets import Target


class NativeMachine:
    """This process."""

    def load(self, binary: bytes, name: str):
        from spine_triton import _spine

        return _spine.load(binary, name)


def machine_for(runner: str, target: Target):
    """What runs kernels made for `target`. Raises RuntimeError or RunnerError if that is not possible."""
    if runner == "qemu":
        from spine_triton.runners import qemu

        return qemu.machine_for(target)
    if not target.is_host:
        raise RuntimeError(
            f"kernels for {target.name} cannot run in this process: set SPINE_TRITON_RUNNER=qemu (or the option "
            "runner='qemu') to run them in an emulator, or compile without running: kernel.warmup(..., grid=...)"
        )
    return NativeMachine()
