# ===- test_variant.py - The version for arguments that overlap -------------===#
#
# Part of spine-triton, under the MIT licence.
#
# ===-----------------------------------------------------------------------===#
"""Code for overlapping arguments is made by the first launch that has such, and once."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest
import torch
import triton
import triton.language as tl
from kernels import add_one, gemm
from threads import run_in_threads

from spine_triton import _spine, _stages, errors


@pytest.fixture
def made(monkeypatch):
    """Names of the kernels whose variant is compiled."""
    names, compile_variant = [], _stages.compile_may_alias

    def note(metadata):
        names.append(metadata.name)
        return compile_variant(metadata)

    monkeypatch.setattr(_stages, "compile_may_alias", note)
    return names


def launch(**options):
    """A launch with arguments that lie apart. Its code comes from the cache's files and not from memory."""
    add_one.device_caches.clear()
    x, y = np.arange(64, dtype=np.float32), np.zeros(64, np.float32)
    kernel = add_one[(1,)](x, y, 64, BLOCK=64, **options)
    assert np.array_equal(y, x + 1)
    return kernel


def launch_overlapping(**options):
    """One program that stores where it loads, 16 elements further: right only if all is loaded first."""
    buffer = np.arange(80, dtype=np.float32)
    want = buffer[:64] + 1
    kernel = add_one[(1,)](buffer[:64], buffer[16:], 64, BLOCK=64, **options)
    assert np.array_equal(buffer[16:], want) and np.array_equal(buffer[:16], np.arange(16))
    return kernel


def variant_file(folder):
    (path,) = folder.glob("*/add_one__may_alias.obj")
    return path


def test_it_is_made_when_arguments_first_overlap(fresh_cache, made):
    kernel = launch()
    assert not kernel.metadata.has_may_alias
    assert kernel.metadata.disjoint_arguments == [[0, 1]]
    assert "may_alias" not in kernel.asm["llvmir"] and "may_alias" not in kernel.asm["llir"]
    assert not made and not kernel.function.has_may_alias
    for _ in range(3):
        assert launch_overlapping() is kernel
    assert made == ["add_one"] and kernel.function.has_may_alias
    variant = _spine.load(variant_file(fresh_cache).read_bytes(), "add_one__may_alias")
    assert kernel.metadata.arena_bytes == 0 and variant.arena_bytes >= 256, "each has an arena of its own"


def test_its_code_is_that_of_both_at_once(fresh_cache, monkeypatch):
    """Made later or with the kernel, it is the same code."""
    kernel = launch()
    launch_overlapping()
    monkeypatch.setattr(_stages._Compilation, "waits_for_overlap", lambda self: False)
    monkeypatch.setenv("TRITON_CACHE_DIR", str(fresh_cache / "other"))
    both = launch()
    assert both.metadata.has_may_alias and both.metadata.may_alias_source is None
    image = _spine.link(both.asm["obj"], "add_one", 1 << 32, {})
    alone = _spine.link(variant_file(fresh_cache).read_bytes(), "add_one__may_alias", 1 << 32, {})
    sizes = {name: size for name, _, size in image.functions}
    assert {name: size for name, _, size in alone.functions}["add_one__may_alias"] == sizes["add_one__may_alias"]
    assert len(kernel.asm["obj"]) < len(both.asm["obj"])
    launch_overlapping()


def test_the_cache_keeps_it(fresh_cache, made):
    launch()
    launch_overlapping()
    launch()
    launch_overlapping()
    assert made == ["add_one"]


@pytest.mark.parametrize("content", [b"", b"x" * 5000])
def test_a_damaged_file_is_made_again(fresh_cache, made, content):
    launch()
    launch_overlapping()
    path = variant_file(fresh_cache)
    good = path.read_bytes()
    path.write_bytes(content)
    launch()
    launch_overlapping()
    assert made == ["add_one"] * 2 and path.read_bytes() == good


def test_whoever_always_compiles_gets_a_new_one(fresh_cache, made, monkeypatch):
    monkeypatch.setenv("TRITON_ALWAYS_COMPILE", "1")
    for _ in range(2):
        launch()
        launch_overlapping()
    assert made == ["add_one", "add_one"]


