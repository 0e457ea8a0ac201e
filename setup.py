"""Packaging of the parts that setuptools cannot build by itself.

The C++ parts are built by CMake. For a wheel that happens here; `make`, which has built them already, installs the
package in place with SPINE_TRITON_PREBUILT=1.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py

ROOT = Path(__file__).resolve().parent
BUILD = ROOT / "build"
TOOL = BUILD / "tools" / "spine-triton-opt" / "spine-triton-opt"


class BuildWithCMake(build_py):
    """Builds the extension module (CMake puts it into the package's folder) and the tools before packaging."""

    def run(self):
        if not os.environ.get("SPINE_TRITON_PREBUILT"):
            subprocess.run(
                ["cmake", "--preset", "default", f"-DPython_EXECUTABLE={sys.executable}"], cwd=ROOT, check=True
            )
            subprocess.run(["ninja", "-C", str(BUILD)], check=True)
        super().run()
        if not self.editable_mode:
            tools = Path(self.build_lib) / "spine_triton" / "bin"
            tools.mkdir(parents=True, exist_ok=True)
            shutil.copy2(TOOL, tools / TOOL.name)


class BinaryDistribution(Distribution):
    """A wheel for one platform and Python version, although setuptools itself compiles nothing."""

    def has_ext_modules(self):
        return True


setup(cmdclass={"build_py": BuildWithCMake}, distclass=BinaryDistribution)
