# ===- _doctor_command.py - The page of `spine-triton doctor` --------------===#
#
# Part of spine-triton, under the MIT licence.
#
# ===-----------------------------------------------------------------------===#
"""One page on an installation: versions, targets, runners, cores, scratchpad, cache, and two test kernels.

Each line is a check of its own, so one that fails hides no other. What is missing comes with the command that brings it.
"""

from __future__ import annotations

import importlib
import os
import platform
from collections.abc import Callable
from dataclasses import dataclass

from spine_triton import __version__

TRITON_VERSIONS = ((3, 6), (3, 7))
INSTALL_TRITON = "pip install 'triton>=3.6,<3.8'"
BUILD_TRITON = "none: Triton's authors publish no wheel for riscv64; the passes and compiled kernels work without it"
INSTALL_PACKAGE = "make build (in a clone), or pip install spine_triton-*.whl"


@dataclass(frozen=True)
class Check:
    """One line. `find` returns what is there or raises; `fix` is the command to run then, if one helps."""

    name: str
    find: Callable[[], str]
    fix: str = ""
    required: bool = True


class Wrong(RuntimeError):
    """Something that a command of its own puts right."""

    def __init__(self, text: str, fix: str):
        super().__init__(text)
        self.fix = fix


class Absent(Exception):
    """Not there, and nothing is wrong with that."""


def format_bytes(number: int) -> str:
    return f"{number / 1024:g} KiB" if number and number % 1024 == 0 else f"{number} bytes"


# --- Versions -------------------------------------------------------------------------------------------------------


def _extension() -> str:
    from spine_triton import versions

    found = versions()
    return f"spine-triton {__version__}, LLVM {found['llvm']}, build {found['build']}"


def _triton() -> str:
    import triton

    if tuple(int(n) for n in triton.__version__.split(".")[:2]) not in TRITON_VERSIONS:
        made_for = " and ".join(".".join(map(str, version)) for version in TRITON_VERSIONS)
        raise RuntimeError(f"{triton.__version__}: spine-triton is made for {made_for}")
    return triton.__version__


def _module(name: str) -> Callable[[], str]:
    return lambda: importlib.import_module(name).__version__


def _backend() -> str:
    from triton.backends import backends

    if "spine" not in backends:
        raise RuntimeError("Triton does not find the backend 'spine': is the package installed (pip list)?")
    wanted = os.environ.get("TRITON_DEFAULT_BACKEND")
    if wanted and wanted not in backends:
        found = f"TRITON_DEFAULT_BACKEND={wanted}: there is no such backend, only {', '.join(backends)}"
        raise Wrong(found, "export TRITON_DEFAULT_BACKEND=spine")
    active = [name for name, b in backends.items() if b.driver.is_active()]
    found = f"found {', '.join(backends)}; active {', '.join(active) or 'none'}"
    if active == ["spine"]:
        return found
    return f"{found}; TRITON_DEFAULT_BACKEND=spine or spine_triton.activate() makes it spine"


# --- The machine and the target -------------------------------------------------------------------------------------


def _target() -> str:
    from spine_triton import options, targets

    env = options.environment()
    target = targets.find(env.target)
    return (
        f"{target.name} {target.description.get('cpu', '')}, vectors of {target.vector_bits} bits, run by {env.runner}"
    )


def _targets() -> str:
    from spine_triton import targets

    return ", ".join(targets.names())


def _cores() -> str:
    from spine_triton import num_threads, options, targets

    target = targets.find(options.environment().target)
    if wrong := options.wrong_num_threads():
        raise Wrong(wrong, "unset SPINE_TRITON_NUM_THREADS")
    usable = len(os.sched_getaffinity(0))
    return f"{usable} usable here, {target.cores} of {target.name}; {num_threads()} threads run programs"


def _scratchpad() -> str:
    from spine_triton import options, targets

    env = options.environment()
    target = targets.find(env.target)
    size = format_bytes(env.scratchpad_bytes or target.scratchpad_bytes)
    kind = "of a scratchpad" if target.has_scratchpad else "of the second-level cache, as one"
    return (
        f"{size} per core {kind}, {format_bytes(target.reserve_bytes)} reserved; residency: {_residency(env, target)}"
    )


def _residency(env, target) -> str:
    return env.residency or ("error" if target.has_scratchpad or env.scratchpad_bytes else "off")


def _cache() -> str:
    from triton import knobs

    folder = knobs.cache.dir
    os.makedirs(folder, exist_ok=True)
    if not os.access(folder, os.W_OK):
        raise RuntimeError(f"{folder} is not writable: set TRITON_CACHE_DIR")
    kernels = sum(entry.is_dir() for entry in os.scandir(folder))
    return f"{folder}, {kernels} folders"


# --- Ways to run kernels --------------------------------------------------------------------------------------------


