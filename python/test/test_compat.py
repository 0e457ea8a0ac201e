# ===- test_compat.py - Contact with Triton's internals --------------------===#
#
# Part of spine-triton, under the MIT licence.
#
# ===-----------------------------------------------------------------------===#
"""Scope and undo of each patch, for the installed Triton. The suite runs with each version that is supported."""

import gc
import inspect
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest
import triton
from kernels import add_one
from threads import run_in_threads
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource, make_backend
from triton.language import core
from triton.runtime import jit

from spine_triton import _triton_compat


def test_version_is_one_that_is_known():
    assert triton.__version__.startswith(("3.6.", "3.7."))


def binder(backend):
    return jit.create_function_from_signature(add_one.signature, add_one.params, backend)


def test_numpy_patch_scope():
    """A binder for another backend knows no arrays, and Triton's own names are what they were."""
    from triton._C.libtriton import native_specialize_impl

    make_backend(GPUTarget("spine", "host", 0))
    x = np.zeros(4, np.float32)
    with pytest.raises(TypeError):
        binder(make_backend(GPUTarget("cuda", 90, 32)))(x, x, 4, 4)
    assert jit.native_specialize_impl is native_specialize_impl
    _, specialization, _ = binder(make_backend(GPUTarget("spine", "host", 0)))(x, x, 4, 4)
    assert [s[0] for s in specialization] == ["*fp32", "*fp32", "i32", "constexpr"]


def test_numpy_patch_undo():
    backend = make_backend(GPUTarget("spine", "host", 0))
    patched = jit.create_function_from_signature
    try:
        _triton_compat.uninstall()
        assert jit.create_function_from_signature is patched.__wrapped__
        with pytest.raises(TypeError):
            binder(backend)(np.zeros(4, np.float32), np.zeros(4, np.float32), 4, 4)
    finally:
        _triton_compat.install()
    assert jit.create_function_from_signature is not patched.__wrapped__
    installed = jit.create_function_from_signature
    _triton_compat.install()
    assert jit.create_function_from_signature is installed, "installed only once"


def test_undo_leaves_a_later_patch_of_someone_else_alone(monkeypatch):
    make_backend(GPUTarget("spine", "host", 0))
    ours = jit.create_function_from_signature
    monkeypatch.setattr(jit, "create_function_from_signature", lambda *args: ours(*args))
    theirs = jit.create_function_from_signature
    _triton_compat.uninstall()
    assert jit.create_function_from_signature is theirs
    monkeypatch.setattr(jit, "create_function_from_signature", ours.__wrapped__)
    _triton_compat.install()
    monkeypatch.undo()
    _triton_compat.uninstall()
    jit.create_function_from_signature = ours.__wrapped__
    _triton_compat.install()


def test_all_or_none_of_several_places_are_replaced():
    """One that is missing is named, and those before it are what they were."""

    class Base:
        def inherited(self):
            return "original"

    class Owner(Base):
        @staticmethod
        def static():
            return "original"

    before = dict(vars(Owner))
    made = [(Owner, name, lambda original: lambda *args: "replaced") for name in ("inherited", "static")]
    with pytest.raises(_triton_compat.IncompatibleTriton, match=r"has no Owner\.missing"):
        _triton_compat._replace(*made, (Owner, "missing", lambda original: original))
    assert dict(vars(Owner)) == before
    undo = _triton_compat._replace(*made)
    assert Owner().inherited() == Owner().static() == "replaced"
    undo()
    undo()
    assert dict(vars(Owner)) == before


def test_failing_installation_leaves_nothing(monkeypatch):
    from triton.language.semantic import TritonSemantic

    _triton_compat.uninstall()
    before = core.validate_block_shape, ASTSource.make_ir, jit.create_function_from_signature
    try:
        with monkeypatch.context() as patch:
            patch.delattr(TritonSemantic, "arange")
            with pytest.raises(_triton_compat.IncompatibleTriton, match=r"has no TritonSemantic\.arange"):
                _triton_compat.install()
        assert before == (core.validate_block_shape, ASTSource.make_ir, jit.create_function_from_signature)
    finally:
        _triton_compat.install()


