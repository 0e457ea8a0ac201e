#!/usr/bin/env bash
# Makes a wheel for this platform and Python version in dist/.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$root"

say "making a wheel"
SPINE_TRITON_PREBUILT=1 .venv/bin/python -m pip wheel --disable-pip-version-check --no-input -q \
  --no-deps --no-build-isolation -w dist .
ls -l dist/*.whl
