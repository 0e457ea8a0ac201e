# ===- test_bindings.py - Tests of the extension module --------------------===#
#
# Part of spine-triton, under the MIT licence.
#
# ===-----------------------------------------------------------------------===#
"""`spine_triton._spine`: modules and pipelines, code, launching. Kernels are written by hand in the LLVM dialect, so
that nothing here depends on code generation."""

import ast
import ctypes
import gc
import json
import os
import pathlib
import struct
import subprocess
import sys

import numpy as np
import pytest
from threads import run_in_threads

from spine_triton import _spine

HOST = _spine.host_target_json()
RISCV = json.dumps(
    {
        "name": "test",
        "triple": "riscv64-unknown-linux-gnu",
        "cpu": "generic-rv64",
        "abi": "lp64d",
        "features": "+m,+a,+f,+d,+c,+v,+zvl1024b",
        "vector_bits": 1024,
        "scratchpad_bytes": 393216,
    }
)

ABI = "%args: !llvm.ptr, %grid: !llvm.ptr, %begin: i64, %end: i64, %arena: !llvm.ptr"


def argument(index: int, name: str, kind: str) -> str:
    return f"""
    %slot_{name} = llvm.getelementptr %args[{index}] : (!llvm.ptr) -> !llvm.ptr, i64
    %{name} = llvm.load %slot_{name} : !llvm.ptr -> {kind}"""


def add_function(name: str, arena: int, operation: str) -> str:
    """out[i] = x[i] OP y[i] for i < n, 64 elements per program; the arguments are x, y, out, n (i32)."""
    return f"""
  llvm.func @{name}({ABI}) attributes {{spine.arena_bytes = {arena} : i64}} {{
    %c1 = llvm.mlir.constant(1 : i64) : i64
    %c64 = llvm.mlir.constant(64 : i64) : i64
    {argument(0, "x", "!llvm.ptr")}{argument(1, "y", "!llvm.ptr")}{argument(2, "out", "!llvm.ptr")}
    {argument(3, "n32", "i32")}
    %n = llvm.sext %n32 : i32 to i64
    %first = llvm.mul %begin, %c64 : i64
    %last = llvm.mul %end, %c64 : i64
    %limit = llvm.intr.smin(%last, %n) : (i64, i64) -> i64
    llvm.br ^header(%first : i64)
  ^header(%i: i64):
    %more = llvm.icmp "slt" %i, %limit : i64
    llvm.cond_br %more, ^body, ^exit
  ^body:
    %px = llvm.getelementptr %x[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    %py = llvm.getelementptr %y[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    %po = llvm.getelementptr %out[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    %vx = llvm.load %px : !llvm.ptr -> f32
    %vy = llvm.load %py : !llvm.ptr -> f32
    %sum = llvm.{operation} %vx, %vy : f32
    llvm.store %sum, %po : f32, !llvm.ptr
    %next = llvm.add %i, %c1 : i64
    llvm.br ^header(%next : i64)
  ^exit:
    llvm.return
  }}"""


ADD = f"module {{{add_function('add', 256, 'fadd')}}}"
# The variant for overlapping arguments subtracts, so that a test sees which one ran.
VARIANTS = f"module {{{add_function('add', 0, 'fadd')}{add_function('add__may_alias', 64, 'fsub')}}}"


def copy_argument(kind: str) -> str:
    """Stores its second argument where its first one points to."""
    return f"""
  llvm.func @copy({ABI}) attributes {{spine.arena_bytes = 0 : i64}} {{
    {argument(0, "out", "!llvm.ptr")}{argument(1, "value", kind)}
    llvm.store %value, %out : {kind}, !llvm.ptr
    llvm.return
  }}"""


CHECK = f"""
module {{
  llvm.mlir.global private constant @text("n must be 0\\00")
  llvm.mlir.global private constant @file("kernel.py\\00")
  llvm.mlir.global private constant @function("check\\00")
  llvm.func @spine_rt_assert(!llvm.ptr, !llvm.ptr, !llvm.ptr, i32, i32, i32, i32)
  llvm.func @check({ABI}) attributes {{spine.arena_bytes = 0 : i64}} {{
    %zero = llvm.mlir.constant(0 : i32) : i32
    %line = llvm.mlir.constant(7 : i32) : i32
    {argument(0, "n", "i32")}
    %bad = llvm.icmp "ne" %n, %zero : i32
    llvm.cond_br %bad, ^fail, ^exit
  ^fail:
    %text = llvm.mlir.addressof @text : !llvm.ptr
    %file = llvm.mlir.addressof @file : !llvm.ptr
    %function = llvm.mlir.addressof @function : !llvm.ptr
    llvm.call @spine_rt_assert(%text, %file, %function, %line, %zero, %zero, %n)
        : (!llvm.ptr, !llvm.ptr, !llvm.ptr, i32, i32, i32, i32) -> ()
    llvm.br ^exit
  ^exit:
    llvm.return
  }}
}}
"""


def parse(text: str) -> _spine.Module:
    return _spine.Module.parse(_spine.Context(), text)


def build(text: str) -> _spine.Kernel:
    module = parse(text)
    return _spine.load(_spine.emit_object(module, HOST), _spine.kernel_metadata(module)["name"])


