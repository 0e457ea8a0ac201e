# ===- test_options.py - Options, environment, cache keys ------------------===#
#
# Part of spine-triton, under the MIT licence.
#
# ===-----------------------------------------------------------------------===#

import numpy as np
import pytest
import triton
from kernels import add_one
from triton.backends.compiler import GPUTarget
from triton.compiler import make_backend

from spine_triton import options, targets

HOST = GPUTarget("spine", "host", 0)


def parse(**opts):
    return make_backend(HOST).parse_options(opts)


def launch(**opts):
    x, y = np.arange(100, dtype=np.float32), np.zeros(100, np.float32)
    kernel = add_one[(2,)](x, y, 100, BLOCK=64, **opts)
    assert np.array_equal(y, x + 1)
    return kernel


def test_defaults():
    found = parse()
    assert found.arch == "host"
    assert found.target == {"backend": "spine", "arch": "host", "warp_size": 0}
    assert (found.scratchpad_bytes, found.residency, found.auto_tile) == (None, None, False)
    assert found.default_dot_input_precision == "ieee"
    assert {"ieee", "tf32"} <= set(found.allowed_dot_input_precisions)


def test_options_survive_being_parsed_again():
    """Triton parses the options of a launch, then once more what it made of them."""
    first = parse(num_warps=8, scratchpad_bytes=4096, residency="warn", target="spacemit-a100")
    assert parse(**first.__dict__) == first


@pytest.mark.parametrize(
    "variable,text,option,value",
    [
        ("SPINE_TRITON_SCRATCHPAD_BYTES", "65536", "scratchpad_bytes", 65536),
        ("SPINE_TRITON_RESIDENCY", "warn", "residency", "warn"),
        ("SPINE_TRITON_AUTO_TILE", "0", "auto_tile", False),
        ("SPINE_TRITON_ALLOW_FLUSH_DENORM", "0", "allow_flush_denorm", False),
    ],
)
def test_environment_sets_and_option_overrides(monkeypatch, variable, text, option, value):
    monkeypatch.setenv(variable, text)
    assert getattr(parse(), option) == value
    other = {"scratchpad_bytes": 1024, "residency": "off", "auto_tile": False, "allow_flush_denorm": True}[option]
    assert getattr(parse(**{option: other}), option) == other


@pytest.mark.parametrize(
    "opts,message",
    [
        ({"scratchpad_bytes": 0}, "the option scratchpad_bytes must be a positive number of bytes, not 0"),
        ({"scratchpad_bytes": 1 << 63}, "scratchpad_bytes must be a number of bytes below 2"),
        ({"scratchpad_bytes": "many"}, "must be a positive number of bytes, not 'many'"),
        ({"residency": "maybe"}, "the option residency must be one of error, warn, off, not 'maybe'"),
        ({"target": "gpu"}, "unknown target 'gpu'; there are host, .*spacemit-a100"),
        ({"runner": "board"}, "the option runner must be one of native, qemu, not 'board'"),
        ({"num_ctas": 2}, "num_ctas must be 1 on a CPU, not 2"),
        ({"num_warps": 0}, "num_warps must be a whole number from 1 to 2147483647, not 0"),
        ({"num_stages": -1}, "num_stages must be a whole number from 0 to 2147483647, not -1"),
        ({"num_stages": "2"}, "num_stages must be a whole number from 0 to 2147483647, not '2'"),
        ({"num_stages": 1 << 63}, "num_stages must be a whole number from 0 to 2147483647"),
    ],
)
def test_wrong_options_are_named(opts, message):
    with pytest.raises(ValueError, match=message):
        parse(**opts)