def _qemu() -> str:
    from spine_triton.runners import qemu

    path = qemu.program_path()
    return f"{path}, version {'.'.join(map(str, qemu.version(path)))}"


def _runner() -> str:
    from spine_triton.runners import qemu

    return qemu.runner_path()


def _board() -> dict:
    """What this machine has of K3's AI cores. Raises Absent if it has none."""
    from spine_triton import _spine, targets

    model = targets.find("spacemit-a100").core_model
    facts = _spine.board_facts(model) | {"model": model}
    if not facts["cores"]:
        raise Absent(f"no core '{model}' in this machine; runner='qemu' runs kernels for them")
    return facts


def _ai_cores() -> str:
    facts = _board()
    how = "/proc/set_ai_thread admits threads" if facts["needs_admission"] else "no /proc/set_ai_thread"
    return f"{facts['model']}: cores {', '.join(map(str, facts['cores']))}; {how}"


def _tcm() -> str:
    from spine_triton import RunnerError

    try:
        facts = _board()
    except Absent:
        raise Absent("AI cores would have it") from None
    if facts["why_no_tcm"]:
        raise RunnerError(f"arenas are ordinary memory: {facts['why_no_tcm']}")
    blocks, size = facts["tcm_blocks"], format_bytes(facts["tcm_block_bytes"])
    return f"{blocks} blocks of {size}, library version {facts['tcm_version']}"


def _emulated() -> list[str]:
    from spine_triton import targets

    return [name for name in targets.names() if targets.find(name).description.get("qemu_cpu")]


# --- Test kernels ---------------------------------------------------------------------------------------------------


def _run_kernel(**options) -> None:
    """Compiles and runs a kernel with these kernel options."""
    import numpy as np

    from spine_triton import activate
    from spine_triton._doctor import add_one

    x = np.arange(1000, dtype=np.float32)
    y = np.zeros_like(x)
    with activate():  # another backend may be the one that is used otherwise
        add_one[(8,)](x, y, 1000, BLOCK=128, **options)
    if not np.array_equal(y, x + 1):
        raise RuntimeError("a test kernel computed a wrong result")


def _kernel() -> str:
    _run_kernel()
    return "a test kernel computed the right result"


def _kernel_in_qemu() -> str:
    from spine_triton import RunnerError
    from spine_triton.runners import qemu

    try:
        qemu.program_path(), qemu.runner_path()
    except RunnerError:
        raise Absent("needs both lines above") from None
    names = _emulated()
    for name in names:
        _run_kernel(target=name, runner="qemu")
    return f"it did for {', '.join(names)} too"


# --- The page -------------------------------------------------------------------------------------------------------


def checks() -> list[Check]:
    """The lines of the page, in their order."""
    from spine_triton.runners import qemu

    return [
        Check("extension", _extension, INSTALL_PACKAGE),
        Check("triton", _triton, BUILD_TRITON if platform.machine() == "riscv64" else INSTALL_TRITON),
        Check("numpy", _module("numpy"), "pip install numpy"),
        Check("torch", _module("torch"), "pip install torch", required=False),
        Check("backend", _backend),
        Check("target", _target),
        Check("targets", _targets),
        Check("cores", _cores),
        Check("scratchpad", _scratchpad),
        Check("cache", _cache),
        Check("kernel", _kernel),
        Check("ai cores", _ai_cores, required=False),
        Check("tcm", _tcm, "sudo apt-get install spacemit-tcm (SpacemiT's package)", required=False),
        Check("qemu", _qemu, qemu.INSTALL_COMMAND, required=False),
        Check("runner", _runner, qemu.BUILD_RUNNER_COMMAND, required=False),
        Check("in qemu", _kernel_in_qemu, required=False),
    ]


def examine(check: Check) -> tuple[str, str, str]:
    """What the check found: `ok`, `absent`, `missing` or `failed`; a text; and the command that helps."""
    from spine_triton import RunnerError

    try:
        return "ok", check.find(), ""
    except Absent as e:
        return "absent", f"{e}", ""
    except (ImportError, RunnerError) as e:
        return ("missing" if check.required else "absent"), f"{e}", check.fix
    except Exception as e:  # whatever it is, the other lines are wanted too
        return "failed", f"{e}", getattr(e, "fix", check.fix)


def run(args) -> int:
    """Prints the page. Returns 1 if something that is needed is missing or fails."""
    status = 0
    for check in checks():
        mark, text, fix = examine(check)
        print(f"{check.name:10} {mark:8} {text}", flush=True)
        if mark != "ok" and fix:
            print(f"{'':10} {'':8} -> {fix}")
        if mark in ("missing", "failed"):
            status = 1
    return status


def add_to(commands) -> None:
    command = commands.add_parser(
        "doctor",
        help="check the installation and run test kernels",
        description="Prints what is there and what is missing, with the command that brings it. Ends with 1 if "
        "something that is needed is missing or fails.",
    )
    command.set_defaults(run=run)
