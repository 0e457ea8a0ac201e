# ===- test_residency.py - Residency plans from Python ---------------------===#
#
# Part of spine-triton, under the MIT licence.
#
# ===-----------------------------------------------------------------------===#

import json
import math
import pathlib
import pickle
import re

import numpy as np
import pytest
import triton
import triton.language as tl
from hypothesis import given, settings
from hypothesis import strategies as st
from kernels import copy_2d

import spine_triton
from spine_triton import LaunchExceedsScratchpad, ScratchpadExceeded, check_residency, footprint
from spine_triton.contract import LaunchContract

CASES = json.loads((pathlib.Path(__file__).parent / "cases" / "residency_cases.json").read_text())["entries"]
WIDTH = {"i1": 1, "i8": 1, "i16": 2, "i32": 4, "i64": 8, "f16": 2, "bf16": 2, "f32": 4, "f64": 8}


# --- The table of cases ---------------------------------------------------------------------------------------------


def kernel_of(entry) -> str:
    """A kernel that holds all tiles of an entry at one point: those with several copies are loaded in a loop."""
    arguments, body, before, inside, stores = [], [], [], [], []
    for tile in entry["tiles"]:
        name = tile["operand"]
        # A block pointer has a dimension at least: a scalar is a tile of one element.
        shape, strides = tile["tile_shape"] or [1], tile["strides"]
        strides = [None] * len(shape) if strides is None else strides or [1]
        extents = (tile["base_shape"] + [1] * len(shape))[: len(shape)]
        type_ = f"tensor<{'x'.join(map(str, shape))}x{tile['dtype']}>"
        arguments.append(f"%{name}_p: !tt.ptr<{tile['dtype']}> {{tt.divisibility = 64 : i32}}")
        for kind, values in (("e", extents), ("s", strides)):
            for dim, value in enumerate(values):
                if value is None:
                    arguments.append(f"%{name}_{kind}{dim}: i64")
                else:
                    body.append(f"%{name}_{kind}{dim} = arith.constant {value} : i64")
        operands = [", ".join(f"%{name}_{kind}{dim}" for dim in range(len(shape))) for kind in "es"]
        order = ", ".join(str(dim) for dim in reversed(range(len(shape))))
        body.append(
            f"%{name}_b = tt.make_tensor_ptr %{name}_p, [{operands[0]}], [{operands[1]}], "
            f"[{', '.join(['%zero'] * len(shape))}] {{order = array<i32: {order}>}} : <{type_}>"
        )
        load = f'%{name} = tt.load %{name}_b : !tt.ptr<{type_}> loc("{name}")'
        (inside if tile["copies"] > 1 else before).append(load)
        stores.append(f"tt.store %{name}_b, %{name} : !tt.ptr<{type_}>")
    if inside:
        loop = ["%one = arith.constant 1 : i32", "scf.for %i = %zero to %trips step %one : i32 {"]
        stores = [*loop, *inside, *stores, f"}} {{tt.num_stages = {entry['copies']} : i32}}"]
    lines = ["%zero = arith.constant 0 : i32", *body, *before, *stores, "tt.return"]
    return f"tt.func @entry(%trips: i32, {', '.join(arguments)}) {{\n" + "\n".join(lines) + "\n}"


@pytest.mark.parametrize("entry", CASES, ids=[e["name"] for e in CASES])
def test_cases(entry):
    """Bytes, copies, peak and verdict of every entry, exact at the limit."""
    text = kernel_of(entry)
    report = check_residency(text, scratchpad_bytes=entry["capacity_bytes"], alignment=1)
    (kernel,) = report.kernels
    assert kernel["live_peak_bytes"] == kernel["arena_bytes"] == entry["peak_dense_bytes"]
    assert report.fits == (entry["verdict"] == "fits")
    for limit in (entry["peak_dense_bytes"], entry["peak_dense_bytes"] - 1):
        assert check_residency(text, scratchpad_bytes=limit, alignment=1).fits == (limit == entry["peak_dense_bytes"])

    tiles = {tile["name"]: tile for tile in kernel["tiles"]}
    assert set(tiles) == {expected["operand"] for expected in entry["tiles"]}
    for expected in entry["tiles"]:
        tile = tiles[expected["operand"]]
        for key in ("copies", "dense_bytes", "span_bytes", "granule_bytes"):
            assert tile[key] == expected[key], key
        assert tile["bytes"] == expected["dense_bytes"] * expected["copies"]
        if expected["strides"] is None:
            assert "abs(arg" in tile["span_expression"]
            continue
        found = footprint(expected["tile_shape"], expected["strides"], WIDTH[expected["dtype"]])
        assert found == (expected["dense_bytes"], expected["span_bytes"], expected["granule_bytes"])


