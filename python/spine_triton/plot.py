# ===- plot.py - A residency plan as a picture ------------------------------===#
#
# Part of spine-triton, under the MIT licence.
#
# ===-----------------------------------------------------------------------===#
"""The arena over a program: program order across, scratchpad bytes upwards, one box per tile.

Needs matplotlib: `pip install spine-triton[plot]`.
"""

from __future__ import annotations

import linecache
import os

from spine_triton import report as reports

_COLOURS = {
    "loaded": "#9ecae9",
    "accumulated": "#f7b977",
    "stored": "#a6d49f",
    "carried": "#d8b5e0",
    "kept": "#dcdcd2",
    # Under the policy as-needed, where roles are what code generation calls its buffers.
    "tile": "#f7b977",
    "temporary": "#dcdcd2",
}
_INK = "#26323c"
_LIMIT = "#c1272d"
_MOST_CALLOUTS = 6


def _role(tile: dict) -> str:
    if "is_temporary" not in tile:
        return tile["role"]
    return "temporary" if tile["is_temporary"] else "tile"


def _figure(kernel: dict):
    from matplotlib.figure import Figure

    points = max(kernel["points"] - _first_point(kernel), 1)
    figure = Figure(figsize=(min(max(9.0, 4.0 + 0.28 * points), 16.0), 6.0), dpi=120, layout="constrained")
    return figure, figure.add_subplot()


def _unit(kernel: dict) -> tuple[int, str]:
    return (1024, "KiB") if max(kernel["arena_bytes"], 1) >= 4096 else (1, "bytes")


def _top(kernel: dict) -> tuple[float, bool]:
    """The upper end of the axis in bytes, and whether the capacity is within it.

    Where a small part of the scratchpad is used, the boxes would be too flat to read beside all of it.
    """
    arena, available = kernel["arena_bytes"], kernel["capacity_bytes"] - kernel["reserve_bytes"]
    if available <= 1.6 * arena or arena == 0:
        return 1.25 * max(arena, available), True
    return 1.3 * arena, False


def _first_point(kernel: dict) -> int:
    """Where the picture begins: shortly before the first tile; what is before computes addresses only."""
    return max(min((tile["live_range"][0] for tile in kernel["tiles"]), default=0) - 1, 0)


def _label_sizes(axes) -> tuple[float, float]:
    """Width of a character and height of a line at font size 1, in data units of the axes."""
    box = axes.get_window_extent()
    (left, right), (bottom, top) = axes.get_xlim(), axes.get_ylim()
    points = axes.figure.dpi / 72
    return 0.56 * points * (right - left) / box.width, 1.3 * points * (top - bottom) / box.height


def _label(axes, tile: dict, x: float, y: float, width: float, height: float) -> str | None:
    """Writes a tile's name, shape and size into its box, as much as there is room for. The name that was left out."""
    character, line = _label_sizes(axes)
    size = reports.bytes_text(tile["bytes"])
    copies = f"{tile['copies']} copies, " if tile["copies"] > 1 else ""
    # A temporary lies beside what it is there for.
    name = tile["role"] if tile.get("is_temporary") else tile["name"]
    full = [name, reports.shape_text(tile), copies + size]
    choices = [full, [name, reports.shape_text(tile)], [f"{name}  {reports.shape_text(tile)}"]]
    for lines in (*choices, [name]):
        longest = max(len(text) for text in lines)
        for font in (10, 9, 8, 7):
            if longest * character * font <= 0.94 * width and len(lines) * line * font <= 0.94 * height:
                text = "\n".join(lines)
                axes.text(x + width / 2, y + height / 2, text, fontsize=font, color=_INK, ha="center", va="center")
                return None
    return name


def _draw_tiles(axes, kernel: dict, unit: int) -> list[dict]:
    """Draws a box per tile; returns those whose name found no room."""
    from matplotlib.patches import Rectangle

    unnamed = []
    for tile in kernel["tiles"]:
        if tile["offset"] is None:
            continue
        first, last = tile["live_range"]
        x, y, width, height = first - 0.5, tile["offset"] / unit, last - first + 1, tile["bytes"] / unit
        axes.add_patch(Rectangle((x, y), width, height, facecolor=_COLOURS[_role(tile)], edgecolor=_INK, linewidth=0.9))
        if tile["copies"] > 1:
            for copy in range(1, tile["copies"]):
                at = y + height * copy / tile["copies"]
                axes.plot([x, x + width], [at, at], color=_INK, linewidth=0.5, linestyle=":")
        if _label(axes, tile, x, y, width, height):
            unnamed.append(tile)
    return unnamed


