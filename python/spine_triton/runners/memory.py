# ===- memory.py - Tensors in memory that two processes share --------------===#
#
# Part of spine-triton, under the MIT licence.
#
# ===-----------------------------------------------------------------------===#
"""Copies the storages behind a launch's arguments into shared memory, and what has changed back.

The unit is the storage, not the argument: views of one tensor stay views of one tensor on the other side, and storages
that overlap share one region. A region keeps the storage's position within a page, so that what is aligned stays
aligned and what is not does not become so.
"""

from __future__ import annotations

import ctypes
import mmap
import os
from collections.abc import Sequence
from dataclasses import dataclass

PAGE = 4096
_CHUNK = 1 << 20
# Idle regions are kept up to this many bytes: a loop of launches then maps nothing.
IDLE_BYTES = 512 << 20

_libc = ctypes.CDLL(None)
_libc.memcmp.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t]
_libc.memcpy.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t]
_libc.memcpy.restype = ctypes.c_void_p


class Region:
    """A file in memory, mapped here and, at `remote`, by a runner."""

    def __init__(self, size: int):
        self.size = size
        self.remote = 0
        self.file = os.memfd_create("spine-triton", os.MFD_CLOEXEC)
        try:
            os.ftruncate(self.file, size)
            self._map = mmap.mmap(self.file, size)
        except (OSError, ValueError) as e:
            os.close(self.file)
            raise MemoryError(f"no shared memory for {size} bytes of tensors: {e}") from None
        self._first = ctypes.c_char.from_buffer(self._map)
        self.local = ctypes.addressof(self._first)

    def close(self) -> None:
        del self._first
        self._map.close()
        os.close(self.file)


@dataclass
class Storage:
    """Memory of this process, from `begin` to before `end`, and the region that stands for it."""

    begin: int
    end: int
    region: Region | None = None

    @property
    def offset(self) -> int:
        """Where the storage begins in its region."""
        return self.begin % PAGE

    @property
    def region_bytes(self) -> int:
        return -(-(self.offset + self.end - self.begin) // PAGE) * PAGE

    def remote(self, address: int) -> int:
        """The runner's address of what lies at `address` here."""
        return self.region.remote + self.offset + address - self.begin

    def copy_in(self) -> None:
        _libc.memcpy(self.region.local + self.offset, self.begin, self.end - self.begin)

    def copy_out(self) -> None:
        """Writes back what differs, piece by piece: memory that the kernel only read may be read-only here, too."""
        source = self.region.local + self.offset - self.begin
        for at in range(self.begin, self.end, _CHUNK):
            size = min(_CHUNK, self.end - at)
            if _libc.memcmp(at, source + at, size):
                _libc.memcpy(at, source + at, size)


def merge(ranges: Sequence[tuple[int, int]]) -> list[Storage]:
    """The storages behind ranges `(begin, bytes)`, those that overlap made one, in order of address."""
    merged: list[Storage] = []
    for begin, size in sorted(r for r in ranges if r[1] > 0):
        if merged and begin < merged[-1].end:
            merged[-1].end = max(merged[-1].end, begin + size)
        else:
            merged.append(Storage(begin, begin + size))
    return merged


def find(storages: Sequence[Storage], address: int) -> Storage:
    """The storage that holds `address`."""
    return next(s for s in storages if s.begin <= address < s.end)


class IdleRegions:
    """Regions that no launch uses at the moment. Takes the smallest that is large enough and not far too large."""

    def __init__(self) -> None:
        self._regions: list[Region] = []  # the one given back last is at the end

    def take(self, size: int) -> Region | None:
        fitting = [r for r in self._regions if size <= r.size <= max(2 * size, 1 << 20)]
        if not fitting:
            return None
        region = min(fitting, key=lambda r: r.size)
        self._regions.remove(region)
        return region

    def give(self, region: Region) -> list[Region]:
        """Returns the regions to be closed, since too many bytes are idle now."""
        self._regions.append(region)
        dropped = []
        while sum(r.size for r in self._regions) > IDLE_BYTES:
            dropped.append(self._regions.pop(0))
        return dropped

    def clear(self) -> list[Region]:
        regions, self._regions = self._regions, []
        return regions
