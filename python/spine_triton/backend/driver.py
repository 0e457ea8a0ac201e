# ===- driver.py - Loading and launching kernels, for Triton ---------------===#
#
# Part of spine-triton, under the MIT licence.
#
# ===-----------------------------------------------------------------------===#
"""The driver half of the Triton backend `spine`: the machine it runs on is the device.

Triton imports this while it is being imported itself: see the note in `compiler.py`.
"""

from __future__ import annotations

import contextlib
import functools
import operator
import os
import threading
import time

from triton.backends.compiler import GPUTarget
from triton.backends.driver import DriverBase

from spine_triton import options as settings
from spine_triton import runners, targets

MAX_GRID = 2**31 - 1

_CPP_TYPES = {
    "i1": "int8_t",
    "i8": "int8_t",
    "i16": "int16_t",
    "i32": "int32_t",
    "i64": "int64_t",
    "u1": "uint8_t",
    "u8": "uint8_t",
    "u16": "uint16_t",
    "u32": "uint32_t",
    "u64": "uint64_t",
    "fp16": "uint16_t",
    "bf16": "uint16_t",
    "fp32": "float",
    "f32": "float",
    "fp64": "double",
}


class _Loading(threading.local):
    """The launcher that this thread made last: Triton makes it, then loads the kernel it is for."""

    launcher: SpineLauncher | None = None


_loading = _Loading()


def _load(machine, binary: bytes, name: str, launcher: SpineLauncher | None):
    """The loaded code; where it is damaged, as a file of the cache may be, that of the kernel compiled once more."""
    from spine_triton import _spine

    try:
        return machine.load(binary, name)
    except _spine.MLIRError as e:
        again = None
        with contextlib.suppress(OSError):  # a cache that cannot be written to
            again = launcher.compile_again() if launcher is not None else None
        if again is None:
            e.add_note("the code may come from a damaged file of Triton's cache: remove the folder TRITON_CACHE_DIR")
        if again is None or again == binary:
            raise
        return machine.load(again, name)


class SpineUtils:
    """Loading of object code and facts about the machine."""

    def load_binary(self, name: str, binary: bytes, shared: int, device: int):
        """Links the kernel. Returns what Triton expects: module, function, registers, spills, most threads."""
        launcher, _loading.launcher = _loading.launcher, None
        machine = launcher.machine if launcher is not None else runners.NativeMachine()
        settings.warn_of_num_threads()
        kernel = None
        try:
            kernel = _load(machine, binary, name, launcher)
        finally:
            if launcher is not None:
                launcher.loaded(kernel)
        return kernel, kernel, 0, 0, 2**31 - 1

    def get_device_properties(self, device: int) -> dict:
        target = targets.find(settings.environment().target)
        return {
            # The scratchpad's limit is checked when a kernel is compiled, where tiles still have names.
            "max_shared_mem": 2**63 - 1,
            "scratchpad_bytes": target.scratchpad_bytes,
            "multiprocessor_count": target.cores,
            "warpSize": 1,
        }


def _argument_picker(paths):
    """A function from the bound arguments to the ones that the kernel takes."""
    if all(len(p) == 1 for p in paths):
        if not paths:
            return lambda args: ()
        get = operator.itemgetter(*(p[0] for p in paths))
        return get if len(paths) > 1 else lambda args: (get(args),)

    def pick(args):
        return tuple(functools.reduce(operator.getitem, p, args) for p in paths)

    return pick


