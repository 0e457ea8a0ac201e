#!/usr/bin/env bash
# usage: setup-venv.sh FOLDER NAME...
# Makes the virtual environment FOLDER if it is missing and installs
# requirements/NAME.txt for each NAME whose contents have changed since.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

venv=$root/$1
shift

# The first Python on PATH may be one without headers (a pyenv shim, say), with
# which no extension module can be built: Debian's own comes first.
find_python() {
  local python
  for python in ${SPINE_PYTHON:-} /usr/bin/python3 python3.13 python3.12 python3.11 python3; do
    if "$python" - 2>/dev/null <<'PY'
import os, sys, sysconfig, ensurepip, venv
header = os.path.join(sysconfig.get_paths()["include"], "Python.h")
sys.exit(0 if sys.version_info >= (3, 11) and os.path.exists(header) else 1)
PY
    then
      command -v "$python"
      return
    fi
  done
  die "no Python 3.11 or newer with venv and headers found; set SPINE_PYTHON"
}

# Two runs of make must not install into one environment at once.
exec 9>"$venv.lock"
flock 9

if [[ ! -x $venv/bin/python ]] || ! "$venv/bin/python" -c 'import pip' 2>/dev/null; then
  python=$(find_python)
  say "making $(basename "$venv")/ with $python ($("$python" --version))"
  rm -rf "$venv"
  # There is nothing for riscv64 to be had from PyPI of what is compiled: NumPy is
  # the distribution's, Triton the one that the board's vendor made.
  options=()
  [[ $(uname -m) != riscv64 ]] || options=(--system-site-packages)
  "$python" -m venv "${options[@]}" "$venv"
fi

for name in "$@"; do
  file=$root/requirements/$name.txt
  stamp=$venv/.installed-$name
  if ! cmp -s "$file" "$stamp"; then
    say "installing $(grep -v '^#' "$file" | tr '\n' ' ')into $(basename "$venv")/"
    "$venv/bin/python" -m pip install --disable-pip-version-check --no-input -q -r "$file"
    cp "$file" "$stamp"
  fi
done
