# ===- __main__.py - The command line --------------------------------------===#
#
# Part of spine-triton, under the MIT licence.
#
# ===-----------------------------------------------------------------------===#
"""`spine-triton`: what is installed, which targets there are, and the residency check on TTIR files."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable

from spine_triton import __version__, _residency_command


def _bytes(number: int) -> str:
    return f"{number / 1024:g} KiB" if number and number % 1024 == 0 else f"{number} bytes"


def version_text() -> str:
    try:
        from spine_triton import versions

        llvm = versions()["llvm"]
    except ImportError as e:
        return f"spine-triton {__version__} (the extension module cannot be imported: {e})"
    return f"spine-triton {__version__} (LLVM {llvm})"


class _Version(argparse.Action):
    """Prints the versions only if they are asked for: finding them out loads the compiler."""

    def __call__(self, parser, namespace, values, option_string=None):
        print(version_text())
        parser.exit()


def _targets(args) -> int:
    from spine_triton import targets

    for name in targets.names():
        target = targets.find(name)
        kind = "scratchpad" if target.has_scratchpad else "cache used as scratchpad"
        print(f"{name:16} {target.cores:3} cores  {_bytes(target.scratchpad_bytes):>9} {kind} per core")
        if args.verbose:
            print(target.json)
    return 0


def _check(args) -> int:
    from spine_triton import Context, MLIRError, Module, check_residency

    status = 0
    for path in args.files:
        try:
            module = Module.parse_file(Context(), path)
            report = check_residency(module, args.target, scratchpad_bytes=args.scratchpad_bytes)
        except MLIRError as e:
            print(e, file=sys.stderr)
            status = 2
            continue
        print(f"{path}: {report}")
        if not report.fits:
            status = max(status, 1)
    return status


def _export(args) -> int:
    """Runs third_party/spacemit/export/export.py of the clone that this package is installed from."""
    import importlib.util
    from pathlib import Path

    root = Path(args.sources or Path(__file__).resolve().parents[2])
    script = root / "third_party" / "spacemit" / "export" / "export.py"
    if not script.is_file():
        raise ValueError(f"{root} is no clone of spine-triton, whose sources are to be exported: name one by --from")
    spec = importlib.util.spec_from_file_location("spine_triton_export", script)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    changed = module.export(root, Path(args.into))
    for path in changed:
        print(path)
    print(f"{len(changed)} files in one commit" if changed else "nothing to do: the checkout has the same files")
    return 0


# --- doctor ---------------------------------------------------------------------------------------------------------


def _doctor_extension() -> str:
    from spine_triton import versions

    found = versions()
    return f"spine-triton {__version__}, LLVM {found['llvm']}, build {found['build']}"


def _doctor_triton() -> str:
    import triton

    major_minor = tuple(int(n) for n in triton.__version__.split(".")[:2])
    if major_minor not in ((3, 6), (3, 7)):
        raise RuntimeError(f"{triton.__version__}: spine-triton is made for 3.6 and 3.7")
    return triton.__version__


def _doctor_backend() -> str:
    from triton.backends import backends

    if "spine" not in backends:
        raise RuntimeError("Triton does not find the backend 'spine': is the package installed (pip list)?")
    active = [name for name, b in backends.items() if b.driver.is_active()]
    if "spine" not in active:
        raise RuntimeError(f"'spine' is not active, {', '.join(active) or 'none'} is: set TRITON_DEFAULT_BACKEND=spine")
    if len(active) > 1 and not os.environ.get("TRITON_DEFAULT_BACKEND"):
        raise RuntimeError(f"several are active ({', '.join(active)}): set TRITON_DEFAULT_BACKEND=spine")
    return f"found {', '.join(backends)}; active spine"


def _doctor_target() -> str:
    from spine_triton import options, targets

    env = options.environment()
    target = targets.find(env.target)
    capacity = env.scratchpad_bytes or target.scratchpad_bytes
    cpu = target.description.get("cpu", "")
    return f"{target.name} {cpu}, {target.cores} cores, {_bytes(capacity)} of scratchpad per core"


def _doctor_threads() -> str:
    from spine_triton import num_threads

    return f"{num_threads()} threads run programs"


def _doctor_cache() -> str:
    from triton import knobs

    folder = knobs.cache.dir
    os.makedirs(folder, exist_ok=True)
    if not os.access(folder, os.W_OK):
        raise RuntimeError(f"{folder} is not writable: set TRITON_CACHE_DIR")
    return folder


def _doctor_kernel() -> str:
    """Compiles and runs a kernel."""
    import numpy as np

    from spine_triton._doctor import add_one

    x = np.arange(1000, dtype=np.float32)
    y = np.zeros_like(x)
    add_one[(8,)](x, y, 1000, BLOCK=128)
    if not np.array_equal(y, x + 1):
        raise RuntimeError("a test kernel computed a wrong result")
    return "a test kernel computed the right result"


def _optional(module: str) -> Callable[[], str]:
    def check() -> str:
        import importlib

        return importlib.import_module(module).__version__

    return check


def _doctor(args) -> int:
    checks = [
        ("extension", _doctor_extension, True),
        ("triton", _doctor_triton, True),
        ("numpy", _optional("numpy"), True),
        ("torch", _optional("torch"), False),
        ("backend", _doctor_backend, True),
        ("target", _doctor_target, True),
        ("threads", _doctor_threads, True),
        ("cache", _doctor_cache, True),
        ("kernel", _doctor_kernel, True),
    ]
    failed = 0
    for name, check, required in checks:
        try:
            mark, text = "ok", check()
        except ImportError as e:
            mark, text = ("missing" if required else "absent"), str(e)
        except Exception as e:
            mark, text = "failed", f"{e}"
        failed += mark in ("missing", "failed")
        print(f"{name:10} {mark:8} {text}")
    return 1 if failed else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="spine-triton", description="A Triton backend for CPUs with a scratchpad.")
    parser.add_argument("--version", action=_Version, nargs=0, help="print the versions and exit")
    commands = parser.add_subparsers(dest="command", required=True)

    command = commands.add_parser("targets", help="list the targets")
    command.add_argument("-v", "--verbose", action="store_true", help="print the whole descriptions")
    command.set_defaults(run=_targets)

    command = commands.add_parser(
        "check",
        help="say whether the tiles of TTIR files fit a scratchpad",
        description="Ends with 0 if all fit, 1 if one does not, 2 if a file is not valid TTIR.",
    )
    command.add_argument("files", nargs="+", metavar="FILE.ttir")
    command.add_argument("--target", default="host", help="name of a target (default: host)")
    command.add_argument("--scratchpad-bytes", type=int, metavar="N", help="capacity to use instead of the target's")
    command.set_defaults(run=_check)

    _residency_command.add_to(commands)

    command = commands.add_parser(
        "export",
        help="place the TTIR passes into a checkout of SpacemiT's spine-triton",
        description="Makes one commit in CHECKOUT, or none if there is nothing to do; refuses uncommitted changes.",
    )
    command.add_argument("--into", required=True, metavar="CHECKOUT", help="your clone of spine-triton")
    command.add_argument("--from", dest="sources", metavar="CLONE", help="the clone of this project to export from")
    command.set_defaults(run=_export)

    command = commands.add_parser("doctor", help="check the installation and run a test kernel")
    command.set_defaults(run=_doctor)
    return parser


def opt() -> int:
    """The command `spine-triton-opt`, which is part of the extension module."""
    from spine_triton import _spine

    return _spine.run_opt(["spine-triton-opt", *sys.argv[1:]])


def main(argv: list[str] | None = None) -> int:
    args = _parser().parse_args(argv)
    try:
        return args.run(args)
    except (ValueError, NotImplementedError, ImportError) as e:
        print(f"spine-triton: {e}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