def raises(match: str):
    return pytest.raises(_spine.MLIRError, match=match)


@pytest.fixture(scope="module")
def add():
    return build(ADD)


@pytest.fixture(scope="module")
def variants():
    return build(VARIANTS)


LAUNCH_ADD = _spine.Launcher(["*fp32", "*fp32", "*fp32", "i32"])


# --- Modules


def test_round_trip():
    module = parse(ADD)
    text = str(module)
    assert "llvm.func @add" in text
    assert str(parse(text)) == text
    assert module.to_string() == text


def test_other_forms_of_the_text():
    module = parse(ADD)
    assert 'loc("<string>":' in module.to_string(debug_info=True)
    assert "loc(" not in module.to_string()
    assert '"llvm.func"() <{' in module.to_string(generic=True)


def test_clone_is_independent():
    module = parse("func.func @f() { %0 = arith.constant 1 : i32 return }")
    copy = module.clone()
    _spine.run_pipeline(copy, "builtin.module(canonicalize)")
    assert "arith.constant" in str(module)
    assert "arith.constant" not in str(copy)
    assert copy.context is module.context
    module.verify()


def test_parse_file(tmp_path):
    path = tmp_path / "add.mlir"
    path.write_text(ADD)
    assert str(_spine.Module.parse_file(_spine.Context(), str(path))) == str(parse(ADD))
    path.write_text("module {\n  oops\n}")
    with raises("oops") as caught:
        _spine.Module.parse_file(_spine.Context(), str(path))
    assert caught.value.diagnostics[0].file == str(path)
    with raises("cannot read"):
        _spine.Module.parse_file(_spine.Context(), str(tmp_path / "none"))
    with raises("cannot read"):
        _spine.Module.parse_file(_spine.Context(), str(tmp_path))


def test_context_outlives_its_name():
    context = _spine.Context()
    module = _spine.Module.parse(context, ADD)
    del context
    gc.collect()
    assert "add" in str(module)


# --- Diagnostics


def test_parse_error():
    with raises("expected") as caught:
        _spine.Module.parse(_spine.Context(), "module {\n  func.func @f( {\n}", "kernel.ttir")
    error = caught.value
    assert isinstance(error, RuntimeError)
    first = error.diagnostics[0]
    assert (first.severity, first.file, first.line) == ("error", "kernel.ttir", 2)
    assert first.column > 0
    assert str(first) == f"kernel.ttir:2:{first.column}: error: {first.message}"
    assert str(error).splitlines()[0] == str(first)
    assert "kernel.ttir:2" in repr(first)


def test_location_of_the_source():
    text = """func.func @f(%a: i32) -> i64 {
      %0 = "arith.addi"(%a, %a) : (i32, i32) -> i64 loc(fused["add"("kernel.py":12:5), "x"("k.py":1:1)])
      return %0 : i64
    }"""
    with raises("arith.addi") as caught:
        parse(text)
    first = caught.value.diagnostics[0]
    assert (first.file, first.line, first.column) == ("kernel.py", 12, 5)


def test_notes():
    text = """func.func @f() {
      "test.use"(%0) : (i32) -> () loc(callsite("a.py":1:2 at "b.py":3:4))
      return
    }"""
    with raises("undeclared|unregistered|undefined"):
        parse(text)
    text = """func.func @f(%a: i32) -> i64 {
      %0 = "arith.addi"(%a, %a) : (i32, i32) -> i64 loc(callsite("a.py":1:2 at "b.py":3:4))
      return %0 : i64
    }"""
    with raises("called from here") as caught:
        parse(text)
    (first,) = caught.value.diagnostics
    assert (first.file, first.line) == ("a.py", 1)
    notes = [note for note in first.notes if note.message == "called from here"]
    assert [(note.severity, note.file, note.line) for note in notes] == [("note", "b.py", 3)]


@pytest.mark.parametrize(
    "text",
    [
        "module {",
        "}",
        '"',
        "func.func @f() { return",
        "%0 = ",
        '"nothing.like_it"() : () -> ()',
        "tt.func @f( {",
        "\xff\xfe",
        "func.func @f() { cf.br ^nowhere }",
        "!alias = !alias",
        "#map = affine_map<(d0) -> (d1)>\nfunc.func @f() { return }",
    ],
)
def test_malformed_modules_raise(text):
    with pytest.raises(_spine.MLIRError) as caught:
        parse(text)
    assert caught.value.diagnostics
    assert any(d.severity == "error" for d in caught.value.diagnostics)


@pytest.mark.parametrize("opening", ["tensor<", "[", "(", "{", "module {", "vector<[", "#a<"])
def test_deep_nesting_raises(opening):
    with raises("nest more than 256 deep") as caught:
        _spine.Module.parse(_spine.Context(), '\n"test"() ' + opening * 20000, "deep.mlir")
    assert caught.value.diagnostics[0].file == "deep.mlir"
    assert caught.value.diagnostics[0].line == 2


def test_brackets_in_strings_and_comments_do_not_count():
    brackets = "(" * 2000
    parse(f'// {brackets}\nmodule attributes {{a.b = "{brackets}\\"{brackets}"}} {{}}'.replace("a.b", "llvm.x"))


