# ===- conftest.py - Set-up of all Python tests ----------------------------===#
#
# Part of spine-triton, under the MIT licence.
#
# ===-----------------------------------------------------------------------===#
"""Every run compiles anew into a cache of its own, so that no result depends on what ran before."""

import os
import shutil
import tempfile

import pytest


def pytest_configure(config):
    os.environ.setdefault("TRITON_DEFAULT_BACKEND", "spine")
    if "TRITON_CACHE_DIR" not in os.environ or hasattr(config, "workerinput"):
        folder = tempfile.mkdtemp(prefix="spine-triton-test-")
        os.environ["TRITON_CACHE_DIR"] = folder
        config.add_cleanup(lambda: shutil.rmtree(folder, ignore_errors=True))


def _is_for_boards(path):
    files = path.rglob("test_*.py") if path.is_dir() else [path]
    return any("pytest.mark.board" in file.read_text() for file in files)


def pytest_ignore_collect(collection_path, config):
    """`-m board` looks only where tests for boards are: what other files import need not be there, PyTorch above all."""
    if config.getoption("-m") == "board" and not _is_for_boards(collection_path):
        return True
    return None


@pytest.fixture
def qemu(monkeypatch):
    """Runs the test's kernels in an emulated machine with 1024-bit vectors; skips where there is none.

    SPINE_REQUIRE_QEMU=1 makes its absence a failure.
    """
    from spine_triton import RunnerError, targets
    from spine_triton.runners import qemu as runner

    target = os.environ.get("SPINE_TEST_QEMU_TARGET", "spacemit-a100")
    try:
        runner.command(targets.find(target))
    except RunnerError as e:
        if os.environ.get("SPINE_REQUIRE_QEMU") == "1":
            raise
        pytest.skip(f"no emulator: {e}")
    monkeypatch.setenv("SPINE_TRITON_TARGET", target)
    monkeypatch.setenv("SPINE_TRITON_RUNNER", "qemu")
    return target


@pytest.fixture
def fresh_cache(tmp_path, monkeypatch):
    """An empty compile cache for one test; the kernels' own tables of compiled code are the test's business."""
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"
