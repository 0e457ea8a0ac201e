"""Times kernels beside NumPy and torch and says which goals are met.

Times are medians of alternating runs, goals are ratios within one run: the fastest peer's time over ours. The bound is
what memory (each operand and result once) or arithmetic would take at the speed that probes reach in the same run.
"""

import argparse
import json
import os
import platform
import statistics
import time
from pathlib import Path

import bounds
import numpy as np
import overheads
import torch
import triton
import work

import spine_triton

LEAST_RUNS = 7
# Seconds after which the threads of the library that ran before have gone to sleep, and for which a function is called
# before the call that counts: cores that were idle are slow at first.
PAUSE = 0.12
WARM_UP = 0.02


def alternate(functions, seconds, least):
    """Median seconds of functions that are called in turn, each time after calls that do not count.

    The threads of some libraries wait busily for more work (OpenBLAS's for 0.1 s) and would slow down who comes next.
    """
    pause, warm_up = (PAUSE, WARM_UP) if least >= LEAST_RUNS else (0, 0)
    times = [[] for _ in functions]
    until = time.perf_counter() + seconds
    while len(times[0]) < least or time.perf_counter() < until:
        for function, record in zip(functions, times, strict=True):
            begin = time.perf_counter()
            while time.perf_counter() < begin + pause:
                pass
            function()
            while time.perf_counter() < begin + pause + warm_up:
                function()
            begin = time.perf_counter()
            function()
            record.append(time.perf_counter() - begin)
    return [statistics.median(record) for record in times]


def measure(row, machine, seconds, least):
    """A row of the report. Raises if the result is wrong: the speed of a wrong result is of no interest."""
    job = row.prepare()
    ours, *peers = alternate([job.ours, *job.peers.values()], seconds, least)
    job.check()
    peer, peer_seconds = min(zip(job.peers, peers, strict=True), key=lambda pair: pair[1])
    bound = max(job.bytes / machine["bytes"], job.flop / machine["flop"])
    ratio = peer_seconds / ours
    goals = [(row.goal, ratio), (row.bound_goal, bound / ours)]
    return {
        "name": row.name,
        "ours_ms": ours * 1e3,
        "peer": peer,
        "peer_ms": peer_seconds * 1e3,
        "ratio": ratio,
        "bound_ms": bound * 1e3,
        "gflops": job.flop / ours / 1e9,
        "goal": row.goal,
        "bound_goal": row.bound_goal,
        "met": all(goal is None or reached >= goal for goal, reached in goals),
    }


def print_row(row):
    goal = "" if row["goal"] is None else f">= {row['goal']:.2f}"
    if row["bound_goal"] is not None:
        goal += f", bound >= {row['bound_goal']:.2f}"
    verdict = "" if not goal else "met" if row["met"] else "NOT met"
    print(f"{row['name']:30} {row['ours_ms']:9.2f} {row['gflops']:8.1f} {row['peer']:>11} {row['peer_ms']:9.2f} "
          f"{row['ratio']:6.2f} {row['bound_ms']:9.2f} {row['bound_ms'] / row['ours_ms']:6.2f}  {goal:24} {verdict}",
          flush=True)  # fmt: skip


def measure_tiles(quick, seconds, least):
    """The worst tile of the range against the best, per K: none is a trap."""
    rows = []
    for k, tiles in work.tiles(quick):
        jobs = [prepare() for prepare in tiles.values()]
        times = alternate([job.ours for job in jobs], seconds * len(jobs), least)
        for job in jobs:
            job.check()
        own = dict(zip(tiles, times, strict=True))
        best, worst = min(own, key=own.get), max(own, key=own.get)
        spread = own[worst] / own[best]
        print(f"tiles, K = {k}: best {best} rows {own[best] * 1e3:.2f} ms, worst {worst} rows {own[worst] * 1e3:.2f} ms, "
              f"{spread:.2f}x  (goal <= 1.30) {'met' if spread <= 1.3 else 'NOT met'}", flush=True)  # fmt: skip
        rows.append({"name": f"tiles K = {k}", "ms": {str(t): v * 1e3 for t, v in own.items()}, "ratio": spread,
                     "goal": 1.3, "met": spread <= 1.3})  # fmt: skip
    return rows


def measure_overheads():
    rows = []
    for name, unit, value, limit in overheads.rows(spine_triton.num_threads()):
        print(
            f"{name:60} {value:9.3f} {unit}  (goal <= {limit:g}) {'met' if value <= limit else 'NOT met'}", flush=True
        )
        rows.append({"name": name, "unit": unit, "value": value, "goal": limit, "met": value <= limit})
    return rows


def plot(rows, path):
    """Bars of the ratios, with the goals as marks."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(9, 0.32 * len(rows) + 1.2), layout="constrained")
    at = range(len(rows))
    axes.barh(at, [row["ratio"] for row in rows], color=["#3a7" if row["met"] else "#c64" for row in rows])
    axes.scatter([row["goal"] or np.nan for row in rows], at, marker="|", s=160, color="black", zorder=3, label="goal")
    axes.axvline(1, color="gray", linewidth=0.8)
    axes.set_yticks(at, [f"{row['name']} ({row['peer']})" for row in rows])
    axes.invert_yaxis()
    axes.set_xlabel("fastest peer's time / ours")
    axes.legend(loc="lower right")
    figure.savefig(path)
    pyplot.close(figure)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="small shapes, little time: only to see that it works")
    parser.add_argument("--only", default="", metavar="TEXT", help="rows whose name contains TEXT, and nothing else")
    parser.add_argument("--json", default="build/bench.json", metavar="FILE", help="where the rows go (%(default)s)")
    parser.add_argument("--plot", default="build/bench.svg", metavar="FILE", help="where the plot goes (%(default)s)")
    arguments = parser.parse_args()

    seconds, least = (0.02, 2) if arguments.quick else (1.0, LEAST_RUNS)
    machine = {"bytes": bounds.bandwidth(), "flop": bounds.flops()}
    print(f"{platform.machine()}, {os.cpu_count()} CPUs, {spine_triton.num_threads()} worker threads, "
          f"NumPy {np.__version__}, torch {torch.__version__}, Triton {triton.__version__}; "
          f"{machine['bytes'] / 1e9:.1f} GB/s, {machine['flop'] / 1e9:.0f} GFLOP/s")  # fmt: skip
    print(
        f"{'work':30} {'ms':>9} {'GFLOP/s':>8} {'peer':>11} {'ms':>9} {'ratio':>6} {'bound ms':>9} {'of it':>6}  goal"
    )
    rows = []
    for row in work.table(arguments.quick):
        if arguments.only in row.name:
            rows.append(measure(row, machine, seconds, least))
            print_row(rows[-1])
    if not rows:
        parser.error(f"no row's name contains {arguments.only!r}")
    report = {"machine": machine, "rows": rows}
    if not arguments.only:
        report["tiles"] = measure_tiles(arguments.quick, seconds / 2, least)
        report["overheads"] = measure_overheads()
    for path in (arguments.json, arguments.plot):
        Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(arguments.json).write_text(json.dumps(report, indent=2) + "\n")
    plot(rows, arguments.plot)
    everything = [*rows, *report.get("tiles", []), *report.get("overheads", [])]
    missed = [row["name"] for row in everything if not row["met"]]
    print(
        f"\n{len(everything) - len(missed)} of {len(everything)} goals met"
        + (f"; missed: {', '.join(missed)}" if missed else "")
    )


if __name__ == "__main__":
    main()
