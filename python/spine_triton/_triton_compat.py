# ===- _triton_compat.py - All contact with Triton's internals -------------===#
#
# Part of spine-triton, under the MIT licence.
#
# ===-----------------------------------------------------------------------===#
"""Everything here leans on parts of Triton that are not its public interface; no other module may.

Known to work with Triton 3.6 and 3.7. Each patch says its scope, is installed once by `install()` and taken back by
`uninstall()`. With another Triton that lacks what a patch needs, `install()` raises and names what is missing.

| patch           | where                                               | scope                           |
| --------------- | --------------------------------------------------- | ------------------------------- |
| NumPy arguments | `triton.runtime.jit.create_function_from_signature` | kernels of the backend `spine`  |
| constants       | `triton.compiler.ASTSource.make_ir`                 | notes them; changes nothing     |
| parsing         | `JITCallable.parse`, before Python 3.11.5           | one thread at a time            |
| block limits    | `ASTSource.make_ir`, `validate_block_shape`, `arange`, `verify` of operations | while the backend `spine` has TTIR made |

`install_prepass` is apart from these: it changes a backend of someone else's, and only while a user wants it to.

| patch           | where                                               | scope                           |
| --------------- | --------------------------------------------------- | ------------------------------- |
| pre-pass        | `triton.knobs.runtime.add_stages_inspection_hook`   | the backend it was installed for |
|                 | or `make_ttir` of the backend's class; its `hash`   |                                 |
"""

from __future__ import annotations

import contextlib
import contextvars
import functools
import inspect
import os
import sys
import tempfile
import threading
import types
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

_lock = threading.Lock()
_undo: list[Callable[[], None]] = []


class IncompatibleTriton(ImportError):
    """This Triton is not one that the backend knows."""


def triton_version() -> str:
    import triton

    return triton.__version__


_ABSENT = object()

Maker = Callable[[Any], object]


def _replace(*places: tuple[object, str, Maker]) -> Callable[[], None]:
    """Puts `make(what is there)` in the place of each attribute, or of none if one is missing.

    Returns the undo, which leaves alone what someone else has replaced since.
    """
    done: list[tuple[object, str, object, object]] = []

    def undo() -> None:
        while done:
            owner, name, own, replacement = done.pop()
            if vars(owner).get(name) is not replacement:
                continue
            if own is _ABSENT:  # inherited
                delattr(owner, name)
            else:
                setattr(owner, name, own)

    try:
        for owner, name, make in places:
            original = getattr(owner, name, None)
            if original is None:
                missing = f"{getattr(owner, '__name__', owner)}.{name}"
                raise IncompatibleTriton(f"Triton {triton_version()} has no {missing}; use Triton 3.6 or 3.7")
            own = vars(owner).get(name, _ABSENT)
            setattr(owner, name, make(original))
            done.append((owner, name, own, vars(owner)[name]))
    except BaseException:
        undo()
        raise
    return undo


def install() -> None:
    """Installs all patches. Safe to call again and from several threads."""
    if _undo:
        return
    with _lock:
        if _undo:
            return
        done: list[Callable[[], None]] = []
        try:
            for patch in (_accept_numpy_arguments, _parse_in_turn, _note_constants, _lift_block_limits):
                done.append(patch())
        except IncompatibleTriton:
            for undo in reversed(done):
                undo()
            raise
        _undo.extend(done)


def uninstall() -> None:
    """Takes all patches back. Kernels that are bound already keep accepting NumPy arrays."""
    with _lock:
        while _undo:
            _undo.pop()()


# --- The environment ------------------------------------------------------------------------------------------------


@functools.cache
def environment_reader() -> Callable[[str], str | None]:
    """The fastest way to read an environment variable: it happens at every launch."""
    try:
        from triton._C.libtriton import getenv
    except ImportError:
        return os.environ.get
    return getenv


# --- The frontend's result ------------------------------------------------------------------------------------------


def module_text(module: object) -> str:
    """The text of the frontend's module, with its debug locations. Accepts text too (an overridden stage)."""
    return str(module)


