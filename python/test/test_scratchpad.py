# ===- test_scratchpad.py - Generated code against the plan of its arena ---===#
#
# Part of spine-triton, under the MIT licence.
#
# ===-----------------------------------------------------------------------===#
"""The plan `as-needed` is that of the code: what it says is what runs, to the byte."""

import ctypes
import pathlib
import platform
import re

import numpy as np
import pytest
import triton
import triton.language as tl
from hypothesis import given, settings
from hypothesis import strategies as st
from interpreter import Interpreter

from spine_triton import (
    ResidencyWarning,
    ScratchpadExceeded,
    _spine,
    check_residency,
    frontend_ttir,
    pipelines,
    targets,
)

INPUTS = sorted((pathlib.Path(__file__).parents[2] / "test" / "Pipelines" / "Inputs").glob("*.ttir"))
HOST = targets.find("host")
CANARY = 4096


@triton.jit
def softmax_twice(x_ptr, y_ptr, stride, ROWS: tl.constexpr, COLS: tl.constexpr):
    """Needs buffers: a tile is reduced, and what is made of it is reduced again and stored over the input."""
    x = tl.make_block_ptr(x_ptr, (ROWS, COLS), (stride, 1), (0, 0), (ROWS, COLS), (1, 0))
    y = tl.make_block_ptr(y_ptr, (ROWS, COLS), (COLS, 1), (0, 0), (ROWS, COLS), (1, 0))
    tile = tl.load(x)
    power = tl.exp(tile - tl.max(tile, axis=1)[:, None])
    share = power / tl.sum(power, axis=1)[:, None]
    tl.store(y, tl.cumsum(share, axis=1))


@triton.jit
def product_of_sums(x_ptr, y_ptr, z_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i[:, None] * N + i[None, :])
    y = tl.load(y_ptr + i[:, None] * N + i[None, :])
    z = tl.dot(tl.exp(x), tl.trans(y))
    tl.store(z_ptr + i[:, None] * N + i[None, :], tl.dot(z, tl.exp(y)))


KERNELS = {
    "softmax_twice": lambda: frontend_ttir(
        softmax_twice, {"x_ptr": "*fp32", "y_ptr": "*fp32", "stride": "i32"}, {"ROWS": 16, "COLS": 64}
    ),
    "product_of_sums": lambda: frontend_ttir(
        product_of_sums, {"x_ptr": "*fp32", "y_ptr": "*fp32", "z_ptr": "*fp32"}, {"N": 32}
    ),
}


def compiled(ttir):
    """The module of the LLVM dialect, and the loaded kernel."""
    module = _spine.Module.parse(_spine.Context(), ttir)
    mode = pipelines.Residency(1 << 40, 0, "off")
    for pipeline in (pipelines.ttir(HOST, mode), pipelines.linalg(), pipelines.llvm(HOST)):
        _spine.run_pipeline(module, pipeline)
    code = _spine.translate(module, HOST.json)
    name = _spine.kernel_metadata(module)["name"]
    return module, _spine.load(code.emit_object(), name)


SIGNALLING = 0x7FA07FA0
"""A signalling NaN as fp32; each half is a NaN as fp16."""


