# ===- errors.py - Exceptions of the backend -------------------------------===#
#
# Part of spine-triton, under the MIT licence.
#
# ===-----------------------------------------------------------------------===#
"""The compiler's messages as the exceptions that a Triton user expects.

`KernelCompilationError` is a `triton.CompilationError`, `ScratchpadExceeded` a `triton.OutOfResources`, which makes
`triton.autotune` skip the configuration. Both say which line of the kernel is meant. They hold text only, so they can
be copied and pickled, as Triton does with them.
"""

from __future__ import annotations

import linecache
import warnings
from dataclasses import dataclass

try:
    from triton.compiler.errors import CompilationError
    from triton.runtime.errors import OutOfResources
except ImportError:
    # Passes and commands work without Triton, which has no wheel for riscv64, and `doctor` has to say that it is missing.
    class CompilationError(Exception):
        """Stands for Triton's."""

    class OutOfResources(Exception):
        """Stands for Triton's."""

        def __init__(self, required: int, limit: int, name: str):
            self.required, self.limit, self.name = required, limit, name


@dataclass(frozen=True)
class Message:
    """One diagnostic of the compiler, without its notes."""

    severity: str
    text: str
    file: str = ""
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}:{self.column}: " if self.file and self.line else ""
        return f"{place}{self.severity}: {self.text}{self._excerpt()}"

    def _excerpt(self) -> str:
        """The source line and a mark under the column, if the file can be read."""
        if not self.file or self.line <= 0:
            return ""
        source = linecache.getline(self.file, self.line).rstrip("\n")
        if not source:
            return ""
        if self.column <= 0:
            return f"\n    {source}"
        before = "".join(c if c == "\t" else " " for c in source[: self.column - 1])
        return f"\n    {source}\n    {before}^"


def messages_of(diagnostics) -> tuple[Message, ...]:
    """The diagnostics of `_spine` and their notes, in reading order."""
    result: list[Message] = []
    for d in diagnostics:
        result.append(Message(d.severity, d.message, d.file, d.line, d.column))
        result.extend(Message(n.severity, n.message, n.file, n.line, n.column) for n in d.notes)
    return tuple(result)


def render(messages) -> str:
    """All messages with their source lines, one below the other."""
    return "\n".join(str(m) for m in messages)


class KernelCompilationError(CompilationError):
    """The compiler rejected a kernel. `kernel` is its name, `stage` what was being made, `messages` the reasons."""

    def __init__(self, kernel: str, stage: str, messages: tuple[Message, ...], text: str = ""):
        self.kernel = kernel
        self.stage = stage
        self.messages = tuple(messages)
        self.text = text
        self.src = None
        self.node = None
        self.error_message = render(self.messages) or text
        self.message = f"cannot compile kernel '{kernel}' (stage {stage})\n{self.error_message}"

    def __reduce__(self):
        return type(self), (self.kernel, self.stage, self.messages, self.text)


class ScratchpadExceeded(OutOfResources):
    """The tiles of a kernel need more scratchpad than there is. `required` and `limit` are in bytes."""

    def __init__(self, kernel: str, required: int, limit: int, messages: tuple[Message, ...] = ()):
        super().__init__(required, limit, "scratchpad")
        self.kernel = kernel
        self.messages = tuple(messages)

    def __str__(self) -> str:
        if self.messages:
            return f"kernel '{self.kernel}' does not fit the scratchpad\n{render(self.messages)}"
        return (
            f"kernel '{self.kernel}' needs {self.required} bytes of scratchpad per core, {self.limit} are available: "
            "use a smaller block"
        )

    def __reduce__(self):
        return type(self), (self.kernel, self.required, self.limit, self.messages)