def kernel_name(module: object, text: str) -> str:
    """The name of the entry function of the frontend's module."""
    if hasattr(module, "get_entry_func_name"):
        return module.get_entry_func_name()
    import re

    match = re.search(r"tt\.func public @([\w$.-]+|\"[^\"]*\")", text)
    return match.group(1).strip('"') if match else "kernel"


def first_line(kernel: object) -> int:
    """The line of the `def` of a `@triton.jit` function, from which the frontend counts."""
    from triton.runtime.jit import get_jit_fn_file_line

    return get_jit_fn_file_line(kernel)[1]


def _is_type(text: str) -> bool:
    from triton.language import str_to_ty

    try:
        str_to_ty(text, None)
    except (KeyError, IndexError, ValueError):  # of the ways in which it takes names apart
        return False
    return not text.startswith("constexpr")


def _check_type(parameter: str, text: str) -> None:
    """Raises ValueError if the text is not the name of a type."""
    from triton._utils import type_canonicalisation_dict

    if not _is_type(text):
        names = sorted({name for name in type_canonicalisation_dict.values() if _is_type(name)})
        raise ValueError(
            f"parameter {parameter}: {text!r} is not a type; types are {', '.join(names)}, and each with * in front"
        )


def frontend_ttir(kernel: object, arguments: dict[str, str], constants: dict[str, object]) -> str:
    """The TTIR that Triton's frontend makes of a `@triton.jit` function, before any pass, with debug locations.

    `arguments` gives the type of each run-time parameter as Triton names it (`*fp32`, `i32`, ...), `constants` the
    value of each other one. `:16` behind a type says that the argument is divisible by 16. Nothing is compiled and no
    driver is needed.
    """
    from triton._C.libtriton import ir
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource, make_backend

    names = kernel.arg_names
    missing = [name for name in names if name not in arguments and name not in constants]
    unknown = [name for name in (*arguments, *constants) if name not in names]
    if missing or unknown:
        raise ValueError(f"parameters without type or value: {missing}; not parameters: {unknown}")
    signature = {name: arguments.get(name, "constexpr").partition(":")[0] for name in names}
    for name in arguments:
        _check_type(name, signature[name])
    attributes = {}
    for name, text in arguments.items():
        divisor = text.partition(":")[2]
        if divisor not in ("", "16"):
            raise ValueError(f"parameter {name}: {text!r} is not a type, or a type and ':16'")
        if divisor:
            attributes[(names.index(name),)] = [["tt.divisibility", 16]]
    values = {(names.index(name),): value for name, value in constants.items()}
    source = ASTSource(kernel, signature, values, attributes)
    target = GPUTarget("spine", "host", 0)
    backend = make_backend(target)
    options = backend.parse_options({})
    context = ir.context()
    ir.load_dialects(context)
    backend.load_dialects(context)
    codegen, modules = backend.get_codegen_implementation(options), backend.get_module_map()
    return module_text(source.make_ir(target, options, codegen, modules, context))


# --- Constants of the kernel that is compiled -----------------------------------------------------------------------
#
# The stages of a compilation get a module, which knows nothing of the kernel's constexpr parameters. Messages want to
# call a block size by its name, so the frontend is watched.


class _LastKernel(threading.local):
    constants: types.MappingProxyType | dict = types.MappingProxyType({})


_last_kernel = _LastKernel()


def constants_of_last_kernel() -> dict[str, int]:
    """The integer constexpr parameters of the kernel that this thread's frontend made IR of last."""
    return dict(_last_kernel.constants)


def _integer_constants(source) -> dict[str, int]:
    found = {}
    for path, value in source.constants.items():
        value = getattr(value, "value", value)
        if len(path) == 1 and type(value) is int and source.fn.params[path[0]].is_constexpr:
            found[source.fn.arg_names[path[0]]] = value
    return found


def _noting(original: Callable) -> Callable:
    @functools.wraps(original)
    def make_ir(self, *args, **kwargs):
        _last_kernel.constants = _integer_constants(self)
        return original(self, *args, **kwargs)

    return make_ir


