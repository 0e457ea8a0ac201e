# ===- options.py - Environment and kernel options -------------------------===#
#
# Part of spine-triton, under the MIT licence.
#
# ===-----------------------------------------------------------------------===#
"""What a user can choose: environment variables, and the kernel options that override them.

| kernel option        | environment variable              | values                                               |
| -------------------- | --------------------------------- | ---------------------------------------------------- |
| `target`             | `SPINE_TRITON_TARGET`             | `host` or the name of a target description           |
| `scratchpad_bytes`   | `SPINE_TRITON_SCRATCHPAD_BYTES`   | bytes of scratchpad per core                         |
| `residency`          | `SPINE_TRITON_RESIDENCY`          | `error`, `warn`, `off`                               |
| `residency_policy`   | `SPINE_TRITON_RESIDENCY_POLICY`   | `stage-all`, `stage-mirrored`, `as-needed`           |
| `auto_tile`          | `SPINE_TRITON_AUTO_TILE`          | 0 or 1                                               |
| `allow_flush_denorm` | `SPINE_TRITON_ALLOW_FLUSH_DENORM` | 0 or 1                                               |
| `runner`             | `SPINE_TRITON_RUNNER`             | `native`, `qemu`                                     |
|                      | `SPINE_TRITON_RUNNER_TIMEOUT`     | seconds that a launch in an emulator may take        |
|                      | `SPINE_TRITON_NUM_THREADS`        | threads that run programs (read by the launcher)     |
|                      | `SPINE_TRITON_SYMBOLS`            | `perf`, `gdb` (read when the first kernel is loaded) |
"""

from __future__ import annotations

import functools
import operator
import os
import re
import threading
import warnings
from dataclasses import dataclass, field

from spine_triton._triton_compat import environment_reader

RESIDENCY_MODES = ("error", "warn", "off")
RESIDENCY_POLICIES = ("stage-all", "stage-mirrored", "as-needed")
RUNNERS = ("native", "qemu")

_VARIABLES = (
    "SPINE_TRITON_TARGET",
    "SPINE_TRITON_SCRATCHPAD_BYTES",
    "SPINE_TRITON_RESIDENCY",
    "SPINE_TRITON_AUTO_TILE",
    "SPINE_TRITON_RUNNER",
    "SPINE_TRITON_RUNNER_TIMEOUT",
    "SPINE_TRITON_RESIDENCY_POLICY",
    "SPINE_TRITON_ALLOW_FLUSH_DENORM",
)


@dataclass(frozen=True)
class Environment:
    """The settings that the environment makes for every kernel. None where the target decides."""

    target: str = "host"
    scratchpad_bytes: int | None = None
    residency: str | None = None
    auto_tile: bool = False
    runner: str = "native"
    runner_timeout: float = field(default=600.0, compare=False)
    residency_policy: str = "stage-all"
    allow_flush_denorm: bool = True


def check_number(value: object, where: str, least: int, most: int = (1 << 63) - 1) -> int:
    """Returns `value` as a whole number; `where` names the setting in the message."""
    try:
        number = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        number = least - 1
    if isinstance(value, bool) or not least <= number <= most:
        # Python refuses to print numbers of very many digits.
        shown = repr(value) if number.bit_length() <= 256 else f"a number of {number.bit_length()} bits"
        raise ValueError(f"{where} must be a whole number from {least} to {most}, not {shown}")
    return number


def check_scratchpad_bytes(value: object, where: str) -> int:
    """Returns `value` as a number of bytes; `where` names the setting in the message."""
    try:
        number = int(value)  # type: ignore[call-overload]
    except (TypeError, ValueError):
        number = 0
    if number <= 0 or isinstance(value, (bool, float)):
        raise ValueError(f"{where} must be a positive number of bytes, not {value!r}")
    if number >= 1 << 63:
        raise ValueError(f"{where} must be a number of bytes below 2^63, not {value!r}")
    return number