# --- Pipelines


def test_pipeline_in_place_and_copy():
    module = parse("func.func @f() { %0 = arith.constant 1 : i32 return }")
    lowered = _spine.lower(module, "builtin.module(canonicalize)")
    assert "arith.constant" in str(module)
    assert "arith.constant" not in str(lowered)
    assert _spine.run_pipeline(module, "builtin.module(canonicalize)") == []
    assert str(module) == str(lowered)


@pytest.mark.parametrize(
    "pipeline", ["", "builtin.module(", "builtin.module(no-such-pass)", "canonicalize{nothing=1}", "func.func(cse)"]
)
def test_pipelines_that_are_none(pipeline):
    module = parse(ADD)
    with pytest.raises(_spine.MLIRError):
        _spine.run_pipeline(module, pipeline)


def test_pipeline_errors_name_the_pass():
    with raises("'builtin.module\\(no-such-pass\\)' is not a pass pipeline") as caught:
        _spine.run_pipeline(parse(ADD), "builtin.module(no-such-pass)")
    assert "no-such-pass" in caught.value.diagnostics[0].message


def test_printing_and_timing_go_to_standard_error(capfd):
    module = parse("func.func @f() { return }")
    _spine.run_pipeline(module, "builtin.module(canonicalize)", print_after_all=True, timing=True)
    captured = capfd.readouterr()
    assert captured.out == ""
    assert "Dump After Canonicalizer" in captured.err
    assert "Execution time report" in captured.err


# --- Code


def test_metadata():
    facts = {"name": "add", "arena_bytes": 256, "has_may_alias": False, "disjoint_arguments": None}
    assert _spine.kernel_metadata(parse(ADD)) == facts
    facts |= {"arena_bytes": 64, "has_may_alias": True}
    assert _spine.kernel_metadata(parse(VARIANTS)) == facts
    pairs = VARIANTS.replace(
        "spine.arena_bytes = 0", "spine.disjoint_arguments = array<i64: 0, 2>, spine.arena_bytes = 0"
    )
    assert _spine.kernel_metadata(parse(pairs)) == facts | {"disjoint_arguments": [(0, 2)]}


@pytest.mark.parametrize(
    "text, message",
    [
        ("module {}", "has no kernel: no llvm.func with a body carries 'spine.arena_bytes'"),
        (f"module {{{add_function('a', 0, 'fadd')}{add_function('b', 0, 'fadd')}}}", "two kernels, 'a' and 'b'"),
        (
            f"module {{{add_function('a', 0, 'fadd')}{add_function('b__may_alias', 0, 'fadd')}}}",
            "a variant for overlapping arguments of a kernel that is not there: 'b__may_alias'",
        ),
    ],
)
def test_metadata_of_what_is_no_kernel(text, message):
    with raises(message):
        _spine.kernel_metadata(parse(text))
    with raises(message):
        _spine.translate(parse(text), HOST)


def test_stages_of_code():
    module = parse(ADD)
    code = _spine.translate(module, HOST)
    assert "define void @add(" in str(code)
    assert str(code) == _spine.emit_llvm_ir(module, HOST)
    assert "add:" in code.emit_assembly()
    assert code.emit_object() == code.emit_object() == _spine.emit_object(module, HOST)
    assert code.emit_object()[:4] == b"\x7fELF"
    assert str(code) == _spine.emit_llvm_ir(module, HOST), "code generation must leave the text alone"


def test_code_from_text():
    code = _spine.translate(parse(ADD), HOST)
    again = _spine.LLVMModule.parse(str(code), HOST)
    assert again.emit_object()[:4] == b"\x7fELF"
    with raises("line 1"):
        _spine.LLVMModule.parse("nonsense", HOST)


def test_opt_level():
    assert "alloca" not in _spine.emit_llvm_ir(parse(ADD), HOST, opt_level=0)
    assert _spine.emit_llvm_ir(parse(ADD), HOST, 0) != _spine.emit_llvm_ir(parse(ADD), HOST, 3)
    with pytest.raises(ValueError, match="opt_level"):
        _spine.translate(parse(ADD), HOST, 4)


def test_riscv_code():
    assembly = _spine.emit_assembly(parse(ADD), RISCV)
    assert "vfadd.vv" in assembly
    obj = _spine.emit_object(parse(ADD), RISCV)
    with raises("the object is for riscv64 and cannot run in this process"):
        _spine.load(obj, "add")


@pytest.mark.parametrize(
    "target, message",
    [
        ("", "not valid JSON"),
        ("[]", "must be a JSON object"),
        ("{}", "'name' is missing"),
        (HOST.replace('"cpu": "', '"cpu": "no-'), "which LLVM does not know"),
        (RISCV.replace("riscv64", "z80"), "no code generator for the triple"),
        (RISCV.replace("+v,", "+beads,"), "names the feature 'beads'"),
    ],
)
def test_targets_that_are_none(target, message):
    with raises(message):
        _spine.translate(parse(ADD), target)