class SpineLauncher:
    """Runs one compiled kernel; made and called by Triton."""

    def __init__(self, src, metadata):
        from spine_triton import _spine, _triton_compat

        self.name = metadata.name
        self.compile_again = functools.partial(_triton_compat.compile_again, src, metadata)
        target = targets.find(str(metadata.target.arch))
        self.machine = runners.machine_for(metadata.runner, target)
        types, paths = _triton_compat.argument_types(src)
        self._pick = _argument_picker(paths)
        contract = getattr(metadata, "residency_contract", None)
        if contract:
            self._pick = self._checking(contract, self._pick)
        is_native = isinstance(self.machine, runners.NativeMachine)
        cores = self.machine.launcher_options() if is_native else {}
        self._metadata = metadata if getattr(metadata, "may_alias_source", None) else None
        self._native = native = _spine.Launcher(
            types,
            **cores,
            needs_alignment=target.is_riscv,
            disjoint=getattr(metadata, "disjoint_arguments", None),
            variant_is_later=self._metadata is not None,
        )
        self._launch = native if is_native else self._remote(native)
        conditions = getattr(metadata, "launch_conditions", None)
        self._conditions = _spine.OverlapConditions(conditions) if conditions else None
        self._kernel = None
        self._loaded = threading.Event()
        _loading.launcher = self

    def _remote(self, native):
        """The function that launches in another process: same arguments as `native`."""

        def launch(kernel, x, y, z, args):
            packed = native.pack(args)
            if packed[2] and self._metadata is not None:
                kernel = kernel.may_alias
                if kernel is None:
                    return False
            self.machine.launch(kernel, (x, y, z), packed)
            return True

        return launch

    def _launch_overlapping(self, kernel, grid, arguments) -> None:
        """The first launch with arguments that overlap: what runs those is made now."""
        from spine_triton import _variant

        kernel.set_may_alias(_variant.load(self.machine, self._metadata))
        self._launch(kernel, *grid, arguments)

    def _checking(self, contract: str, pick):
        """`pick`, preceded by the check that the arguments leave the tiles within the scratchpad."""
        from spine_triton.contract import LaunchContract

        contract = LaunchContract(contract)

        def pick_and_check(args):
            picked = pick(args)
            contract.check(self.name, picked)
            return picked

        return pick_and_check

    def loaded(self, kernel) -> None:
        """Called when the code is in memory; `kernel` is None if that failed."""
        self.compile_again = None  # and with it the source
        self._kernel = kernel
        self._loaded.set()

    def _function(self, function):
        """`function`, or the kernel that another thread is loading at this moment: Triton publishes the launcher
        before the code, so a second thread may arrive in between."""
        if function is None:
            self._loaded.wait(timeout=600)
            function = self._kernel
            if function is None:
                raise RuntimeError(f"kernel '{self.name}' could not be loaded")
        return function

    def __call__(
        self, grid_x, grid_y, grid_z, stream, function, packed_metadata, launch_metadata, enter_hook, exit_hook, *args
    ):
        grid = tuple(operator.index(n) for n in (grid_x, grid_y, grid_z))
        if max(grid) > MAX_GRID:
            raise ValueError(f"grid {grid}: an axis can have at most {MAX_GRID} programs")
        if enter_hook is not None:
            enter_hook(launch_metadata)
        try:
            arguments = self._pick(args)
            if self._conditions is not None:
                overlap = self._native.find_overlap(self._conditions, *grid, arguments)
                if overlap is not None:
                    from spine_triton import errors

                    raise errors.LaunchOverlap(self.name, overlap)
            kernel = self._function(function)
            if not self._launch(kernel, *grid, arguments):
                self._launch_overlapping(kernel, grid, arguments)
        finally:
            if exit_hook is not None:
                exit_hook(launch_metadata)


class Event:
    """A point in time, in the manner of `torch.cuda.Event`. Launches are synchronous, so it is the clock's reading."""

    def __init__(self, enable_timing: bool = True, blocking: bool = False, interprocess: bool = False):
        self._time: int | None = None

    def record(self, stream=None) -> None:
        self._time = time.perf_counter_ns()

    def synchronize(self) -> None:
        pass

    def wait(self, stream=None) -> None:
        pass

    def query(self) -> bool:
        return True

    def elapsed_time(self, end: Event) -> float:
        """Milliseconds from this event to `end`; never zero, since callers divide by it."""
        if self._time is None or end._time is None:
            raise RuntimeError("both events must have been recorded")
        return max(end._time - self._time, 1) / 1e6


class DeviceInterface:
    """What `triton.testing` and torch's code generators ask of a device, for the CPU."""

    Event = Event

    @staticmethod
    def synchronize(device=None) -> None:
        pass

    @staticmethod
    def is_available() -> bool:
        return True

    @staticmethod
    def current_device() -> int:
        return 0

    @staticmethod
    def device_count() -> int:
        return 1

    @staticmethod
    def set_device(device) -> None:
        pass


class _CacheBuffer:
    """Memory to walk over between two runs that are timed, if there is no torch to make a tensor."""

    def __init__(self, count: int):
        import numpy as np

        self._array = np.zeros(count, np.uint8)

    def zero_(self) -> None:
        self._array.fill(0)


class SpineDriver(DriverBase):
    """The machine as a device of Triton's."""

    def __init__(self):
        super().__init__()
        self.utils = SpineUtils()
        self.launcher_cls = SpineLauncher

    @classmethod
    def is_active(cls) -> bool:
        """Active where the extension module is there, unless another backend was asked for or is active as well."""
        from spine_triton import _triton_compat

        wanted = os.environ.get("TRITON_DEFAULT_BACKEND")
        if wanted:
            return wanted == "spine" and _has_extension()
        return _has_extension() and not _triton_compat.active_others()

    def map_python_to_cpp_type(self, ty: str) -> str:
        return "void *" if ty.startswith("*") else _CPP_TYPES[ty]

    def get_current_target(self) -> GPUTarget:
        return GPUTarget("spine", settings.environment().target, 0)

    def get_current_device(self) -> int:
        return settings.current_device()

    def set_current_device(self, device: int) -> None:
        pass

    def get_current_stream(self, device: int | None = None) -> int:
        return 0

    def get_active_torch_device(self):
        import torch

        return torch.device("cpu")

    def get_device_interface(self):
        return DeviceInterface

    def get_benchmarker(self):
        from triton.testing import do_bench

        return do_bench

    def get_empty_cache_for_benchmark(self):
        """A buffer about twice the size of the last level cache: larger ones would only make benchmarks slow."""
        size = min(max(2 * targets.find("host").last_level_cache_bytes, 8 << 20), 64 << 20)
        try:
            import torch
        except ImportError:
            return _CacheBuffer(size)
        return torch.empty(size // 4, dtype=torch.int)

    def clear_cache(self, cache) -> None:
        cache.zero_()


@functools.cache
def _has_extension() -> bool:
    try:
        from spine_triton import _spine  # noqa: F401
    except ImportError:
        return False
    return True