def _note_constants() -> Callable[[], None]:
    from triton.compiler import ASTSource

    return _replace((ASTSource, "make_ir", _noting))


# --- Parsing --------------------------------------------------------------------------------------------------------


def _parse_in_turn() -> Callable[[], None]:
    """Threads that launch for the first time parse their kernels one after the other.

    Until 3.11.5 all threads of CPython count the depth of the syntax tree that they build in one place, and a SystemError
    comes of two at a time (https://github.com/python/cpython/issues/106905). Debian 12 has 3.11.2.
    """
    if sys.version_info >= (3, 11, 5):
        return lambda: None
    from triton.runtime.jit import JITFunction

    owner = next((c for c in JITFunction.__mro__ if "parse" in vars(c)), JITFunction)
    return _replace((owner, "parse", _in_turn))


def _in_turn(original: Callable) -> Callable:
    turn = threading.RLock()

    @functools.wraps(original)
    def parse(self):
        with turn:
            return original(self)

    return parse


# --- Configurations of an autotuner ---------------------------------------------------------------------------------


def autotuned_kernel() -> object:
    """The kernel of the autotuner that is choosing configurations in a caller: it does not say which it asks about."""
    import sys

    from triton.runtime.autotuner import Autotuner

    frame = sys._getframe(1)
    while frame is not None:
        tuner = frame.f_locals.get("self")
        if isinstance(tuner, Autotuner):
            return tuner.fn
        frame = frame.f_back
    raise RuntimeError("prune_by_residency is called by triton.autotune: prune_configs_by={'early_config_prune': ...}")


def _with_heuristics(kernel: object, arguments: dict) -> tuple[object, dict]:
    """The function at the end of a chain of decorators, and the arguments with what `triton.heuristics` adds."""
    from triton.runtime.autotuner import Heuristics

    while not hasattr(kernel, "device_caches"):
        if isinstance(kernel, Heuristics):
            for name, value in kernel.values.items():
                arguments[name] = value(arguments)
        kernel = kernel.fn
    return kernel, arguments


def frontend_ttir_of_call(kernel: object, arguments: dict) -> tuple[str, object, dict[str, int]]:
    """What a launch with these arguments and options would compile: TTIR before any pass, options, constants.

    `kernel` is a `@triton.jit` function, decorators on top allowed. Nothing is compiled or run.
    """
    from triton._C.libtriton import ir
    from triton.runtime import driver

    kernel, arguments = _with_heuristics(kernel, {k: v for k, v in arguments.items() if k not in ("grid", "warmup")})
    _, _, target, backend, binder = kernel.device_caches[driver.active.get_current_device()]
    arguments["debug"] = bool(arguments.get("debug", kernel.debug))
    bound, specialization, rest = binder(**arguments)
    options, signature, constants, attributes = kernel._pack_args(backend, arguments, bound, specialization, rest)
    source = kernel.ASTSource(kernel, signature, constants, attributes)
    context = ir.context()
    ir.load_dialects(context)
    backend.load_dialects(context)
    codegen, modules = backend.get_codegen_implementation(options), backend.get_module_map()
    module = source.make_ir(target, options, codegen, modules, context)
    return module_text(module), options, _integer_constants(source)


# --- NumPy arrays as kernel arguments -------------------------------------------------------------------------------
#
# The types of arguments are found by a native function that knows tensors by their `data_ptr`. A binder that Triton
# makes for one of our kernels gets a function in front of it that recognises arrays. Nothing else is affected: the
# binder is made from a copy of Triton's own maker, with one name bound differently.


def array_type(array: np.ndarray, is_const: bool = False) -> str:
    """The Triton type of a NumPy array as an argument, such as `*fp32`.

    A read-only array is a pointer to constants, so that a kernel which stores to it is refused when it is compiled.
    """
    return _pointer_type(array.dtype, is_const or not array.flags.writeable)