def test_without_the_cache(fresh_cache, made, monkeypatch):
    """The kernel is in memory, and its folder is gone; then nothing can be written, either."""
    launch()
    monkeypatch.setenv("TRITON_CACHE_DIR", "/proc/nowhere")
    launch_overlapping()
    launch_overlapping()
    assert made == ["add_one"]


def test_in_an_emulator(fresh_cache, made, qemu):
    launch()
    assert not made
    launch_overlapping()
    launch_overlapping()
    assert made == ["add_one"]


@triton.jit
def store_at(x_ptr, y_ptr, place, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    tl.store(y_ptr + place + offsets, tl.load(x_ptr + offsets))


def test_errors_name_the_kernel(fresh_cache, qemu):
    """Not the variant, of which users know nothing."""
    x = torch.zeros(64)
    with pytest.raises(errors.KernelFault, match=r"^kernel 'store_at' ended with SIGSEGV") as caught:
        store_at[(1,)](x, x, 1 << 30, BLOCK=64)
    assert caught.value.kernel == "store_at"


def test_a_product_that_overwrites_its_operand(fresh_cache, made):
    rng = np.random.default_rng(1)
    a, b = rng.standard_normal((48, 16), np.float32), rng.standard_normal((16, 16), np.float32)
    c = np.zeros((48, 16), np.float32)
    blocks = {"BLOCK_M": 64, "BLOCK_N": 16, "BLOCK_K": 16}
    gemm[(1,)](a, b, c, 48, 16, 16, **blocks)
    gemm[(1,)](a, b, a, 48, 16, 16, **blocks)
    assert made == ["gemm"] and np.allclose(a, c, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("variable", ["TRITON_KERNEL_DUMP", "TRITON_KERNEL_OVERRIDE"])
def test_whoever_looks_at_the_stages_gets_both(fresh_cache, made, monkeypatch, tmp_path, variable):
    monkeypatch.setenv(variable, "1")
    monkeypatch.setenv("TRITON_DUMP_DIR", str(tmp_path / "dump"))
    monkeypatch.setenv("TRITON_OVERRIDE_DIR", str(tmp_path / "override"))
    kernel = launch()
    assert kernel.metadata.has_may_alias and "add_one__may_alias" in kernel.asm["llir"]
    launch_overlapping()
    assert not made


def test_code_is_judged_by_both(fresh_cache, made):
    """Where the arena of the code has to fit, that of the variant has to as well."""
    options = {"scratchpad_bytes": 4096, "residency": "error", "residency_policy": "as-needed"}
    kernel = launch(**options)
    assert kernel.metadata.has_may_alias and kernel.metadata.arena_bytes >= 256
    launch_overlapping(**options)
    assert not made


def test_threads_that_find_an_overlap_at_the_same_time(fresh_cache):
    def work(_):
        for _ in range(5):
            launch_overlapping()

    launch()
    run_in_threads(4, work)


KILLED = """
import os, signal, sys
sys.path.insert(0, {folder!r})
import test_variant

replace = os.replace
test_variant.launch()
for after in (False, True):
    pid = os.fork()
    if pid == 0:
        def end(*args):
            if after:
                replace(*args)
            os.kill(os.getpid(), signal.SIGKILL)
        os.replace = end
        test_variant.launch_overlapping()
        os._exit(0)
    _, status = os.waitpid(pid, 0)
    assert os.WIFSIGNALED(status)
test_variant.launch_overlapping()
"""


def test_a_process_that_is_killed_while_it_makes_one(fresh_cache):
    code = KILLED.format(folder=os.path.dirname(__file__))
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert variant_file(fresh_cache).read_bytes()[:4] == b"\x7fELF"


def test_its_source_is_in_the_metadata(fresh_cache):
    """So nothing else has to be there later: neither the folder of the cache nor the kernel's Python file."""
    launch()
    (path,) = (p for p in fresh_cache.glob("*/add_one.json") if not p.name.startswith("__grp__"))
    assert "linalg" in json.loads(path.read_text())["may_alias_source"]