def _rows_of_callouts(axes, tiles: list[dict]) -> list[tuple[dict, int]]:
    """The row of each tile's callout above the arena: to the right of its line, and above those whose lines it meets."""
    character, _ = _label_sizes(axes)
    placed: list[tuple[dict, int]] = []
    for tile in sorted(tiles, key=lambda t: -t["live_range"][0]):
        right = tile["live_range"][0] + 1.1 * len(_callout(tile)) * character * 8
        row = 1 + max((r for other, r in placed if other["live_range"][0] < right), default=-1)
        placed.append((tile, row))
    return placed


def _callout(tile: dict) -> str:
    return f" {reports.name_text(tile)}  {reports.shape_text(tile)}  {reports.bytes_text(tile['bytes'])}"


def _make_room(axes, kernel: dict, tiles: list[dict], unit: int) -> list[tuple[dict, int]]:
    """Moves the axis' upper end up so far that the callouts are inside; their rows."""
    rows = _rows_of_callouts(axes, tiles)
    if not rows:
        return rows
    top = axes.get_ylim()[1]
    _, line = _label_sizes(axes)
    share = (2.4 + 1.5 * max(row for _, row in rows)) * 8 * line / top  # of the axis' height
    axes.set_ylim(0, max(top, kernel["arena_bytes"] / unit / (1 - min(share + 0.08, 0.7))))
    return rows


def _draw_callouts(axes, kernel: dict, rows: list[tuple[dict, int]], unit: int) -> None:
    """Names of boxes that are too small for them, above the arena, each with a line down to its box."""
    _, line = _label_sizes(axes)
    for tile, row in rows:
        x, y = tile["live_range"][0], (tile["offset"] + tile["bytes"] / 2) / unit
        level = kernel["arena_bytes"] / unit + (1.6 + 1.5 * row) * line * 8
        # Behind the boxes, so that no line runs through a name; the dot says which box is meant.
        axes.plot([x, x], [y, level], color="#8a949c", linewidth=0.7, zorder=0.6)
        axes.plot([x], [y], marker="o", markersize=3, color=_INK, zorder=4)
        axes.text(x, level, _callout(tile), fontsize=8, color=_INK, ha="left", va="center")


def _draw_limits(axes, kernel: dict, unit: int, top: float, has_capacity: bool) -> None:
    available = kernel["capacity_bytes"] - kernel["reserve_bytes"]
    points = kernel["points"]
    text = f"capacity {reports.bytes_text(available)}"
    if has_capacity:
        axes.axhline(available / unit, color=_LIMIT, linewidth=1.6)
        axes.text(points - 0.6, available / unit, text, color=_LIMIT, fontsize=9, ha="right", va="bottom")
    else:
        # Above a cut through the axis.
        times = available / max(kernel["arena_bytes"], 1)
        axes.axhline(top, color=_LIMIT, linewidth=3, clip_on=True)
        axes.text(points - 0.6, 0.985 * top, f"{text}, {times:.3g} times the arena", color=_LIMIT, fontsize=9,
                  ha="right", va="top")  # fmt: skip
        cut = {"marker": [(-1, -0.5), (1, 0.5)], "markersize": 10, "linestyle": "none", "color": _INK, "clip_on": False}
        axes.plot([0, 0], [0.93, 0.95], transform=axes.transAxes, **cut)
    peak = kernel["peak_point"]
    axes.text(points - 0.6, kernel["arena_bytes"] / unit, f"arena {reports.bytes_text(kernel['arena_bytes'])}",
              color=_INK, fontsize=9, ha="right", va="bottom")  # fmt: skip
    axes.axvspan(peak - 0.5, peak + 0.5, color="#000000", alpha=0.07, linewidth=0, zorder=0)
    axes.axhline(kernel["arena_bytes"] / unit, color=_INK, linewidth=0.8, linestyle="--")