@functools.lru_cache(maxsize=256)
def _pointer_type(dtype: np.dtype, is_const: bool) -> str:
    from triton._utils import type_canonicalisation_dict

    element = type_canonicalisation_dict.get(dtype.name)  # registered types such as ml_dtypes.bfloat16 included
    if element is None or element == "void":
        raise TypeError(f"a NumPy array of dtype {dtype} cannot be a kernel argument")
    if not dtype.isnative:
        raise TypeError(f"a NumPy array of byte order {dtype.byteorder!r} cannot be a kernel argument")
    return f"*{'k' if is_const else ''}{element}"


def _specializer(native: Callable) -> Callable:
    """`native`, Triton's specialisation of one argument, extended by NumPy arrays and scalars."""

    def specialize(backend, arg, is_const, specialize_value, align):
        if isinstance(arg, np.ndarray):
            key = None
            if specialize_value:
                key = "D" if align and arg.ctypes.data % 16 == 0 else ""
            return array_type(arg, is_const), key
        if isinstance(arg, np.generic) and not isinstance(arg, float):
            # Not specialised on 1: the value would have to become a Python number for that.
            value = arg.item()
            return native(backend, value, is_const, specialize_value and value != 1, align)
        if isinstance(arg, tuple) and any(isinstance(a, (np.ndarray, np.generic)) for a in arg):
            parts = [specialize(backend, a, False, True, True) for a in arg]
            make = type(arg)._make if hasattr(arg, "_fields") else tuple
            return make(p[0] for p in parts), make(p[1] for p in parts)
        try:
            return native(backend, arg, is_const, specialize_value, align)
        except KeyError:  # Triton's own table of types
            raise TypeError(f"a tensor of dtype {arg.dtype} cannot be a kernel argument") from None

    return specialize


def _binder_maker(native: Callable, original: types.FunctionType) -> Callable:
    """`original`, which makes binders, and for our backend its twin that knows arrays."""
    names = {**original.__globals__, "native_specialize_impl": _specializer(native)}
    ours = types.FunctionType(original.__code__, names, original.__name__, original.__defaults__, original.__closure__)

    def create_function_from_signature(sig, kparams, backend):
        return (ours if getattr(backend, "accepts_numpy", False) else original)(sig, kparams, backend)

    create_function_from_signature.__wrapped__ = original
    return create_function_from_signature


def _accept_numpy_arguments() -> Callable[[], None]:
    """Scope: binders made for a backend with the attribute `accepts_numpy`. Returns the undo."""
    from triton.runtime import jit

    name, native = "create_function_from_signature", getattr(jit, "native_specialize_impl", None)
    if not isinstance(getattr(jit, name, None), types.FunctionType) or native is None:
        raise IncompatibleTriton(
            f"Triton {triton_version()} binds arguments in a way that spine-triton does not know; use Triton 3.6 or 3.7"
        )
    return _replace((jit, name, functools.partial(_binder_maker, native)))


# --- Limits of blocks ------------------------------------------------------------------------------------------------
#
# Stock Triton refuses blocks of more than 2^20 elements and sizes that are no powers of two, in two places: a Python
# function looks at each block's shape, and the verifier looks at the finished module. Where tiles are split
# automatically both are lifted, for the one compilation: a context variable says so to the functions put in the place
# of Triton's, so other backends and other threads never notice. The module is verified by this project's own verifier
# when the first stage reads it.

_LIFTED, _KEPT = "lifted", "kept"
_block_limits: contextvars.ContextVar[str | None] = contextvars.ContextVar("spine_triton_block_limits", default=None)

_HINT = (
    "the backend spine splits such blocks by itself with the kernel option auto_tile=True (SPINE_TRITON_AUTO_TILE=1)"
)


def _check_block_shape(shape) -> int:
    """The number of elements of a block of any size."""
    elements = 1
    for i, size in enumerate(shape):
        if not isinstance(size, int):
            raise TypeError(f"Shape element {i} must have type `constexpr[int]`, got `constexpr[{type(size)}]")
        if size <= 0:
            raise ValueError(f"Shape element {i} must be positive, not {size}")
        elements *= size
    if elements >= 2**31:
        raise ValueError(
            f"numel ({elements}) must be less than 2^31: elements of a block are counted by 32-bit numbers"
        )
    return elements