@pytest.mark.parametrize(
    "variable,text,message",
    [
        ("SPINE_TRITON_SCRATCHPAD_BYTES", "-1", "SPINE_TRITON_SCRATCHPAD_BYTES must be a positive number of bytes"),
        ("SPINE_TRITON_RESIDENCY", "no", "SPINE_TRITON_RESIDENCY must be one of"),
        ("SPINE_TRITON_AUTO_TILE", "maybe", "SPINE_TRITON_AUTO_TILE must be 0 or 1"),
        ("SPINE_TRITON_RUNNER", "board", "SPINE_TRITON_RUNNER must be one of native, qemu"),
        ("SPINE_TRITON_TARGET", "gpu", "unknown target 'gpu'"),
    ],
)
def test_wrong_environment_is_named(monkeypatch, variable, text, message):
    monkeypatch.setenv(variable, text)
    with pytest.raises(ValueError, match=message):
        launch()


@pytest.mark.parametrize("value,expected", [(True, True), (1, True), ("1", True), (False, False), ("off", False)])
def test_auto_tile(monkeypatch, value, expected):
    assert parse(auto_tile=value).auto_tile is expected
    monkeypatch.setenv("SPINE_TRITON_AUTO_TILE", "1")
    assert parse().auto_tile is True
    assert parse(auto_tile=value).auto_tile is expected


def test_unknown_keyword_is_refused_by_triton():
    with pytest.raises(KeyError, match="scratchpad_byte"):
        launch(scratchpad_byte=1)


def test_parameter_named_like_an_option_is_no_option():
    """All keyword arguments of a launch come by here, the kernel's own too."""
    assert parse(target=np.zeros(3)).arch == "host"


def test_environment_change_is_seen_by_a_kernel_that_is_compiled_already(monkeypatch):
    plain = launch()
    monkeypatch.setenv("SPINE_TRITON_SCRATCHPAD_BYTES", "65536")
    limited = launch()
    assert limited is not plain
    assert limited.metadata.scratchpad_capacity == 65536
    monkeypatch.delenv("SPINE_TRITON_SCRATCHPAD_BYTES")
    assert launch() is plain


def test_devices_are_numbered_by_environment(monkeypatch):
    first = options.current_device()
    monkeypatch.setenv("SPINE_TRITON_SCRATCHPAD_BYTES", "12345")
    second = options.current_device()
    assert first != second
    monkeypatch.delenv("SPINE_TRITON_SCRATCHPAD_BYTES")
    assert options.current_device() == first


def test_cache_key_depends_on_what_matters(monkeypatch):
    from spine_triton import _spine

    backend = make_backend(HOST)
    versions = _spine.versions()
    for part in (*versions.values(), targets.find("host").digest):
        assert part in backend.hash()
    keys = {
        parse().hash(),
        parse(scratchpad_bytes=1000).hash(),
        parse(scratchpad_bytes=2000).hash(),
        parse(residency="off").hash(),
        parse(target="spacemit-a100").hash(),
        parse(debug=True).hash(),
        parse(enable_fp_fusion=False).hash(),
    }
    assert len(keys) == 7
    assert parse(num_warps=2, residency="off").hash() == parse(num_warps=2, residency="off").hash()


def test_metadata_of_a_compiled_kernel():
    kernel = launch(scratchpad_bytes=8192)
    assert kernel.metadata.target == HOST
    assert kernel.metadata.name == "add_one"
    assert kernel.metadata.shared == 512, "the loaded and the stored tile"
    assert kernel.metadata.scratchpad_capacity == 8192
    assert kernel.metadata.arena_bytes >= 0


def test_compiles_for_another_target_but_does_not_run_it():
    x, y = np.zeros(64, np.float32), np.zeros(64, np.float32)
    kernel = add_one.warmup(x, y, 64, BLOCK=64, grid=(1,), target="spacemit-a100")
    assert kernel.metadata.target.arch == "spacemit-a100"
    assert kernel.asm["obj"][18:20] == b"\xf3\x00"  # ELF machine RISC-V
    with pytest.raises(
        RuntimeError, match="kernels for spacemit-a100 cannot run in this process: set SPINE_TRITON_RUNNER=qemu"
    ):
        add_one[(1,)](x, y, 64, BLOCK=64, target="spacemit-a100")


def test_backend_is_found_by_its_entry_point():
    assert triton.backends.backends["spine"].driver.is_active()