# --- Footprints -----------------------------------------------------------------------------------------------------


def touched(shape, strides, width, start):
    """Byte addresses of a tile, by enumeration."""
    first = np.full((), start, np.int64)
    for axis, (size, stride) in enumerate(zip(shape, strides)):
        first = first + (np.arange(size) * stride * width).reshape([-1 if a == axis else 1 for a in range(len(shape))])
    return np.unique(first.reshape(-1, 1) + np.arange(width))


@given(
    dims=st.lists(st.tuples(st.integers(1, 7), st.integers(-40, 40)), max_size=3),
    width=st.sampled_from([1, 2, 4, 8]),
    alignment=st.sampled_from([8, 16, 32, 64]),
)
@settings(max_examples=200, deadline=None)
def test_footprint_by_enumeration(dims, width, alignment):
    shape, strides = [d[0] for d in dims], [d[1] for d in dims]
    addresses = touched(shape, strides, width, 0)
    most = max(len(np.unique(touched(shape, strides, width, s) // 64)) for s in range(0, 64, alignment))
    found = footprint(shape, strides, width, alignment=alignment)
    assert found == (math.prod(shape) * width, addresses.max() - addresses.min() + 1, 64 * most)


# --- The base tensor ------------------------------------------------------------------------------------------------

EXTENT = st.one_of(st.integers(1, 2**40), st.sampled_from([1, 27, 144, 518400, 2**31, 2**31 - 1, 2**40]))


def strip_kernel(m, n):
    """Loads, doubles and stores a 64x32 tile of an m x n tensor; None stands for a size that is an argument."""
    sizes = "".join(f"%{name} = arith.constant {value} : i64\n" for name, value in (("m", m), ("n", n)) if value)
    arguments = "".join(f", %{name}: i64" for name, value in (("m", m), ("n", n)) if not value)
    pointer = "tt.make_tensor_ptr %x, [%m, %n], [%s, %u], [%z, %z] {order = array<i32: 1, 0>} : <tensor<64x32xf32>>"
    return f"""tt.func @strip(%x: !tt.ptr<f32>{arguments}) {{
        %z = arith.constant 0 : i32
        %u = arith.constant 1 : i64
        %s = arith.constant 144 : i64
        {sizes}
        %p = {pointer}
        %a = tt.load %p {{boundaryCheck = array<i32: 0, 1>}} : !tt.ptr<tensor<64x32xf32>>
        %b = arith.addf %a, %a : tensor<64x32xf32>
        tt.store %p, %b {{boundaryCheck = array<i32: 0, 1>}} : !tt.ptr<tensor<64x32xf32>>
        tt.return
    }}"""


def numbers_of(report):
    """The plans without places in the program, which has operations more where a size is a constant."""
    places = {"line", "column", "last_use", "peak", "live_range", "peak_point", "points"}

    def without_places(value):
        if isinstance(value, dict):
            return {key: without_places(v) for key, v in value.items() if key not in places}
        return [without_places(v) for v in value] if isinstance(value, list) else value

    return without_places(report.kernels), report.fits, report.bytes


@given(m=EXTENT, n=EXTENT, is_known=st.tuples(st.booleans(), st.booleans()))
@settings(max_examples=60, deadline=None)
def test_the_base_tensor_plays_no_part(m, n, is_known):
    """Shape operands from 1 to 2^40, known when compiling or not: the same plan and verdict."""
    m, n = (value if known else None for value, known in zip((m, n), is_known))
    for capacity in (16383, 16384):
        found = check_residency(strip_kernel(m, n), scratchpad_bytes=capacity)
        assert numbers_of(found) == numbers_of(check_residency(strip_kernel(64, 32), scratchpad_bytes=capacity))
        assert found.fits == (capacity == 16384)


@pytest.mark.parametrize("policy", ["stage-all", "stage-mirrored"])
@pytest.mark.parametrize("limit", ["%m", "%c"])
def test_masked_lanes_count(limit, policy):
    """What a mask leaves of a tile is known at run time only, if at all: the tile counts as a whole."""
    kernel = f"""tt.func @masked(%x: !tt.ptr<f32>, %places: tensor<1024x!tt.ptr<f32>>, %m: i32) {{
        %c = arith.constant 3 : i32
        %r = tt.make_range {{start = 0 : i32, end = 1024 : i32}} : tensor<1024xi32>
        %limit = tt.splat {limit} : i32 -> tensor<1024xi32>
        %mask = arith.cmpi slt, %r, %limit : tensor<1024xi32>
        %base = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
        %p = tt.addptr %base, %r : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
        %a = tt.load %p, %mask : tensor<1024x!tt.ptr<f32>>
        %b = tt.load %places, %mask : tensor<1024x!tt.ptr<f32>>
        %s = arith.addf %a, %b : tensor<1024xf32>
        tt.store %p, %s, %mask : tensor<1024x!tt.ptr<f32>>
        tt.return
    }}"""
    three_tiles = 3 * 4096
    for capacity in (three_tiles - 1, three_tiles):
        found = check_residency(kernel, scratchpad_bytes=capacity, policy=policy)
        assert (found.bytes, found.fits) == (three_tiles, capacity == three_tiles)


# --- Messages -------------------------------------------------------------------------------------------------------


@triton.jit
def gemm(
    a_ptr, b_ptr, c_ptr, M, N, K, am, ak, bk, bn, cm, cn,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
):  # fmt: skip
    row = tl.program_id(0) * BLOCK_M
    a = tl.make_block_ptr(a_ptr, (M, K), (am, ak), (row, 0), (BLOCK_M, BLOCK_K), (1, 0))
    b = tl.make_block_ptr(b_ptr, (K, N), (bk, bn), (0, 0), (BLOCK_K, BLOCK_N), (1, 0))
    c = tl.make_block_ptr(c_ptr, (M, N), (cm, cn), (row, 0), (BLOCK_M, BLOCK_N), (1, 0))
    acc = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for _ in range(0, tl.cdiv(K, BLOCK_K)):
        a_tile = tl.load(a, boundary_check=(0, 1), padding_option="zero")
        b_tile = tl.load(b, boundary_check=(0, 1), padding_option="zero")
        acc = tl.dot(a_tile, b_tile, acc)
        a = tl.advance(a, (0, BLOCK_K))
        b = tl.advance(b, (BLOCK_K, 0))
    tl.store(c, acc, boundary_check=(0, 1))


def run_gemm(kernel, m=100, k=27, **opts):
    rng = np.random.default_rng(0)
    a, b = rng.integers(-4, 5, (m, k)).astype(np.float32), rng.integers(-4, 5, (k, 16)).astype(np.float32)
    c = np.full((m, 16), np.nan, np.float32)
    grid = lambda meta: (triton.cdiv(m, meta["BLOCK_M"]),)
    compiled = kernel[grid](a, b, c, m, 16, k, k, 1, 16, 1, 16, 1, **opts)
    assert np.array_equal(c, a @ b)
    return compiled


def test_message_names_blocks_and_tiles():
    with pytest.raises(ScratchpadExceeded) as e:
        run_gemm(gemm, BLOCK_M=512, BLOCK_N=16, BLOCK_K=256, scratchpad_bytes=393216)
    text = str(e.value)
    assert (e.value.required, e.value.limit) == (573440, 393216)
    assert "kernel 'gemm' does not fit the scratchpad: it needs 573440 bytes, 393216 are available on host" in text
    assert (
        "tile 'a_tile': 512x256xf32, 524288 bytes, loaded, packed (dense 524288, span (256 + 511 * abs(am)) * 4" in text
    )
    assert "tile 'acc': 512x16xf32, 32768 bytes, accumulated, packed (dense 32768" in text
    assert "180224 bytes too many" in text
    # A needs 1 KiB a row, C 64 bytes a row, B 16 KiB.
    assert "BLOCK_M=256 instead of 512 (dimension 0 of 'acc' and of 'a_tile')" in text
    assert "BLOCK_K=128 instead of 256 (dimension 1 of 'a_tile'" in text
    assert "BLOCK_N=" not in text, "no width makes room for A"
    sizes = [int(n) for n in re.findall(r"note: tile '\w+': [\w]+, (\d+) bytes", text)]
    assert sizes == sorted(sizes, reverse=True) and len(sizes) == 3
    for block in ({"BLOCK_M": 256}, {"BLOCK_K": 128}):
        opts = {"BLOCK_M": 512, "BLOCK_N": 16, "BLOCK_K": 256, **block}
        assert run_gemm(gemm, scratchpad_bytes=393216, **opts).metadata.shared <= 393216


def test_stages_of_the_launch_are_copies():
    """Of what the loop loads; 0, as some kernels for GPUs say, is one. The message says how many would fit."""
    blocks = {"BLOCK_M": 64, "BLOCK_N": 16, "BLOCK_K": 32}
    loaded, acc = (64 * 32 + 32 * 16) * 4, 64 * 16 * 4
    for stages in (0, 1, 2, 3):
        kernel = run_gemm(gemm, residency="off", num_stages=stages, **blocks)
        assert kernel.metadata.shared == max(stages, 1) * loaded + acc
    run_gemm(gemm, scratchpad_bytes=3 * loaded + acc, num_stages=3, **blocks)
    with pytest.raises(ScratchpadExceeded) as e:
        run_gemm(gemm, scratchpad_bytes=3 * loaded + acc, num_stages=4, **blocks)
    assert (e.value.required, e.value.limit) == (4 * loaded + acc, 3 * loaded + acc)
    assert "tile 'a_tile': 64x32xf32, 32768 bytes, loaded, packed, 4 copies" in str(e.value)
    assert "; or keep fewer copies: num_stages=3" in str(e.value)


def test_metadata_carries_the_peak():
    kernel = run_gemm(gemm, BLOCK_M=64, BLOCK_N=16, BLOCK_K=32, residency="off")
    assert kernel.metadata.shared == (64 * 32 + 32 * 16 + 64 * 16) * 4


# --- Launches -------------------------------------------------------------------------------------------------------


def copy_rows(pitch, rows=16, **opts):
    x = np.arange(rows * pitch, dtype=np.float32).reshape(rows, pitch)
    y = np.full((rows, 8), np.nan, np.float32)
    opts = {"residency_policy": "stage-mirrored", "scratchpad_bytes": 2048, "residency": "error", **opts}
    copy_2d[(1, 1)](x, y, rows, 8, pitch, 1, 8, 1, BLOCK_M=rows, BLOCK_N=8, **opts)
    return x, y


def test_a_launch_is_refused_with_numbers():
    """Sixteen rows of 8 floats: 512 contiguous bytes with a pitch of 8, up to two granules per row with a large one."""
    x, y = copy_rows(8)
    assert np.array_equal(y, x)
    marked = np.full((16, 8), np.nan, np.float32)
    with pytest.raises(LaunchExceedsScratchpad) as e:
        copy_rows(1001, scratchpad_bytes=1024)
    text = str(e.value)
    assert isinstance(e.value, triton.OutOfResources)
    assert e.value.required > 1024 and e.value.limit == 1024
    assert "= 1001" in text and str(e.value.required) in text and "1024 are available" in text
    assert str(pickle.loads(pickle.dumps(e.value))) == text
    assert np.isnan(marked).all()


def test_what_is_refused_writes_nothing():
    x = np.arange(16 * 1001, dtype=np.float32).reshape(16, 1001)
    y = np.full((16, 8), np.nan, np.float32)
    args = (x, y, 16, 8, 1001, 1, 8, 1)
    opts = {"BLOCK_M": 16, "BLOCK_N": 8, "residency_policy": "stage-mirrored", "residency": "error"}
    with pytest.raises(LaunchExceedsScratchpad):
        copy_2d[(1, 1)](*args, scratchpad_bytes=1024, **opts)
    assert np.isnan(y).all()
    copy_2d[(1, 1)](*args, scratchpad_bytes=4096, **opts)
    assert np.array_equal(y, x[:, :8])


def test_contract_is_exact_at_the_limit():
    x, y = copy_rows(1001, scratchpad_bytes=1 << 20)
    assert np.array_equal(y, x[:, :8])
    with pytest.raises(LaunchExceedsScratchpad) as e:
        copy_rows(1001, scratchpad_bytes=1)
    needed = e.value.required
    copy_rows(1001, scratchpad_bytes=needed)
    with pytest.raises(LaunchExceedsScratchpad):
        copy_rows(1001, scratchpad_bytes=needed - 1)


def test_stages_reach_the_contract():
    """Strides are arguments: each copy of a mirrored tile is counted at the launch."""
    blocks = {"BLOCK_M": 64, "BLOCK_N": 16, "BLOCK_K": 32, "residency_policy": "stage-mirrored"}
    needed = []
    for stages in (1, 2, 3):
        with pytest.raises(LaunchExceedsScratchpad) as e:
            run_gemm(gemm, scratchpad_bytes=64 * 16 * 4, residency="error", num_stages=stages, **blocks)
        needed.append(e.value.required)
        run_gemm(gemm, scratchpad_bytes=needed[-1], residency="error", num_stages=stages, **blocks)
        with pytest.raises(LaunchExceedsScratchpad):
            run_gemm(gemm, scratchpad_bytes=needed[-1] - 1, residency="error", num_stages=stages, **blocks)
    assert needed[2] - needed[1] == needed[1] - needed[0] == needed[0] - 64 * 16 * 4


def strided_kernel(shape, strides, dtype, divisibility, are_known):
    """Loads and stores one tile; its strides are constants or arguments."""
    attribute = f" {{tt.divisibility = {divisibility} : i32}}" if divisibility > 1 else ""
    arguments = [f"%p: !tt.ptr<{dtype}>{attribute}"]
    body = ["%z = arith.constant 0 : i32", "%e = arith.constant 1024 : i64"]
    for dim, stride in enumerate(strides):
        if are_known:
            body.append(f"%s{dim} = arith.constant {stride} : i64")
        else:
            arguments.append(f"%s{dim}: i64")
    rank, type_ = len(shape), f"tensor<{'x'.join(map(str, shape))}x{dtype}>"
    names = ", ".join(f"%s{dim}" for dim in range(rank))
    extents, offsets = ", ".join(["%e"] * rank), ", ".join(["%z"] * rank)
    order = ", ".join(str(dim) for dim in reversed(range(rank)))
    body += [
        f"%b = tt.make_tensor_ptr %p, [{extents}], [{names}], [{offsets}] {{order = array<i32: {order}>}} : <{type_}>",
        f"%a = tt.load %b : !tt.ptr<{type_}>",
        f"tt.store %b, %a : !tt.ptr<{type_}>",
        "tt.return",
    ]
    return f"tt.func @strided({', '.join(arguments)}) {{\n" + "\n".join(body) + "\n}"


STRIDE = st.one_of(st.integers(-200, 200), st.sampled_from([0, 1, -1, 16, 32, 1000, 2**31, 2**40, -(2**40), 2**62]))


@given(
    dims=st.lists(st.tuples(st.sampled_from([1, 2, 4, 8, 16]), STRIDE), min_size=1, max_size=3),
    dtype=st.sampled_from(["f64", "f32", "f16", "i8", "i1"]),
    divisibility=st.sampled_from([1, 2, 4, 16, 64]),
    alignment=st.sampled_from([1, 64, 128]),
)
@settings(max_examples=150, deadline=None)
def test_a_contract_is_the_plan_with_numbers(dims, dtype, divisibility, alignment):
    """What a launch computes from its strides is what the compiler computes where they are constants; what has no
    64 bits fits nowhere."""
    shape, strides = [d[0] for d in dims], [d[1] for d in dims]

    def plan(are_known):
        text = strided_kernel(shape, strides, dtype, divisibility, are_known)
        return check_residency(text, policy="stage-mirrored", scratchpad_bytes=1 << 44, alignment=alignment)

    known, later = plan(True), plan(False)
    (kernel,) = later.kernels
    needed = kernel["arena_bytes"]
    if kernel["contract"]:
        assert not later.fits
        contract = LaunchContract(kernel["contract"])
        needed, _ = contract.needed_bytes(tuple(strides[number - 1] for number in contract.arguments))
    if known.fits:
        assert needed == known.bytes
    else:
        assert needed > 1 << 44, "more than 64 bits can count"


# --- Autotuning -----------------------------------------------------------------------------------------------------

CONFIGS = [triton.Config({"BLOCK_M": m, "BLOCK_N": 16, "BLOCK_K": 32}) for m in (64, 4096, 128, 8192)]


def tuned(configs, **opts):
    return triton.autotune(configs, key=["M"], **opts)(gemm)


def test_autotune_skips_what_does_not_fit():
    kernel = tuned(CONFIGS)
    run_gemm(kernel, scratchpad_bytes=65536)
    assert kernel.best_config.kwargs["BLOCK_M"] in (64, 128)
    timed = {c.kwargs["BLOCK_M"]: t[0] for c, t in kernel.configs_timings.items()}
    assert timed[4096] == timed[8192] == math.inf


def test_prune_by_residency():
    kernel = tuned(CONFIGS, prune_configs_by={"early_config_prune": spine_triton.prune_by_residency})
    run_gemm(kernel, scratchpad_bytes=65536)
    assert sorted(c.kwargs["BLOCK_M"] for c in kernel.configs_timings) == [64, 128]


def test_prune_counts_the_stages():
    configs = [triton.Config({"BLOCK_M": 128, "BLOCK_N": 16, "BLOCK_K": 32}, num_stages=n) for n in (1, 4, 3)]
    kernel = tuned(configs, prune_configs_by={"early_config_prune": spine_triton.prune_by_residency})
    run_gemm(kernel, scratchpad_bytes=65536)
    assert sorted(c.num_stages for c in kernel.configs_timings) == [1, 3]


def test_prune_below_heuristics():
    with_heuristics = triton.heuristics({"BLOCK_K": lambda args: 32 if args["K"] < 64 else 4096})(gemm)
    configs = [triton.Config({"BLOCK_M": m, "BLOCK_N": 16}) for m in (64, 4096, 128)]
    pruning = {"early_config_prune": spine_triton.prune_by_residency}
    kernel = triton.autotune(configs, key=["M"], prune_configs_by=pruning)(with_heuristics)
    run_gemm(kernel, scratchpad_bytes=65536)
    assert sorted(c.kwargs["BLOCK_M"] for c in kernel.configs_timings) == [64, 128]


def test_prune_keeps_all_where_nothing_is_refused():
    kernel = tuned(CONFIGS[:2], prune_configs_by={"early_config_prune": spine_triton.prune_by_residency})
    run_gemm(kernel, scratchpad_bytes=65536, residency="off")
    assert len(kernel.configs_timings) == 2


def test_prune_of_everything_says_why():
    kernel = tuned(CONFIGS[1::2], prune_configs_by={"early_config_prune": spine_triton.prune_by_residency})
    with pytest.raises(ScratchpadExceeded, match="BLOCK_M=") as e:
        run_gemm(kernel, scratchpad_bytes=65536)
    assert any("none of 2 configurations fits" in note for note in e.value.__notes__)


def test_prune_outside_of_an_autotuner():
    with pytest.raises(RuntimeError, match="prune_configs_by"):
        spine_triton.prune_by_residency(CONFIGS, {})
