# ===- remote.py - Kernels in another process ------------------------------===#
#
# Part of spine-triton, under the MIT licence.
#
# ===-----------------------------------------------------------------------===#
"""Loads and launches kernels in a runner: code is linked here for the runner's addresses, tensors are shared memory.

The process is started with the first kernel, kept for later ones, and started again when it has died.
"""

from __future__ import annotations

import collections
import os
import signal
import threading
import weakref
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from spine_triton import errors, options
from spine_triton.runners import memory, protocol, symbols
from spine_triton.runners.code import AddressSpace
from spine_triton.runners.process import KernelFaulted, RunnerProcess
from spine_triton.runners.protocol import Reply, Request, Status

if TYPE_CHECKING:
    from spine_triton import _spine


class RemoteKernel:
    """Object code for the runner's machine. It is linked and sent when it is launched for the first time."""

    def __init__(self, name: str, binary: bytes):
        self.name = name
        self.binary = binary
        self.shown_name = name
        self.may_alias: RemoteKernel | None = None

    def set_may_alias(self, kernel: RemoteKernel) -> None:
        """Makes another kernel the variant of this one for overlapping arguments."""
        kernel.shown_name = self.name
        self.may_alias = kernel


class Session:
    """One life of a runner's process, with the code and the memory it holds."""

    def __init__(self, command: Sequence[str], name: str, vector_bits: int):
        self.process = RunnerProcess(command, name)
        hello = self.process.hello
        if hello.vector_bytes * 8 != vector_bits:
            self.process.kill()
            raise errors.RunnerError(
                f"code for {name} is made for vector registers of {vector_bits} bits, the runner's machine has "
                f"{hello.vector_bytes * 8}: change the target's vector_bits or the machine"
            )
        self._space = AddressSpace(hello.code_address, hello.code_bytes)
        self._images: dict[int, tuple[str, int, _spine.LinkedImage]] = {}
        # Filled by finalizers, which may run at any moment: emptied at the next launch.
        self._unused: collections.deque[int] = collections.deque()
        self._idle = memory.IdleRegions()

    # --- Code

    def image_of(self, kernel: RemoteKernel, timeout: float) -> _spine.LinkedImage:
        """The kernel's linked code, loaded if need be."""
        while self._unused:
            self._unload(self._unused.popleft(), timeout)
        found = self._images.get(id(kernel))
        if found is not None:
            return found[2]
        from spine_triton import _spine

        address, free = self._space.largest()
        image = _spine.link(kernel.binary, kernel.name, address, self.process.hello.symbols)
        if image.bytes > free:
            raise errors.RunnerError(f"kernel '{kernel.name}' has {image.bytes} bytes of code, {free} are left")
        self.process.request(Request.LOAD, protocol.load_request(image.segments), Reply.DONE, timeout)
        self._space.take(address, image.bytes)
        self._images[id(kernel)] = (kernel.name, address, image)
        symbols.announce(self.process.pid, image)
        weakref.finalize(kernel, self._unused.append, id(kernel)).atexit = False
        return image

    def _unload(self, key: int, timeout: float) -> None:
        _, address, image = self._images.pop(key)
        self.process.request(Request.UNLOAD, protocol.range_request(address, image.bytes), Reply.DONE, timeout)
        self._space.give(address, image.bytes)

    def name_code(self, address: int) -> str:
        """Kernel and offset of an instruction's address."""
        for name, begin, image in self._images.values():
            if begin <= address < begin + image.bytes:
                return f"kernel '{name}' at {address:#x} (+{address - image.function:#x})"
        return f"the runner at {address:#x}"

    # --- Memory

    def share(self, storage: memory.Storage, timeout: float) -> None:
        """Gives the storage a region with its contents."""
        region = self._idle.take(storage.region_bytes)
        if region is None:
            region = memory.Region(storage.region_bytes)
            body = protocol.map_request(region.size)
            try:
                answer = self.process.request(Request.MAP, body, Reply.MAPPED, timeout, [region.file])
            except BaseException:
                region.close()
                raise
            region.remote = protocol.parse_address(answer)
        storage.region = region
        storage.copy_in()

    def unshare(self, storages: Sequence[memory.Storage], timeout: float) -> None:
        """Keeps the regions for later launches, as far as there is room."""
        for storage in storages:
            if storage.region is None:
                continue
            for region in self._idle.give(storage.region):
                self.process.request(
                    Request.UNMAP, protocol.range_request(region.remote, region.size), Reply.DONE, timeout
                )
                region.close()

    def close(self) -> None:
        self.process.kill()
        for region in self._idle.clear():
            region.close()


