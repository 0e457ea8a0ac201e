# ===- test_errors.py - What a user is told --------------------------------===#
#
# Part of spine-triton, under the MIT licence.
#
# ===-----------------------------------------------------------------------===#

import copy
import inspect
import pickle

import numpy as np
import pytest
import triton
import triton.language as tl
from kernels import add_one

from spine_triton import KernelCompilationError, ResidencyWarning, ScratchpadExceeded


@triton.jit
def with_assembly(x_ptr):
    x = tl.load(x_ptr)
    tl.store(x_ptr, tl.inline_asm_elementwise("nop", "=r,r", [x], tl.float32, True, 1))


@triton.jit
def large_tile(x_ptr, y_ptr, N, BLOCK: tl.constexpr):
    x_blk = tl.make_block_ptr(x_ptr, (N,), (1,), (0,), (BLOCK,), (0,))
    y_blk = tl.make_block_ptr(y_ptr, (N,), (1,), (0,), (BLOCK,), (0,))
    x = tl.load(x_blk, boundary_check=(0,))
    tl.store(y_blk, x * 2, boundary_check=(0,))


def line_of(kernel, text):
    lines, first = inspect.getsourcelines(kernel.fn)
    return first + next(i for i, line in enumerate(lines) if text in line)


def launch_large(block=65536, **opts):
    x, y = np.arange(100, dtype=np.float32), np.zeros(100, np.float32)
    large_tile[(1,)](x, y, 100, BLOCK=block, **opts)
    assert np.array_equal(y, 2 * x)


def test_what_is_not_supported_is_named_with_its_line():
    with pytest.raises(KernelCompilationError) as e:
        with_assembly[(1,)](np.zeros(1, np.float32))
    assert isinstance(e.value, triton.CompilationError)
    text = str(e.value)
    assert "with_assembly" in text
    assert f"test_errors.py:{line_of(with_assembly, 'inline_asm')}:" in text
    assert "tl.inline_asm_elementwise(" in text, "the source line is shown"


def test_tiles_beyond_the_scratchpad():
    with pytest.raises(ScratchpadExceeded) as e:
        launch_large(scratchpad_bytes=100_000)
    assert isinstance(e.value, triton.OutOfResources)
    assert e.value.required == 524288
    assert e.value.limit == 100_000
    text = str(e.value)
    assert "test_errors.py:" in text and "524288" in text and "100000" in text


def test_tiles_beyond_the_scratchpad_of_a_target():
    x = np.zeros(1, np.float32)
    with pytest.raises(ScratchpadExceeded, match="393216"):
        large_tile.warmup(x, x, 1, BLOCK=131072, grid=(1,), target="spacemit-a100")


def test_residency_off_and_warning():
    launch_large(scratchpad_bytes=100_001, residency="off")
    with pytest.warns(ResidencyWarning, match="524288"):
        launch_large(scratchpad_bytes=100_002, residency="warn")


def test_by_default_the_host_has_no_hard_limit(recwarn):
    launch_large(block=1 << 20)
    assert not [w for w in recwarn if issubclass(w.category, ResidencyWarning)]


def test_errors_are_copied_and_pickled():
    """Triton copies errors of a launch, and process pools pickle them."""
    with pytest.raises(ScratchpadExceeded) as e:
        launch_large(scratchpad_bytes=100_000)
    with pytest.raises(KernelCompilationError) as f:
        with_assembly[(1,)](np.zeros(1, np.float32))
    for error in (e.value, f.value):
        for again in (copy.deepcopy(error), pickle.loads(pickle.dumps(error))):
            assert type(again) is type(error) and str(again) == str(error)


def test_a_failed_compilation_leaves_nothing_behind():
    for _ in range(2):
        with pytest.raises(ScratchpadExceeded):
            launch_large(scratchpad_bytes=100_000)
    launch_large()


@triton.jit
def bad_frontend(x_ptr, BLOCK: tl.constexpr):
    tl.store(x_ptr + tl.arange(0, BLOCK), undefined_name)  # noqa: F821


def test_errors_of_the_frontend_stay_tritons():
    with pytest.raises(triton.CompilationError, match="undefined_name"):
        bad_frontend[(1,)](np.zeros(4, np.float32), BLOCK=4)


@pytest.mark.parametrize(
    "args",
    [("no number", 4), (np.zeros(4, np.float32), "no number"), (object(), 4)],
    ids=["pointer", "scalar", "object"],
)
def test_arguments_of_the_wrong_kind(args):
    with pytest.raises(TypeError):
        add_one[(1,)](args[0], np.zeros(4, np.float32), args[1], BLOCK=4)


def test_missing_argument():
    with pytest.raises(TypeError, match="N"):
        add_one[(1,)](np.zeros(4, np.float32), np.zeros(4, np.float32), BLOCK=4)


def test_gluon_is_refused():
    from triton.backends.compiler import GPUTarget, Language
    from triton.compiler import make_backend

    backend = make_backend(GPUTarget("spine", "host", 0))
    with pytest.raises(NotImplementedError, match="Gluon"):
        backend.add_stages({}, backend.parse_options({}), Language.GLUON)


def test_tensor_descriptor_from_the_host_is_refused():
    torch = pytest.importorskip("torch")
    from triton.tools.tensor_descriptor import TensorDescriptor

    @triton.jit
    def kernel(desc, out_ptr):
        tl.store(out_ptr, tl.sum(tl.sum(desc.load([0, 0]), 0), 0))

    desc = TensorDescriptor.from_tensor(torch.ones(16, 16), [16, 16])
    with pytest.raises((NotImplementedError, KernelCompilationError), match=r"descriptor|tensordesc"):
        kernel[(1,)](desc, np.zeros(1, np.float32))
