"""Packaging of the parts that setuptools cannot build by itself.

The extension module is built by CMake: in `build-VERSION/` for a wheel, in `build/` for an installation in place. With
SPINE_TRITON_PREBUILT=1, which `make` sets, it is taken from `build/` as it is.
"""

import importlib.metadata
import os
import platform
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_py import build_py

ROOT = Path(__file__).resolve().parent
PREBUILT = bool(os.environ.get("SPINE_TRITON_PREBUILT"))
# From 3.12 on, Python's stable interface has what the extension module needs: one wheel serves all later versions.
STABLE_ABI = sys.version_info >= (3, 12) and not sysconfig.get_config_var("Py_GIL_DISABLED")

# Licences of what is linked into the extension module and the runner, with the Debian packages that it comes from. The
# runner is linked with the newest libstdc++ there is.
DEBIAN_LICENCES = {
    "glibc.txt": "libc6-dev-riscv64-cross/copyright",
    "libstdc++.txt": "libstdc++-[0-9]*-dev-riscv64-cross/copyright",
    "LLVM.txt": "llvm-22-dev/copyright",
    "zlib.txt": "zlib1g-dev/copyright",
    "zstd.txt": "libzstd-dev/copyright",
}
APACHE = Path("/usr/share/common-licenses/Apache-2.0")  # the text that LLVM's file refers to


def newest(folder: Path, pattern: str) -> Path:
    """The file below `folder` that matches `pattern`; of several versions the highest."""
    numbers = lambda path: [int(n) for n in re.findall(r"\d+", str(path))]
    return max(folder.glob(pattern), key=numbers, default=folder / pattern)


def collect_licences() -> None:
    """Copies them to licenses/, where pyproject.toml looks for them. A source distribution brings its own copies."""
    folder = ROOT / "licenses"
    folder.mkdir(exist_ok=True)
    found = {name: newest(Path("/usr/share/doc"), pattern) for name, pattern in DEBIAN_LICENCES.items()}
    found["Apache-2.0.txt"] = APACHE
    try:
        files = importlib.metadata.files("nanobind") or []
    except importlib.metadata.PackageNotFoundError:
        files = []
    found["nanobind.txt"] = next((Path(f.locate()) for f in files if f.name == "LICENSE"), Path("nanobind's LICENSE"))
    for name, path in found.items():
        if path.is_file():
            shutil.copyfile(path, folder / name)
        elif not (folder / name).exists():
            print(f"warning: {path} is missing: licenses/{name} will not be part of the wheel", file=sys.stderr)


def build(folder: Path, *definitions: str) -> None:
    """Configures `folder` and builds the extension module there, and the runner with it."""
    environment = {
        # As scripts/common.sh: what one folder compiled, another one reuses.
        "CCACHE_BASEDIR": str(ROOT),
        "CCACHE_NOHASHDIR": "1",
        "CCACHE_SLOPPINESS": "pch_defines,time_macros,include_file_mtime,include_file_ctime",
        **os.environ,
    }
    launcher = [] if shutil.which("ccache") else ["-DCMAKE_C_COMPILER_LAUNCHER=", "-DCMAKE_CXX_COMPILER_LAUNCHER="]
    configure = ["cmake", "--preset", "default", "-B", str(folder), f"-DPython_EXECUTABLE={sys.executable}"]
    subprocess.run([*configure, *launcher, *definitions], cwd=ROOT, env=environment, check=True)
    subprocess.run(["cmake", "--build", str(folder), "--target", "_spine"], cwd=ROOT, env=environment, check=True)


class BuildWithCMake(build_py):
    """Puts the extension module and the runner for riscv64 into the package."""

    def run(self):
        folder = ROOT / "build"
        if self.editable_mode:
            if not PREBUILT:
                build(folder)
        elif not PREBUILT:
            # As deep as build/, so that ccache sees the same relative paths.
            folder = ROOT / f"build-{sys.implementation.cache_tag or 'python'}-{platform.machine()}"
            build(folder, "-DSPINE_ENABLE_TESTS=OFF", f"-DSPINE_PYTHON_OUTPUT_DIRECTORY={folder / 'python'}")
        if not self.editable_mode:
            shutil.rmtree(self.build_lib, ignore_errors=True)  # what an earlier version of the package left there
        super().run()
        if not self.editable_mode:
            prefix = Path(self.build_lib).resolve()
            install = ["cmake", "--install", str(folder), "--component", "wheel", "--prefix", str(prefix)]
            subprocess.run(install, check=True)


def needed_glibc(module: bytes) -> int:
    """The minor version of the oldest glibc 2 that has all that a shared library asks for; 0 if it asks for nothing."""
    # The names of versions follow each other: the zero behind one is the zero in front of the next.
    return max((int(n) for n in re.findall(rb"\0GLIBC_2\.(\d+)(?=[.\0])", module)), default=0)


class PlatformWheel(bdist_wheel):
    """Names the Python versions and the oldest C library that the wheel works with."""

    def finalize_options(self):
        super().finalize_options()
        if STABLE_ABI:
            self.py_limited_api = "cp312"

    def get_tag(self):
        python, abi, where = super().get_tag()
        libc, _ = platform.libc_ver()
        # An installation in place has no module here; nobody else gets to see that wheel.
        modules = Path(self.bdist_dir).glob("spine_triton/_spine*.so")
        needed = max((needed_glibc(module.read_bytes()) for module in modules), default=0)
        if libc == "glibc" and needed and where.startswith("linux_"):
            where = f"manylinux_2_{needed}_{where.removeprefix('linux_')}"
        return python, abi, where


class BinaryDistribution(Distribution):
    """A wheel for one platform and Python version, although setuptools itself compiles nothing."""

    def has_ext_modules(self):
        return True


def main() -> None:
    collect_licences()
    setup(
        cmdclass={"build_py": BuildWithCMake, "bdist_wheel": PlatformWheel},
        distclass=BinaryDistribution,
        options={"build": {"build_base": "build-wheel"}},  # build/ is CMake's
    )


# A build tool runs this file under the same name, tests import it under another one.
if __name__ == "__main__":
    main()
