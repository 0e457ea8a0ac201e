# ===- test_targets.py - Target descriptions -------------------------------===#
#
# Part of spine-triton, under the MIT licence.
#
# ===-----------------------------------------------------------------------===#

import json
import pathlib
import re

import pytest

from spine_triton import check_residency, targets
from spine_triton.__main__ import main

ROOT = pathlib.Path(__file__).resolve().parents[2]

BOARD = {
    "name": "my-board",
    "triple": "riscv64-unknown-linux-gnu",
    "cpu": "generic-rv64",
    "scratchpad_bytes": 65536,
    "sources": {"scratchpad_bytes": "the board's manual"},
}

COPY = """tt.func @copy(%p: !tt.ptr<tensor<16384xf32>>) {
  %a = tt.load %p : !tt.ptr<tensor<16384xf32>>
  tt.store %p, %a : !tt.ptr<tensor<16384xf32>>
  tt.return
}"""


@pytest.fixture
def board(tmp_path, monkeypatch):
    """A function that writes a description and makes its folder known."""
    monkeypatch.setenv("SPINE_TRITON_TARGET_PATH", str(tmp_path))

    def write(file="my-board", **changes):
        description = {key: value for key, value in (BOARD | changes).items() if value is not None}
        path = tmp_path / f"{file}.json"
        path.write_text(json.dumps(description))
        return path

    yield write
    targets._files.cache_clear()
    targets._find.cache_clear()


@pytest.mark.parametrize("name", [name for name in targets.names() if name != "host"])
def test_descriptions_of_the_package_are_valid(name):
    """Every number has a source, and the page describes every field."""
    target = targets.find(name)
    page = (ROOT / "docs" / "targets.md").read_text(encoding="utf-8")
    described = set(re.findall(r"`(\w+)`", " ".join(re.findall(r"^\| (.*?) \|", page, re.MULTILINE))))
    assert set(target.description) <= described
    assert target.name == name


def test_a_description_of_ones_own(board, capsys):
    path = board()
    assert "my-board" in targets.names()
    assert targets.find("my-board").scratchpad_bytes == 65536
    assert check_residency(COPY, "my-board").fits
    assert not check_residency(COPY, "my-board", scratchpad_bytes=65535).fits
    assert check_residency(COPY, str(path)).target == "my-board"
    assert main(["targets"]) == 0
    assert re.search(r"^my-board .* 64 KiB scratchpad per core$", capsys.readouterr().out, re.MULTILINE)


@pytest.mark.parametrize(
    "changes,message",
    [
        ({"triple": None}, "'triple' is missing"),
        ({"scratchpad_bytes": "64K"}, "'scratchpad_bytes' must be an integer"),
        ({"scratchpad_bytes": 0}, "'scratchpad_bytes' must be at least 1, got 0"),
        (
            {"alignment": 96, "sources": {"alignment": "x", "scratchpad_bytes": "x"}},
            "'alignment' must be a power of two",
        ),
        ({"scratchpad": 1}, "unknown field 'scratchpad'"),
        ({"cores": 4}, "'sources' must say where the number of 'cores' comes from"),
        ({"name": "my board"}, "'name' must be letters, digits"),
        ({"name": "other"}, "'name' must be that of the file, 'my-board', got 'other'"),
        ({"matrix_units": [{"m": 8}]}, "'matrix_units' needs"),
    ],
)
def test_what_is_wrong_is_named(board, changes, message):
    path = board(**changes)
    with pytest.raises(ValueError, match=re.escape(message)) as e:
        targets.find("my-board")
    assert str(path) in str(e.value)


def test_errors_of_files(board, monkeypatch, tmp_path):
    (tmp_path / "broken.json").write_text("{")
    with pytest.raises(ValueError, match="not valid JSON"):
        targets.find("broken")
    with pytest.raises(ValueError, match="No such file"):
        targets.find(str(tmp_path / "missing.json"))
    with pytest.raises(ValueError, match=r"unknown target .gpu.; there are host, .*broken"):
        targets.find("gpu")
    monkeypatch.setenv("SPINE_TRITON_TARGET_PATH", str(tmp_path / "nowhere"))
    with pytest.raises(ValueError, match="is no folder"):
        targets.names()


def test_two_descriptions_of_one_name(board):
    board("spacemit-a100", name="spacemit-a100")
    with pytest.raises(ValueError, match="two descriptions of the target 'spacemit-a100'"):
        targets.names()