def test_unknown_triton_is_named(monkeypatch):
    _triton_compat.uninstall()
    try:
        with monkeypatch.context() as patch:
            patch.setattr(jit, "create_function_from_signature", None)
            with pytest.raises(_triton_compat.IncompatibleTriton, match=r"use Triton 3\.6 or 3\.7"):
                _triton_compat.install()
    finally:
        _triton_compat.install()


def test_alignment_is_specialised_as_for_tensors():
    torch = pytest.importorskip("torch")
    bind = binder(make_backend(GPUTarget("spine", "host", 0)))
    buffer = torch.zeros(64, dtype=torch.float32)
    for offset in range(5):
        tensor = buffer[offset:]
        of_tensor = bind(tensor, tensor, 4, 4)[1]
        of_array = bind(tensor.numpy(), tensor.numpy(), 4, 4)[1]
        assert of_tensor == of_array


@pytest.mark.parametrize(
    "dtype,name",
    [("f2", "fp16"), ("f4", "fp32"), ("f8", "fp64"), ("?", "u1"), ("i1", "i8"), ("u2", "u16"), ("i8", "i64")],
)
def test_array_type(dtype, name):
    array = np.zeros(1, dtype)
    assert _triton_compat.array_type(array) == f"*{name}"
    assert _triton_compat.array_type(array, is_const=True) == f"*k{name}"
    array.flags.writeable = False
    assert _triton_compat.array_type(array) == f"*k{name}"


def test_argument_types():
    source = SimpleNamespace(
        signature={
            "a": "*kfp16",
            "b": "constexpr",
            "c": ("i32", "constexpr", ("*i1",)),
            "d": "!tt.ptr<f32>",
            "e": "f64",
        }
    )
    types, paths = _triton_compat.argument_types(source)
    assert types == ["*fp16", "i32", "*i1", "*fp32", "fp64"]
    assert paths == [(0,), (2, 0), (2, 2, 0), (3,), (4,)]


def test_no_other_module_touches_internals():
    """The rest of the package imports only what Triton offers to backends and users."""
    import spine_triton

    package = inspect.getfile(spine_triton).rsplit("/", 1)[0]
    done = subprocess.run(
        [
            "grep",
            "-rnE",
            r"triton\.(_C|_utils|runtime\.jit|compiler\.code_generator)|libtriton",
            "--include=*.py",
            package,
        ],
        capture_output=True,
        text=True,
    )
    hits = [line for line in done.stdout.splitlines() if "_triton_compat.py" not in line]
    assert not hits, hits


def test_importing_triton_does_not_load_the_compiler():
    """Where another backend is used, this one costs nothing."""
    code = "import sys, triton; assert 'spine_triton._spine' not in sys.modules"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


@pytest.mark.parametrize("wanted,active", [("", True), ("spine", True), ("nvidia", False)])
def test_is_active(monkeypatch, wanted, active):
    from spine_triton.backend.driver import SpineDriver

    monkeypatch.setenv("TRITON_DEFAULT_BACKEND", wanted)
    monkeypatch.setattr(_triton_compat, "active_others", list)
    assert SpineDriver.is_active() == active


def test_another_backend_comes_first_unless_this_one_is_asked_for(monkeypatch):
    from spine_triton.backend.driver import SpineDriver

    monkeypatch.setattr(_triton_compat, "active_others", lambda: ["nvidia"])
    monkeypatch.delenv("TRITON_DEFAULT_BACKEND", raising=False)
    assert not SpineDriver.is_active()
    monkeypatch.setenv("TRITON_DEFAULT_BACKEND", "spine")
    assert SpineDriver.is_active()


@pytest.fixture
def threads_change_often():
    """Collections of garbage come often and run Python code: a thread may lose its turn in the middle of a C function."""

    def collect(phase, info):
        for _ in range(20):
            pass

    threshold, interval = gc.get_threshold(), sys.getswitchinterval()
    gc.callbacks.append(collect)
    gc.set_threshold(5)
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)
    gc.set_threshold(*threshold)
    gc.callbacks.remove(collect)


def test_many_threads_parse(threads_change_often):
    """Some versions of Python count the depth of the syntax trees of all threads together."""

    def work(_):
        for _ in range(50):
            add_one.parse()

    _triton_compat.install()
    run_in_threads(8, work)
