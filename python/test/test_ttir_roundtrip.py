# ===- test_ttir_roundtrip.py - The TTIR of every case kernel --------------===#
#
# Part of spine-triton, under the MIT licence.
#
# ===-----------------------------------------------------------------------===#
"""What the installed frontend prints is read here, and what is printed here is read by the installed frontend."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from spine_triton import Context, Module, run_pipeline

CASES = Path(__file__).parent / "cases"


@pytest.fixture(scope="module")
def modules(tmp_path_factory) -> dict[str, str]:
    """The TTIR of every kernel of the cases, with locations, by file name."""
    out = tmp_path_factory.mktemp("ttir")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "ttir_only", "--ttir-out", str(out), "--ttir-locations"]
    env = {**os.environ, "CASES_TTIR_ONLY": "1", "PYTHONPATH": str(CASES)}
    done = subprocess.run([*command, "-p", "no:cacheprovider", "."], cwd=CASES, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-4000:]
    texts = {path.name: path.read_text() for path in sorted(out.iterdir())}
    assert len(texts) > 300
    return texts


@pytest.fixture(scope="module")
def stock_verifies(tmp_path_factory):
    """A function that raises unless the installed Triton's own parser and verifier accept a text."""
    from triton._C.libtriton import ir

    folder = tmp_path_factory.mktemp("stock")

    def check(name: str, text: str) -> None:
        context = ir.context()
        ir.load_dialects(context)
        path = folder / name
        path.write_text(text)
        assert ir.parse_mlir_module(str(path), context).verify(), f"{name}: Triton's verifier rejects it"

    return check


def test_every_kernel_parses_and_round_trips(modules):
    """Printed again, in both forms and with and without locations, a module stays what it was."""
    for name, text in modules.items():
        module = Module.parse(Context(), text, name)
        for generic in (False, True):
            printed = module.to_string(debug_info=True, generic=generic)
            again = Module.parse(Context(), printed, name)
            assert again.to_string(debug_info=True, generic=generic) == printed, name
        plain = str(module)
        assert str(Module.parse(Context(), plain, name)) == plain, name


def test_stock_parser_accepts_what_is_printed(modules, stock_verifies):
    """Custom assembly with locations, as a compiler that takes our output would read it."""
    for name, text in modules.items():
        stock_verifies(name, Module.parse(Context(), text, name).to_string(debug_info=True))


@pytest.mark.parametrize("passes", ["spine-rebase-tensor-ptr", "spine-ttir{severity=remark}"])
def test_stock_parser_accepts_what_passes_print(modules, stock_verifies, passes):
    """After our TTIR passes as well, so that they can run in front of another backend."""
    changed = 0
    for name, text in modules.items():
        module = Module.parse(Context(), text, name)
        before = str(module)
        run_pipeline(module, f"builtin.module({passes})")
        changed += str(module) != before
        stock_verifies(name, module.to_string(debug_info=True))
    assert changed > 100


def test_locations_survive(modules):
    """The kernel's own file is named in what the passes print."""
    name = next(n for n in modules if n.startswith("gemm_kloop-"))
    module = Module.parse(Context(), modules[name], name)
    run_pipeline(module, "builtin.module(spine-ttir{severity=remark})")
    assert re.search(r'loc\("[^"]*test_gemm\.py":\d+:\d+\)', module.to_string(debug_info=True))
