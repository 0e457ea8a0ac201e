"""What the pages of docs/ say: their examples run, their commands work, and their tables are true."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import triton
from support_kernels import FEATURES
from test_readme import ci_steps
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

import spine_triton
from spine_triton import libdevice, targets

ROOT = Path(__file__).resolve().parents[3]
PAGES = sorted((ROOT / "docs").glob("*.md"))
WRITTEN = [p for p in PAGES if "do not edit" not in p.read_text()]


def blocks(page, language):
    return re.findall(rf"^```{language}\n(.*?)^```$", page.read_text(), re.MULTILINE | re.DOTALL)


EXAMPLES = [
    pytest.param(example, id=f"{page.stem}-{i}") for page in WRITTEN for i, example in enumerate(blocks(page, "python"))
]


@pytest.mark.parametrize("example", EXAMPLES)
def test_example_runs(example, tmp_path):
    script = tmp_path / "example.py"
    script.write_text(example)
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr


def test_examples_that_need_other_hardware_are_valid():
    """They are marked `py`: they leave a kernel or another backend to the reader."""
    for page in WRITTEN:
        for example in blocks(page, "py"):
            compile(example, str(page), "exec")


COMMANDS = sorted(
    {
        line.removeprefix("$ ")
        for page in WRITTEN
        for block in blocks(page, "console")
        for line in block.splitlines()
        if line.startswith("$ ")
    }
)


@pytest.mark.parametrize("command", COMMANDS)
def test_command_works(command):
    """CI runs the targets of make, test_wheel.py installs a wheel, test_readme.py runs what the README shows."""
    words = shlex.split(command)
    if words[0] == "make":
        assert words[1:] and set(words[1:]) <= set(ci_steps())
    elif words[:2] == ["pip", "install"]:
        assert words[2:] == ["dist/spine_triton-*.whl"]
    else:
        assert f"$ {command}\n" in (ROOT / "README.md").read_text()


def test_every_page_is_in_the_contents():
    """mkdocs finds links that lead nowhere; this finds pages that nothing leads to."""
    contents = (ROOT / "mkdocs.yml").read_text()
    for page in PAGES:
        assert re.search(rf"\b{page.name}$", contents, re.MULTILINE), page.name
    index = (ROOT / "docs" / "index.md").read_text()
    for page in WRITTEN:
        assert page.name == "index.md" or f"]({page.name})" in index, page.name


def test_broken_links_are_found(tmp_path):
    """With the settings of the project, mkdocs refuses a link to a page, or a place in one, that is not there."""
    settings = (ROOT / "mkdocs.yml").read_text().partition("\nnav:\n")[0]
    command = re.search(r"mkdocs (build .*)", (ROOT / "scripts" / "docs.sh").read_text()).group(1).split()
    for link, works in (("#there", True), ("#gone", False), ("gone.md", False)):
        folder = tmp_path / link.strip("#.")
        (folder / "docs").mkdir(parents=True)
        (folder / "docs" / "index.md").write_text(f"# There\n\n[link]({link})\n")
        (folder / "mkdocs.yml").write_text(f"{settings}\nnav:\n  - index.md\n")
        done = subprocess.run([sys.executable, "-m", "mkdocs", *command], cwd=folder, capture_output=True, text=True)
        assert (done.returncode == 0) == works, done.stdout + done.stderr


def test_environment_variables_are_real():
    sources = [
        *(ROOT / "python").rglob("*.py"),
        *(ROOT / "runtime").rglob("*.cpp"),
        *(ROOT / "third_party").rglob("*.py"),
    ]
    text = "".join(p.read_text() for p in sources if "test" not in p.parts)
    for page in WRITTEN:
        for name in set(re.findall(r"SPINE_TRITON_[A-Z_]+", page.read_text())):
            assert name in text, f"{page.name}: {name}"


# --- What works -----------------------------------------------------------------------------------------------------


def rows(page, header):
    """The rows of the table below a header, as lists of cells."""
    section = (ROOT / "docs" / page).read_text().split(f"\n## {header}\n")[1].split("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("|")][2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


LANGUAGE = {name: works for name, works, _ in rows("support.md", "The language")}


def test_table_has_a_kernel_for_each_row():
    assert set(LANGUAGE) - {"Gluon"} == set(FEATURES)


@pytest.mark.parametrize("name", FEATURES)
def test_what_works(name, fresh_cache):
    """If this fails because something works now, say so in docs/support.md."""
    kernel, (x, y) = FEATURES[name]
    source = ASTSource(kernel, {"x": f"*{x}", "y": f"*{y}"}, {})
    if LANGUAGE[name] == "yes":
        assert triton.compile(source, GPUTarget("spine", "host", 0)).asm["obj"]
    else:
        with pytest.raises(triton.CompilationError):
            triton.compile(source, GPUTarget("spine", "host", 0))


def test_functions_of_libdevice():
    text = (ROOT / "docs" / "support.md").read_text()
    paragraph = re.search(r"`triton\.language\.extra\.libdevice` has these functions:(.*?)\n\n", text, re.DOTALL).group(
        1
    )
    assert re.findall(r"`(\w+)`", paragraph) == libdevice.available()


def test_targets():
    shown = {name: row[1] for row in rows("support.md", "Targets") for name in re.findall(r"`([\w-]+)`", row[0])}
    assert set(shown) == set(targets.names())
    for name, text in shown.items():
        target = targets.find(name)
        assert name == "host" or text.startswith(f"{target.scratchpad_bytes - target.reserve_bytes} bytes")


def test_numbers_of_the_model_page(tmp_path):
    """The bytes of the GEMM of the first page, for two block sizes."""
    source = blocks(ROOT / "docs" / "getting-started.md", "python")[0].partition("\nM, K, N = ")[0]
    path = tmp_path / "first_page.py"
    path.write_text(source)
    sys.path.insert(0, str(tmp_path))
    try:
        import first_page
    finally:
        sys.path.remove(str(tmp_path))
    text = (ROOT / "docs" / "model.md").read_text()
    types = dict.fromkeys(["a_ptr", "b_ptr", "c_ptr"], "*fp32") | dict.fromkeys("MNK", "i32")
    for rows_of_block in (2048, 1024):
        blocks_of = {"BLOCK_M": rows_of_block, "BLOCK_N": 16, "BLOCK_K": 32}
        ttir = spine_triton.frontend_ttir(first_page.gemm, types, blocks_of)
        report = spine_triton.check_residency(ttir, "spacemit-a100")
        assert str(report.bytes) in text and report.fits == (rows_of_block == 1024)
    assert 395264 - targets.find("spacemit-a100").scratchpad_bytes == 2048
