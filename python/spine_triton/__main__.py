# ===- __main__.py - The command line --------------------------------------===#
#
# Part of spine-triton, under the MIT licence.
#
# ===-----------------------------------------------------------------------===#
"""`spine-triton`: what is installed, which targets there are, and the residency check on TTIR files."""

from __future__ import annotations

import argparse
import contextlib
import errno
import os
import signal
import sys

from spine_triton import __version__, _doctor_command, _residency_command
from spine_triton._doctor_command import format_bytes


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
        print(f"{name:16} {target.cores:3} cores  {format_bytes(target.scratchpad_bytes):>9} {kind} per core")
        if args.verbose:
            print(target.json)
    return 0


def _check(args) -> int:
    from spine_triton import MLIRError, check_residency

    status, chosen = 0, _residency_command.settings_of(args)
    for path in args.files:
        try:
            module = _residency_command.read_module(path)
            report = check_residency(
                module, chosen.target, scratchpad_bytes=chosen.scratchpad_bytes, policy=chosen.residency_policy
            )
            _residency_command.require_kernels(report, path)
        except (MLIRError, _residency_command.NothingToJudge) as e:
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
    folder = [str(script.parent)]
    spec = importlib.util.spec_from_file_location("spine_triton_export", script, submodule_search_locations=folder)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    if not args.into:
        raise ValueError("--into needs the path of a checkout")
    _report_export(module.export(root, Path(args.into)))
    return 0


def _report_export(changed: list) -> None:
    """Lists the files. Where that cannot be written, says what has been done nevertheless."""
    of_hooks = getattr(changed, "of_hooks", ())  # the export of an older clone does not say
    try:
        for path in changed:
            name = path.encode(errors="surrogateescape").decode(errors="backslashreplace")
            print(f"{name} (by a hook of the checkout)" if path in of_hooks else name)
        print(f"{len(changed)} files in one commit" if changed else "nothing to do: the checkout has the same files")
        sys.stdout.flush()
    except OSError:
        if changed:
            print("spine-triton: the export is committed; only the list of its files is not written", file=sys.stderr)
        raise


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
        description="Ends with 0 if all fit, 1 if one does not, 2 after an error, such as a file that is not valid TTIR. "
        + _residency_command.HOST,
    )
    command.add_argument("files", nargs="+", metavar="FILE.ttir")
    _residency_command.add_settings(command)
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

    _doctor_command.add_to(commands)
    return parser


def opt() -> int:
    """The command `spine-triton-opt`, which is part of the extension module."""
    from spine_triton import _spine

    return _spine.run_opt(["spine-triton-opt", *sys.argv[1:]])


def _give_up_output() -> None:
    """Nothing more can be written; without this, Python tries again at its end and complains."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _run(argv: list[str] | None) -> int:
    if sys.stdout is None:  # it was closed before Python started; nothing is done whose result would be lost
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))
    try:
        args = _parser().parse_args(argv)
        return args.run(args)
    finally:
        sys.stdout.flush()


def main(argv: list[str] | None = None) -> int:
    try:
        return _run(argv)
    except BrokenPipeError:  # whoever reads has enough, as `head` has
        _give_up_output()
        return 128 + signal.SIGPIPE
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    except OSError as e:
        if e.filename is None:
            _give_up_output()
        print(f"spine-triton: {e.filename or 'writing the output'}: {e.strerror or e}", file=sys.stderr)
        return 2
    except (ValueError, NotImplementedError, ImportError) as e:
        print(f"spine-triton: {e}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