class RemoteMachine:
    """A machine that kernels run on through a runner, for one target. `command` makes the words that start it."""

    def __init__(self, name: str, vector_bits: int, command: Callable[[], list[str]]):
        self.name = name
        self._vector_bits = vector_bits
        self._command = command
        self._session: Session | None = None
        self._lock = threading.Lock()

    def load(self, binary: bytes, name: str) -> RemoteKernel:
        from spine_triton import _spine

        _spine.stack_frames(binary)  # code that is damaged is found now, when it can be compiled again
        return RemoteKernel(name, binary)

    def session(self) -> Session:
        """The process, started if there is none that lives. The lock must be held."""
        if self._session is not None and self._session.process.dead:
            self._session.close()
            self._session = None
        if self._session is None:
            self._session = Session(self._command(), self.name, self._vector_bits)
        return self._session

    def launch(
        self, kernel: RemoteKernel, grid: tuple[int, int, int], packed: tuple[list[int], list[tuple], bool]
    ) -> None:
        """Runs a grid. `packed` is what `_spine.Launcher.pack` says of the arguments.

        Raises KernelFault, RunnerTimeout, RunnerError, and what a native launch raises.
        """
        from spine_triton import _spine

        slots, ranges, may_alias = packed
        _check_ranges(slots, ranges)
        if min(grid) < 0:
            raise ValueError(f"grid {grid}: a size is negative")
        storages = memory.merge([(begin, size) for _, begin, size in ranges])
        timeout = options.environment().runner_timeout
        with self._lock:
            session = self.session()
            try:
                image = session.image_of(kernel, timeout)
                if 0 in grid:
                    return
                for storage in storages:
                    session.share(storage, timeout)
                slots = list(slots)
                for index, begin, _ in ranges:
                    slots[index] = memory.find(storages, begin).remote(slots[index])
                use_variant = may_alias and image.may_alias_function
                function = image.may_alias_function if use_variant else image.function
                body = protocol.launch_request(
                    function, image.arena_bytes, image.kept_at, grid, _spine.num_threads(), slots
                )
                answer = session.process.request(Request.LAUNCH, body, Reply.LAUNCHED, timeout)
                result = protocol.parse_launched(answer)
                for storage in storages:
                    storage.copy_out()
                session.unshare(storages, timeout)
            except BaseException as e:
                # Shared memory of a launch that was given up may still be written to by it.
                fault = _translate_fault(session, kernel, storages, e)
                session.close()
                self._session = None
                for storage in storages:
                    if storage.region is not None:
                        storage.region.close()
                if fault is not None:
                    raise fault from None
                raise
        _raise_failure(kernel, image.arena_bytes, result)

    def close(self) -> None:
        with self._lock:
            if self._session is not None:
                self._session.close()
                self._session = None


def _check_ranges(slots, ranges) -> None:
    for index, _, size in ranges:
        if size is None:
            raise ValueError(
                f"argument {index} is the address {slots[index]:#x} without an extent: a kernel that runs in another process "
                "gets copies of its tensors, so pass a tensor or an array"
            )


def _translate_fault(session, kernel, storages, error) -> errors.KernelFault | None:
    if not isinstance(error, KernelFaulted):
        return None
    fault = error.fault
    number = fault.signal
    name = signal.Signals(number).name if number in set(signal.Signals) else f"signal {number}"
    text = f"kernel '{kernel.shown_name}' ended with {name} on {session.process.name}: "
    text += f"{session.name_code(fault.program_counter)}, address {fault.address:#x}"
    for storage in storages:
        begin = storage.remote(storage.begin) if storage.region is not None else 0
        size = storage.end - storage.begin
        if begin and begin - (1 << 20) <= fault.address < begin + size + (1 << 20):
            where = fault.address - begin
            text += f", which is byte {where} of an argument's storage of {size} bytes"
    return errors.KernelFault(kernel.shown_name, name, fault.address, text)


def _raise_failure(kernel: RemoteKernel, arena_bytes: int, result: protocol.Launched) -> None:
    """Raises what a native launch raises for the same status."""
    if result.status == Status.SUCCESS:
        return
    if result.status == Status.ASSERT_FAILED:
        place = f"{result.file}:{result.line}: " if result.file else ""
        place += f"in {result.function}: " if result.function else ""
        raise AssertionError(f"{place}device assertion failed: {result.message} [program {result.program}]")
    if result.status == Status.OUT_OF_MEMORY:
        raise MemoryError(f"no memory for the scratch arenas of kernel '{kernel.shown_name}': {arena_bytes} bytes each")
    raise ValueError("the grid has 2^63 programs or more")


_machines: dict[tuple, RemoteMachine] = {}
_machines_lock = threading.Lock()


def machine(key: tuple, make: Callable[[], RemoteMachine]) -> RemoteMachine:
    """The machine of this key, made at the first call."""
    with _machines_lock:
        found = _machines.get(key)
        if found is None:
            found = _machines[key] = make()
        return found


def shut_down() -> None:
    """Ends all runners. Later launches start them again."""
    with _machines_lock:
        machines = list(_machines.values())
    for one in machines:
        one.close()


def _forget_after_fork() -> None:
    """A child has copies of the parent's sockets and must not talk on them."""
    global _machines_lock
    _machines_lock = threading.Lock()
    for one in _machines.values():
        one._session = None
        one._lock = threading.Lock()


os.register_at_fork(after_in_child=_forget_after_fork)
