# ===- targets.py - Target descriptions ------------------------------------===#
#
# Part of spine-triton, under the MIT licence.
#
# ===-----------------------------------------------------------------------===#
"""Finds target descriptions by name: `host`, which the machine describes itself, the files in `targets/`, and files of
one's own (docs/targets.md)."""

from __future__ import annotations

import functools
import hashlib
import json
import os
import re
from dataclasses import dataclass
from importlib import resources
from pathlib import Path


@dataclass(frozen=True)
class Target:
    """One target. `json` is the whole description, in the form that the compiler reads."""

    name: str
    json: str

    @functools.cached_property
    def description(self) -> dict:
        return json.loads(self.json)

    @functools.cached_property
    def digest(self) -> str:
        """A text that differs whenever the description does."""
        return hashlib.sha256(self.json.encode()).hexdigest()[:16]

    @property
    def is_host(self) -> bool:
        """Whether code for it runs in this process."""
        return self.name == "host"

    @property
    def is_riscv(self) -> bool:
        return self.description.get("triple", "").startswith("riscv")

    @property
    def core_model(self) -> str:
        """What the system calls the cores that the target describes, empty if a machine's cores are alike."""
        return self.description.get("core_model", "")

    def _number(self, key: str, default: int = 0) -> int:
        return int(self.description.get(key, default))

    @property
    def scratchpad_bytes(self) -> int:
        """Bytes of scratchpad per core, or of the part of the cache that stands for one."""
        return self._number("scratchpad_bytes")

    @property
    def reserve_bytes(self) -> int:
        """Bytes of the scratchpad that kernels must leave alone."""
        return self._number("reserve_bytes")

    @property
    def has_scratchpad(self) -> bool:
        """Whether the scratchpad is memory of its own, which cannot be exceeded."""
        return not self.is_host

    @property
    def vector_bits(self) -> int:
        return self._number("vector_bits")

    @property
    def vector_registers(self) -> int:
        return self._number("vector_registers")

    @property
    def matrix_units(self) -> list[dict]:
        """Shapes of the matrix unit: `input` is the type of element, `m`, `k` and `n` are sizes."""
        return self.description.get("matrix_units", [])

    @property
    def prefetch_rows(self) -> int:
        """Rows of a product's left operand to prefetch ahead, 0 for none."""
        return self._number("prefetch_rows")

    @property
    def kept_bytes(self) -> int:
        """The most bytes that a worker keeps of packed operands between programs of a launch, 0 for none."""
        return self._number("kept_bytes")

    @property
    def strided_lanes(self) -> int:
        """Elements that a strided load moves per cycle, 0 if there is no such instruction."""
        return self._number("strided_lanes")

    @property
    def widens_f16(self) -> int:
        """1 if a multiply-add of fp32 vectors takes fp16 as it is, else 0."""
        return self._number("widens_f16")

    @property
    def widens_bf16(self) -> int:
        """1 if a multiply-add of fp32 vectors takes bf16 as it is, else 0."""
        return self._number("widens_bf16")

    @property
    def tiles_bf16(self) -> int:
        """1 if products of bf16 and fp16 are made by AMX's tiles, which treat denormal numbers as zero, else 0."""
        return self._number("tiles_bf16")

    @property
    def alignment(self) -> int:
        """Alignment of a tile in the scratchpad, in bytes."""
        return self._number("alignment")

    @property
    def granule_bytes(self) -> int:
        """What is moved at least, in bytes: a cache line or a burst."""
        return self._number("granule_bytes", 64)

    @property
    def cores(self) -> int:
        return self._number("cores", 1)

    @property
    def last_level_cache_bytes(self) -> int:
        """Bytes of the largest cache, 0 if unknown."""
        return max((self._number(key) for key in ("l2_bytes", "l1d_bytes")), default=0)


# --- Finding and checking -------------------------------------------------------------------------------------------

PATH_VARIABLE = "SPINE_TRITON_TARGET_PATH"
"""Folders with descriptions of one's own, separated as in PATH."""


def _folders(path: str) -> list[Path]:
    own = [Path(folder) for folder in path.split(os.pathsep) if folder]
    return [Path(str(resources.files("spine_triton") / "targets")), *own]


def _search_path() -> str:
    return os.environ.get(PATH_VARIABLE, "")


@functools.cache
def _files(path: str) -> dict[str, Path]:
    """The files of all descriptions by their targets' names."""
    found: dict[str, Path] = {}
    for folder in _folders(path):
        if not folder.is_dir():
            raise ValueError(f"{PATH_VARIABLE}: {folder} is no folder")
        for file in sorted(folder.glob("*.json")):
            if file.stem in found:
                raise ValueError(f"two descriptions of the target {file.stem!r}: {found[file.stem]} and {file}")
            found[file.stem] = file
    return found


def names() -> list[str]:
    """The names of all targets, `host` first: those of this package and those in `SPINE_TRITON_TARGET_PATH`."""
    return ["host", *sorted(name for name in _files(_search_path()) if name != "host")]


def validate(text: str, where: str) -> dict:
    """The description in `text`; `where` names it in messages.

    Raises ValueError that says which field is wrong and what it should be: fields that are missing or unknown, of the
    wrong type or out of range, a name that options could not spell, a number without a source.
    """
    from spine_triton import _spine

    _refuse_depth(text, where)
    try:
        _spine.check_residency(_spine.Module.parse(_spine.Context(), "module {}"), text)
    except _spine.MLIRError as e:
        raise ValueError(f"{where}: {e.diagnostics[0].message}") from None
    description = json.loads(text)
    name = description.get("name", "")
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*", name):
        raise ValueError(f"{where}: 'name' must be letters, digits, '.', '_' and '-', got {name!r}")
    sources = description.get("sources", {})
    for key, value in description.items():
        if isinstance(value, int) and not isinstance(value, bool) and key not in sources:
            raise ValueError(f"{where}: 'sources' must say where the number of '{key}' comes from")
    return description


def _refuse_depth(text: str, where: str) -> None:
    """The compiler's parser follows brackets on the stack, however many there are."""
    try:
        json.loads(text)
    except RecursionError:
        raise ValueError(f"{where}: too many brackets in each other") from None
    except ValueError:
        pass  # the compiler says what is wrong


def load(path: str | os.PathLike) -> Target:
    """The target that a file describes. Raises ValueError if the description is not valid, OSError without a file."""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except UnicodeDecodeError as e:
        raise ValueError(f"{path}: byte {e.start} is not UTF-8: {e.reason}") from None
    return Target(validate(text, str(path))["name"], text)


@functools.cache
def _find(name: str, path: str) -> Target:
    if name == "host":
        from spine_triton import _spine

        return Target(name, _spine.host_target_json())
    if name.endswith(".json"):
        try:
            return load(name)
        except OSError as e:
            raise ValueError(f"target {name}: {e.strerror}") from None
    file = _files(path).get(name)
    if file is None:
        raise ValueError(f"unknown target {name!r}; there are {', '.join(names())}, and files whose names end in .json")
    target = load(file)
    if target.name != name:
        raise ValueError(f"{file}: 'name' must be that of the file, {name!r}, got {target.name!r}")
    return target


def find(name: str) -> Target:
    """The target of this name, or that a file describes whose name ends in `.json`.

    Raises ValueError, naming the targets that exist, or what is wrong with a description.
    """
    if not isinstance(name, str):
        raise TypeError(f"the name of a target is a text, not {name!r}")
    return _find(name, _search_path())
