# ===- test_tools.py - Triton's tools with this backend --------------------===#
#
# Part of spine-triton, under the MIT licence.
#
# ===-----------------------------------------------------------------------===#
"""Autotuning, benchmarking, the compile cache, dumps and overrides, all through Triton's own knobs."""

import numpy as np
import pytest
import torch
import triton
import triton.language as tl
from kernels import add_one, add_one_tensor
from triton import knobs
from triton.testing import do_bench

STAGES = ["ttir", "linalg", "llvmir", "llir", "obj"]


def launch(kernel=add_one, **opts):
    x, y = np.arange(100, dtype=np.float32), np.zeros(100, np.float32)
    compiled = kernel[(2,)](x, y, 100, BLOCK=64, **opts)
    assert np.array_equal(y, x + 1)
    return compiled


@pytest.fixture
def compilations(monkeypatch):
    """Names and cache hits of what is compiled during a test."""
    seen = []

    def listener(*, src, metadata, metadata_group, times, cache_hit):
        seen.append((src.name, cache_hit))

    monkeypatch.setattr(knobs.compilation, "listener", listener)
    return seen


def forget(*kernels):
    """As in a new process: the kernels' own tables of compiled code are empty."""
    for kernel in kernels:
        kernel.device_caches.clear()


def test_stages_are_visible():
    asm = launch().asm
    assert [s for s in asm if s != "source"] == STAGES
    assert "tt.func" in asm["ttir"] and "loc(" in asm["ttir"]
    assert "tt." not in asm["llvmir"].split("loc(")[0] and "llvm.func" in asm["llvmir"]
    assert "define" in asm["llir"]
    assert asm["obj"][:4] == b"\x7fELF"


def test_compile_cache(fresh_cache, compilations, monkeypatch):
    forget(add_one)
    launch()
    forget(add_one)
    launch()
    monkeypatch.setenv("TRITON_ALWAYS_COMPILE", "1")
    forget(add_one)
    launch()
    assert compilations == [("add_one", False), ("add_one", True), ("add_one", False)]
    assert any(fresh_cache.rglob("add_one.obj"))


def test_cache_entry_of_other_options_is_not_taken(fresh_cache, compilations):
    forget(add_one)
    launch(scratchpad_bytes=100_000)
    forget(add_one)
    launch(scratchpad_bytes=200_000)
    assert [hit for _, hit in compilations] == [False, False]


@pytest.mark.skipif(triton.__version__.startswith("3.6."), reason="this Triton does not look at damaged entries")
def test_damaged_cache_is_made_again(fresh_cache):
    forget(add_one)
    launch()
    for path in fresh_cache.rglob("__grp__*"):
        path.write_text("{")
    forget(add_one)
    launch()


def test_kernel_dump(fresh_cache, tmp_path, monkeypatch):
    monkeypatch.setenv("TRITON_KERNEL_DUMP", "1")
    monkeypatch.setenv("TRITON_DUMP_DIR", str(tmp_path / "dump"))
    forget(add_one)
    launch()
    found = {p.suffix[1:] for p in (tmp_path / "dump").rglob("add_one.*")}
    assert set(STAGES) <= found


def test_kernel_override(fresh_cache, tmp_path, monkeypatch):
    """A stage that the user wrote takes the compiler's place: here LLVM IR in which 1 has become 3."""
    dump, override = tmp_path / "dump", tmp_path / "override"
    monkeypatch.setenv("TRITON_KERNEL_DUMP", "1")
    monkeypatch.setenv("TRITON_DUMP_DIR", str(dump))
    forget(add_one)
    launch()
    (llir,) = dump.rglob("add_one.llir")
    changed = llir.read_text().replace("1.000000e+00", "3.000000e+00")
    assert changed != llir.read_text()
    target = override / llir.parent.name / "add_one.llir"
    target.parent.mkdir(parents=True)
    target.write_text(changed)
    monkeypatch.delenv("TRITON_KERNEL_DUMP")
    monkeypatch.setenv("TRITON_KERNEL_OVERRIDE", "1")
    monkeypatch.setenv("TRITON_OVERRIDE_DIR", str(override))
    monkeypatch.setenv("TRITON_ALWAYS_COMPILE", "1")
    forget(add_one)
    x, y = np.arange(100, dtype=np.float32), np.zeros(100, np.float32)
    add_one[(2,)](x, y, 100, BLOCK=64)
    forget(add_one)
    assert np.array_equal(y, x + 3)


@pytest.mark.parametrize("value,dumped", [("1", True), ("add_one", True), ("other", False), ("0", False)])
def test_mlir_enable_dump(fresh_cache, monkeypatch, capfd, value, dumped):
    monkeypatch.setenv("MLIR_ENABLE_DUMP", value)
    monkeypatch.setenv("TRITON_ALWAYS_COMPILE", "1")
    forget(add_one)
    launch()
    assert ("IR Dump" in capfd.readouterr().err) == dumped


def test_llvm_ir_enable_dump(fresh_cache, monkeypatch, capfd):
    monkeypatch.setenv("LLVM_IR_ENABLE_DUMP", "1")
    monkeypatch.setenv("TRITON_ALWAYS_COMPILE", "1")
    forget(add_one)
    launch()
    assert "define void @add_one" in capfd.readouterr().err


