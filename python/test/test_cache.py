# ===- test_cache.py - Damaged files in Triton's cache ---------------------===#
#
# Part of spine-triton, under the MIT licence.
#
# ===-----------------------------------------------------------------------===#
"""Whatever a process that was ended or a full disk has left in the cache: the next one runs its kernels."""

import subprocess
import sys

import numpy as np
import pytest
import triton
from kernels import add_one
from triton.compiler import ASTSource

from spine_triton import _spine, _triton_compat


def launch(**options):
    """The kernel's result, of code from the cache's files and not from memory."""
    add_one.device_caches.clear()
    x = np.arange(100, dtype=np.float32)
    y = np.zeros_like(x)
    add_one[(1,)](x, y, 100, BLOCK=128, **options)
    return np.array_equal(y, x + 1)


def object_file(folder):
    (path,) = folder.glob("*/add_one.obj")
    return path


def damage(path, how):
    data = path.read_bytes()
    path.write_bytes({"empty": b"", "short": data[:100], "half": data[: len(data) // 2], "other": b"x" * 5000}[how])
    return data


@pytest.mark.parametrize("how", ["empty", "short", "half", "other"])
@pytest.mark.parametrize("options", [{}, {"num_stages": 2, "residency": "warn"}])
def test_damaged_code_is_compiled_again(fresh_cache, how, options):
    assert launch(**options)
    good = damage(object_file(fresh_cache), how)
    assert launch(**options)
    assert object_file(fresh_cache).read_bytes() == good, "and the cache has it again"


def test_damaged_code_in_an_emulator(fresh_cache, qemu):
    assert launch()
    damage(object_file(fresh_cache), "half")
    assert launch()


def test_code_that_stays_damaged_is_an_error(fresh_cache, monkeypatch):
    """It is compiled once more, not for ever."""
    compiled = []
    monkeypatch.setattr(_triton_compat, "compile_again", lambda *args: compiled.append(args) or b"nothing")
    assert launch()
    damage(object_file(fresh_cache), "half")
    with pytest.raises(_spine.MLIRError):
        launch()
    assert len(compiled) == 1


def test_code_of_a_file_cannot_be_compiled_again(fresh_cache, tmp_path):
    source = ASTSource(add_one, {"x_ptr": "*fp32", "y_ptr": "*fp32", "N": "i32", "BLOCK": "constexpr"}, {(3,): 128})
    path = tmp_path / "add_one.ttir"
    path.write_text(triton.compile(source).asm["ttir"])
    kernel = triton.compile(str(path))
    for object_path in fresh_cache.glob("*/*add_one.obj"):
        damage(object_path, "half")
    kernel = triton.compile(str(path))
    with pytest.raises(_spine.MLIRError) as e:
        _ = kernel.run
    assert "damaged file of Triton's cache: remove" in e.value.__notes__[0]


def test_damaged_code_in_a_cache_that_cannot_be_written(fresh_cache, monkeypatch):
    def fail(*args):
        raise PermissionError(13, "Permission denied")

    assert launch()
    damage(object_file(fresh_cache), "half")
    monkeypatch.setattr(_triton_compat, "compile_again", fail)
    with pytest.raises(_spine.MLIRError) as e:
        launch()
    assert "damaged file of Triton's cache: remove" in e.value.__notes__[0]


KILLED = """
import os, signal, sys
sys.path.insert(0, {folder!r})
import test_cache

# Triton puts a file in its place by this function; the process ends right before or after.
replace = os.replace
for after in (False, True):
    for number in range(9):
        pid = os.fork()
        if pid == 0:
            calls = 0
            def end(*args):
                global calls
                calls += 1
                if after:
                    replace(*args)
                if calls > number:
                    os.kill(os.getpid(), signal.SIGKILL)
                if not after:
                    replace(*args)
            os.replace = end
            test_cache.launch(num_stages=number)
            os._exit(0)
        os.waitpid(pid, 0)
        assert test_cache.launch(num_stages=number), number
"""


def test_processes_that_are_killed_while_they_compile(fresh_cache):
    code = KILLED.format(folder=__file__.rpartition("/")[0])
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
