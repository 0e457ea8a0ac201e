# ===- test_residency_command.py - `spine-triton residency` ----------------===#
#
# Part of spine-triton, under the MIT licence.
#
# ===-----------------------------------------------------------------------===#

import json
import pathlib
import re
import sys
import xml.etree.ElementTree as ET

import pytest

from spine_triton.__main__ import main

ROOT = pathlib.Path(__file__).resolve().parents[2]

ZOO = """
import triton
import triton.language as tl


@triton.jit
def gemm(a_ptr, b_ptr, c_ptr, M, N, K, am, bk, cm,
         BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr = 16, BLOCK_K: tl.constexpr = 64):
    row = tl.program_id(0) * BLOCK_M
    a = tl.make_block_ptr(a_ptr, (M, K), (am, 1), (row, 0), (BLOCK_M, BLOCK_K), (1, 0))
    b = tl.make_block_ptr(b_ptr, (K, N), (bk, 1), (0, 0), (BLOCK_K, BLOCK_N), (1, 0))
    c = tl.make_block_ptr(c_ptr, (M, N), (cm, 1), (row, 0), (BLOCK_M, BLOCK_N), (1, 0))
    acc = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for _ in range(0, tl.cdiv(K, BLOCK_K)):
        a_tile = tl.load(a, boundary_check=(0, 1))
        b_tile = tl.load(b, boundary_check=(0, 1))
        acc = tl.dot(a_tile, b_tile, acc)
        a = tl.advance(a, (0, BLOCK_K))
        b = tl.advance(b, (BLOCK_K, 0))
    tl.store(c, acc, boundary_check=(0, 1))


@triton.autotune([triton.Config({"ROWS": 32}), triton.Config({"ROWS": 64})], key=["M"])
@triton.heuristics({"EVEN": lambda args: args["M"] % 2 == 0})
@triton.jit
def softmax(x_ptr, y_ptr, M, N, stride, ROWS: tl.constexpr, EVEN: tl.constexpr = True, COLS: tl.constexpr = 256):
    row = tl.program_id(0) * ROWS
    x = tl.make_block_ptr(x_ptr, (M, N), (stride, 1), (row, 0), (ROWS, COLS), (1, 0))
    y = tl.make_block_ptr(y_ptr, (M, N), (stride, 1), (row, 0), (ROWS, COLS), (1, 0))
    tile = tl.load(x, boundary_check=(0, 1))
    top = tl.max(tile, axis=1)
    power = tl.exp(tile - top[:, None])
    tl.store(y, power / tl.sum(power, axis=1)[:, None], boundary_check=(0, 1))


not_a_kernel = 3
"""


@pytest.fixture
def zoo(tmp_path):
    path = tmp_path / "zoo.py"
    path.write_text(ZOO)
    return str(path)


def run(capsys, *arguments):
    status = main(["residency", *arguments])
    return status, capsys.readouterr()


def test_table(zoo, capsys):
    status, shown = run(capsys, f"{zoo}:gemm", "--target", "spacemit-a100", "--constant", "BLOCK_M=512")
    assert status == 0
    assert "kernel 'gemm' fits: 164 KiB of 384 KiB (167,936 of 393,216 bytes; policy stage-all)" in shown.out
    assert re.search(r"a_tile +zoo\.py:15 +512x64xf32 +loaded, packed +128 KiB +launch +launch +128 KiB", shown.out)
    assert "a_tile: span (64 + 511 * abs(am)) * 4, granules granule_bytes((512, 64), (am, 1), 4)" in shown.out


def test_does_not_fit(zoo, capsys):
    status, shown = run(capsys, f"{zoo}:gemm", "--target", "spacemit-a100", "--constant", "BLOCK_M=4096")
    assert status == 1
    assert "does not fit" in shown.out
    assert "would fit: 1024 instead of 4096 in dimension 0 of acc and of a_tile" in shown.out


def test_depends_on_the_launch(zoo, capsys):
    arguments = (f"{zoo}:gemm", "--target", "spacemit-a100", "--constant", "BLOCK_M=64")
    status, shown = run(capsys, *arguments, "--policy", "stage-mirrored")
    assert status == 1, "what is not known to fit does not fit"
    assert "depends on the launch" in shown.out


def test_signature(zoo, capsys):
    signature = "*fp16:16, *fp16:16, *fp32:16, i32, i32, i32, 144, 16, 16, 256, 16, 32"
    signature = signature.replace("144, 16, 16, 256", "i32:16, i32:16, i32:16, 256")
    status, shown = run(capsys, f"{zoo}:gemm", "--signature", signature, "--json")
    assert status == 0
    (kernel,) = json.loads(shown.out)["kernels"]
    tiles = {tile["name"]: tile for tile in kernel["tiles"]}
    assert (tiles["a_tile"]["dtype"], tiles["a_tile"]["shape"]) == ("f16", [256, 32])