def test_code_of_other_dialects():
    with raises("func.func|translate") as caught:
        _spine.translate(parse(f"module {{ {add_function('add', 0, 'fadd')} func.func @f() {{ return }} }}"), HOST)
    assert caught.value.diagnostics


def test_compile_at_once(add):
    kernel = _spine.compile(ADD, HOST, [("first", "builtin.module(canonicalize)"), ("second", "builtin.module(cse)")])
    assert (kernel.name, kernel.arena_bytes, kernel.has_may_alias) == ("add", 256, False)
    assert kernel.stages == ["first", "second"]
    assert "llvm.func @add" in kernel.text("first")
    with pytest.raises(KeyError):
        kernel.text("third")
    assert "define void @add(" in kernel.llir
    assert "add:" in kernel.asm
    assert _spine.load(kernel.obj, kernel.name).arena_bytes == 256
    assert kernel.diagnostics == []
    assert _spine.compile(ADD, HOST, [("first", "builtin.module(cse)")], keep_stages=False).stages == []
    with raises("no-such-pass"):
        _spine.compile(ADD, HOST, [("first", "builtin.module(no-such-pass)")])
    with raises("k.ttir:1:1"):
        _spine.compile("nonsense", HOST, [], name="k.ttir")


# --- Residency

COPY_TILE = """
tt.func @copy(%x: !tt.ptr<f32>, %n: i64) {
  %c0 = arith.constant 0 : i32
  %unit = arith.constant 1 : i64
  %p = tt.make_tensor_ptr %x, [%n], [%unit], [%c0] {order = array<i32: 0>} : <tensor<1024xf32>>
  %a = tt.load %p {boundaryCheck = array<i32: 0>} : !tt.ptr<tensor<1024xf32>> loc("tile"("kernel.py":9:3))
  tt.store %p, %a {boundaryCheck = array<i32: 0>} : !tt.ptr<tensor<1024xf32>>
  tt.return
}"""


def test_residency():
    module = parse(COPY_TILE)
    (report,) = _spine.check_residency(module, RISCV)
    assert (report["kernel"], report["fits"], report["unbounded"]) == ("copy", True, None)
    assert (report["arena_bytes"], report["capacity_bytes"], report["reserve_bytes"]) == (4096, 393216, 0)
    assert (report["live_peak_bytes"], report["policy"], report["contract"]) == (4096, "stage-all", None)
    (tile,) = report["tiles"]
    assert (tile["name"], tile["shape"], tile["dtype"], tile["bytes"]) == ("tile", [1024], "f32", 4096)
    assert (tile["file"], tile["line"], tile["column"]) == ("kernel.py", 9, 3)
    assert tile["live_at_peak"] and tile["role"]

    (report,) = _spine.check_residency(module, RISCV, 4095)
    assert (report["fits"], report["capacity_bytes"]) == (False, 4095)
    assert report["smaller_blocks"] == [{"size": 1024, "fitting": 512, "places": [(0, 0)]}]
    (report,) = _spine.check_residency(module, RISCV, scratchpad_bytes=4096)
    assert report["fits"]
    assert _spine.check_residency(parse("module {}"), RISCV) == []
    with pytest.raises(ValueError, match="scratchpad_bytes"):
        _spine.check_residency(module, RISCV, -1)
    with raises("not valid JSON"):
        _spine.check_residency(module, "")
    with raises("unknown residency policy 'all'"):
        _spine.check_residency(module, RISCV, policy="all")
    with raises("power of two"):
        _spine.check_residency(module, RISCV, alignment=3)
    with pytest.raises(ValueError, match="num_stages"):
        _spine.check_residency(module, RISCV, num_stages=0)


def test_residency_facts():
    module = parse(COPY_TILE)
    assert _spine.residency_facts(module) == []
    _spine.run_pipeline(module, "builtin.module(spine-check-residency)")
    facts = {"kernel": "copy", "fits": True, "live_peak_bytes": 4096, "arena_bytes": 4096}
    facts |= {"contract": None, "conditions": None}
    assert _spine.residency_facts(module) == [facts]


def test_footprint():
    assert _spine.footprint([512, 4], [518400, 1], 4) == (8192, 1059609616, 32768)
    assert _spine.footprint([2], [2**62], 4) == (8, None, None)
    for wrong in ([[0], [1], 4], [[1, 2], [1], 4], [[1], [1], 0], [[1], [1], 4, 48], [[1], [1], 4, 64, 3]):
        with pytest.raises(ValueError):
            _spine.footprint(*wrong)


# --- Loading


def test_load_errors():
    obj = _spine.emit_object(parse(ADD), HOST)
    with raises("other"):
        _spine.load(obj, "other")
    for broken in (b"", b"nonsense", obj[:100]):
        with pytest.raises(_spine.MLIRError):
            _spine.load(broken, "add")
    calls = parse(f"""module {{
      llvm.func @not_to_be_found()
      llvm.func @k({ABI}) attributes {{spine.arena_bytes = 0 : i64}} {{
        llvm.call @not_to_be_found() : () -> ()
        llvm.return
      }} }}""")
    with raises("not_to_be_found"):
        _spine.load(_spine.emit_object(calls, HOST), "k")


