"""The wheel: what is in it, and whether it works where nothing else is installed.

It is made from the existing build and installed into a virtual environment that has the dependencies of this one and
nothing of this checkout.
"""

import email
import importlib.util
import itertools
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
LLVM = Path("/usr/lib/llvm-22/bin")
pytestmark = pytest.mark.wheel


# Of the checkout nothing may be found but by its path.
OUTSIDE = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}


def run(*command, env=OUTSIDE, **more):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, timeout=900, env=env, **more)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    options = ["--no-deps", "--no-build-isolation", "--disable-pip-version-check", "-q", "-w", folder]
    environment = {**OUTSIDE, "SPINE_TRITON_PREBUILT": "1"}
    run(sys.executable, "-m", "pip", "wheel", *options, ROOT, env=environment)
    (made,) = folder.glob("*.whl")
    return made


@pytest.fixture(scope="module")
def python(wheel, tmp_path_factory):
    """The interpreter of an environment with the wheel in it."""
    folder = tmp_path_factory.mktemp("clean") / "venv"
    venv.create(folder)
    (packages,) = folder.glob("lib/python3*/site-packages")
    ours = re.compile(r"_*(editable_*)*spine_triton|distutils-precedence|.*\.pth$")
    for entry in Path(sysconfig.get_paths()["purelib"]).iterdir():
        if not ours.match(entry.name):
            (packages / entry.name).symlink_to(entry)
    interpreter = folder / "bin" / "python"
    run(interpreter, "-m", "pip", "install", "--no-deps", "--no-index", "--disable-pip-version-check", wheel)
    return interpreter


def bare(tmp_path):
    """An environment without any program or library to be found in it."""
    return {"PATH": "", "LD_LIBRARY_PATH": "", "HOME": str(tmp_path), "TRITON_CACHE_DIR": str(tmp_path / "cache")}


def module_in(folder):
    (module,) = (folder / "spine_triton").glob("_spine*.so")
    return module


# --- What is in it --------------------------------------------------------------------------------------------------


def test_name_says_where_it_works(wheel):
    """CPython's version, or its stable interface from 3.12 on, and the oldest C library."""
    abi3 = sys.version_info >= (3, 12)
    python = "cp312-abi3" if abi3 else "cp{0}{1}-cp{0}{1}".format(*sys.version_info)
    assert re.fullmatch(rf"spine_triton-[\d.]+-{python}-manylinux_2_\d+_[a-z0-9_]+\.whl", wheel.name)


@pytest.fixture(scope="module")
def packaging():
    """setup.py as a module: its functions, without building anything."""
    spec = importlib.util.spec_from_file_location("packaging_of_spine_triton", ROOT / "setup.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    "names,needed",
    [
        # As they lie in a library: one behind the other, in no order, with names of other libraries in between.
        (["GLIBC_2.2.5", "GLIBC_2.38", "GLIBC_2.34"], 38),
        (["GLIBC_2.36", "GLIBC_2.38"], 38),
        (["GLIBC_2.4", "GLIBC_2.4.1", "GLIBCXX_3.4.99", "CXXABI_1.3"], 4),
        (["GLIBCXX_3.4.30"], 0),
        (["xGLIBC_2.99", "GLIBC_2.3x", "GLIBC_2.17"], 17),
    ],
)
def test_c_library_that_is_needed(packaging, names, needed):
    assert packaging.needed_glibc(b"\0" + b"".join(name.encode() + b"\0" for name in names)) == needed


@pytest.mark.parametrize(
    "stable,python", [(True, "cp312-abi3"), (False, "cp{0}{1}-cp{0}{1}".format(*sys.version_info))]
)
def test_tag_of_both_wheels(packaging, tmp_path, monkeypatch, stable, python):
    """The one for Python 3.12 and all later ones, and the one for this version alone."""
    monkeypatch.setattr(packaging, "STABLE_ABI", stable)
    (tmp_path / "spine_triton").mkdir()
    (tmp_path / "spine_triton" / "_spine.abi3.so").write_bytes(b"\x7fELF\0GLIBC_2.36\0GLIBC_2.38\0")
    command = packaging.PlatformWheel(packaging.BinaryDistribution({"name": "spine-triton"}))
    command.plat_name = "linux_x86_64"
    command.ensure_finalized()
    command.bdist_dir = str(tmp_path)
    # setuptools asks whether the running interpreter could install it.
    tags = sys.modules[packaging.bdist_wheel.__module__].tags
    offered = [tags.Tag(*python.split("-"), "linux_x86_64")]
    monkeypatch.setattr(tags, "sys_tags", lambda: offered)
    assert "-".join(command.get_tag()) == f"{python}-manylinux_2_38_x86_64"


def test_licences_of_the_newest_packages(packaging, tmp_path):
    for name in ("libstdc++-9-dev-x", "libstdc++-14-dev-x", "libstdc++-12-dev-x", "libstdc++-doc"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "copyright").touch()
    found = packaging.newest(tmp_path, "libstdc++-[0-9]*-dev-x/copyright")
    assert found == tmp_path / "libstdc++-14-dev-x" / "copyright"
    assert packaging.newest(tmp_path, "none-*/copyright") == tmp_path / "none-*/copyright"


