"""Every command and every example of the READMEs is run: by CI, or here."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
READMES = ["README.md", "README.zh-CN.md"]


def blocks(readme, language):
    text = (ROOT / readme).read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def commands(readme):
    lines = "".join(blocks(readme, "console")).splitlines()
    return [line.removeprefix("$ ") for line in lines if line.startswith("$ ")]


def ci_steps():
    return re.findall(r"^step (\S+)", (ROOT / ".ci" / "run").read_text(), re.MULTILINE)


@pytest.mark.parametrize("command", commands("README.md"))
def test_command_works(command):
    """Targets of make belong to CI's steps; anything else is quick and is run here."""
    words = shlex.split(command)
    if words[0] == "make":
        assert words[1:] and set(words[1:]) <= set(ci_steps())
        return
    assert words[0].startswith(".venv/bin/")
    # The suite may run in another virtual environment than .venv/.
    words[0] = str(Path(sys.executable).parent / Path(words[0]).name)
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout


@pytest.mark.parametrize("readme", READMES)
def test_python_example_runs(readme, tmp_path):
    (example,) = blocks(readme, "python")
    script = tmp_path / "example.py"
    script.write_text(example)
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("readme", READMES)
def test_message_is_the_one_shown(readme, tmp_path):
    (example,) = blocks(readme, "python")
    (message,) = blocks(readme, "text")
    larger = example.replace("BLOCK_M=64", "BLOCK_M=2048")
    assert larger != example
    (tmp_path / "example.py").write_text(larger)
    environment = {**os.environ, "SPINE_TRITON_SCRATCHPAD_BYTES": "393216"}
    done = subprocess.run(
        [sys.executable, tmp_path / "example.py"], capture_output=True, text=True, timeout=300, env=environment
    )
    assert done.returncode != 0
    shown = done.stderr.replace(f"{tmp_path}/", "").rpartition("spine_triton.errors.ScratchpadExceeded: ")[2]
    assert shown == message


@pytest.mark.parametrize("language", ["console", "python", "text"])
def test_translations_show_the_same(language):
    assert blocks(READMES[0], language) == blocks(READMES[1], language)


def test_translations_name_the_same_variables():
    first, second = (set(re.findall(r"`([A-Z]+_[A-Z_]+)", (ROOT / r).read_text(encoding="utf-8"))) for r in READMES)
    assert first == second


@pytest.mark.parametrize("readme", READMES)
def test_links_lead_to_files(readme):
    text = re.sub(r"^```.*?^```$", "", (ROOT / readme).read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    for link in re.findall(r"\]\(([^)#]+)", text):
        assert link.startswith("https://") or (ROOT / link).exists(), link


@pytest.mark.parametrize("readme", READMES)
def test_environment_variables_are_real(readme):
    """A variable in the table is one that the sources read."""
    text = (ROOT / readme).read_text(encoding="utf-8")
    files = [*(ROOT / "python").rglob("*.py"), *(ROOT / "runtime").rglob("*.cpp"), *(ROOT / "python").rglob("*.cpp")]
    sources = "".join(f.read_text(encoding="utf-8") for f in files if "test" not in f.relative_to(ROOT).parts)
    for name in set(re.findall(r"SPINE_TRITON_[A-Z_]+", text)):
        assert name in sources, name