def _ticks(axes, kernel: dict, left_out: list[dict]) -> None:
    """Lines of the source where tiles come and go, as far as they do not touch."""
    events = {kernel["peak_point"]: kernel["peak"]}
    for tile in kernel["tiles"]:
        events.setdefault(tile["live_range"][0], tile)
    character, _ = _label_sizes(axes)
    ticks, labels, end = [], [], -1e9
    for point in sorted(events):
        place = events[point]
        if not place["file"]:
            continue
        label = str(place["line"])
        half = 0.7 * len(label) * character * 8
        if point - half < end:
            continue
        ticks.append(point)
        labels.append(label)
        end = point + half
    axes.set_xticks(ticks, labels, fontsize=8)
    files = sorted({os.path.basename(p["file"]) for p in events.values() if p["file"]})
    text = "program order" + (f" (line of {', '.join(files)} where a tile comes in)" if files else "")
    if left_out:
        most = reports.bytes_text(max(tile["bytes"] for tile in left_out))
        text += f"\nwithout a name, {most} or less: {', '.join(reports.name_text(tile) for tile in left_out)}"
    axes.set_xlabel(text)


def _legend(axes, kernel: dict) -> None:
    from matplotlib.patches import Patch

    roles = [role for role in _COLOURS if any(_role(tile) == role for tile in kernel["tiles"])]
    if not roles:
        return
    handles = [Patch(facecolor=_COLOURS[role], edgecolor=_INK, label=role) for role in roles]
    axes.figure.legend(handles=handles, loc="outside lower center", ncols=max(len(roles), 1), frameon=False, fontsize=9)


def _title(axes, kernel: dict, target: str) -> None:
    available = kernel["capacity_bytes"] - kernel["reserve_bytes"]
    verdict = "fits" if kernel["fits"] else "does not fit"
    if kernel["contract"]:
        verdict = "depends on the launch" if kernel["arena_bytes"] <= available else verdict
    axes.set_title(
        f"{kernel['kernel']} on {target}: {verdict}, {kernel['arena_bytes']:,} of {available:,} bytes",
        fontsize=12,
        color=_INK if kernel["fits"] else _LIMIT,
        loc="left",
    )
    source = linecache.getline(kernel["peak"]["file"], kernel["peak"]["line"]).strip() if kernel["peak"]["file"] else ""
    if source:
        source = source if len(source) < 90 else source[:87] + "..."
        axes.text(0, 1.005, f"peak at line {kernel['peak']['line']}: {source}", transform=axes.transAxes, fontsize=8,
                  color="#5b6770", va="bottom")  # fmt: skip
        axes.set_title(axes.get_title(loc="left"), loc="left", fontsize=12, pad=18,
                       color=_INK if kernel["fits"] else _LIMIT)  # fmt: skip


def plot_kernel(kernel: dict, target: str, path: str) -> None:
    """Writes the picture of one kernel's plan to `path`; the ending says the format (svg, png, pdf).

    `kernel` is an element of `ResidencyReport.kernels`. Raises ValueError for an ending that is not known, and
    ImportError without matplotlib.
    """
    from matplotlib import rc_context

    unit, unit_name = _unit(kernel)
    # Text stays text in an SVG, so that it can be searched; names of variables may contain $ and _.
    with rc_context({"svg.fonttype": "none", "text.parse_math": False}):
        figure, axes = _figure(kernel)
        top, has_capacity = _top(kernel)
        top /= unit
        axes.set_xlim(_first_point(kernel) - 0.5, max(kernel["points"], 1) - 0.5)
        axes.set_ylim(0, top)
        axes.set_ylabel(f"scratchpad, {unit_name}")
        axes.spines[["top", "right"]].set_visible(False)
        _title(axes, kernel, target)
        _legend(axes, kernel)
        axes.set_xlabel("program order\n" if len(kernel["tiles"]) > _MOST_CALLOUTS else "program order")
        figure.canvas.draw()  # sizes of labels are measured in the final layout
        unnamed = sorted(_draw_tiles(axes, kernel, unit), key=lambda t: -t["bytes"])
        rows = _make_room(axes, kernel, unnamed[:_MOST_CALLOUTS], unit)
        _draw_callouts(axes, kernel, rows, unit)
        _draw_limits(axes, kernel, unit, axes.get_ylim()[1], has_capacity)
        _ticks(axes, kernel, unnamed[_MOST_CALLOUTS:])
        figure.savefig(path)
