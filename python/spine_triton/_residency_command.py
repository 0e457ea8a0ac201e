# ===- _residency_command.py - `spine-triton residency` --------------------===#
#
# Part of spine-triton, under the MIT licence.
#
# ===-----------------------------------------------------------------------===#
"""The residency plan of a TTIR file, or of a kernel in a Python file, as a table, as JSON and as a picture."""

from __future__ import annotations

import argparse
import ast
import contextlib
import importlib.util
import json
import sys
import traceback
from dataclasses import replace
from pathlib import Path

from spine_triton import options

FITS, DOES_NOT_FIT, ERROR = 0, 1, 2

HOST = "Tiles are held against the host too, where half of the second-level cache counts, though no launch is refused."

DESCRIPTION = f"""\
Prints which tiles of a kernel occupy the scratchpad of a target, when, where and why.
Ends with 0 if every kernel fits, 1 if one does not, 2 after an error.
{HOST}
"""

EPILOG = """\
The types of a Python kernel's parameters are given as Triton names them, values of constexpr parameters as they are,
in the order of the parameters:

    spine-triton residency gemm.py:gemm --signature "*fp32:16, *fp32:16, *fp32:16, i32, i32, i32:16, 64, 16, 32"

`:16` says that an argument is divisible by 16, which Triton finds out by itself at a launch. Without --signature a
parameter whose name ends in ptr is *fp32, another one i32, and constexpr parameters get the values of --constant
NAME=VALUE, of the kernel's first triton.autotune configuration, or their defaults.
"""


def add_settings(command) -> None:
    """Adds the options whose defaults are in the environment, as they are for kernels."""
    command.add_argument(
        "--target", help="name of a target, or a file that describes one (default: SPINE_TRITON_TARGET, else host)"
    )
    command.add_argument(
        "--scratchpad-bytes",
        type=int,
        metavar="N",
        help="capacity to use instead of the target's (default: SPINE_TRITON_SCRATCHPAD_BYTES, else the target's)",
    )
    command.add_argument(
        "--policy",
        help="stage-all, stage-mirrored, or as-needed: the code that this compiler makes "
        "(default: SPINE_TRITON_RESIDENCY_POLICY, else stage-all)",
    )


def settings_of(args) -> options.Environment:
    """What the environment says, where no option says something else."""
    given = {"target": args.target, "scratchpad_bytes": args.scratchpad_bytes, "residency_policy": args.policy}
    return replace(options.environment(), **{name: value for name, value in given.items() if value is not None})