def test_constants_of_autotune_and_defaults(zoo, capsys):
    status, shown = run(capsys, f"{zoo}:softmax", "--json")
    assert status == 0
    (kernel,) = json.loads(shown.out)["kernels"]
    assert [32, 256] in [tile["shape"] for tile in kernel["tiles"]]
    assert all(tile["loc"]["file"] == zoo for tile in kernel["tiles"]), "a reduction is at its call"


def test_json_is_what_the_page_describes(zoo, capsys):
    """Every key is in a table of docs/residency.md, and every key there exists."""
    _, shown = run(capsys, f"{zoo}:gemm", "--constant", "BLOCK_M=4096", "--target", "spacemit-a100", "--json")
    report = json.loads(shown.out)
    page = (ROOT / "docs" / "residency.md").read_text(encoding="utf-8")
    tables = re.split(r"A tile:|buffers of code, besides:", page.split("## JSON")[1])
    described = [
        {key for row in re.findall(r"^\| (`.*?) \|", table, re.MULTILINE) for key in re.findall(r"`(\w+)`", row)}
        for table in tables
    ]
    (kernel,) = report["kernels"]
    assert set(report) == {"schema_version", "target", "fits", "kernels"}
    assert set(kernel) == described[0]
    for tile in kernel["tiles"]:
        assert set(tile) == described[1]
        assert set(tile["loc"]) == {"file", "line", "column"}
    assert set(kernel["smaller_blocks"][0]) == {"size", "fitting", "places"}

    _, shown = run(capsys, f"{zoo}:softmax", "--policy", "as-needed", "--json")
    for kernel in json.loads(shown.out)["kernels"]:
        assert set(kernel) == described[0] and kernel["tiles"] and kernel["placements"]
        for tile in kernel["tiles"]:
            assert set(tile) == described[1] | described[2]


@pytest.mark.parametrize("block_m", [512, 4096])
def test_svg(zoo, capsys, tmp_path, block_m):
    out = tmp_path / "plan.svg"
    run(capsys, f"{zoo}:gemm", "--target", "spacemit-a100", "--constant", f"BLOCK_M={block_m}", "--plot", str(out))
    texts = ["".join(element.itertext()) for element in ET.parse(out).iter("{http://www.w3.org/2000/svg}text")]
    text = " ".join(texts)
    assert "a_tile" in text and "acc" in text and "b_tile" in text
    assert "capacity 384 KiB" in text
    assert ("does not fit" if block_m == 4096 else "gemm on spacemit-a100: fits, 167,936 of 393,216 bytes") in text


def test_png_and_several_kernels(zoo, capsys, tmp_path):
    from spine_triton import frontend_ttir

    namespace = {}
    source = tmp_path / "two.py"
    source.write_text(ZOO)
    exec(compile(ZOO, zoo, "exec"), namespace)
    text = frontend_ttir(
        namespace["gemm"],
        {"a_ptr": "*fp32", "b_ptr": "*fp32", "c_ptr": "*fp32"}
        | dict.fromkeys(["M", "N", "K", "am", "bk", "cm"], "i32"),
        {"BLOCK_M": 64, "BLOCK_N": 16, "BLOCK_K": 32},
    )
    path = tmp_path / "gemm.ttir"
    path.write_text(text)
    out = tmp_path / "plan.png"
    assert run(capsys, str(path), "--plot", str(out))[0] == 0
    assert out.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    "source,message",
    [
        ("x = 1\ndef f(:\n", ":2: SyntaxError: invalid syntax"),
        ("\n\nx = 1 / 0\n", ":3: ZeroDivisionError: division by zero"),
        ("def f():\n    import no_such_module\n\nf()\n", ":2: ModuleNotFoundError: No module named 'no_such_module'"),
        ("import sys\nsys.exit('used as a program')\n", ":2: SystemExit: used as a program"),
        ("import beside_bad\n", "beside_bad.py:1: SyntaxError: "),
        ("x = '\udcff'\n", "SyntaxError: "),
    ],
)
def test_file_that_does_not_run(tmp_path, capsys, source, message):
    """One line that says where, and no traceback."""
    path = tmp_path / "kernels of mine.py"
    path.write_bytes(source.encode(errors="surrogateescape"))
    (tmp_path / "beside_bad.py").write_text("def f(:\n")
    status, shown = run(capsys, f"{path}:kernel")
    assert status == 2
    assert message in shown.err and shown.err.count("\n") == 1 and str(tmp_path) in shown.err


def test_kernel_that_does_not_compile(tmp_path, capsys):
    path = tmp_path / "bad.py"
    path.write_text(ZOO.replace("tl.zeros((BLOCK_M, BLOCK_N), tl.float32)", "no_such_name"))
    line = 1 + path.read_text().splitlines().index("    acc = no_such_name")
    status, shown = run(capsys, f"{path}:gemm", "--constant", "BLOCK_M=64")
    assert status == 2
    assert (
        f"{path}:{line}: kernel 'gemm' does not compile\n" in shown.err and "no_such_name is not defined" in shown.err
    )