def _with_hint(function: Callable) -> Callable:
    """`function`, which refuses a size, with the option that would accept it named in the message."""

    @functools.wraps(function)
    def call(*args, **kwargs):
        try:
            return function(*args, **kwargs)
        except ValueError as e:
            if _block_limits.get() == _KEPT and ("power of 2" in str(e) or "maximum tensor numel" in str(e)):
                raise ValueError(f"{e}\n{_HINT}") from None
            raise

    return call


def _shape_validator(original: Callable) -> Callable:
    stock = _with_hint(original)

    @functools.wraps(original)
    def validate_block_shape(shape):
        return (_check_block_shape if _block_limits.get() == _LIFTED else stock)(shape)

    return validate_block_shape


def _range_maker(original: Callable) -> Callable:
    stock = _with_hint(original)

    @functools.wraps(original)
    def arange(self, start, end, *, ret_ty=None):
        size = end - start if isinstance(start, int) and isinstance(end, int) else 0
        in_range = size > 0 and -(2**31) <= start and end < 2**31
        if _block_limits.get() != _LIFTED or not in_range or size & (size - 1) == 0:
            return stock(self, start, end, ret_ty=ret_ty)
        import triton.language as tl

        ret_ty = ret_ty or tl.block_type(tl.int32, [size])
        return self.tensor(self.builder.create_make_range(ret_ty.to_ir(self.builder), start, end), ret_ty)

    return arange


# Stock Triton builds these operations before it looks at the sizes, and MLIR ends the process for a negative one.


def _refuse_sizes_below_one(sizes) -> None:
    if _block_limits.get() is None:
        return
    for i, size in enumerate(sizes):
        size = getattr(size, "value", size)
        if isinstance(size, int) and size < 1:
            raise ValueError(f"Shape element {i} must be positive, not {size}")


def _block_ptr_maker(original: Callable) -> Callable:
    @functools.wraps(original)
    def make_block_ptr(self, base, shape, strides, offsets, block_shape, order):
        _refuse_sizes_below_one(block_shape if hasattr(block_shape, "__iter__") else [block_shape])
        return original(self, base, shape, strides, offsets, block_shape, order)

    return make_block_ptr


def _histogram_maker(original: Callable) -> Callable:
    @functools.wraps(original)
    def histogram(self, input, num_bins, mask):
        _refuse_sizes_below_one([num_bins])
        return original(self, input, num_bins, mask)

    return histogram


def _verifier(original: Callable) -> Callable:
    @functools.wraps(original)
    def verify(self):
        return True if _block_limits.get() == _LIFTED else original(self)

    return verify


def _ir_maker(original: Callable) -> Callable:
    @functools.wraps(original)
    def make_ir(self, target, options, *args, **kwargs):
        limits = None
        if getattr(options, "backend_name", None) == "spine":
            limits = _LIFTED if options.auto_tile else _KEPT
        token = _block_limits.set(limits)
        try:
            return original(self, target, options, *args, **kwargs)
        finally:
            _block_limits.reset(token)

    return make_ir


def _lift_block_limits() -> Callable[[], None]:
    """Scope: TTIR made for this backend, by `_block_limits`. Returns the undo."""
    from triton import _utils
    from triton._C.libtriton import ir
    from triton.compiler import ASTSource
    from triton.language import core
    from triton.language.semantic import TritonSemantic

    return _replace(
        (_utils, "validate_block_shape", _shape_validator),
        (core, "validate_block_shape", _shape_validator),
        (TritonSemantic, "arange", _range_maker),
        (TritonSemantic, "make_block_ptr", _block_ptr_maker),
        (TritonSemantic, "histogram", _histogram_maker),
        (ir.OpState, "verify", _verifier),
        (ASTSource, "make_ir", _ir_maker),
    )


# --- Drivers --------------------------------------------------------------------------------------------------------


_asking = threading.local()  # set while this thread asks the other backends, one of which may ask us


