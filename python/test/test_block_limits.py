# ===- test_block_limits.py - Triton's limits on blocks, lifted ------------===#
#
# Part of spine-triton, under the MIT licence.
#
# ===-----------------------------------------------------------------------===#
"""The limits are lifted for one compilation at a time, and restored on every way out of it."""

import inspect
from concurrent.futures import ThreadPoolExecutor

import pytest
import triton
import triton.language as tl
from triton import _utils
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource, make_backend
from triton.language import core

from spine_triton import _spine, _triton_compat


@triton.jit
def copy(x_ptr, y_ptr, N: tl.constexpr, BAD: tl.constexpr):
    at = tl.arange(0, N)
    x = tl.load(x_ptr + at)
    if BAD:
        x = x + tl.zeros((N + 1,), tl.float32)
    tl.store(y_ptr + at, x)


def make_ttir(auto_tile, n=3000000, bad=False, backend_name="spine"):
    """The frontend's module for a block of `n` elements."""
    from triton._C.libtriton import ir

    backend = make_backend(GPUTarget("spine", "host", 0))
    options = backend.parse_options({"auto_tile": auto_tile})
    object.__setattr__(options, "backend_name", backend_name)
    signature = {"x_ptr": "*fp32", "y_ptr": "*fp32", "N": "constexpr", "BAD": "constexpr"}
    source = ASTSource(copy, signature, {(2,): n, (3,): bad})
    context = ir.context()
    ir.load_dialects(context)
    codegen = backend.get_codegen_implementation(options)
    while True:
        try:
            return _triton_compat.module_text(source.make_ir(backend.target, options, codegen, {}, context))
        except SystemError as e:
            # ast.parse of CPython before 3.11.5 mixes up its threads now and then (python/cpython#106905).
            if "recursion depth mismatch" not in str(e):
                raise


def assert_limits_hold():
    with pytest.raises(ValueError, match="power of 2"):
        core.block_type(tl.float32, [3])
    with pytest.raises(ValueError, match="exceeds triton maximum tensor numel"):
        _utils.validate_block_shape([2097152])


def test_lifted_modules_pass_our_verifier():
    text = make_ttir(True)
    assert "tensor<3000000xf32>" in text
    _spine.Module.parse(_spine.Context(), text).verify()
    assert_limits_hold()


@pytest.mark.parametrize("n", [3, 2097152])
def test_kept_limits_name_the_option(n):
    with pytest.raises(Exception, match=r"(?s)(power of 2|maximum tensor numel).*auto_tile=True"):
        make_ttir(False, n)
    assert_limits_hold()


def test_error_while_lifted_restores_the_limits():
    with pytest.raises(Exception, match=r"(?s)at \d+:\d+"):
        make_ttir(True, bad=True)
    assert_limits_hold()


def test_other_backends_are_not_affected():
    """Their compilations see Triton's message and nothing of ours."""
    with pytest.raises(Exception, match="power of 2") as info:
        make_ttir(True, 3, backend_name="cuda")
    assert "auto_tile" not in str(info.value)


def test_sizes_that_32_bits_cannot_count_stay_refused():
    with pytest.raises(Exception, match=r"must be less than 2\^31"):
        make_ttir(True, 2**31)


def test_forty_threads_mix_lifted_and_refused():
    """Every thread gets what it asked for, whatever the others are doing at the time."""

    def work(number):
        if number % 4 == 0:
            return "tensor<2999999xf32>" in make_ttir(True, 2999999)
        if number % 4 == 1:
            return "tensor<1024xi32>" in make_ttir(number % 8 == 1, 1024)
        with pytest.raises(Exception, match="power of 2") as info:
            make_ttir(number % 4 == 3, 2999999, backend_name="spine" if number % 4 == 2 else "cuda")
        return ("auto_tile" in str(info.value)) == (number % 4 == 2)

    with ThreadPoolExecutor(40) as pool:
        assert all(pool.map(work, range(80)))
    assert_limits_hold()


def test_uninstall_takes_the_patches_back():
    _triton_compat.install()
    patched = core.validate_block_shape, ASTSource.make_ir
    _triton_compat.uninstall()
    try:
        assert core.validate_block_shape is patched[0].__wrapped__
        assert ASTSource.make_ir is inspect.unwrap(patched[1])
    finally:
        _triton_compat.install()
