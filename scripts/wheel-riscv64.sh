#!/usr/bin/env bash
# Makes a wheel for riscv64 in dist/, on a machine that is not one.
#
# LLVM, MLIR, Python and the C++ library for riscv64 are Debian 13's. They are
# unpacked into .sysroot-riscv64/ (once; 2.3 GB), for which no rights on this
# machine are needed and nothing is installed. Python runs in QEMU, so that what
# it says of itself names the wheel; all else are this machine's programs.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$root"

sysroot=$root/.sysroot-riscv64
suite=trixie
mirror=${SPINE_DEBIAN_MIRROR:-http://deb.debian.org/debian}
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
# The tools of LLVM are not run, but its CMake files insist on them.
packages=(libmlir-22-dev mlir-22-tools llvm-22-dev libpython3-dev python3
          libstdc++-14-dev zlib1g-dev libzstd-dev)
# What runs the wheel's tests.
packages+=(python3-numpy python3-rich)

# apt as on a machine of the other architecture on which nothing is installed.
private_apt() { # private_apt FOLDER apt-get's arguments...
  local folder=$1
  APT_CONFIG=$folder/apt.conf apt-get -q "${@:2}"
}

download_packages() { # download_packages FOLDER
  local folder=$1
  mkdir -p "$folder"/{state/lists/partial,cache/archives/partial,etc/preferences.d}
  : >"$folder/status"
  echo "deb [signed-by=$keyring] $mirror $suite main" >"$folder/etc/sources.list"
  # How the network is reached is configured in this machine's parts.
  cat >"$folder/apt.conf" <<CONF
APT::Architecture "riscv64";
APT::Architectures { "riscv64"; };
APT::Install-Recommends "false";
APT::Sandbox::User "root";
Dir::State "$folder/state";
Dir::State::status "$folder/status";
Dir::Cache "$folder/cache";
Dir::Etc "$folder/etc";
Dir::Etc::Parts "/etc/apt/apt.conf.d";
Debug::NoLocking "true";
CONF
  private_apt "$folder" update
  private_apt "$folder" install -y --download-only "${packages[@]}"
}

# Packages are unpacked and not configured: what their scripts would have made
# is made here as far as it is needed.
unpack_packages() { # unpack_packages FOLDER ROOT
  local package name
  for name in bin lib sbin; do
    mkdir -p "$2/usr/$name"
    ln -s "usr/$name" "$2/$name"
  done
  for package in "$1"/cache/archives/*.deb; do
    dpkg-deb -x "$package" "$2"
  done
  for name in blas lapack; do
    ln -s "$name/lib$name.so.3" "$2/usr/lib/riscv64-linux-gnu/lib$name.so.3"
  done
}

# Python believes itself to be where this script is, with all that belongs to it.
write_python() { # write_python ROOT
  cat >"$1/usr/bin/python3-in-qemu" <<'PYTHON'
#!/bin/sh
# Debian's Python for riscv64, run by QEMU; QEMU_CPU says on which processor.
root=$(cd "$(dirname "$0")/../.." && pwd)
exec qemu-riscv64 -L "$root" -0 "$root/usr/bin/python3-in-qemu" "$root/usr/bin/python3" "$@"
PYTHON
  chmod +x "$1/usr/bin/python3-in-qemu"
}

make_sysroot() {
  say "unpacking Debian's packages for riscv64 into $(basename "$sysroot")/"
  local new=$sysroot.new
  rm -rf "$new"
  download_packages "$new/apt"
  unpack_packages "$new/apt" "$new"
  rm -rf "$new/apt"
  write_python "$new"
  # These are Python alone, for any machine.
  .venv/bin/python -m pip install --disable-pip-version-check --no-input -q --no-deps \
    --only-binary=:all: \
    --target "$new/usr/lib/python3/dist-packages" \
    $(grep -E '^(nanobind|setuptools)=' requirements/build.txt)
  cp "${BASH_SOURCE[0]}" "$new/made-by"
  rm -rf "$sysroot"
  mv "$new" "$sysroot"
}

for program in apt-get dpkg-deb qemu-riscv64; do
  command -v $program >/dev/null || die "$program is needed"
done
[[ -f $keyring ]] || die "$keyring is missing; install debian-archive-keyring"
cmp -s "${BASH_SOURCE[0]}" "$sysroot/made-by" || make_sysroot

say "making a wheel for riscv64"
# setup.py and CMake find these in the environment.
export SPINE_SYSROOT=$sysroot
export CMAKE_TOOLCHAIN_FILE=$root/cmake/riscv64-linux-gnu.cmake
mkdir -p dist
"$sysroot/usr/bin/python3-in-qemu" -c \
  'from setuptools import build_meta; print(build_meta.build_wheel("dist"))'