def _ask_others(question: Callable[[object], bool]) -> list[str]:
    """Names of the other backends for which the answer is yes. While they are asked, our own answer is "nobody"."""
    from triton.backends import backends

    if getattr(_asking, "now", False):
        return []
    _asking.now = True
    try:
        return [name for name, backend in backends.items() if name != "spine" and question(backend)]
    finally:
        _asking.now = False


def active_others() -> list[str]:
    """Names of other backends that are active on this machine. Any of them is the default, as its users expect."""
    return _ask_others(lambda backend: backend.driver.is_active())


def others_support(target) -> list[str]:
    """Names of other backends that compile for `target`."""
    return _ask_others(lambda backend: backend.compiler.supports_target(target))


_activations: list[Activation] = []


class Activation:
    """The backend `spine` being the one that kernels run with. `restore()` makes the one before that again.

    Several may overlap, as those of threads do, and end in any order: the last one to end restores.
    """

    def __init__(self):
        from triton.backends import backends
        from triton.runtime import driver

        with _lock:
            self._config, self._before = driver, driver._active
            driver.set_active(backends["spine"].driver())
            _activations.append(self)

    def restore(self) -> None:
        """Undoes the activation. Calling it again does nothing."""
        with _lock:
            if self not in _activations:
                return
            at = _activations.index(self)
            if at + 1 < len(_activations):
                _activations[at + 1]._before = self._before
            else:
                self._config._active = self._before
            del _activations[at]

    def __enter__(self) -> Activation:
        return self

    def __exit__(self, *exception) -> None:
        self.restore()


def activate() -> Activation:
    """Runs kernels with this backend from now on, whichever others there are and whatever the environment says.

    Kernels that were compiled with another backend stay compiled: both can be used in turn. The result restores the
    backend that was active before, by `restore()` or at the end of a `with` block.
    """
    return Activation()


# --- The pre-pass in front of another backend -----------------------------------------------------------------------


def backend_class(backend: str | type) -> type:
    """The compiler class of the backend of this name. A class is returned as it is."""
    from triton.backends import backends
    from triton.backends.compiler import BaseBackend

    if backend == "spine":
        raise ValueError(
            "the backend 'spine' needs no pre-pass: it has the options auto_tile, residency, scratchpad_bytes"
        )
    if isinstance(backend, type) and issubclass(backend, BaseBackend):
        return backend
    if not isinstance(backend, str) or backend not in backends:
        raise ValueError(f"Triton finds no backend {backend!r}; there are {', '.join(backends)}")
    return backends[backend].compiler


def parse_like(text: str, module: object) -> object:
    """`text` as a module of Triton's, in the context of `module`."""
    from triton._C.libtriton import ir

    with tempfile.TemporaryDirectory(prefix="spine-triton-") as folder:
        path = os.path.join(folder, "prepass.ttir")
        with open(path, "w") as f:
            f.write(text)
        result = ir.parse_mlir_module(path, module.context)
    result.context = module.context
    return result


class Installed:
    """One pre-pass at work. `remove()` takes it away; at the end of a `with` block it goes by itself."""

    def __init__(self, undo: Callable[[], None]):
        self._undo = undo

    def remove(self) -> None:
        """Takes the pre-pass away. Calling it again does nothing."""
        undo, self._undo = self._undo, lambda: None
        undo()

    def __enter__(self) -> Installed:
        return self

    def __exit__(self, *exception) -> None:
        self.remove()


def _through(prepass: Callable[[str, int], str], module: object, options: object) -> object:
    """The module that `prepass` makes of `module`: the very same one if it has nothing to change."""
    before = module_text(module)
    after = prepass(before, getattr(options, "num_stages", None) or 1)
    return module if after == before else parse_like(after, module)


@dataclass(eq=False)
class _Entry:
    """A pre-pass of one backend class."""

    cls: type
    prepass: Callable[[str, int], str]
    through_hook: bool


