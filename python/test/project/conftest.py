"""Fixtures that several tests of the project as a whole use."""

import zipfile

import pytest


@pytest.fixture(scope="module")
def unpacked(wheel, tmp_path_factory):
    """A folder with what is in the wheel of the test's module."""
    folder = tmp_path_factory.mktemp("unpacked")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder
