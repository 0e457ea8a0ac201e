# ===- test_lint.py - What the linter sees ---------------------------------===#
#
# Part of spine-triton, under the MIT licence.
#
# ===-----------------------------------------------------------------------===#

import json
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).parents[3]
DATABASE = ROOT / "build" / "compile_commands.json"


@pytest.mark.skipif(not DATABASE.is_file(), reason="build/ has not been configured")
def test_every_cxx_file_is_known_to_clang_tidy():
    listed = subprocess.run(["git", "ls-files", "*.cpp"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    known = {pathlib.Path(entry["file"]) for entry in json.loads(DATABASE.read_text())}
    assert not [file for file in listed.split() if ROOT / file not in known]
