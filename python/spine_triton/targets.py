# ===- targets.py - Target descriptions ------------------------------------===#
#
# Part of spine-triton, under the MIT licence.
#
# ===-----------------------------------------------------------------------===#
"""Finds target descriptions by name: `host`, which the machine describes itself, and the files in `targets/`."""

from __future__ import annotations

import functools
import hashlib
import json
from dataclasses import dataclass
from importlib import resources


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
    def prefetch_rows(self) -> int:
        """Rows of a product's left operand to prefetch ahead, 0 for none."""
        return self._number("prefetch_rows")

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


def names() -> list[str]:
    """The names of all targets, `host` first."""
    folder = resources.files("spine_triton") / "targets"
    found = sorted(f.name.removesuffix(".json") for f in folder.iterdir() if f.name.endswith(".json"))
    return ["host", *(name for name in found if name != "host")]


@functools.cache
def find(name: str) -> Target:
    """The target of this name. Raises ValueError, naming the ones that exist."""
    if name == "host":
        from spine_triton import _spine

        return Target(name, _spine.host_target_json())
    if name not in names():
        raise ValueError(f"unknown target {name!r}; there are {', '.join(names())}")
    return Target(name, (resources.files("spine_triton") / "targets" / f"{name}.json").read_text())