class _StagesHook:
    """Stands in `add_stages_inspection_hook` while pre-passes are installed. A hook that was there goes on working.

    Triton calls it without arguments for what is to be part of cache keys, and, for some backends, with the table of
    stages, to be changed in place.
    """

    def __init__(self, previous: Callable | None):
        self.previous = previous
        self.installed: list[_Entry] = []

    def __call__(self, backend=None, stages=None, options=None, language=None, capability=None):
        if stages is None:
            key, digest = self.previous() if self.previous else ("", "")
            ours = "".join(entry.prepass.key for entry in tuple(self.installed))
            return key + ours, digest + ours
        if self.previous:
            self.previous(backend, stages, options, language, capability)
        for entry in tuple(self.installed):
            if isinstance(backend, entry.cls) and entry.through_hook and "ttir" in stages:
                stages["ttir"] = self._stage(stages["ttir"], entry.prepass, options)
        return None

    @staticmethod
    def _stage(make_ttir: Callable, prepass: Callable, options: object) -> Callable:
        return lambda module, metadata: make_ttir(_through(prepass, module, options), metadata)


def _calls_hook(cls: type) -> bool:
    """Whether a backend offers its stages to the hook."""
    code = getattr(inspect.unwrap(cls.add_stages), "__code__", None)
    return code is not None and "add_stages_inspection_hook" in code.co_names


def _wrapped(entries: list[_Entry], make_ttir: object) -> object:
    """A class's `make_ttir` with pre-passes in front of it, and of the same kind: static, of the class, a method."""
    bound = isinstance(make_ttir, (staticmethod, classmethod))
    function = make_ttir.__func__ if bound else make_ttir
    first = 0 if isinstance(make_ttir, staticmethod) else 1  # after self or cls
    names = [p.name for p in inspect.signature(function).parameters.values() if p.kind is p.POSITIONAL_OR_KEYWORD]

    @functools.wraps(function)
    def with_prepass(*args, **kwargs):
        while len(args) < len(names) and names[len(args)] in kwargs:  # a backend may call it by keywords
            args = (*args, kwargs.pop(names[len(args)]))
        options = args[first + 2] if len(args) > first + 2 else None
        for entry in reversed(tuple(entries)):  # as the hook: the latest comes first
            args = (*args[:first], _through(entry.prepass, args[first], options), *args[first + 1 :])
        return function(*args, **kwargs)

    return type(make_ttir)(with_prepass) if bound else with_prepass


class _Front:
    """The pre-passes of one backend class. Its methods are wrapped once, and what they were again when the last one
    goes, in whatever order they do."""

    def __init__(self, cls: type):
        self.entries: list[_Entry] = []
        through_hook = _calls_hook(cls)
        # Triton 3.6 asks the hook for no key, so the key goes into the backend's as well.
        places: list[tuple[object, str, Maker]] = [(cls, "hash", self._hash)]
        if not through_hook:
            make_ttir = inspect.getattr_static(cls, "make_ttir", None)
            if make_ttir is None:
                raise IncompatibleTriton(
                    f"{cls.__name__} has no make_ttir and does not call add_stages_inspection_hook"
                )
            places.append((cls, "make_ttir", lambda _: _wrapped(self.entries, make_ttir)))
        self.through_hook = through_hook
        self.restore = _replace(*places)

    def _hash(self, digest: Callable) -> Callable:
        def hash_(backend):
            keys = "".join(f"-{entry.prepass.key}" for entry in tuple(self.entries))
            return f"{digest(backend)}{keys}" if keys else digest(backend)

        return hash_


_fronts: dict[type, _Front] = {}


def _stages_hook() -> _StagesHook:
    """Our hook, put in its place if it is not there."""
    from triton import knobs

    hook = knobs.runtime.add_stages_inspection_hook
    if not isinstance(hook, _StagesHook):
        hook = _StagesHook(hook)
        knobs.runtime.add_stages_inspection_hook = hook
    return hook