class LaunchExceedsScratchpad(ScratchpadExceeded):
    """The arguments of a launch make tiles too large. `parts` are (name, bytes) of the tiles that depend on them,
    `arguments` the values that matter, by number; `fixed` are the bytes of the other tiles."""

    def __init__(self, kernel: str, required: int, limit: int, fixed: int, parts: tuple, arguments: dict[int, int]):
        super().__init__(kernel, required, limit)
        self.fixed = fixed
        self.parts = tuple(parts)
        self.arguments = dict(arguments)

    def __str__(self) -> str:
        values = ", ".join(f"argument {number} = {value}" for number, value in self.arguments.items())
        tiles = " + ".join(f"{size} (tile '{name}')" for name, size in self.parts)
        return (
            f"kernel '{self.kernel}' is not launched: with {values} it needs {self.required} bytes of scratchpad per "
            f"core, {self.fixed} + {tiles}; {self.limit} are available: use smaller strides or a smaller block"
        )

    def __reduce__(self):
        return type(self), (self.kernel, self.required, self.limit, self.fixed, self.parts, self.arguments)


class LaunchOverlap(ValueError):
    """Tiles of a kernel were split so that some parts are stored before others are loaded, and the arguments of a launch
    make that matter. `overlap` is what the launcher found, see `_spine.Overlap`."""

    def __init__(self, kernel: str, overlap: dict):
        self.kernel = kernel
        self.overlap = dict(overlap)
        super().__init__(f"kernel '{kernel}' is not launched: {self._where()}{self._why()}")

    def _where(self) -> str:
        found = self.overlap
        values = ", ".join(f"{name} = {value}" for name, value in found["numbers"].items()) or "these arguments"
        apart = f"with {values}, elements of different parts of its tiles have one address"
        if found["is_one"]:
            return f"{apart} in '{found['store']}'"
        ranges = " and ".join(f"'{found[name]}' ({_bytes(*found[f'{name}_bytes'])})" for name in ("store", "other"))
        return f"arguments {ranges} share memory" + (f", and {apart}" if found["is_followed"] else "")

    def _why(self) -> str:
        found = self.overlap
        stored = f"what is stored{_at(found['store_place'])}"
        other = f"is {'stored again' if found['other_is_store'] else 'loaded'}{_at(found['other_place'])}"
        advice = "other numbers" if found["is_one"] else f"a copy of '{found['other']}'"
        return (
            f"; its tiles were split automatically, and {stored} may be what {other} for another part: pass {advice}, "
            "or use auto_tile=False with smaller blocks"
        )

    def __reduce__(self):
        return type(self), (self.kernel, self.overlap)


def _bytes(first: int, last: int) -> str:
    return f"bytes {first:#x} to {last:#x}"


def _at(place: str) -> str:
    return f" at {place}" if place else ""


class ResidencyWarning(UserWarning):
    """The tiles of a kernel need more scratchpad than there is, and `residency` is `warn`."""


def report(diagnostics) -> None:
    """Warnings become Python warnings; nobody asked for remarks."""
    for d in diagnostics:
        if d.severity == "warning":
            warnings.warn(render(messages_of([d])), ResidencyWarning, stacklevel=3)


class RunnerError(RuntimeError):
    """The process that runs kernels for another machine cannot be started, or is gone."""


class RunnerTimeout(RunnerError, TimeoutError):
    """A kernel took longer than SPINE_TRITON_RUNNER_TIMEOUT allows. The process that ran it was ended."""


class KernelFault(RunnerError):
    """A kernel accessed memory that is not there, or the like. `kernel` is its name, `signal` the signal's, `address`
    what was accessed, in the runner's process."""

    def __init__(self, kernel: str, signal: str, address: int, text: str):
        super().__init__(text)
        self.kernel = kernel
        self.signal = signal
        self.address = address
        self.text = text

    def __reduce__(self):
        return type(self), (self.kernel, self.signal, self.address, self.text)


def translate_error(kernel: str, stage: str, error: Exception, residency) -> Exception:
    """The exception to raise instead of `error`, an `MLIRError`.

    `residency(message text)` gives (required, limit) for a message of the residency check, else None.
    """
    messages = messages_of(error.diagnostics)
    failures = [m for m in messages if m.severity == "error"]
    first = next((i for i, m in enumerate(messages) if m.severity == "error"), 0)
    shown = messages[first:]
    for m in failures:
        if (figures := residency(m.text)) is not None:
            return ScratchpadExceeded(kernel, *figures, shown)
    return KernelCompilationError(kernel, stage, shown, str(error))