def test_file_is_a_module_of_its_own(tmp_path, capsys):
    """It may be called as one of Python's, and import what lies beside it."""
    (tmp_path / "sizes_beside.py").write_text("ROWS = 32\n")
    path = tmp_path / "json.py"
    path.write_text("import sizes_beside\n" + ZOO.replace('ROWS": 32', 'ROWS": sizes_beside.ROWS'))
    before = list(sys.path)
    assert run(capsys, f"{path}:softmax", "--json")[0] == 0
    assert sys.path == before and sys.modules["json"] is json


@pytest.mark.parametrize(
    "arguments,message",
    [
        (("missing.ttir",), "missing.ttir"),
        (("missing.py:gemm",), "there is no file missing.py"),
        (("{zoo}:nothing",), "has no @triton.jit function 'nothing'"),
        (("{zoo}:not_a_kernel",), "has no @triton.jit function 'not_a_kernel'"),
        (("{zoo}:gemm",), "values of constexpr parameters are missing: --constant BLOCK_M=..."),
        (("{zoo}:gemm", "--constant", "BLOCK=3"), "NAME=VALUE with the name of a parameter"),
        (("{zoo}",), "zoo.py: which kernel of it? FILE.py:KERNEL is expected"),
        (("{zoo}:",), "zoo.py: which kernel of it? FILE.py:KERNEL is expected"),
        (("{zoo}:gemm", "--constant", "BLOCK_M=-1"), "Shape element 0 must be positive, not -1"),
        (("{zoo}:gemm", "--constant", "BLOCK_M=0"), "Shape element 0 must be positive, not 0"),
        (("{zoo}:gemm", "--signature", "*fp32", "--constant", "BLOCK_M=64"), "--constant beside --signature"),
        (("{zoo}:gemm", "--signature", "*fp32"), "names 1 parameters, the kernel has 12"),
        (("{zoo}:gemm", "--constant", "BLOCK_M=64", "--target", "gpu"), "unknown target 'gpu'"),
        (("{zoo}:gemm", "--constant", "BLOCK_M=64", "--policy", "none"), "unknown residency policy 'none'"),
        (("{zoo}:gemm", "--constant", "BLOCK_M=64", "--plot", "plan.txt"), "txt"),
        (("{zoo}:gemm", "--constant", "BLOCK_M=64", "--plot", "{zoo}/plan.svg"), "zoo.py/plan.svg"),
        (("{zoo}:gemm", "--constant", "BLOCK_M=64", "--plot", "/tmp"), "--plot /tmp: the name must end in .svg"),
    ],
)
def test_errors(zoo, capsys, arguments, message):
    status, shown = run(capsys, *(argument.format(zoo=zoo) for argument in arguments))
    assert status == 2
    assert message in shown.err and shown.err.startswith("spine-triton residency: ")


@pytest.mark.parametrize("word", ["*fp99", "5", "None", "", "*", "constexpr"])
def test_signature_with_what_is_no_type(zoo, capsys, word):
    signature = f"*fp32, {word}, *fp32, i32, i32, i32, i32, i32, i32, 64, 16, 64"
    status, shown = run(capsys, f"{zoo}:gemm", "--signature", signature)
    assert status == 2 and shown.err.count("\n") == 1
    assert f"parameter b_ptr: {word!r} is not a type; types are bf16, " in shown.err


def test_what_a_file_prints_is_not_in_the_report(tmp_path, capsys):
    path = tmp_path / "noisy.py"
    path.write_text("print('loaded')\n" + ZOO)
    status, shown = run(capsys, f"{path}:gemm", "--constant", "BLOCK_M=64", "--json")
    assert status == 0 and json.loads(shown.out)["fits"]
    assert "loaded" in shown.err


def test_plot_without_matplotlib(zoo, capsys, monkeypatch):
    for name in [name for name in sys.modules if name.partition(".")[0] == "matplotlib"] + ["matplotlib"]:
        monkeypatch.setitem(sys.modules, name, None)
    status, shown = run(capsys, f"{zoo}:gemm", "--constant", "BLOCK_M=64", "--plot", "plan.svg")
    assert status == 2
    assert "pip install 'spine-triton[plot]'" in shown.err


def test_negative_number_of_bins(tmp_path, capsys):
    path = tmp_path / "bins.py"
    path.write_text(
        "import triton\nimport triton.language as tl\n\n\n@triton.jit\ndef bins(x_ptr, N: tl.constexpr):\n"
        "    tl.store(x_ptr, tl.sum(tl.histogram(tl.arange(0, 16), N)))\n"
    )
    status, shown = run(capsys, f"{path}:bins", "--constant", "N=-4")
    assert status == 2
    assert f"{path}:7: kernel 'bins' does not compile" in shown.err and "must be positive, not -4" in shown.err
