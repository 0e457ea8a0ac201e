# ===- test_guard_pages.py - No access outside of the arguments ------------===#
#
# Part of spine-triton, under the MIT licence.
#
# ===-----------------------------------------------------------------------===#
"""Loads and stores of tiles that reach over the edge of a tensor, where the next page cannot be accessed."""

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).with_name("guard_pages.py")
TYPES = [["bool", "int8", "uint8"], ["int16", "int32", "int64"], ["float16", "float32", "float64"]]


def run(what, dtypes):
    done = subprocess.run([sys.executable, str(SCRIPT), what, *dtypes], capture_output=True, text=True, timeout=900)
    lines = done.stdout.splitlines() or ["nothing"]
    assert done.returncode == 0 and lines[-1] == "done", f"ended with {done.returncode} in: {lines[-1]}\n{done.stderr}"


@pytest.mark.parametrize("dtypes", TYPES, ids="-".join)
@pytest.mark.parametrize("rank", ["1", "2", "3"])
def test_tiles_at_the_edge_of_memory(rank, dtypes):
    run(rank, dtypes)


def test_dot_at_the_edge_of_memory():
    run("dot", ["float16", "bfloat16", "float32"])


def test_dot_of_batches_at_the_edge_of_memory():
    run("batch-dot", ["float16", "float32"])


def test_dot_of_whole_matrices_at_the_edge_of_memory():
    run("whole-dot", ["float16", "bfloat16", "float32", "float64"])


def test_the_edge_is_guarded():
    """The test's own means: touching the byte beyond ends the process."""
    code = """
import sys; sys.path.insert(0, sys.argv[1])
import ctypes, numpy as np
from guard_pages import at_edge
a = at_edge(np.zeros(10, np.int8), "end")
print(a[9], flush=True)
ctypes.string_at(a.ctypes.data + 10, 1)
"""
    done = subprocess.run([sys.executable, "-c", code, str(SCRIPT.parent)], capture_output=True, text=True)
    assert done.stdout.strip() == "0" and done.returncode < 0