def add_to(commands) -> None:
    """Adds the command to the command line's."""
    command = commands.add_parser(
        "residency",
        help="show the residency plan of a kernel",
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument("source", metavar="FILE.ttir|FILE.py:KERNEL")
    add_settings(command)
    command.add_argument("--num-stages", type=int, default=1, metavar="N", help="copies of tiles that a loop loads")
    command.add_argument("--signature", metavar="TYPES", help="types and values of a Python kernel's parameters")
    command.add_argument(
        "--constant", action="append", default=[], metavar="NAME=VALUE", help="of a constexpr parameter"
    )
    command.add_argument("--json", action="store_true", help="print JSON (see docs/residency.md) instead of a table")
    command.add_argument("--plot", metavar="OUT.svg|png", help="also write a picture (needs matplotlib)")
    command.set_defaults(run=run)


# --- Kernels in Python files ----------------------------------------------------------------------------------------


def _run_file(path: str):
    """The module that a file is, run as Python runs it: what lies beside it can be imported."""
    # A file may be called as a module that others need.
    spec = importlib.util.spec_from_file_location(f"_spine_triton_kernels_{Path(path).stem}", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    folder = str(Path(path).resolve().parent)
    sys.path.insert(0, folder)
    try:
        spec.loader.exec_module(module)
    except SyntaxError as e:
        place = f"{e.filename or path}:{e.lineno}" if e.lineno else f"{path}"
        raise ValueError(f"{place}: {type(e).__name__}: {e.msg}") from None
    except (Exception, SystemExit) as e:  # it is the user's code, which may raise anything
        raise ValueError(f"{_place_in(path, e)}: {type(e).__name__}: {e}") from None
    finally:
        sys.path.remove(folder)
    return module


def _place_in(path: str, error: BaseException) -> str:
    """The line of the file that an error comes from, directly or not."""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == path]
    return f"{path}:{lines[-1]}" if lines else path


def _load(path: str, name: str):
    """The kernel without its decorators, and the constants of its first autotune configuration."""
    if not Path(path).is_file():
        raise ValueError(f"there is no file {path}")
    kernel = getattr(_run_file(path), name, None)
    constants: dict[str, object] = {}
    while hasattr(kernel, "fn"):
        if hasattr(kernel, "device_caches"):
            return kernel, constants
        if getattr(kernel, "configs", None):
            constants = dict(kernel.configs[0].kwargs)
        kernel = kernel.fn
    raise ValueError(f"{path} has no @triton.jit function {name!r}")


def _value(text: str):
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def _from_signature(kernel, text: str) -> tuple[dict[str, str], dict[str, object]]:
    parts = [part.strip() for part in text.split(",")]
    if len(parts) != len(kernel.params):
        names = ", ".join(p.name for p in kernel.params)
        raise ValueError(f"--signature names {len(parts)} parameters, the kernel has {len(kernel.params)}: {names}")
    types, constants = {}, {}
    for parameter, part in zip(kernel.params, parts, strict=True):
        if parameter.is_constexpr:
            constants[parameter.name] = _value(part)
        else:
            types[parameter.name] = part
    return types, constants


def _guess(kernel, given: dict[str, object]) -> tuple[dict[str, str], dict[str, object]]:
    types, constants, missing = {}, {}, []
    for parameter in kernel.params:
        name = parameter.name
        if name in given:
            constants[name] = given[name]
        elif not parameter.is_constexpr:
            types[name] = "*fp32" if name.lower().endswith("ptr") else "i32"
        elif parameter.has_default:
            constants[name] = parameter.default
        else:
            missing.append(name)
    if missing:
        values = " ".join(f"--constant {name}=..." for name in missing)
        raise ValueError(f"values of constexpr parameters are missing: {values}")
    return types, constants


def _frontend(path: str, name: str, args) -> str:
    kernel, constants = _load(path, name)
    if args.signature and args.constant:
        raise ValueError("--constant beside --signature: the signature says the values of all parameters")
    for text in args.constant:
        key, found, value = text.partition("=")
        if not found or key not in kernel.arg_names:
            raise ValueError(f"--constant {text}: NAME=VALUE with the name of a parameter is expected")
        constants[key] = _value(value)
    if args.signature:
        return _ttir(path, kernel, *_from_signature(kernel, args.signature))
    return _ttir(path, kernel, *_guess(kernel, constants))


def _ttir(path: str, kernel, types: dict[str, str], constants: dict[str, object]) -> str:
    from triton.compiler.errors import CompilationError

    from spine_triton import frontend_ttir
    from spine_triton._triton_compat import first_line

    try:
        return frontend_ttir(kernel, types, constants)
    except CompilationError as e:
        line = first_line(kernel) + getattr(e.node, "lineno", 1) - 1
        raise ValueError(f"{path}:{line}: kernel '{kernel.__name__}' does not compile\n{e}") from None


# --- The command ----------------------------------------------------------------------------------------------------


class NothingToJudge(ValueError):
    """A file that cannot be read, or without a kernel."""


def read_module(path: str):
    """The module in a file of TTIR. Raises NothingToJudge, or MLIRError if it cannot be read or is not valid."""
    from spine_triton import Context, Module

    try:
        path.encode()
    except UnicodeEncodeError:
        raise NothingToJudge(f"the name of a file must be UTF-8: {path!r}") from None
    return Module.parse_file(Context(), path)


def require_kernels(report, source: str) -> None:
    """Raises NothingToJudge if there is no kernel: that nothing exceeds the scratchpad is no verdict then."""
    if not report.kernels:
        raise NothingToJudge(f"{source}: there is no kernel (a tt.func) in it")


def _module(args):
    from spine_triton import Context, Module

    path, _, name = args.source.rpartition(":")
    if path.endswith(".py") and name:
        # What the file itself prints is not part of the report.
        with contextlib.redirect_stdout(sys.stderr):
            text = _frontend(path, name, args)
        return Module.parse(Context(), text, f"{name}.ttir")
    source = args.source.removesuffix(":")
    if source.endswith(".py"):
        raise ValueError(f"{source}: which kernel of it? FILE.py:KERNEL is expected")
    return read_module(args.source)


def _plot(plot_kernel, *arguments) -> None:
    try:
        plot_kernel(*arguments)
    except ImportError as e:
        if (e.name or "").partition(".")[0] != "matplotlib":
            raise
        raise ValueError(f"--plot needs matplotlib ({e}): pip install 'spine-triton[plot]'") from None


def _plots(report, path: str) -> list[str]:
    """Writes a picture per kernel: `path`, or several with the kernels' names in it."""
    from spine_triton.plot import plot_kernel

    if not Path(path).suffix:  # matplotlib would choose one, and write elsewhere
        raise ValueError(f"--plot {path}: the name must end in .svg, .png or another format of matplotlib's")
    paths = []
    for kernel in report.kernels:
        out = Path(path)
        if len(report.kernels) > 1:
            out = out.with_stem(f"{out.stem}-{kernel['kernel']}")
        _plot(plot_kernel, kernel, report.target, str(out))
        paths.append(str(out))
    return paths


def run(args) -> int:
    from spine_triton import MLIRError, check_residency, report

    try:
        chosen = settings_of(args)
        found = check_residency(
            _module(args),
            chosen.target,
            scratchpad_bytes=chosen.scratchpad_bytes,
            policy=chosen.residency_policy,
            num_stages=args.num_stages,
            with_stack=chosen.residency_policy == "as-needed",
        )
        require_kernels(found, args.source)
        paths = _plots(found, args.plot) if args.plot else []
    except (MLIRError, ValueError, NotImplementedError, ImportError, OSError) as e:
        print(f"spine-triton residency: {e}", file=sys.stderr)
        return ERROR
    if args.json:
        print(json.dumps(report.to_json(found), indent=2))
    else:
        report.print_table(found)
        for path in paths:
            print(f"wrote {path}")
    return FITS if found.fits else DOES_NOT_FIT
