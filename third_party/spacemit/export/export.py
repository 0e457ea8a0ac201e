# ===- export.py - Our passes into a spine-triton checkout -----------------===#
#
# Part of spine-triton, under the MIT licence.
#
# ===-----------------------------------------------------------------------===#
"""Places the analyses and TTIR passes into a checkout of SpacemiT's spine-triton as one commit.

Run by `spine-triton export --into CHECKOUT`; what goes where is in README.md beside this file, what is changed in
files of theirs in edits.py, how it gets there without harm in checkout.py.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from .checkout import Checkout, ExportError, git
from .edits import EDITS

HERE = Path(__file__).resolve().parent

# Folders of this project, and where their files go.
FOLDERS = {
    "include/spine-triton/Analysis": "include/spine-triton/Analysis",
    "include/spine-triton/Transforms": "include/spine-triton/Transforms",
    "lib/Analysis": "lib/SpineTiles/Analysis",
    "lib/Transforms": "lib/SpineTiles/Transforms",
    "test/Analysis": "test/SpineTiles/Analysis",
    "test/Transforms": "test/SpineTiles",
}


# What may be part of the sources; anything else there was left by an editor or a tool.
SUFFIXES = (".cpp", ".h", ".mlir", ".td", ".ttir", ".txt")

MANIFEST = "lib/SpineTiles/exported-files.txt"
MANIFEST_HEAD = """\
# Files that `spine-triton export` wrote, and git's ids of their contents. A later
# export replaces and removes these, if they have not been changed, and no others.
"""


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


# --- What is to be there --------------------------------------------------------------------------------------------


def _names(root: Path, folder: str) -> list[str]:
    """What is in a folder of ours; in a clone only what git knows, since the rest may be anything."""
    if not (root / ".git").exists():
        return sorted(f"{folder}/{path.relative_to(root / folder)}" for path in (root / folder).rglob("*"))
    return sorted({name for name in git(root, "ls-files", "-z", "--", folder).split("\0") if name})


def _source(root: Path, name: str) -> bytes | None:
    """The content of a file of ours; None if it is none that is exported. Raises ExportError if it must not be."""
    path = root / name
    for at in (path, *path.parents):
        if at == root:
            break
        if at.is_symlink():
            raise ExportError(f"{at} is a symbolic link; only regular files are exported")
    if path.suffix not in SUFFIXES or path.name == "CMakeLists.txt" or not path.is_file():
        return None
    if not re.fullmatch(r"[\w.+/-]+", name, re.ASCII):
        raise ExportError(f"{root}: {name!r} is no name for a file that is exported: letters, digits and _.+- only")
    # This clone may end its lines as another system does; the checkout's settings decide there.
    return path.read_bytes().replace(b"\r\n", b"\n")


def our_files(root: Path) -> dict[str, bytes]:
    """The exported files by their path in the checkout."""
    files = {}
    for source, destination in FOLDERS.items():
        for name in _names(root, source):
            if (data := _source(root, name)) is not None:
                files[f"{destination}/{name.removeprefix(f'{source}/')}"] = data
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


def edited_files(checkout: Checkout) -> dict[str, bytes]:
    """Files of theirs with our lines in them."""
    files: dict[str, bytes] = {}
    for edit in EDITS:
        if edit.path not in files:
            path = checkout.place(edit.path)
            if not path.is_file():
                raise ExportError(f"{path} does not exist: is this a spine-triton checkout?")
            files[edit.path] = path.read_bytes()
        files[edit.path] = edit.apply(files[edit.path])
    return files


def refuse_subfolder(checkout: Checkout) -> None:
    """Raises ExportError if the tree is a folder of another repository, in which a commit would be made."""

    def is_tree(folder: Path) -> bool:
        return all((folder / edit.path).is_file() for edit in EDITS)

    below = [folder for folder in (checkout.named, *checkout.named.parents) if checkout.root in folder.parents]
    if not is_tree(checkout.root) and (trees := [folder for folder in below if is_tree(folder)]):
        raise ExportError(
            f"{trees[0]} is a folder of the repository {checkout.root}, and no repository of its own; export into a "
            "clone of spine-triton"
        )


# --- Whose is what --------------------------------------------------------------------------------------------------


def _is_ours_to_name(path: str) -> bool:
    """Whether an export can have written to `path`."""
    folders = ("include/spine-triton/", "lib/SpineTiles/", "test/SpineTiles/")
    return path.startswith(folders) and ".." not in PurePosixPath(path).parts


def read_manifest(checkout: Checkout, tree: dict[str, str]) -> dict[str, str]:
    """The files that an earlier export wrote, and the ids of what it wrote."""
    checkout.place(MANIFEST)
    if MANIFEST not in tree:
        return {}
    own = {}
    for number, line in enumerate(checkout.committed(MANIFEST).decode(errors="replace").splitlines(), 1):
        if line.startswith("#"):
            continue
        identity, _, path = line.partition(" ")
        if not re.fullmatch("[0-9a-f]{40,64}", identity) or not _is_ours_to_name(path):
            raise ExportError(f"{checkout.root / MANIFEST}:{number}: this is no line of an export: {line!r}")
        own[path] = identity
    return own


def write_manifest(ids: dict[str, str]) -> bytes:
    return (MANIFEST_HEAD + "".join(f"{ids[path]} {path}\n" for path in sorted(ids))).encode()


def _list(paths: list[str]) -> str:
    return "".join(f"\n  {path}" for path in sorted(paths))


def refuse_foreign(checkout: Checkout, ids: dict[str, str], own: dict[str, str], tree: dict[str, str]) -> None:
    """Raises ExportError if a file is in the place of one of ours and no export wrote it, ignored by git or not."""
    taken = [p for p in ids if os.path.lexists(checkout.place(p)) and p not in own]
    if MANIFEST not in tree and os.path.lexists(checkout.place(MANIFEST)):
        taken.append(MANIFEST)
    if taken:
        raise ExportError(
            f"{checkout.root} has files in the places of exported ones, and no export wrote them; move them away:"
            f"{_list(taken)}"
        )


def refuse_edited(checkout: Checkout, ids: dict[str, str], own: dict[str, str], tree: dict[str, str]) -> None:
    """Raises ExportError if a file that an export wrote was changed or removed since, and would be lost or return."""
    edited = [p for p in own if tree.get(p) not in (own[p], ids.get(p))]
    if edited:
        last = checkout.git("rev-list", "-1", "--abbrev-commit", "HEAD", "--", MANIFEST)
        raise ExportError(
            f"{checkout.root}: exported files were changed there since; keep the changes elsewhere (in a clone of this "
            f"project they become part of the export), then `git checkout {last} -- FILE` and commit:{_list(edited)}"
        )


def refuse_overlooked(checkout: Checkout, paths: list[str], tree: dict[str, str]) -> None:
    """Raises ExportError for files that differ from HEAD although git was told not to look (assume-unchanged)."""
    present = [path for path in paths if path in tree]
    missing = [path for path in present if not checkout.place(path).is_file()]
    found = checkout.ids_of_files([path for path in present if path not in missing])
    differing = missing + [path for path, identity in found.items() if identity != tree[path]]
    if differing:
        raise ExportError(f"{checkout.root}: files differ from HEAD, which git status does not say:{_list(differing)}")


# --- Doing it -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Plan:
    """What an export changes: files with their contents and the ids of these, and files that go."""

    files: dict[str, bytes]
    ids: dict[str, str]
    stale: list[str]

    @property
    def paths(self) -> list[str]:
        return sorted([*self.files, *self.stale])


def make_plan(root: Path, checkout: Checkout) -> Plan:
    """Raises ExportError if something of theirs is in the way."""
    files = our_files(root)
    check_includes(files)
    edited = edited_files(checkout)
    tree = checkout.tree()
    own = read_manifest(checkout, tree)
    ids = {path: checkout.id_of(path, data) for path, data in files.items()}
    refuse_foreign(checkout, ids, own, tree)
    refuse_edited(checkout, ids, own, tree)
    edited[MANIFEST] = write_manifest(ids)
    files |= edited
    ids |= {path: checkout.id_of(path, data) for path, data in edited.items()}
    changed = [path for path in files if tree.get(path) != ids[path]]
    stale = sorted(path for path in own if path not in ids and path in tree)
    refuse_overlooked(checkout, changed + stale, tree)
    return Plan({path: files[path] for path in changed}, {path: ids[path] for path in changed}, stale)


def message() -> str:
    return (HERE / "commit-message.txt").read_text(encoding="utf-8")


class Exported(list[str]):
    """The paths that a commit holds. `of_hooks` are those among them that no export writes."""

    def __init__(self, paths: list[str], written: list[str]):
        super().__init__(paths)
        self.of_hooks = [path for path in paths if path not in written]


def export(root: Path, folder: Path) -> Exported:
    """Exports from the clone `root` of this project into the checkout at `folder`; returns the paths that changed.

    All of them are in one commit, to which a hook of the checkout may have added others; an empty list means that there was nothing to do, and no commit. Raises ExportError,
    having changed nothing, if the checkout has uncommitted changes, does not look like a spine-triton tree or has files
    of its own in the places of ours, and if the commit fails.
    """
    if not (root / "include/spine-triton/Transforms/Passes.td").is_file():
        raise ExportError(f"{root} has no sources of spine-triton's passes: run the command in a clone of the project")
    checkout = Checkout(folder)
    with checkout.locked():
        refuse_subfolder(checkout)
        checkout.require_ready()
        checkout.head()
        plan = make_plan(root, checkout)
        if plan.paths:
            with checkout.transaction() as changes:
                for path, data in plan.files.items():
                    changes.write(path, data)
                for path in plan.stale:
                    changes.remove(path)
                changes.commit(message(), plan.ids, plan.stale)
                return Exported(changes.committed(), plan.paths)
    return Exported([], [])