def test_store_binary_only_is_refused(fresh_cache, monkeypatch):
    monkeypatch.setenv("TRITON_STORE_BINARY_ONLY", "1")
    forget(add_one)
    with pytest.raises(NotImplementedError, match="TRITON_STORE_BINARY_ONLY"):
        launch()


def test_kernel_from_a_ttir_file(tmp_path):
    path = tmp_path / "add_one.ttir"
    path.write_text(launch().asm["ttir"])
    compiled = triton.compile(str(path))
    x, y = np.arange(100, dtype=np.float32), np.zeros(100, np.float32)
    compiled[(2, 1, 1)](x, y, 100)
    assert np.array_equal(y, x + 1)


def test_do_bench():
    x, y = torch.zeros(1000), torch.zeros(1000)
    times = do_bench(lambda: add_one[(8,)](x, y, 1000, BLOCK=128), warmup=2, rep=5, return_mode="all")
    assert times and all(t > 0 for t in times)
    low, high = do_bench(lambda: add_one[(8,)](x, y, 1000, BLOCK=128), warmup=2, rep=5, quantiles=[0.2, 0.8])
    assert 0 < low <= high


def test_do_bench_sees_the_work():
    """A launch that does a hundred times as much takes longer."""
    small, large = np.zeros(20_000, np.float32), np.zeros(5_000_000, np.float32)
    times = [
        do_bench(lambda v=v: add_one[(triton.cdiv(v.size, 4096),)](v, v, v.size, BLOCK=4096), warmup=2, rep=20)
        for v in (small, large)
    ]
    assert times[1] > times[0]


@pytest.mark.parametrize("make", [torch.from_numpy, lambda a: a], ids=["torch", "numpy"])
def test_autotune(make):
    configs = [triton.Config({"BLOCK": b}) for b in (16, 64, 256)]
    tuned = triton.autotune(configs=configs, key=["N"])(add_one_tensor)
    x, y = np.arange(1000, dtype=np.float32), np.zeros(1000, np.float32)
    grid = lambda meta: (triton.cdiv(1000, meta["BLOCK"]),)
    tuned[grid](make(x), make(y), 1000)
    assert np.array_equal(y, x + 1)
    assert tuned.best_config.kwargs["BLOCK"] in (16, 64, 256)


@triton.jit
def double_tile(x_ptr, y_ptr, N, BLOCK: tl.constexpr):
    x_blk = tl.make_block_ptr(x_ptr, (N,), (1,), (tl.program_id(0) * BLOCK,), (BLOCK,), (0,))
    y_blk = tl.make_block_ptr(y_ptr, (N,), (1,), (tl.program_id(0) * BLOCK,), (BLOCK,), (0,))
    tl.store(y_blk, tl.load(x_blk, boundary_check=(0,)) * 2, boundary_check=(0,))


def test_autotune_skips_what_does_not_fit(monkeypatch):
    """A configuration whose tiles exceed the scratchpad is no error as long as another one fits."""
    monkeypatch.setenv("SPINE_TRITON_SCRATCHPAD_BYTES", "16384")
    configs = [triton.Config({"BLOCK": 65536}), triton.Config({"BLOCK": 256})]
    tuned = triton.autotune(configs=configs, key=["N"])(double_tile)
    x, y = np.arange(1000, dtype=np.float32), np.zeros(1000, np.float32)
    tuned[lambda meta: (triton.cdiv(1000, meta["BLOCK"]),)](x, y, 1000)
    assert tuned.best_config.kwargs["BLOCK"] == 256
    assert np.array_equal(y, 2 * x)


def test_heuristics():
    kernel = triton.heuristics({"BLOCK": lambda args: triton.next_power_of_2(args["N"])})(add_one_tensor)
    x, y = np.arange(100, dtype=np.float32), np.zeros(100, np.float32)
    kernel[(1,)](x, y, 100)
    assert np.array_equal(y, x + 1)


def test_warmup_compiles_without_running():
    compiled = add_one.warmup(torch.float32, torch.float32, 100, BLOCK=32, grid=(1,))
    assert compiled.asm["obj"]


def test_jit_hooks_can_serialise_the_options(monkeypatch):
    seen = []
    monkeypatch.setattr(knobs.runtime, "jit_post_compile_hook", lambda **info: seen.append(info))
    forget(add_one)
    launch(scratchpad_bytes=123_456)
    data = seen[0]["compile"]["specialization_data"]
    assert "123456" in data
    forget(add_one)
    assert add_one.preload(data).metadata.scratchpad_bytes == 123_456
    forget(add_one)


def test_driver_answers():
    driver = triton.runtime.driver.active
    assert driver.get_active_torch_device() == torch.device("cpu")
    assert driver.get_current_target().backend == "spine"
    assert driver.get_current_stream(0) == 0
    assert driver.map_python_to_cpp_type("*fp32") == "void *"
    assert driver.map_python_to_cpp_type("u16") == "uint16_t"
    properties = driver.utils.get_device_properties(0)
    assert properties["multiprocessor_count"] >= 1 and properties["scratchpad_bytes"] > 0