def test_many_kernels():
    obj = _spine.emit_object(parse(ADD), HOST)
    kernels = [_spine.load(obj, "add") for _ in range(100)]
    assert len({kernel.address for kernel in kernels}) == 100
    del kernels[::2]
    x = np.ones(64, np.float32)
    for kernel in kernels:
        LAUNCH_ADD(kernel, 1, 1, 1, (x, x, np.empty_like(x), 64))


# --- Launching


def test_kernel(add):
    assert (add.name, add.arena_bytes, add.has_may_alias) == ("add", 256, False)
    x = np.arange(10000, dtype=np.float32)
    y = np.linspace(0, 1, 10000, dtype=np.float32)
    out = np.full(10000, -1, np.float32)
    assert LAUNCH_ADD(add, (10000 + 63) // 64, 1, 1, (x, y, out, 9990)) is True
    np.testing.assert_array_equal(out[:9990], (x + y)[:9990])
    np.testing.assert_array_equal(out[9990:], -1)
    assert LAUNCH_ADD.signature == ["*fp32", "*fp32", "*fp32", "i32"]


def test_zero_programs(add):
    out = np.full(64, -1, np.float32)
    for grid in ((0, 1, 1), (1, 0, 1), (5, 7, 0)):
        LAUNCH_ADD(add, *grid, (out, out, out, 64))
    np.testing.assert_array_equal(out, -1)


@pytest.mark.parametrize(
    "grid, error",
    [
        ((-1, 1, 1), ValueError),
        ((1, -(2**70), 1), ValueError),
        ((1, 1, 2**31), ValueError),
        ((1, 2**70, 1), ValueError),
        ((1.5, 1, 1), TypeError),
        ((None, 1, 1), TypeError),
        ((2**31 - 1, 2**31 - 1, 3), ValueError),
    ],
)
def test_bad_grids(add, grid, error):
    x = np.ones(64, np.float32)
    with pytest.raises(error):
        LAUNCH_ADD(add, *grid, (x, x, x, 64))


def test_arguments_in_other_containers(add):
    x = np.ones(64, np.float32)
    out = np.zeros(64, np.float32)
    LAUNCH_ADD(add, np.int32(1), True, 1, [x, x, out, np.int64(64)])
    np.testing.assert_array_equal(out, 2)
    with pytest.raises(ValueError, match="takes 4 arguments, got 3"):
        LAUNCH_ADD(add, 1, 1, 1, (x, x, out))
    with pytest.raises(TypeError):
        LAUNCH_ADD(add, 1, 1, 1, 5)
    with pytest.raises(TypeError):
        LAUNCH_ADD("add", 1, 1, 1, (x, x, out, 64))


class OnlyInterface:
    """An array of an element type that the buffer protocol cannot describe."""

    def __init__(self, array):
        self.array = array
        self.__array_interface__ = array.__array_interface__


class Storage:
    def __init__(self, array):
        self.array = array

    def data_ptr(self):
        return self.array.ctypes.data

    def nbytes(self):
        return self.array.nbytes


class Tensor:
    """Behaves like a torch tensor, as far as a launcher looks."""

    is_cpu = True

    def __init__(self, owner, begin=0):
        self.owner = owner
        self.begin = begin

    def data_ptr(self):
        return self.owner[self.begin :].ctypes.data

    def untyped_storage(self):
        return Storage(self.owner)


class DeviceTensor(Tensor):
    is_cpu = False


class Wrapper:
    """Behaves like Triton's wrapper of a tensor with another element type."""

    def __init__(self, base):
        self.base = base

    def data_ptr(self):
        return self.base.data_ptr()


@pytest.mark.parametrize(
    "make",
    [
        lambda a: a,
        lambda a: a.ctypes.data,
        lambda a: Tensor(a),
        lambda a: Wrapper(Tensor(a)),
        lambda a: OnlyInterface(a),
        lambda a: memoryview(a),
        lambda a: a.reshape(8, 8)[::1],
        lambda a: (ctypes.c_float * 64).from_buffer(a),
    ],
    ids=["numpy", "int", "tensor", "wrapper", "interface", "memoryview", "view", "ctypes"],
)
def test_kinds_of_pointers(add, make):
    x = np.arange(64, dtype=np.float32)
    out = np.zeros(64, np.float32)
    LAUNCH_ADD(add, 1, 1, 1, (make(x), make(x), make(out), 64))
    np.testing.assert_array_equal(out, 2 * x)


def test_pointer_of_a_view(add):
    base = np.arange(200, dtype=np.float32)
    out = np.zeros(64, np.float32)
    LAUNCH_ADD(add, 1, 1, 1, (base[10:], base[100::-1], out, 64))
    np.testing.assert_array_equal(out, base[10:74] + base[100:164])


def test_null_pointer():
    kernel = build(copy_argument("!llvm.ptr"))
    out = np.ones(1, np.uint64)
    _spine.Launcher(["*i64", "*fp32"])(kernel, 1, 1, 1, (out, None))
    assert out[0] == 0


def test_wrong_pointers(add):
    x = np.ones(64, np.float32)
    for wrong in ("text", 1.5, [1.0], object()):
        with pytest.raises(TypeError, match=r"argument 1 \(\*fp32\) must be a tensor, an array"):
            LAUNCH_ADD(add, 1, 1, 1, (x, wrong, x, 64))
    with pytest.raises(OverflowError):
        LAUNCH_ADD(add, 1, 1, 1, (x, -1, x, 64))
    with pytest.raises(ValueError, match="another device"):
        LAUNCH_ADD(add, 1, 1, 1, (x, DeviceTensor(x), x, 64))


def copied(kind: str, signature: str, value) -> bytes:
    out = np.zeros(8, np.uint8)
    _spine.Launcher(["*u8", signature])(build(copy_argument(kind)), 1, 1, 1, (out, value))
    return out.tobytes()


@pytest.mark.parametrize(
    "kind, signature, value, code",
    [
        ("i8", "i1", True, "<B"),
        ("i8", "u1", 0, "<B"),
        ("i8", "i1", np.True_, "<?"),
        ("i8", "u1", np.False_, "<?"),
        ("i8", "i8", -128, "<b"),
        ("i8", "u8", 255, "<B"),
        ("i16", "i16", -(2**15), "<h"),
        ("i16", "u16", 2**16 - 1, "<H"),
        ("i32", "i32", -(2**31), "<i"),
        ("i32", "i32", np.int16(-5), "<i"),
        ("i32", "u32", 2**32 - 1, "<I"),
        ("i64", "i64", -(2**63), "<q"),
        ("i64", "u64", 2**64 - 1, "<Q"),
        ("f32", "fp32", 0.1, "<f"),
        ("f32", "f32", np.float64(0.1), "<f"),
        ("f32", "fp32", 3, "<f"),
        ("f64", "fp64", 0.1, "<d"),
        ("f16", "fp16", 0.1, "<e"),
        ("f16", "fp16", -65504, "<e"),
    ],
)
def test_numbers(kind, signature, value, code):
    expected = struct.pack(code, value)
    assert copied(kind, signature, value)[: len(expected)] == expected


def test_bfloat():
    assert copied("bf16", "bf16", 1.0)[:2] == b"\x80\x3f"
    assert copied("bf16", "bf16", float("inf"))[:2] == b"\x80\x7f"
    # Between two values, a little above the middle: rounding by way of fp32 would lose what decides.
    assert copied("bf16", "bf16", 1 + 2.0**-8 + 2.0**-40)[:2] == b"\x81\x3f"


@pytest.mark.parametrize(
    "signature, value, error",
    [
        ("i32", 2**31, OverflowError),
        ("i32", -(2**31) - 1, OverflowError),
        ("u32", -1, OverflowError),
        ("i64", 2**63, OverflowError),
        ("i64", 2**200, OverflowError),
        ("u64", 2**64, OverflowError),
        ("i1", 2, OverflowError),
        ("i8", 128, OverflowError),
        ("i32", 1.0, TypeError),
        ("i32", None, TypeError),
        ("i32", np.True_, TypeError),
        ("i1", 1.0, TypeError),
        ("i32", "1", TypeError),
        ("fp32", "1", TypeError),
        ("fp32", None, TypeError),
        ("fp64", 10**400, OverflowError),
    ],
)
def test_wrong_numbers(signature, value, error):
    kernel = build(copy_argument("i8"))
    with pytest.raises(error, match="argument 1"):
        _spine.Launcher(["*u8", signature])(kernel, 1, 1, 1, (np.zeros(8, np.uint8), value))


def test_unknown_types():
    for signature in ("", "i128", "nvTmaDesc", "tensordesc<fp32[16,16]>", "fp8e4nv"):
        with pytest.raises(ValueError, match="are not supported"):
            _spine.Launcher([signature])


# --- Overlapping arguments


def ran_alias_variant(kernel, x, y, out) -> bool:
    """The variant for overlapping arguments subtracts."""
    target = np.zeros(64, np.float32) if out is None else out
    arrays = [x, y, target]
    LAUNCH_ADD(kernel, 1, 1, 1, (*arrays, 1))
    seen = target.owner[target.begin] if isinstance(target, Tensor) else np.asarray(target).ravel()[0]
    assert seen in (10, -4)
    return bool(seen == -4)


def values(count=64):
    return np.full(count, 3, np.float32), np.full(count, 7, np.float32)


def test_distinct_arrays(variants):
    x, y = values()
    assert not ran_alias_variant(variants, x, y, None)
    assert not ran_alias_variant(variants, x.reshape(8, 8)[2:], y[::-1], None)


def test_the_same_array_twice(variants):
    x, _ = values()
    out = np.zeros(64, np.float32)
    LAUNCH_ADD(variants, 1, 1, 1, (x, x, out, 1))
    assert out[0] == 0  # 3 - 3


def test_views_of_one_array(variants):
    x, y = values(256)
    assert ran_alias_variant(variants, x[:64], y, x[128:])
    x, y = values(256)
    assert ran_alias_variant(variants, x[:64], y, x[::-1].reshape(16, 16)[3])
    x, y = values(256)
    owner = bytearray(1024)
    first = np.frombuffer(owner, np.float32)[:64]
    second = np.frombuffer(memoryview(owner)[512:], np.float32)
    first[:] = 3
    assert ran_alias_variant(variants, first, y, second)


def test_only_some_pairs_have_to_be_apart(variants):
    launcher = _spine.Launcher(["*fp32", "*fp32", "*fp32", "i32"], disjoint=[(0, 2), [1, 2]])
    both, out = np.full(128, 3, np.float32), np.zeros(64, np.float32)
    assert not launcher.may_alias((both[:64], both[64:], out, 1))
    launcher(variants, 1, 1, 1, (both[:64], both[64:], out, 1))
    assert out[0] == 6
    assert launcher.may_alias((both[:64], out, both[64:], 1))
    launcher(variants, 1, 1, 1, (both, both.ctypes.data, out, 1))
    assert out[0] == 0  # 3 - 3: an address may be anything
    assert not _spine.Launcher(["*fp32", "*fp32"], disjoint=[]).may_alias((both, both))
    for pair in ((0, 3), (0, 4)):
        with pytest.raises(ValueError, match="not numbers of pointer arguments"):
            _spine.Launcher(["*fp32", "*fp32", "*fp32", "i32"], disjoint=[pair])


def test_a_variant_that_is_made_later(add):
    """Nothing runs before it is there; then it is what runs, with its own memory."""
    launcher = _spine.Launcher(["*fp32", "*fp32", "*fp32", "i32"], disjoint=[(0, 2)], variant_is_later=True)
    text = f"module {{{add_function('add__may_alias', 64, 'fsub')}}}"
    facts = {"name": "add__may_alias", "arena_bytes": 64, "has_may_alias": False, "disjoint_arguments": None}
    assert _spine.kernel_metadata(parse(text)) == facts
    x, y = values()
    out = np.zeros(64, np.float32)
    both = np.full(128, 3, np.float32)
    kernel = _spine.load(_spine.translate(parse(ADD), HOST).emit_object(), "add")
    assert launcher(kernel, 1, 1, 1, (x, y, out, 64)) and out[0] == 10
    assert launcher(kernel, 1, 1, 1, (both[:64], y, both[64:], 64)) is False and both[64] == 3
    kernel.set_may_alias(_spine.load(_spine.translate(parse(text), HOST).emit_object(), "add__may_alias"))
    assert kernel.has_may_alias
    assert launcher(kernel, 1, 1, 1, (both[:64], y, both[64:], 64)) and both[64] == -4
    assert launcher(kernel, 1, 1, 1, (x, y, out, 64)) and out[0] == 10


def test_addresses_may_be_anything(variants):
    x, y = values()
    out = np.zeros(64, np.float32)
    LAUNCH_ADD(variants, 1, 1, 1, (x.ctypes.data, y, out, 1))
    assert out[0] == -4
    LAUNCH_ADD(variants, 1, 1, 1, (OnlyInterface(x), y, out, 1))
    assert out[0] == -4


def test_tensors_by_storage(variants):
    x, y = values(256)
    assert not ran_alias_variant(variants, Tensor(x), Tensor(y), None)
    assert ran_alias_variant(variants, Tensor(x), Tensor(y), Tensor(x, 128))
    x, y = values(256)
    assert not ran_alias_variant(variants, Wrapper(Tensor(x)), Wrapper(Tensor(y)), None)
    assert ran_alias_variant(variants, x, Tensor(y), Tensor(x, 128))


def test_torch_tensors(variants):
    torch = pytest.importorskip("torch")
    x = torch.full((256,), 3, dtype=torch.float32)
    y = torch.full((256,), 7, dtype=torch.float32)
    out = torch.zeros(64)
    LAUNCH_ADD(variants, 1, 1, 1, (x, y, out, 64))
    assert out[0] == 10
    LAUNCH_ADD(variants, 1, 1, 1, (x, y, x[128:], 64))
    assert x[128] == -4
    LAUNCH_ADD(variants, 1, 1, 1, (x.numpy(), y, x[192:], 64))
    assert x[192] == -4


# --- Failures, threads, processes


def test_assertion():
    kernel = build(CHECK)
    launcher = _spine.Launcher(["i32"])
    launcher(kernel, 4, 1, 1, (0,))
    with pytest.raises(AssertionError) as caught:
        launcher(kernel, 4, 1, 1, (5,))
    assert str(caught.value) == "kernel.py:7: in check: device assertion failed: n must be 0 [program (0, 0, 5)]"
    launcher(kernel, 4, 1, 1, (0,))


def test_arena_that_cannot_be_had():
    kernel = build(ADD.replace("256 : i64", f"{2**50} : i64"))
    x = np.ones(64, np.float32)
    with pytest.raises(MemoryError, match="arenas of kernel 'add': 1125899906842624 bytes"):
        LAUNCH_ADD(kernel, 1, 1, 1, (x, x, x, 64))


def test_number_of_threads(add):
    before = _spine.num_threads()
    try:
        for count in (1, 3, 2):
            _spine.set_num_threads(count)
            assert _spine.num_threads() == count
            x = np.ones(6400, np.float32)
            out = np.zeros(6400, np.float32)
            LAUNCH_ADD(add, 100, 1, 1, (x, x, out, 6400))
            np.testing.assert_array_equal(out, 2)
        for wrong in (0, -1):
            with pytest.raises(ValueError):
                _spine.set_num_threads(wrong)
    finally:
        _spine.set_num_threads(before)


def test_compiling_and_launching_in_threads():
    shared = _spine.Context()

    def work(index):
        for i in range(5):
            context = shared if index % 2 else _spine.Context()
            module = _spine.Module.parse(context, ADD)
            _spine.run_pipeline(module, "builtin.module(canonicalize,cse)")
            kernel = _spine.load(_spine.emit_object(module, HOST), "add")
            x = np.full(6400, index, np.float32)
            out = np.zeros(6400, np.float32)
            for _ in range(20):
                LAUNCH_ADD(kernel, 100, 1, 1, (x, x, out, 6400))
                np.testing.assert_array_equal(out, 2 * index)
            with pytest.raises(_spine.MLIRError):
                _spine.Module.parse(context, f"nonsense {i}")

    run_in_threads(8, work)


def test_fork(add):
    x = np.ones(6400, np.float32)
    out = np.zeros(6400, np.float32)
    LAUNCH_ADD(add, 100, 1, 1, (x, x, out, 6400))
    child = os.fork()
    if child == 0:
        try:
            out[:] = 0
            LAUNCH_ADD(add, 100, 1, 1, (x, x, out, 6400))
            kernel = build(ADD)
            LAUNCH_ADD(kernel, 100, 1, 1, (x, out, out, 6400))
            os._exit(0 if (out == 3).all() else 1)
        except BaseException:
            os._exit(2)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def run_python(code: str, **environment) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120, env={**os.environ, **environment}
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


COMPILE_BOTH = """
from spine_triton import _spine
context = _spine.Context()
module = _spine.Module.parse(context, "func.func @f() { %0 = arith.constant 1 : i32 return }")
_spine.run_pipeline(module, "builtin.module(canonicalize)")
from triton._C.libtriton import ir
other = ir.context()
ir.load_dialects(other)
builder = ir.builder(other)
made = builder.create_module()
assert "module" in str(made)
assert "constant" not in str(module)
"""


@pytest.mark.parametrize("first", ["import triton", "from spine_triton import _spine", "import numpy"])
def test_beside_the_other_mlir_of_triton(first):
    run_python(first + "\nimport triton\n" + COMPILE_BOTH, TRITON_DEFAULT_BACKEND="spine")


def test_threads_from_the_environment():
    code = "from spine_triton import _spine; print(_spine.num_threads())"
    assert run_python(code, SPINE_TRITON_NUM_THREADS="5").strip() == "5"
    cores = str(len(os.sched_getaffinity(0)))
    for wrong in ("0", "-3", "many", ""):
        assert run_python(code, SPINE_TRITON_NUM_THREADS=wrong).strip() == cores


def test_exit_with_everything_alive():
    run_python(
        "import numpy, sys\n"
        f"sys.path.insert(0, {str(pathlib.Path(__file__).parent)!r})\n"
        "import test_bindings as t\n"
        "kernel = t.build(t.ADD)\n"
        "x = numpy.ones(640, numpy.float32)\n"
        "t.LAUNCH_ADD(kernel, 10, 1, 1, (x, x, x, 640))\n"
        "module = t.parse(t.ADD)\n"
    )


# --- The module itself


def test_versions():
    versions = _spine.versions()
    assert set(versions) == {"spine-triton", "llvm", "build"}
    assert versions["llvm"].startswith("22.1")
    assert len(versions["build"]) == 40
    assert _spine.versions() == versions


def test_host_description():
    host = json.loads(HOST)
    assert host["name"] == "host"
    assert host["cores"] == len(os.sched_getaffinity(0))
    assert host["vector_bits"] in (128, 256, 512, 1024)
    assert host["scratchpad_bytes"] > 0
    assert _spine.host_target_json() == HOST


def test_target_files():
    folder = pathlib.Path(_spine.__file__).parent / "targets"
    for path in folder.glob("*.json"):
        assert "name" in json.loads(path.read_text())
        assert _spine.translate(parse(ADD), path.read_text()).emit_object()[:4] == b"\x7fELF"


def public_names(body) -> dict:
    return {
        node.name: node
        for node in body
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)) and not node.name.startswith("_")
    }


def test_stub_names_everything():
    stub = ast.parse((pathlib.Path(_spine.__file__).parent / "_spine.pyi").read_text())
    described = public_names(stub.body)
    only_types = {
        "KernelMetadata",
        "KernelResidency",
        "Overlap",
        "PlacedTile",
        "ResidencyFacts",
        "ScratchPlan",
        "ScratchTile",
        "SmallerBlock",
        "SourcePosition",
        "TileResidency",
    }
    assert set(described) - only_types == {name for name in dir(_spine) if not name.startswith("_")}
    for name, node in described.items():
        if not isinstance(node, ast.ClassDef) or name in only_types or name == "MLIRError":
            continue
        real = {member for member in vars(getattr(_spine, name)) if not member.startswith("_")}
        assert set(public_names(node.body)) == real, name
