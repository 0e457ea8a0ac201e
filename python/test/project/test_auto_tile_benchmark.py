# ===- test_auto_tile_benchmark.py - The benchmark of split tiles runs -----===#
#
# Part of spine-triton, under the MIT licence.
#
# ===-----------------------------------------------------------------------===#
"""benchmarks/auto_tile.py on small shapes: what it times is right, and it prints a ratio for each."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]


def test_quick_run():
    command = [sys.executable, str(ROOT / "benchmarks/auto_tile.py"), "--quick"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    assert len(re.findall(r"^ *\d+x\d+x\d+ +\d+x\d+x\d+ +[\d.]+ +[\d.]+ +[\d.]+$", done.stdout, re.MULTILINE)) == 2
    assert "is split: its tiles need" in done.stderr
