# ===- report.py - A residency plan to read ---------------------------------===#
#
# Part of spine-triton, under the MIT licence.
#
# ===-----------------------------------------------------------------------===#
"""Residency plans as a table for the terminal and as JSON."""

from __future__ import annotations

import os
import sys
from collections import Counter

from rich.console import Console
from rich.table import Table
from rich.text import Text

from spine_triton.residency import ResidencyReport

SCHEMA_VERSION = 1
"""Counted up when the JSON changes in a way that a reader would notice. The keys are described in docs/residency.md."""


def to_json(report: ResidencyReport) -> dict:
    """The report as what `json.dumps` takes."""
    return {
        "schema_version": SCHEMA_VERSION,
        "target": report.target,
        "fits": report.fits,
        "kernels": [_with_loc(kernel) for kernel in report.kernels],
    }


def _with_loc(value):
    """Places in the source, which are flat in the compiler's facts, under a key `loc` of their own."""
    if isinstance(value, list):
        return [_with_loc(v) for v in value]
    if not isinstance(value, dict):
        return value
    place = {key: value[key] for key in ("file", "line", "column") if key in value}
    if place == value:
        return place
    rest = {key: _with_loc(v) for key, v in value.items() if key not in place}
    return {**rest, "loc": place} if place else rest


# --- The table ------------------------------------------------------------------------------------------------------


def bytes_text(number: int | None) -> str:
    """A number of bytes as people say it; `-` for one that is not known."""
    if number is None:
        return "-"
    for unit, name in ((1 << 20, "MiB"), (1 << 10, "KiB")):
        if number >= unit and number % (unit // 16) == 0:
            return f"{number / unit:g} {name}"
    return f"{number:,} B"


def place_text(place: dict) -> str:
    """`file.py:12` of a dictionary with `file` and `line`."""
    return f"{os.path.basename(place['file'])}:{place['line']}" if place["file"] else "-"


def name_text(tile: dict) -> str:
    """The name of a tile; of a buffer that holds something else what it is, and what it is there for."""
    if tile.get("is_temporary") and tile["role"] != tile["name"]:
        return f"{tile['role']} of {tile['name']}"
    return tile["name"]


def shape_text(tile: dict) -> str:
    return "x".join(str(n) for n in (*tile["shape"], tile["dtype"]))


def _footprints(tile: dict) -> tuple[str, str]:
    """Span and granule bytes, `launch` where strides are arguments."""
    unknown = "launch" if tile["span_expression"] else "-"
    return tuple(bytes_text(tile[k]) if tile[k] is not None else unknown for k in ("span_bytes", "granule_bytes"))


def _tile_table(kernel: dict) -> Table:
    table = Table(header_style="bold", box=None, pad_edge=False)
    for name in ("tile", "where", "shape", "role, placement"):
        table.add_column(name, overflow="fold")
    for name in ("dense", "span", "granules", "bytes", "offset", "live"):
        table.add_column(name, justify="right", no_wrap=True)
    for tile in sorted(kernel["tiles"], key=lambda t: (not t["live_at_peak"], -(t["bytes"] or 0))):
        span, granules = _footprints(tile)
        first, last = tile["live_range"]
        table.add_row(
            name_text(tile),
            place_text(tile),
            shape_text(tile),
            f"{tile['role']}, {tile['placement']}" + (f", {tile['copies']} copies" if tile["copies"] > 1 else ""),
            bytes_text(tile["dense_bytes"]),
            span,
            granules,
            bytes_text(tile["bytes"]),
            bytes_text(tile["offset"]),
            f"{first}-{last}",
            style="" if tile["live_at_peak"] else "dim",
        )
    return table


def _verdict(kernel: dict) -> Text:
    available = kernel["capacity_bytes"] - kernel["reserve_bytes"]
    text = Text()
    text.append(f"kernel '{kernel['kernel']}' ", style="bold")
    if kernel["unbounded"]:
        text.append("cannot be bounded", style="bold red")
        return text.append(f": {kernel['unbounded']}")
    if kernel["fits"]:
        text.append("fits", style="bold green")
    elif kernel["contract"] and kernel["arena_bytes"] <= available:
        text.append("depends on the launch", style="bold yellow")
    else:
        text.append("does not fit", style="bold red")
    text.append(f": {bytes_text(kernel['arena_bytes'])} of {bytes_text(available)}")
    text.append(f" ({kernel['arena_bytes']:,} of {available:,} bytes; policy {kernel['policy']})", style="dim")
    return text


def _places(kernel: dict, block: dict) -> str:
    names = {}
    for number, dim in block["places"]:
        names.setdefault(dim, []).append(kernel["tiles"][number]["name"])
    return ", ".join(f"dimension {dim} of {' and of '.join(dict.fromkeys(tiles))}" for dim, tiles in names.items())


def _placements(kernel: dict) -> str:
    """How many tiles are where, under the policy `as-needed`."""
    words = {"registers": "in registers", "in_place": "read in place", "packed": "in the scratchpad"}
    counts = Counter(tile["placement"] for tile in kernel["placements"])
    return ", ".join(f"{counts[key]} {text}" for key, text in words.items() if counts[key])


def _details(kernel: dict) -> list[str]:
    lines = []
    if kernel["placements"]:
        lines.append(f"tiles of the kernel: {_placements(kernel)}")
    if kernel["stack_bytes"] is not None:
        lines.append(f"a program takes {bytes_text(kernel['stack_bytes'])} of the stack")
    if kernel["live_peak_bytes"] != kernel["arena_bytes"]:
        lines.append(f"most bytes live at one time: {bytes_text(kernel['live_peak_bytes'])}")
    if kernel["peak"]["file"]:
        lines.append(f"most bytes are live at {place_text(kernel['peak'])}; dim tiles are not live there")
    for tile in kernel["tiles"]:
        if tile["span_expression"]:
            lines.append(f"{tile['name']}: span {tile['span_expression']}, granules {tile['granule_expression']}")
    for block in kernel["smaller_blocks"]:
        lines.append(f"would fit: {block['fitting']} instead of {block['size']} in {_places(kernel, block)}")
    return lines


class _Console(Console):
    def on_broken_pipe(self) -> None:
        """Called where the error is caught. What rich does by itself is to end with the status of a kernel too large."""
        raise


def print_table(report: ResidencyReport, console: Console | None = None) -> None:
    """Prints the verdict on each kernel, its tiles, and what would fit."""
    console = console or _Console(width=None if sys.stdout.isatty() else 120)
    console.print(f"target [bold]{report.target}[/]", highlight=False)
    for kernel in report.kernels:
        console.print()
        console.print(_verdict(kernel), soft_wrap=True)
        console.print(_tile_table(kernel))
        for line in _details(kernel):
            console.print(Text(line), soft_wrap=True)
