# ===- contract.py - What a launch has to check ----------------------------===#
#
# Part of spine-triton, under the MIT licence.
#
# ===-----------------------------------------------------------------------===#
"""The part of a residency plan that depends on the arguments of a launch.

Where tiles are mirrored, their bytes follow from strides, and strides are often arguments. The compiler then leaves a
contract at the kernel, a JSON object:

| key               | meaning                                                                          |
| ----------------- | -------------------------------------------------------------------------------- |
| `fixed_bytes`     | bytes of all other tiles                                                         |
| `available_bytes` | what the scratchpad has                                                          |
| `alignment`       | each tile's bytes are rounded up to a multiple of it                             |
| `granule`         | bytes that are moved at least                                                    |
| `tiles`           | list of the tiles whose bytes depend on arguments                                |

and for each tile `name`, `shape`, `element_bytes`, `copies`, `access_alignment` (a power of two that divides the
address of its first element) and `strides`, each of them a number, `["argument", i]` for the kernel's argument i, or
`[operator, left, right]` with `+` or `*`.
"""

from __future__ import annotations

import functools
import json

from spine_triton import _spine


def _numbers_in(expression, found: set[int]) -> set[int]:
    if isinstance(expression, list):
        if expression[0] == "argument":
            found.add(expression[1])
        else:
            for part in expression[1:]:
                _numbers_in(part, found)
    return found


def evaluate(expression: int | list, arguments: dict[int, int]) -> int:
    """A stride's value. `arguments` gives the values of the kernel's arguments by their numbers."""
    if isinstance(expression, int):
        return expression
    if expression[0] == "argument":
        return arguments[expression[1]]
    left, right = (evaluate(part, arguments) for part in expression[1:])
    return left + right if expression[0] == "+" else left * right


class LaunchContract:
    """A contract, ready to be checked at each launch."""

    def __init__(self, text: str):
        self._facts = json.loads(text)
        numbers: set[int] = set()
        for tile in self._facts["tiles"]:
            for stride in tile["strides"]:
                _numbers_in(stride, numbers)
        self.arguments = tuple(sorted(numbers))
        """Numbers of the kernel's arguments that matter."""
        # Most launches of a kernel have the strides of the one before.
        self._needed = functools.lru_cache(maxsize=64)(self._compute)

    @property
    def available_bytes(self) -> int:
        return self._facts["available_bytes"]

    def needed_bytes(self, values: tuple[int, ...]) -> tuple[int, tuple[tuple[str, int], ...]]:
        """Bytes of all tiles for the values of `arguments`, and (name, bytes) of the tiles that depend on them."""
        return self._needed(values)

    def _compute(self, values: tuple[int, ...]) -> tuple[int, tuple[tuple[str, int], ...]]:
        arguments = dict(zip(self.arguments, values, strict=True))
        parts = tuple((tile["name"], self._bytes(tile, arguments)) for tile in self._facts["tiles"])
        return self._facts["fixed_bytes"] + sum(size for _, size in parts), parts

    def _bytes(self, tile: dict, arguments: dict[int, int]) -> int:
        width, alignment = tile["element_bytes"], self._facts["alignment"]
        strides = [evaluate(stride, arguments) for stride in tile["strides"]]
        *_, size = _spine.footprint(
            tile["shape"], strides, width, self._facts["granule"], max(tile["access_alignment"], width)
        )
        if size is None:  # beyond 64 bits: beyond any scratchpad
            return 2**63
        return tile["copies"] * -(-size // alignment) * alignment

    def check(self, kernel: str, arguments) -> None:
        """Raises ScratchpadExceeded, with the numbers, if a launch with these arguments does not fit."""
        values = tuple(int(arguments[number]) for number in self.arguments)
        needed, parts = self._needed(values)
        if needed > self.available_bytes:
            from spine_triton.errors import LaunchExceedsScratchpad

            raise LaunchExceedsScratchpad(
                kernel,
                needed,
                self.available_bytes,
                self._facts["fixed_bytes"],
                parts,
                dict(zip(self.arguments, values)),
            )
