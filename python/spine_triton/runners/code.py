# ===- code.py - Address space for linked code -----------------------------===#
#
# Part of spine-triton, under the MIT licence.
#
# ===-----------------------------------------------------------------------===#
"""Divides the address space that a runner sets aside for code among kernels."""

from __future__ import annotations

PAGE = 4096


class AddressSpace:
    """First fit over a list of free ranges; neighbours are joined again when they become free."""

    def __init__(self, address: int, size: int):
        self._free: list[tuple[int, int]] = [(address, size)]

    def largest(self) -> tuple[int, int]:
        """Address and bytes of the largest free range; (0, 0) if there is none."""
        return max(self._free, key=lambda r: r[1], default=(0, 0))

    def take(self, address: int, size: int) -> None:
        """Takes a part of a free range."""
        for i, (begin, length) in enumerate(self._free):
            if begin <= address and address + size <= begin + length:
                rest = [(begin, address - begin), (address + size, begin + length - address - size)]
                self._free[i : i + 1] = [r for r in rest if r[1]]
                return
        raise ValueError(f"{size} bytes at {address:#x} are not free")

    def give(self, address: int, size: int) -> None:
        """Gives back what `take` took."""
        joined: list[tuple[int, int]] = []
        for begin, length in sorted([*self._free, (address, size)]):
            if joined and sum(joined[-1]) == begin:
                joined[-1] = (joined[-1][0], joined[-1][1] + length)
            else:
                joined.append((begin, length))
        self._free = joined
