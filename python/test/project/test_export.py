"""`spine-triton export`: what is exported, and that it builds there. That it harms nothing is in test_export_safety.py."""

import ast
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from exporting import LAYOUT, ROOT, commits, edits, export, git, make_checkout, make_clone

from spine_triton.__main__ import main

LLVM = Path("/usr/lib/llvm-22/bin")

# What Triton's own CMakeLists.txt gives to a project below it: the function that makes a library, the tt dialect (here
# ours, by its headers and its archive alone) and its compiler flags.
TRITON = """cmake_minimum_required(VERSION 3.20)
project(triton C CXX)
set(CMAKE_CXX_STANDARD 17)
find_package(MLIR REQUIRED CONFIG HINTS /usr/lib/llvm-22/lib/cmake/mlir)
list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
include(TableGen)
include(AddLLVM)
include(AddMLIR)
include_directories(SYSTEM ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
include_directories(SYSTEM ${CMAKE_CURRENT_SOURCE_DIR}/dialect ${CMAKE_CURRENT_SOURCE_DIR}/generated)
add_compile_options(-fPIC -Wall -Wextra -Wno-unused-parameter -Wno-deprecated-declarations -Werror)
add_library(TritonIR INTERFACE)
target_link_libraries(TritonIR INTERFACE ${TRITON_ARCHIVE} MLIRArithDialect MLIRCallInterfaces MLIRControlFlowDialect
  MLIRFunctionInterfaces MLIRMathDialect MLIRSCFDialect MLIRTransformUtils MLIRUBDialect)

set_property(GLOBAL PROPERTY TRITON_LIBS "")
function(add_triton_library name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;LINK_LIBS" ${ARGN})
  set_property(GLOBAL APPEND PROPERTY TRITON_LIBS ${name})
  add_library(${name} OBJECT)
  target_sources(${name} PRIVATE ${ARG_UNPARSED_ARGUMENTS} INTERFACE $<TARGET_OBJECTS:${name}>)
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
  target_link_libraries(${name} ${ARG_LINK_LIBS})
endfunction()

add_subdirectory(${CHECKOUT} third_party/spine_triton)
"""


@pytest.fixture
def checkout(tmp_path):
    return make_checkout(tmp_path / "spine-triton")


def test_command(checkout, capsys):
    assert main(["export", "--into", str(checkout)]) == 0
    listed = capsys.readouterr().out.splitlines()
    assert listed[-1] == f"{len(listed) - 1} files in one commit"
    assert commits(checkout) == ["Judge kernels by their tiles, not by the tensors behind them", "theirs"]
    assert git(checkout, "status", "--porcelain") == ""
    assert main(["export", "--into", str(checkout)]) == 0
    assert capsys.readouterr().out == "nothing to do: the checkout has the same files\n"
    assert len(commits(checkout)) == 2


def test_touches_only_what_it_says(checkout):
    said = export.export(ROOT, checkout)
    assert sorted(git(checkout, "show", "--name-only", "--format=").split()) == said
    for path, text in LAYOUT.items():
        assert path in said or (checkout / path).read_text() == text
    # Lines are added to files of theirs, and none is changed or removed.
    for path in set(said) & set(LAYOUT):
        now = iter((checkout / path).read_text().splitlines())
        assert all(line in now for line in LAYOUT[path].splitlines()), path
    ours = ("include/spine-triton/", "lib/SpineTiles/", "test/SpineTiles/")
    assert {p for p in said if not p.startswith(ours)} == {
        "backend/compiler.py",
        "include/CMakeLists.txt",
        "lib/CMakeLists.txt",
        "tools/spine-triton-opt/RegisterSpineTritonDialects.h",
    }


def test_everything_is_built_and_registered(checkout):
    export.export(ROOT, checkout)
    cmake = (checkout / "lib/SpineTiles/CMakeLists.txt").read_text()
    sources = re.findall(r"^  (\S+\.cpp)$", cmake, re.MULTILINE)
    assert sorted(sources) == sorted(
        str(p.relative_to(checkout / "lib/SpineTiles")) for p in checkout.rglob("lib/SpineTiles/**/*.cpp")
    )
    # Their lists of what is linked and depended on are ours.
    for folder in ("Analysis", "Transforms"):
        wanted = (ROOT / "lib" / folder / "CMakeLists.txt").read_text()
        for name in set(re.findall(r"\b(?:MLIR|Triton)\w+", wanted)):
            assert re.search(rf"^  {name}$", cmake, re.MULTILINE), name
        assert set(re.findall(r"\S+\.cpp", wanted)) <= {s.removeprefix(f"{folder}/") for s in sources}
    assert (checkout / "include/CMakeLists.txt").read_text().endswith("add_subdirectory(spine-triton)\n")
    assert (checkout / "lib/CMakeLists.txt").read_text().endswith("add_subdirectory(SpineTiles)\n")
    header = (checkout / "tools/spine-triton-opt/RegisterSpineTritonDialects.h").read_text()
    assert header.count("registerSpineTransformsPasses();") == 1
    assert header.index("registerTwo()") < header.index("registerSpineTransformsPasses") < header.index("insert")
    declared = (ROOT / "include/spine-triton/Transforms/CMakeLists.txt").read_text()
    assert "SpineTransformsPassIncGen Passes.td SpineTransforms" in declared


