#!/usr/bin/env bash
# usage: install.sh FOLDER
# Makes the package of this checkout, its command line and its tools usable
# from the virtual environment FOLDER (in place: nothing is copied).
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$root"

venv=$root/$1
stamp=$venv/.installed-spine-triton
tool=build/tools/spine-triton-opt/spine-triton-opt
[[ -x $tool ]] || die "$tool is missing; run 'make build'"

if [[ ! -f $stamp ]] || [[ pyproject.toml -nt $stamp ]] || [[ setup.py -nt $stamp ]]; then
  say "installing spine-triton into $(basename "$venv")/"
  SPINE_TRITON_PREBUILT=1 "$venv/bin/python" -m pip install --disable-pip-version-check \
    --no-input -q --no-deps --no-build-isolation -e .
  touch "$stamp"
fi
ln -sfn "$root/$tool" "$venv/bin/spine-triton-opt"