class Arena:
    """Memory for one program: `used` bytes full of a pattern of four bytes, canaries on both sides."""

    def __init__(self, used, pattern):
        self.used = used
        self.memory = np.full((used + 2 * CANARY + 4096) // 4, pattern, np.uint32).view(np.uint8)
        first = -(-(self.memory.ctypes.data + CANARY) // 4096) * 4096  # as aligned as a real one
        self.begin = first - self.memory.ctypes.data
        self.before = self.memory.copy()

    @property
    def address(self):
        return self.memory.ctypes.data + self.begin

    def written(self):
        """Offsets that hold something else than the pattern."""
        return np.flatnonzero(self.memory != self.before) - self.begin


def run(kernel, arrays, scalars, arena):
    """One program, by the calling convention of generated code: arguments, grid, first, last, arena."""
    slots = [array.ctypes.data for array in arrays] + scalars
    arguments = (ctypes.c_int64 * len(slots))(*slots)
    grid = (ctypes.c_int32 * 3)(1, 1, 1)
    entry = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 2, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p)
    entry(kernel.address)(ctypes.addressof(arguments), ctypes.addressof(grid), 0, 1, arena.address)


def operands(name):
    rng = np.random.default_rng(3)
    if name == "softmax_twice":
        x = rng.standard_normal((16, 64)).astype(np.float32)
        power = np.exp(x - x.max(1, keepdims=True))
        expected = np.cumsum(power / power.sum(1, keepdims=True), 1)
        return [x, np.zeros_like(x)], [64], expected
    x, y = (rng.standard_normal((32, 32)).astype(np.float32) for _ in range(2))
    expected = np.exp(x, dtype=np.float64) @ y.T @ np.exp(y, dtype=np.float64)
    return [x, y, np.zeros_like(x)], [], expected


@pytest.mark.parametrize("name", KERNELS)
def test_high_water_mark(name):
    """Filled with signalling NaNs, zeros or large numbers first: the same result, nothing outside of the plan's bytes is written,
    and the last bytes of the plan are."""
    ttir = KERNELS[name]()
    _, kernel = compiled(ttir)
    assert kernel.arena_bytes > 0
    high = 0
    for pattern in (SIGNALLING, 0x00000000, 0x7F7F7F7F):
        arrays, scalars, expected = operands(name)
        arena = Arena(kernel.arena_bytes, pattern)
        run(kernel, arrays, scalars, arena)
        np.testing.assert_allclose(arrays[-1], expected, rtol=1e-4, atol=1e-3)
        written = arena.written()
        assert written.size and written.min() >= 0 and written.max() < kernel.arena_bytes
        high = max(high, int(written.max()) + 1)
    assert kernel.arena_bytes - high < HOST.alignment, "the plan's bytes are used up to rounding"


def check_owners(plan):
    """Each buffer is there for a tile of the plan; it holds that tile only if the plan packs it."""
    places = {tile["id"]: tile["placement"] for tile in plan["placements"]}
    assert set(places.values()) <= {"registers", "in_place", "packed"}
    for buffer in plan["tiles"]:
        assert buffer["tile_id"] in places
        assert buffer["is_temporary"] or places[buffer["tile_id"]] == "packed"


def test_report_says_where_every_tile_is():
    (kernel,) = check_residency(KERNELS["softmax_twice"](), "host", policy="as-needed", with_stack=True).kernels
    places = {tile["name"]: tile["placement"] for tile in kernel["placements"]}
    assert places["tile"] == "in_place", "it is loaded, and nothing is stored before its last use"
    assert places["power"] == "packed", "it is reduced, and used again"
    assert 0 <= kernel["stack_bytes"] <= pipelines.MAX_STACK_BYTES


@pytest.mark.parametrize("name", KERNELS)
def test_plan_is_the_codes(name):
    """What the report `as-needed` names is what the compiled kernel has."""
    ttir = KERNELS[name]()
    module, kernel = compiled(ttir)
    report = check_residency(ttir, "host", policy="as-needed")
    assert report.bytes == kernel.arena_bytes
    plans = {plan["function"]: plan for plan in _spine.scratch_plans(module)}
    assert {k["kernel"] for k in report.kernels} == set(plans)
    for found in report.kernels:
        plan = plans[found["kernel"]]
        assert [(t["offset"], t["bytes"]) for t in found["tiles"]] == [(t["offset"], t["bytes"]) for t in plan["tiles"]]
        for tile in found["tiles"]:
            assert tile["shape"] and tile["dtype"] and tile["line"], tile
            assert tile["bytes"] == np.prod(tile["shape"]) * np.dtype(tile["dtype"].replace("f", "float")).itemsize
        assert found["placements"] == plan["placements"] and found["stack_bytes"] is None
        check_owners(plan)
    assert check_residency(ttir, "host", policy="as-needed", scratchpad_bytes=report.bytes).fits
    assert not check_residency(ttir, "host", policy="as-needed", scratchpad_bytes=report.bytes - 1).fits


# --- Random kernels -------------------------------------------------------------------------------------------------

STEPS = 4


@triton.jit
def random_kernel(x_ptr, y_ptr, z_ptr, flag, trips, OPS: tl.constexpr, N: tl.constexpr, STEPS: tl.constexpr):
    """Applies the operations that OPS names, three bits each, to two tiles of N x N elements."""
    i = tl.arange(0, N)
    at = i[:, None] * N + i[None, :]
    x = tl.load(x_ptr + at).to(tl.float32)
    y = tl.load(y_ptr + at).to(tl.float32)
    for step in tl.static_range(STEPS):
        if ((OPS >> (3 * step)) & 7) == 0:
            x = tl.exp(-tl.abs(x)) + y
        elif ((OPS >> (3 * step)) & 7) == 1:
            x = tl.dot(x, y) / N
        elif ((OPS >> (3 * step)) & 7) == 2:
            x = x - tl.max(x, axis=1)[:, None]
        elif ((OPS >> (3 * step)) & 7) == 3:
            x = tl.trans(x) + y
        elif ((OPS >> (3 * step)) & 7) == 4:
            for _ in range(trips):
                x = x * 0.5 + tl.trans(y)
        elif ((OPS >> (3 * step)) & 7) == 5:
            if flag > 0:
                x = tl.dot(y, x) / N
            else:
                x = x + tl.sum(y, axis=0)[None, :] / N
        elif ((OPS >> (3 * step)) & 7) == 6:
            y = tl.cumsum(x, axis=0) / N
        else:
            for k in range(trips):
                y = y + tl.dot(tl.trans(x), y) / (N + k)
    tl.store(z_ptr + at, x + y)


def reference(x, y, flag, trips, ops, n):
    """The same in NumPy with doubles."""
    x, y = x.astype(np.float64), y.astype(np.float64)
    for step in range(STEPS):
        op = (ops >> (3 * step)) & 7
        if op == 0:
            x = np.exp(-np.abs(x)) + y
        elif op == 1:
            x = x @ y / n
        elif op == 2:
            x = x - x.max(1, keepdims=True)
        elif op == 3:
            x = x.T + y
        elif op == 4:
            for _ in range(trips):
                x = x * 0.5 + y.T
        elif op == 5:
            x = y @ x / n if flag > 0 else x + y.sum(0, keepdims=True) / n
        elif op == 6:
            y = np.cumsum(x, 0) / n
        else:
            for k in range(trips):
                y = y + x.T @ y / (n + k)
    return x + y


@pytest.fixture(scope="module")
def interpreter():
    with Interpreter(__name__) as process:
        yield process


@given(
    ops=st.integers(0, 8**STEPS - 1),
    n=st.sampled_from([16, 32]),
    dtype=st.sampled_from(["fp32", "fp16"]),
    flag=st.integers(0, 1),
    trips=st.integers(0, 3),
)
@settings(max_examples=100, deadline=None)
def test_random_kernels(interpreter, ops, n, dtype, flag, trips):
    """Plan and code have the same bytes; the code stays inside of them, and what was there before changes nothing:
    results are the interpreter's."""
    types = {"x_ptr": f"*{dtype}", "y_ptr": f"*{dtype}", "z_ptr": "*fp32", "flag": "i32", "trips": "i32"}
    ttir = frontend_ttir(random_kernel, types, {"OPS": ops, "N": n, "STEPS": STEPS})
    module, kernel = compiled(ttir)
    report = check_residency(ttir, "host", policy="as-needed")
    plans = _spine.scratch_plans(module)
    assert report.bytes == kernel.arena_bytes == max(plan["arena_bytes"] for plan in plans)
    for plan in plans:
        check_owners(plan)
        for tile in plan["tiles"]:
            assert 0 <= tile["offset"] and tile["offset"] + tile["bytes"] <= plan["arena_bytes"]

    rng = np.random.default_rng(ops)
    x, y = (rng.standard_normal((n, n)).astype({"fp32": np.float32, "fp16": np.float16}[dtype]) for _ in range(2))
    expected = reference(x, y, flag, trips, ops, n)
    results = []
    for pattern in (0x7F7F7F7F, SIGNALLING):  # large numbers, and NaNs
        z = np.zeros((n, n), np.float32)
        arena = Arena(kernel.arena_bytes, pattern)
        run(kernel, [x, y, z], [flag, trips], arena)
        written = arena.written()
        assert not written.size or (written.min() >= 0 and written.max() < kernel.arena_bytes)
        np.testing.assert_allclose(z, expected, rtol=2e-3, atol=2e-3 * max(1, np.abs(expected).max()))
        results.append(z)
    assert np.array_equal(*results)
    constants = {"OPS": ops, "N": n, "STEPS": STEPS}
    *_, told = interpreter.run("random_kernel", [x, y, np.zeros_like(z)], [flag, trips], constants)
    np.testing.assert_allclose(results[0], told, rtol=2e-3, atol=2e-3 * max(1, np.abs(expected).max()))


def plans_of(path):
    module = _spine.Module.parse_file(_spine.Context(), str(path))
    mode = pipelines.Residency(1 << 40, 0, "off")
    _spine.run_pipeline(module, pipelines.ttir(HOST, mode))
    _spine.run_pipeline(module, pipelines.scratchpad(HOST))
    return _spine.scratch_plans(module)


def test_layouts_are_tight():
    """Arena bytes over live peak, over all kernels that are kept as TTIR and those above: below 1.05 in the mean."""
    plans = [plan for path in INPUTS for plan in plans_of(path)]
    for name in KERNELS:
        module, _ = compiled(KERNELS[name]())
        plans += _spine.scratch_plans(module)
    ratios = [plan["arena_bytes"] / plan["live_peak_bytes"] for plan in plans if plan["live_peak_bytes"]]
    assert len(ratios) >= 5
    assert min(ratios) >= 1
    assert sum(ratios) / len(ratios) < 1.05


def object_of(ttir, target):
    module = _spine.Module.parse(_spine.Context(), ttir)
    mode = pipelines.Residency(1 << 40, 0, "off")
    for pipeline in (pipelines.ttir(target, mode), pipelines.linalg(), pipelines.llvm(target)):
        _spine.run_pipeline(module, pipeline)
    return _spine.emit_object(module, target.json)


@pytest.mark.parametrize("target", ["host", "spacemit-a100"])
@pytest.mark.parametrize("path", INPUTS, ids=[path.stem for path in INPUTS])
def test_stack_frames_are_small(path, target):
    """The object's own frames, spills included, are at most 4 KiB; there is one for each variant of the kernel."""
    frames = _spine.stack_frames(object_of(path.read_text(), targets.find(target)))
    assert frames and max(frames.values()) <= pipelines.MAX_STACK_BYTES


def reserved(assembly):
    """The most that a function of x86-64's assembly takes off the stack pointer."""
    return max((int(size, 0) for size in re.findall(r"sub[ql]?\s+\$(\w+), %rsp", assembly)), default=0)


@pytest.mark.skipif(platform.machine() != "x86_64", reason="reads the assembly of x86-64")
@pytest.mark.parametrize("path", INPUTS, ids=[path.stem for path in INPUTS])
def test_frames_are_those_of_the_code(path):
    """What the object says is what its instructions take, and a few saved registers."""
    module = _spine.Module.parse_file(_spine.Context(), str(path))
    mode = pipelines.Residency(1 << 40, 0, "off")
    for pipeline in (pipelines.ttir(HOST, mode), pipelines.linalg(), pipelines.llvm(HOST)):
        _spine.run_pipeline(module, pipeline)
    code = _spine.translate(module, HOST.json)
    frame = max(_spine.stack_frames(code.emit_object()).values())
    assert reserved(code.emit_assembly()) <= frame <= reserved(code.emit_assembly()) + 16 * 8


LARGE_FRAME = """
define void @deep(ptr %x) {
  %a = alloca [8192 x i8], align 64
  call void @llvm.memcpy.p0.p0.i64(ptr %a, ptr %x, i64 8192, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr %x, ptr %a, i64 8192, i1 true)
  ret void
}
define void @flat() {
  ret void
}
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
"""


@pytest.mark.parametrize("target", ["host", "spacemit-a100"])
def test_frames_of_an_object(target):
    code = _spine.LLVMModule.parse(LARGE_FRAME, targets.find(target).json)
    frames = _spine.stack_frames(code.emit_object())
    assert set(frames) == {"deep", "flat"}
    assert 8192 <= frames["deep"] < 8192 + 512 and frames["flat"] <= 16


@pytest.mark.parametrize("data", [b"", b"no object", b"\x7fELF" + bytes(99)])
def test_frames_of_what_is_no_object(data):
    with pytest.raises(_spine.MLIRError, match=r"the stack frames of this object cannot be read: ."):
        _spine.stack_frames(data)


def test_a_large_frame_is_said(monkeypatch):
    """Where tiles are judged, so is the stack: as a warning, since the code is right."""
    monkeypatch.setattr(pipelines, "MAX_STACK_BYTES", -1)
    with pytest.warns(ResidencyWarning, match=r"takes \d+ bytes of the stack on host, more than -1: .*smaller blocks"):
        kernel = launch_twice(scratchpad_bytes=1 << 20)
    assert kernel.metadata.stack_bytes >= 0


def test_table_and_picture(tmp_path, capsys):
    from spine_triton.__main__ import main

    path = tmp_path / "kernel.ttir"
    path.write_text(KERNELS["softmax_twice"]())
    out = tmp_path / "plan.svg"
    assert main(["residency", str(path), "--policy", "as-needed", "--plot", str(out)]) == 0
    table = capsys.readouterr().out
    assert "policy as-needed" in table
    assert re.search(r"tiles of the kernel: \d+ in registers, 1 read in place, \d+ in the scratchpad", table)
    assert re.search(r"a program takes .* of the stack", table)
    assert list(tmp_path.glob("plan*.svg"))


def launch_twice(**opts):
    x = np.random.default_rng(3).standard_normal((16, 64)).astype(np.float32)
    y = np.zeros_like(x)
    kernel = softmax_twice[(1,)](x, y, 64, ROWS=16, COLS=64, residency_policy="as-needed", **opts)
    assert np.allclose(y[:, -1], 1)
    return kernel


def test_code_is_judged():
    """With the policy `as-needed` the code's own arena is what must fit, exactly at the limit."""
    needed = launch_twice(residency="off").metadata.arena_bytes
    kernel = launch_twice(scratchpad_bytes=needed)
    assert kernel.metadata.shared == kernel.metadata.arena_bytes == needed
    with pytest.raises(ScratchpadExceeded) as e:
        launch_twice(scratchpad_bytes=needed - 1)
    assert (e.value.required, e.value.limit) == (needed, needed - 1)
    assert "tile 'power': 16x64xf32, 4096 bytes" in str(e.value) and "test_scratchpad.py:" in str(e.value)
    with pytest.warns(ResidencyWarning, match="does not fit"):
        launch_twice(scratchpad_bytes=needed - 1, residency="warn")