def test_c_library_in_the_name_is_what_auditwheel_finds(wheel):
    """And nothing is needed of the system beyond what every Linux distribution has."""
    shown = run(sys.executable, "-m", "auditwheel", "show", wheel)
    (named,) = re.findall(r"manylinux_2_\d+_[a-z0-9_]+(?=\.whl)", wheel.name)
    assert named in shown.replace("\n", " "), shown


def test_files(unpacked):
    names = {p.name for p in (unpacked / "spine_triton").iterdir()}
    assert {"py.typed", "_spine.pyi", "targets", "backend", "__main__.py"} <= names
    assert os.access(unpacked / "spine_triton" / "runners" / "spine-runner-riscv64", os.R_OK)
    assert len(list((unpacked / "spine_triton").rglob("*.so"))) == 1
    targets = unpacked / "spine_triton" / "targets"
    assert {p.name for p in targets.glob("*.json")} == {
        p.name for p in (ROOT / "python/spine_triton/targets").glob("*.json")
    }
    assert not [p for p in unpacked.rglob("*") if "test" in p.name]


def test_licences(unpacked):
    """Ours, and those of everything that is linked in."""
    (info,) = unpacked.glob("*.dist-info")
    texts = {p.name: p.read_text() for p in info.rglob("licenses/**/*") if p.is_file()}
    linked = {"LLVM", "Apache-2.0", "nanobind", "zlib", "zstd", "glibc", "libstdc++"}
    assert set(texts) == {"LICENSE", *(f"{name}.txt" for name in linked)}
    assert texts["LICENSE"] == (ROOT / "LICENSE").read_text()
    assert "LLVM Exceptions" in texts["LLVM.txt"]
    assert "Apache License" in texts["Apache-2.0.txt"]
    listed = email.message_from_string((info / "METADATA").read_text()).get_all("License-File")
    assert {Path(name).name for name in listed} == set(texts)


def test_metadata(unpacked):
    (info,) = unpacked.glob("*.dist-info")
    metadata = email.message_from_string((info / "METADATA").read_text())
    assert metadata["Name"] == "spine-triton"
    assert metadata["Version"] == re.search(
        r"spine-triton VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text()
    ).group(1)
    assert metadata["License-Expression"].startswith("MIT AND Apache-2.0 WITH LLVM-exception")
    required = metadata.get_all("Requires-Dist")
    assert {r.split(">")[0].split("<")[0] for r in required if "extra ==" not in r} == {"triton", "numpy", "rich"}
    entries = (info / "entry_points.txt").read_text()
    assert re.search(r"\[triton\.backends\]\nspine = spine_triton\.backend", entries)
    assert "spine-triton = spine_triton.__main__:main" in entries
    assert "spine-triton-opt = spine_triton.__main__:opt" in entries


def test_only_the_init_function_and_the_debuggers_interface_are_exported(unpacked):
    """Other copies of LLVM in the process must not see this one, nor share anything with it."""
    lines = run(LLVM / "llvm-readelf", "--dyn-syms", "--wide", module_in(unpacked)).splitlines()
    symbols = [line.split() for line in lines if re.match(r"\s*\d+:", line)]
    defined = [fields[-1] for fields in symbols if len(fields) >= 8 and fields[6] != "UND"]
    assert sorted(defined) == ["PyInit__spine", "__jit_debug_descriptor", "__jit_debug_register_code"]
    assert not [fields for fields in symbols if "UNIQUE" in fields]


def test_size(wheel):
    """LLVM for two targets is most of it. Half a megabyte more would be noticed, half as much again is a mistake."""
    assert wheel.stat().st_size < 35e6


# --- Whether it works -----------------------------------------------------------------------------------------------


def test_gemm_without_anything_installed(python, tmp_path):
    script = shutil.copy(Path(__file__).with_name("wheel_gemm.py"), tmp_path)
    assert "computed (518400, 16)" in run(python, script, env=bare(tmp_path), cwd=tmp_path)


def test_commands(python, tmp_path):
    environment = bare(tmp_path)
    command = python.parent / "spine-triton"
    assert "a test kernel computed the right result" in run(command, "doctor", env=environment, cwd=tmp_path)
    kernel = ROOT / "test" / "Pipelines" / "Inputs" / "gemm_kloop.ttir"
    passes = ["--pass-pipeline=builtin.module(spine-ttir{capacity=1048576})", kernel]
    ours = run(python.parent / "spine-triton-opt", *passes, env=environment, cwd=tmp_path)
    assert ours == run(ROOT / "build/tools/spine-triton-opt/spine-triton-opt", *passes)
    refused = subprocess.run([python.parent / "spine-triton-opt", "--no-such-pass"], env=environment, cwd=tmp_path)
    assert refused.returncode == 1