def check_residency_mode(value: object, where: str) -> str:
    """Returns `value` if it is the name of a residency mode."""
    if value not in RESIDENCY_MODES:
        raise ValueError(f"{where} must be one of {', '.join(RESIDENCY_MODES)}, not {value!r}")
    return str(value)


def check_residency_policy(value: object, where: str) -> str:
    """Returns `value` if it is the name of a residency policy."""
    if value not in RESIDENCY_POLICIES:
        raise ValueError(f"{where} must be one of {', '.join(RESIDENCY_POLICIES)}, not {value!r}")
    return str(value)


def check_flag(value: object, where: str) -> bool:
    """Returns `value`, a bool or the text of one."""
    if isinstance(value, (bool, int)) and value in (0, 1):
        return bool(value)
    text = str(value).lower()
    if text in ("1", "true", "yes", "on", "y"):
        return True
    if text in ("", "0", "false", "no", "off", "n"):
        return False
    raise ValueError(f"{where} must be 0 or 1, not {value!r}")


def check_runner(value: object, where: str) -> str:
    """Returns `value` if it is the name of a way to run kernels."""
    if value not in RUNNERS:
        raise ValueError(f"{where} must be one of {', '.join(RUNNERS)}, not {value!r}")
    return str(value)


def check_timeout(value: str, where: str) -> float:
    """Returns `value` as a positive number of seconds."""
    try:
        seconds = float(value)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < 1e9:
        raise ValueError(f"{where} must be a positive number of seconds, not {value!r}")
    return seconds


MOST_THREADS = 1024


def wrong_num_threads() -> str:
    """What is wrong with `SPINE_TRITON_NUM_THREADS`, which the launcher then does not follow. Empty if nothing is."""
    text = os.environ.get("SPINE_TRITON_NUM_THREADS", "")
    if not text or (re.fullmatch(r"\s*\+?0*[0-9]{1,4}", text) and 1 <= int(text) <= MOST_THREADS):
        return ""
    return f"SPINE_TRITON_NUM_THREADS must be a whole number from 1 to {MOST_THREADS}, not {text!r}; it is not followed"


@functools.cache
def warn_of_num_threads() -> None:
    """Makes a Python warning of what is wrong with the number of threads, once in a process."""
    if wrong := wrong_num_threads():
        warnings.warn(wrong, RuntimeWarning, stacklevel=2)


@functools.lru_cache(maxsize=64)
def _parse(texts: tuple[str, ...]) -> Environment:
    target, scratchpad, residency, auto_tile, runner, timeout, policy, flush = texts
    return Environment(
        target=target or "host",
        scratchpad_bytes=check_scratchpad_bytes(scratchpad, _VARIABLES[1]) if scratchpad else None,
        residency=check_residency_mode(residency, _VARIABLES[2]) if residency else None,
        auto_tile=check_flag(auto_tile, _VARIABLES[3]),
        runner=check_runner(runner or "native", _VARIABLES[4]),
        runner_timeout=check_timeout(timeout or "600", _VARIABLES[5]),
        residency_policy=check_residency_policy(policy or "stage-all", _VARIABLES[6]),
        allow_flush_denorm=check_flag(flush or "1", _VARIABLES[7]),
    )


def environment() -> Environment:
    """The settings in force now. Raises ValueError or NotImplementedError, naming the variable."""
    read = environment_reader()
    return _parse(tuple([read(name) or "" for name in _VARIABLES]))


# Triton keeps compiled kernels per device number and does not look at these variables, nor at which backend is active.
# A number for each set of values makes a change of the environment a change of the device, so no kernel made for other
# settings is reused; and numbers that no other backend uses keep its kernels and ours apart.
FIRST_DEVICE = 1 << 20
_devices: dict[Environment, int] = {}
_devices_lock = threading.Lock()


def current_device() -> int:
    """The number of the device that the environment describes, from FIRST_DEVICE on in the order they were asked for."""
    settings = environment()
    number = _devices.get(settings)
    if number is None:
        with _devices_lock:
            number = _devices.setdefault(settings, FIRST_DEVICE + len(_devices))
    return number
