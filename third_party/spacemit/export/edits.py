# ===- edits.py - Our lines in files of a spine-triton checkout -------------===#
#
# Part of spine-triton, under the MIT licence.
#
# ===-----------------------------------------------------------------------===#
"""Which lines an export adds to files that are SpacemiT's, and how their places are found."""

from __future__ import annotations

import ast
import re
import warnings
from dataclasses import dataclass

from .checkout import ExportError

FLAG = "SPINE_TRITON_CHECK_TILES"


@dataclass(frozen=True)
class Edit:
    """Lines that go into a file of theirs: after the last line that matches `anchor`, or before the first. `older` are
    what earlier exports wrote, which is replaced."""

    path: str
    anchor: str
    lines: str
    before: bool = False
    older: tuple[str, ...] = ()

    def apply(self, data: bytes) -> bytes:
        """The file's bytes with the lines in them, which end as the line beside them does; the same bytes if it has
        them. The encoding plays no part: it only has to have ASCII in it."""
        lines = data.splitlines(keepends=True)
        bare = [line.rstrip(b"\r\n") for line in lines]
        new = self.lines.encode().splitlines()
        if _find(bare, new) is not None:
            return data
        for old in (text.encode().splitlines() for text in self.older):
            if (at := _find(bare, old)) is not None:
                end = _line_ending(lines, at)
                return b"".join([*lines[:at], *(line + end for line in new), *lines[at + len(old) :]])
        if len(new) > 1 and new[0] in bare:
            where = f"{self.path}:{bare.index(new[0]) + 1}"
            raise ExportError(f"{where}: {new[0].decode()!r} is there, but not as an export wrote it; remove it first")
        return self._insert(lines, self._beside(data, bare), new)

    def _beside(self, data: bytes, bare: list[bytes]) -> int:
        """The index of the line that the new ones go before or after."""
        found = [i for i, line in enumerate(bare) if re.search(self.anchor.encode(), line)]
        if not found:
            raise ExportError(f"{self.path} has no line that matches {self.anchor!r}: is this a spine-triton checkout?")
        return found[0] if self.before else found[-1]

    def _insert(self, lines: list[bytes], beside: int, new: list[bytes]) -> bytes:
        bare = [line.rstrip(b"\r\n") for line in lines]
        at = beside if self.before else beside + 1
        end = _line_ending(lines, beside)
        if at > 0 and lines[at - 1] == bare[at - 1]:  # some files of theirs end without a newline
            lines[at - 1] += end
        return b"".join([*lines[:at], *(line + end for line in new), *lines[at:]])


@dataclass(frozen=True)
class AboveFunction(Edit):
    """Lines that go above the Python function `anchor`, its decorators and the comments directly above these."""

    before: bool = True

    def _beside(self, data: bytes, bare: list[bytes]) -> int:
        function = _function(self.path, data, self.anchor)
        first = top = min([function.lineno, *(decorator.lineno for decorator in function.decorator_list)]) - 1
        while top > 0 and bare[top - 1].startswith(b"#"):
            top -= 1
        return top if top > 0 else first  # comments that begin a file are about the file


@dataclass(frozen=True)
class InList(Edit):
    """Lines that go before the string `anchor` in a list of the Python function `function`."""

    before: bool = True
    function: str = ""

    def _beside(self, data: bytes, bare: list[bytes]) -> int:
        nodes = ast.walk(_function(self.path, data, self.function))
        lists = [node.elts for node in nodes if isinstance(node, ast.List | ast.Tuple)]
        elements = [e for elts in lists for e in elts if isinstance(e, ast.Constant) and e.value == self.anchor]
        if len(elements) != 1:
            raise ExportError(
                f"{self.path}: {self.function} has {self.anchor!r} in its lists {len(elements)} times, where once was "
                "expected: is this a spine-triton checkout?"
            )
        at = elements[0].lineno - 1
        if not bare[at].lstrip().startswith((b'"', b"'")):
            raise ExportError(
                f"{self.path}:{at + 1}: {self.anchor!r} does not begin its line, so none can go before it"
            )
        return at


def _function(path: str, data: bytes, name: str) -> ast.FunctionDef:
    """The function of this name in a Python file: not one that is only mentioned in a string."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about their code, which is not ours to judge
            tree = ast.parse(data)
    except (SyntaxError, ValueError) as e:
        raise ExportError(f"{path} cannot be read as Python: {e}") from None
    found = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == name]
    if len(found) != 1:
        raise ExportError(
            f"{path} has {len(found)} functions {name}, where one was expected: is this a spine-triton checkout?"
        )
    return found[0]


def _find(lines: list[bytes], wanted: list[bytes]) -> int | None:
    """Where the wanted lines follow each other."""
    return next((i for i in range(len(lines)) if lines[i : i + len(wanted)] == wanted), None)


def _line_ending(lines: list[bytes], at: int) -> bytes:
    """How the line ends or, if it is the last one and does not, how the first one does."""
    for line in (lines[at], lines[0]):
        if end := line[len(line.rstrip(b"\r\n")) :]:
            return end
    return b"\n"


# The function that says which passes run, and how it was written before. It depends on no import of theirs.
CHECK_TILES = f'''def _check_tiles_passes():
    """Passes on TTIR that judge a kernel by its tiles in bytes, instead of by the tensors behind them."""
    import os

    capacity = os.getenv("{FLAG}", "")
    if capacity in ("", "0"):
        return []
    return [
        f"--spine-check-residency=capacity={{capacity}}",
        "--spine-rebase-tensor-ptr",
        "--canonicalize",
        "--cse",
    ]


'''
_WITHOUT_IMPORT = CHECK_TILES.replace("    import os\n\n", "")
OLDER_CHECK_TILES = (
    _WITHOUT_IMPORT,
    _WITHOUT_IMPORT.replace(', "")', ', "0")').replace('capacity in ("", "0")', 'capacity == "0"'),
)

EDITS = [
    Edit("include/CMakeLists.txt", r"^add_subdirectory\(.*\)$", "add_subdirectory(spine-triton)\n"),
    Edit("lib/CMakeLists.txt", r"^add_subdirectory\(.*\)$", "add_subdirectory(SpineTiles)\n"),
    Edit(
        "tools/spine-triton-opt/RegisterSpineTritonDialects.h",
        r'^#include "triton-shared/.*"$',
        '#include "spine-triton/Transforms/Passes.h"\n',
    ),
    Edit(
        "tools/spine-triton-opt/RegisterSpineTritonDialects.h",
        r"^ *mlir::triton::register\w+\(\);$",
        "  mlir::spine::registerSpineTransformsPasses();\n",
    ),
    AboveFunction("backend/compiler.py", "_ttir_to_linalgdir", CHECK_TILES, older=OLDER_CHECK_TILES),
    InList(
        "backend/compiler.py",
        "--triton-to-linalg-experimental",
        "            *_check_tiles_passes(),\n",
        function="_ttir_to_linalgdir",
    ),
]