def test_runner_can_be_started(python, tmp_path):
    """pip keeps what makes a file a program."""
    code = "from spine_triton.runners import qemu; print(qemu.runner_path())"
    assert run(python, "-c", code, env=bare(tmp_path), cwd=tmp_path).strip().endswith("spine-runner-riscv64")


LOAD = """
import importlib, sys, threading
for name in sys.argv[1:]:
    importlib.import_module(name)
import numpy as np, triton, triton.language as tl, spine_triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource
from spine_triton._doctor import add_one

errors = []
def work(number):
    try:
        block = 32 << number
        x = np.arange(999, dtype=np.float32)
        y = np.zeros_like(x)
        add_one[(triton.cdiv(999, block),)](x, y, 999, BLOCK=block)
        assert np.array_equal(y, x + 1)
        if number % 2:  # libtriton's own LLVM at work beside ours
            signature = {"x_ptr": "*fp32", "y_ptr": "*fp32", "N": "i32", "BLOCK": "constexpr"}
            made = triton.compile(ASTSource(add_one, signature, {(3,): block}), GPUTarget("cuda", 90, 32))
            assert ".visible .entry add_one" in made.asm["ptx"]
    except BaseException as e:
        errors.append(e)
        raise
threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
[t.start() for t in threads]
[t.join() for t in threads]
assert not errors, errors
if "torch" in sys.modules:
    import torch
    x = torch.arange(99, dtype=torch.float32)
    y = torch.zeros_like(x)
    add_one[(1,)](x, y, 99, BLOCK=128)
    assert torch.equal(y, x + 1) and torch.equal(torch.ones(2, 2) @ torch.ones(2, 2), torch.full((2, 2), 2.0))
print("worked")
"""


@pytest.mark.parametrize(
    "order",
    [o for o in itertools.permutations(["triton._C.libtriton", "torch", "spine_triton._spine"])][::2],
    ids=lambda o: "-".join(name.split(".")[0] for name in o),
)
def test_load_order(python, tmp_path, order):
    """Each of the three libraries comes first once; then all of them work, in several threads at a time."""
    assert run(python, "-c", LOAD, *order, env=bare(tmp_path), cwd=tmp_path) == "worked\n"


def test_types_are_visible(python, tmp_path):
    """PEP 561: tools look for the marker beside the installed package."""
    code = "import importlib.resources as r; print((r.files('spine_triton') / 'py.typed').is_file())"
    assert run(python, "-c", code, cwd=tmp_path) == "True\n"


def test_uninstall_leaves_nothing(wheel, tmp_path):
    folder = tmp_path / "venv"
    venv.create(folder)
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", folder / "bin" / "python"]
    run(*pip, "install", "--no-deps", "--no-index", wheel)
    listed = json.loads(run(*pip, "list", "--format=json"))
    assert "spine-triton" in {entry["name"] for entry in listed}
    run(*pip, "uninstall", "-y", "spine-triton")
    assert not list(folder.rglob("*spine*"))


def test_installation_in_place(tmp_path):
    """What `make build` does: the package is found in the checkout."""
    code = "import setuptools.build_meta as b, sys; print(b.build_editable(sys.argv[1]))"
    run(sys.executable, "-c", code, tmp_path, cwd=ROOT, env={**OUTSIDE, "SPINE_TRITON_PREBUILT": "1"})
    (made,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(made) as archive:
        names = archive.namelist()
        found = "".join(archive.read(n).decode() for n in names if n.endswith((".pth", ".py")))
    assert str(ROOT / "python") in found
    assert not [n for n in names if n.endswith(".so")]


# --- The source distribution ----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def sdist(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sdist")
    code = "import setuptools.build_meta as b, sys; print(b.build_sdist(sys.argv[1]))"
    run(sys.executable, "-c", code, folder, cwd=ROOT)
    (made,) = folder.glob("*.tar.gz")
    with tarfile.open(made) as archive:
        archive.extractall(folder, **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))
    (root,) = [p for p in folder.iterdir() if p.is_dir()]
    return root


def test_source_distribution_is_complete(sdist):
    """Every file under version control but those about version control and CI is in it, and nothing that was built."""
    tracked = set(run("git", "ls-files", cwd=ROOT).splitlines())
    packed = {str(p.relative_to(sdist)) for p in sdist.rglob("*") if p.is_file()}
    assert {f for f in tracked if not f.startswith(".")} <= packed
    assert not [f for f in packed if f.endswith((".so", ".pyc", ".a", ".o"))]
    assert not [f for f in packed if (sdist / f).read_bytes().startswith(b"\x7fELF")]


def test_source_distribution_configures(sdist, tmp_path):
    """CMake finds everything; what then compiles is what compiles in the checkout."""
    options = [f"-DPython_EXECUTABLE={sys.executable}", "-DSPINE_ENABLE_TESTS=OFF", "-B", tmp_path / "build"]
    run("cmake", "--preset", "default", *options, cwd=sdist)
    assert "_spine" in run("ninja", "-C", tmp_path / "build", "-t", "targets", "all")
