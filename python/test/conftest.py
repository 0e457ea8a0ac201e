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


@pytest.fixture
def fresh_cache(tmp_path, monkeypatch):
    """An empty compile cache for one test; the kernels' own tables of compiled code are the test's business."""
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"