@pytest.fixture
def tree(checkout, tmp_path):
    """The folder of a build of the checkout below a stand-in of Triton's tree, configured."""
    export.export(ROOT, checkout)
    triton = tmp_path / "triton"
    for folder, origin in (("dialect", ROOT / "include/triton"), ("generated", ROOT / "build/include/triton")):
        (triton / folder).mkdir(parents=True)
        (triton / folder / "triton").symlink_to(origin)
    (triton / "CMakeLists.txt").write_text(TRITON)
    archive = ROOT / "build/lib/Dialect/Triton/IR/libTritonIR.a"
    compilers = ["-DCMAKE_C_COMPILER=clang-22", "-DCMAKE_CXX_COMPILER=clang++-22", "-DCMAKE_LINKER_TYPE=LLD"]
    options = [f"-DCHECKOUT={checkout}", f"-DTRITON_ARCHIVE={archive}", *compilers]
    options += ["-DCMAKE_CXX_COMPILER_LAUNCHER=ccache"] if shutil.which("ccache") else []
    build = tmp_path / "build"
    configure = ["cmake", "-G", "Ninja", "-S", triton, "-B", build, *options]
    done = subprocess.run(configure, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return build


def ninja(build, *targets):
    # As elsewhere, so that paths play no part in what ccache finds again.
    environment = {**os.environ, "CCACHE_BASEDIR": str(build.parent), "CCACHE_NOHASHDIR": "1"}
    done = subprocess.run(["ninja", "-C", build, *targets], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr


def test_tree_registers_the_passes(tree):
    """CMake takes all files; the tool's own source compiles with our registration in it."""
    ninja(
        tree, "third_party/spine_triton/tools/spine-triton-opt/CMakeFiles/spine-triton-opt.dir/spine-triton-opt.cpp.o"
    )


@pytest.mark.skipif(not os.environ.get("SPINE_EXPORT_BUILD"), reason="minutes: SPINE_EXPORT_BUILD=1 asks for it")
def test_tree_builds_and_passes_the_lit_tests(tree, checkout):
    """All that is exported compiles without our precompiled header and with warnings as errors; its tests pass."""
    ninja(tree, "spine-triton-opt")
    tool = tree / "third_party/spine_triton/tools/spine-triton-opt/spine-triton-opt"
    config = f"""import lit.formats
config.name = "theirs"
config.test_format = lit.formats.ShTest(False)
config.suffixes = [".mlir"]
config.excludes = ["Inputs", "CMakeLists.txt"]
config.test_exec_root = {str(tree / "lit")!r}
config.environment["PATH"] = {f"{tool.parent}:{LLVM}:/usr/bin:/bin"!r}
"""
    (checkout / "test/SpineTiles/lit.cfg.py").write_text(config)
    command = [sys.executable, "-c", "from lit.main import main; main()", "-v", checkout / "test/SpineTiles"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr


def test_lit_tests_use_exported_passes(checkout):
    """Not our pipelines, nor passes of other folders."""
    export.export(ROOT, checkout)
    declared = (checkout / "include/spine-triton/Transforms/Passes.td").read_text()
    passes = set(re.findall(r'Pass<"([\w-]+)"', declared))
    for test in (checkout / "test/SpineTiles").rglob("*.mlir"):
        lines = "\n".join(re.findall(r"RUN:(.*)", test.read_text()))
        assert set(re.findall(r"(?<![\w/-])-?-?(spine-(?!triton-opt)[\w-]+)", lines)) <= passes, test


def test_sources_and_tests_are_the_ones_here(checkout):
    export.export(ROOT, checkout)
    pairs = [
        ("lib/Transforms/RebaseTensorPtr/RebaseTensorPtr.cpp", "lib/SpineTiles/"),
        ("include/spine-triton/Transforms/Passes.td", ""),
        ("test/Transforms/CheckResidency/names.mlir", "test/SpineTiles/"),
    ]
    for path, folder in pairs:
        there = folder + path.removeprefix("lib/").removeprefix("test/Transforms/") if folder else path
        assert (checkout / there).read_bytes() == (ROOT / path).read_bytes()
    tests = {p.name for p in (ROOT / "test/Transforms").rglob("*.mlir")}
    assert tests <= {p.name for p in (checkout / "test/SpineTiles").rglob("*.mlir")}


def test_no_dialect_of_ours_goes_along(checkout):
    said = export.export(ROOT, checkout)
    assert not [p for p in said if "Dialect/" in p or p.startswith("include/triton/")]
    for path in said:
        text = (checkout / path).read_text()
        assert "spine-triton/Dialect" not in text, path


def test_flag_adds_the_passes(checkout, monkeypatch):
    """Without the variable the tool gets the same arguments as before."""
    export.export(ROOT, checkout)
    calls = []
    scope = {}
    source = (checkout / "backend/compiler.py").read_text()
    ast.parse(source)
    exec(source, scope)
    monkeypatch.setattr(subprocess, "check_call", calls.append)
    monkeypatch.delenv(edits.FLAG, raising=False)
    scope["_ttir_to_linalgdir"]("in", "out")
    for off in ("", "0"):
        monkeypatch.setenv(edits.FLAG, off)
        scope["_ttir_to_linalgdir"]("in", "out")
        assert calls.pop() == calls[0]
    monkeypatch.setenv(edits.FLAG, "1048576")
    scope["_ttir_to_linalgdir"]("in", "out")
    without, with_flag = calls
    assert without == ["spine-triton-opt", "in", "--triton-to-linalg-experimental", "-o", "out"]
    added = with_flag[2:-3]
    assert [*with_flag[:2], *with_flag[-3:]] == without
    kernel = ROOT / "test/Pipelines/Inputs/gemm_kloop.ttir"
    tool = ROOT / "build/tools/spine-triton-opt/spine-triton-opt"
    done = subprocess.run([tool, kernel, "--inline", *added], capture_output=True, text=True)
    assert done.returncode == 0 and "tt.make_tensor_ptr" in done.stdout, done.stderr


COMPILER = LAYOUT["backend/compiler.py"]
FLAG_LINE = '            "--triton-to-linalg-experimental",\n'


def export_compiler(checkout, text):
    """What becomes of a compiler.py of theirs with this text."""
    (checkout / "backend/compiler.py").write_text(text)
    git(checkout, "commit", "-q", "-a", "-m", "another compiler.py")
    export.export(ROOT, checkout)
    return (checkout / "backend/compiler.py").read_text()


@pytest.mark.parametrize(
    "above", ["@functools.cache\n", "# About it.\n@functools.lru_cache(\n    maxsize=1\n)\n# More.\n", "# About it.\n"]
)
def test_decorators_and_comments_stay_with_their_function(checkout, above):
    text = COMPILER.replace("import os\n", "import functools\nimport os\n").replace("def _ttir", f"{above}def _ttir")
    now = export_compiler(checkout, text)
    assert f"\n\n\n{above}def _ttir_to_linalgdir(" in now
    assert "subprocess\n\n\ndef _check_tiles_passes(" in now


def test_comment_that_begins_the_file_stays_there(checkout):
    text = "# -*- coding: latin-1 -*-\n" + COMPILER[COMPILER.index("def _ttir") :]
    assert export_compiler(checkout, text).startswith("# -*- coding: latin-1 -*-\ndef _check_tiles_passes(")


@pytest.mark.parametrize("imported", ["", "os = None\n"])
def test_function_needs_no_import_of_theirs(checkout, monkeypatch, imported):
    scope = {}
    exec(export_compiler(checkout, COMPILER.replace("import os\n", imported)), scope)
    monkeypatch.setenv(edits.FLAG, "1024")
    assert scope["_check_tiles_passes"]()[0].endswith("capacity=1024")


@pytest.mark.parametrize(
    "before",
    [
        f"def other():\n    return [\n{FLAG_LINE}    ]\n\n\n",
        f'"""An example:\n\ndef _ttir_to_linalgdir(\n{FLAG_LINE}"""\n\n\n',
        f'def _ttir_to_linalgdir_of_old():\n    """\n{FLAG_LINE}    """\n\n\n',
    ],
)
def test_only_the_list_of_that_function_changes(checkout, before):
    now = export_compiler(checkout, COMPILER.replace("def _ttir", f"{before}def _ttir", 1))
    assert before in now
    assert f"            src_path,\n            *_check_tiles_passes(),\n{FLAG_LINE}" in now


@pytest.mark.parametrize(
    "text,named",
    [
        (COMPILER.replace(FLAG_LINE, FLAG_LINE * 2), "in its lists 2 times"),
        (COMPILER.replace(FLAG_LINE, ""), "in its lists 0 times"),
        (COMPILER.replace(f"src_path,\n{FLAG_LINE}", f"src_path, {FLAG_LINE.lstrip()}"), r"py:\d+: .*begin its line"),
        (COMPILER + COMPILER, "has 2 functions _ttir_to_linalgdir"),
        (COMPILER + "def\n", r"backend/compiler\.py cannot be read as Python"),
    ],
)
def test_compiler_that_is_not_as_expected_is_refused(checkout, text, named):
    with pytest.raises(export.ExportError, match=named):
        export_compiler(checkout, text)
    assert git(checkout, "status", "--porcelain") == ""


def test_uncommitted_changes_are_refused(checkout):
    (checkout / "new.txt").write_text("theirs\n")
    with pytest.raises(export.ExportError, match=r"uncommitted changes.*\n.*new\.txt"):
        export.export(ROOT, checkout)
    assert commits(checkout) == ["theirs"]
    assert not (checkout / "lib/SpineTiles").exists()


@pytest.mark.parametrize(
    "path,text,named",
    [
        ("backend/compiler.py", "nothing\n", r"backend/compiler\.py has 0 functions _ttir_to_linalgdir"),
        ("lib/CMakeLists.txt", None, r"lib/CMakeLists\.txt does not exist"),
        ("tools/spine-triton-opt/RegisterSpineTritonDialects.h", "#pragma once\n", "no line that matches"),
    ],
)
def test_other_trees_are_refused(checkout, path, text, named):
    if text is None:
        (checkout / path).unlink()
    else:
        (checkout / path).write_text(text)
    git(checkout, "commit", "-q", "-a", "-m", "another tree")
    with pytest.raises(export.ExportError, match=named):
        export.export(ROOT, checkout)
    assert git(checkout, "status", "--porcelain") == "", "nothing was written before that was found out"


def test_what_is_no_repository_is_refused(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    folder = tmp_path / "empty"
    folder.mkdir()
    assert main(["export", "--into", str(folder)]) == 2
    assert "not a git repository" in capsys.readouterr().err
    assert main(["export", "--into", str(folder), "--from", str(folder)]) == 2
    assert "is no clone of spine-triton" in capsys.readouterr().err


def test_later_export_updates(checkout, tmp_path):
    """A file that differs is replaced, one that is exported no longer is removed, in one more commit."""
    older = make_clone(tmp_path / "older")
    changed = "Transforms/RebaseTensorPtr/RebaseTensorPtr.cpp"
    (older / "lib" / changed).write_text("// an older version\n")
    (older / "lib/Transforms/Gone").mkdir()
    (older / "lib/Transforms/Gone/Gone.cpp").write_text("// not there any more\n")
    export.export(older, checkout)
    said = export.export(ROOT, checkout)
    lists = ["lib/SpineTiles/CMakeLists.txt", "lib/SpineTiles/exported-files.txt"]
    assert said == sorted(["lib/SpineTiles/Transforms/Gone/Gone.cpp", f"lib/SpineTiles/{changed}", *lists])
    assert sorted(git(checkout, "show", "--name-only", "--format=").split()) == said
    assert not (checkout / "lib/SpineTiles/Transforms/Gone").exists()
    assert git(checkout, "status", "--porcelain") == ""
    assert len(commits(checkout)) == 3
    assert export.export(ROOT, checkout) == []


def test_header_that_is_not_exported_is_found():
    with pytest.raises(export.ExportError, match=r"a\.cpp includes spine-triton/Codegen/Passes\.h"):
        export.check_includes({"a.cpp": b'#include "spine-triton/Codegen/Passes.h"\n'})


# --- Only Triton's own classes --------------------------------------------------------------------------------------


def symbols(*arguments):
    lines = subprocess.run([LLVM / "llvm-nm", *arguments], check=True, capture_output=True, text=True).stdout
    return {line.split()[-1] for line in lines.splitlines() if line.strip() and not line.endswith(":")}


def test_sources_need_only_what_triton_has():
    """What the compiled analyses and passes need of the tt dialect is what libtriton.so of the stock wheel exports."""
    import triton

    if triton.__version__.startswith("3.6."):
        pytest.skip("the wheel of Triton 3.6 exports nothing")
    library = Path(triton.__file__).parent / "_C" / "libtriton.so"
    objects = [str(p) for folder in ("Analysis", "Transforms") for p in (ROOT / "build/lib" / folder).rglob("*.o")]
    assert len(objects) > 10
    ours = symbols("--defined-only", *objects)
    needed = symbols("--undefined-only", *objects) - ours
    of_triton = {s for s in needed if "6triton" in s and "5spine" not in s}
    assert len(of_triton) > 10
    missing = of_triton - symbols("--dynamic", "--defined-only", str(library))
    assert not missing, f"Triton {triton.__version__} has no {sorted(missing)}"