def install_prepass(cls: type, prepass: Callable) -> Installed:
    """Runs `prepass(text, num_stages)`, whose `key` becomes part of cache keys, before the class's own passes.

    Scope: kernels that backends of this class compile, until the result's `remove()` is called.
    """
    from triton import knobs

    with _lock:
        front = _fronts.get(cls) or _Front(cls)
        _fronts[cls] = front
        entry = _Entry(cls, prepass, front.through_hook)
        front.entries.append(entry)
        hook = _stages_hook()
        hook.installed.append(entry)

    def undo() -> None:
        with _lock:
            front.entries.remove(entry)
            if not front.entries:
                front.restore()
                del _fronts[cls]
            hook.installed.remove(entry)
            if not hook.installed and knobs.runtime.add_stages_inspection_hook is hook:
                knobs.runtime.add_stages_inspection_hook = hook.previous

    return Installed(undo)


# --- The cache ------------------------------------------------------------------------------------------------------


def compile_again(source: object, metadata: object) -> bytes | None:
    """The code of a kernel whose file in the cache is damaged, compiled anew, which the cache gets as well.

    None if the kernel was not made from Python's source.
    """
    from triton.compiler import ASTSource, compile
    from triton.runtime.cache import get_cache_manager

    if not isinstance(source, ASTSource):
        return None
    # A group without files is one that has not been compiled.
    get_cache_manager(metadata.hash).put_group(f"{source.name[:150]}.json", {})
    # The cache's JSON knows no tuples; with them the options are the same, and so is the place in the cache.
    options = {key: tuple(v) if isinstance(v, list) else v for key, v in metadata._asdict().items()}
    return compile(source, metadata.target, options).kernel


def cached_file(key: str, name: str) -> bytes | None:
    """What the cache has of a kernel in a file of this name."""
    from triton.runtime.cache import get_cache_manager

    with contextlib.suppress(OSError):
        path = get_cache_manager(key).get_file(name)
        if path is not None:
            with open(path, "rb") as f:
                return f.read()
    return None


def cache_file(key: str, name: str, data: bytes) -> None:
    """Puts a file beside those of a kernel, if the cache can be written to."""
    from triton.runtime.cache import get_cache_manager

    with contextlib.suppress(OSError):
        get_cache_manager(key).put(data, name)


def always_compiles() -> bool:
    """Whether what the cache has is not to be used."""
    from triton import knobs

    return bool(knobs.compilation.always_compile)


def looks_at_stages() -> bool:
    """Whether the stages of compilations are written down for somebody, or read from files of somebody's."""
    from triton import knobs

    return bool(knobs.compilation.dump_ir or knobs.compilation.override)


# --- Launch arguments -----------------------------------------------------------------------------------------------


def argument_types(source) -> tuple[list[str], list[tuple[int, ...]]]:
    """The types of a kernel's run-time arguments and, for each, the path to it in the bound arguments.

    Constants have no place in the compiled kernel. A tuple argument is spread into its members.
    """
    types_, paths = [], []

    def visit(ty, path):
        if isinstance(ty, (tuple, list)):
            for i, member in enumerate(ty):
                visit(member, (*path, i))
        elif ty != "constexpr":
            types_.append(_launch_type(ty))
            paths.append(path)

    for i, ty in enumerate(source.signature.values()):
        visit(ty, (i,))
    return types_, paths


_MLIR_FLOATS = {"f16": "fp16", "f32": "fp32", "f64": "fp64"}


def _launch_type(ty: str) -> str:
    """The launcher's name of a type: no constness, MLIR's spelling (of a kernel read from a file) made Triton's."""
    if ty.startswith("tensordesc"):
        raise NotImplementedError(
            "tensor descriptors made on the host are not available in this version of spine-triton; "
            "use tl.make_tensor_descriptor or tl.make_block_ptr in the kernel"
        )
    if ty.startswith("*"):
        ty = ty.lstrip("*").removeprefix("k")
        return "*" + _MLIR_FLOATS.get(ty, ty)
    if ty.startswith("!tt.ptr<"):
        ty = ty.removeprefix("!tt.ptr<").split(">")[0].split(",")[0]
        return "*" + _MLIR_FLOATS.get(ty, ty)
    return _MLIR_FLOATS.get(ty, ty)
