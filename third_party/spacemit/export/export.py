# ===- export.py - Our passes into a spine-triton checkout -----------------===#
#
# Part of spine-triton, under the MIT licence.
#
# ===-----------------------------------------------------------------------===#
"""Places the analyses and TTIR passes into a checkout of SpacemiT's spine-triton as one commit.

Run by `spine-triton export --into CHECKOUT`; what goes where is in README.md beside this file.
"""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
FLAG = "SPINE_TRITON_CHECK_TILES"

# Folders of this project, and where their files go.
FOLDERS = {
    "include/spine-triton/Analysis": "include/spine-triton/Analysis",
    "include/spine-triton/Transforms": "include/spine-triton/Transforms",
    "lib/Analysis": "lib/SpineTiles/Analysis",
    "lib/Transforms": "lib/SpineTiles/Transforms",
    "test/Analysis": "test/SpineTiles/Analysis",
    "test/Transforms": "test/SpineTiles",
}


class ExportError(ValueError):
    """The checkout, or this project, is not in a state to export from or to."""


@dataclass(frozen=True)
class Edit:
    """Lines that go into a file of theirs: after the last line that matches `anchor`, or before the first."""

    path: str
    anchor: str
    lines: str
    before: bool = False

    def apply(self, text: str) -> str:
        """The file's text with the lines in it; the same text if it has them."""
        if self.lines in text:
            return text
        found = list(re.finditer(self.anchor, text, re.MULTILINE))
        if not found:
            raise ExportError(f"{self.path} has no line that matches {self.anchor!r}: is this a spine-triton checkout?")
        if self.before:
            at = found[0].start()
            return text[:at] + self.lines + text[at:]
        # Some files of theirs end without a newline.
        at = found[-1].end()
        return text[:at] + "\n" + self.lines + text[at:].removeprefix("\n")


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
    Edit(
        "backend/compiler.py",
        r"^def _ttir_to_linalgdir\(",
        f'''def _check_tiles_passes():
    """Passes on TTIR that judge a kernel by its tiles in bytes, instead of by the tensors behind them."""
    capacity = os.getenv("{FLAG}", "0")
    if capacity == "0":
        return []
    return [
        f"--spine-check-residency=capacity={{capacity}}",
        "--spine-rebase-tensor-ptr",
        "--canonicalize",
        "--cse",
    ]


''',
        before=True,
    ),
    Edit(
        "backend/compiler.py",
        r'^ *"--triton-to-linalg-experimental",$',
        "            *_check_tiles_passes(),\n",
        before=True,
    ),
]

INCLUDE_CMAKE = """add_subdirectory(Transforms)
"""

TRANSFORMS_CMAKE = """set(LLVM_TARGET_DEFINITIONS Passes.td)
mlir_tablegen(Passes.h.inc -gen-pass-decls -name SpineTransforms)
add_public_tablegen_target(SpineTransformsPassIncGen)
"""

LIB_CMAKE = """add_triton_library(SpineTiles
{sources}

  DEPENDS
  SpineTransformsPassIncGen

  LINK_LIBS PUBLIC
  MLIRAnalysis
  MLIRArithDialect
  MLIRControlFlowInterfaces
  MLIRFunctionInterfaces
  MLIRIR
  MLIRPass
  MLIRSCFDialect
  MLIRTransforms
  MLIRTransformUtils
  TritonIR
)
"""


def git(folder: Path, *arguments: str) -> str:
    """The output of a git command. Raises ExportError with git's own message."""
    done = subprocess.run(["git", "-C", str(folder), *arguments], capture_output=True, text=True)
    if done.returncode:
        raise ExportError(f"git {arguments[0]} in {folder}: {done.stderr.strip() or done.stdout.strip()}")
    return done.stdout


# --- What is to be there --------------------------------------------------------------------------------------------


def our_files(root: Path) -> dict[str, bytes]:
    """The exported files by their path in the checkout."""
    files = {}
    for source, destination in FOLDERS.items():
        for path in sorted((root / source).rglob("*")):
            if path.is_file() and path.name != "CMakeLists.txt":
                files[f"{destination}/{path.relative_to(root / source)}"] = path.read_bytes()
    sources = [p.removeprefix("lib/SpineTiles/") for p in files if p.startswith("lib/") and p.endswith(".cpp")]
    files["include/spine-triton/CMakeLists.txt"] = INCLUDE_CMAKE.encode()
    files["include/spine-triton/Transforms/CMakeLists.txt"] = TRANSFORMS_CMAKE.encode()
    listed = "\n".join(f"  {source}" for source in sources)
    files["lib/SpineTiles/CMakeLists.txt"] = LIB_CMAKE.format(sources=listed).encode()
    return files


def check_includes(files: dict[str, bytes]) -> None:
    """Raises ExportError if an exported source includes a header of ours that is not exported."""
    for path, data in files.items():
        if not path.endswith((".h", ".cpp")):
            continue
        for header in re.findall(r'^#include "(spine-[\w.-]+/[\w./-]+)"', data.decode(), re.MULTILINE):
            if f"include/{header}" not in files and not header.endswith(".h.inc"):
                raise ExportError(f"{path} includes {header}, which is not part of the TTIR passes")


def edited_files(checkout: Path) -> dict[str, bytes]:
    """Files of theirs with our lines in them."""
    texts: dict[str, str] = {}
    for edit in EDITS:
        path = checkout / edit.path
        if edit.path not in texts:
            if not path.is_file():
                raise ExportError(f"{path} does not exist: is this a spine-triton checkout?")
            texts[edit.path] = path.read_text()
        texts[edit.path] = edit.apply(texts[edit.path])
    return {path: text.encode() for path, text in texts.items()}


# --- Doing it -------------------------------------------------------------------------------------------------------


def stale_files(checkout: Path, files: dict[str, bytes]) -> list[str]:
    """Files that an earlier export put there and that are exported no longer."""
    folders = [f for f in ("include/spine-triton", "lib/SpineTiles", "test/SpineTiles") if (checkout / f).is_dir()]
    present = [str(p.relative_to(checkout)) for f in folders for p in (checkout / f).rglob("*") if p.is_file()]
    return sorted(set(present) - set(files))


def message() -> str:
    return (HERE / "commit-message.txt").read_text()


def export(root: Path, checkout: Path) -> list[str]:
    """Exports from the clone `root` of this project into `checkout`; returns the paths that changed.

    All of them are in one commit; an empty list means that there was nothing to do, and no commit. Raises ExportError,
    having changed nothing, if the checkout has uncommitted changes or does not look like a spine-triton tree.
    """
    if not (root / "include/spine-triton/Transforms/Passes.td").is_file():
        raise ExportError(f"{root} has no sources of spine-triton's passes: run the command in a clone of the project")
    checkout = Path(git(checkout, "rev-parse", "--show-toplevel").strip())
    if dirty := git(checkout, "status", "--porcelain"):
        raise ExportError(f"{checkout} has uncommitted changes; commit or stash them first:\n{dirty.rstrip()}")
    git(checkout, "var", "GIT_AUTHOR_IDENT")  # fails now if there is nobody to commit as
    files = our_files(root)
    check_includes(files)
    stale = stale_files(checkout, files)
    files |= edited_files(checkout)
    changed = [p for p, data in files.items() if not (checkout / p).is_file() or (checkout / p).read_bytes() != data]
    for path in changed:
        (checkout / path).parent.mkdir(parents=True, exist_ok=True)
        (checkout / path).write_bytes(files[path])
    for path in stale:
        (checkout / path).unlink()
    if changed or stale:
        git(checkout, "add", "--force", "--", *changed)
        if stale:
            git(checkout, "rm", "-q", "--cached", "--", *stale)
        git(checkout, "commit", "-q", "-m", message())
    return sorted([*changed, *stale])
