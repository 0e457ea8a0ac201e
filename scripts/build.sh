#!/usr/bin/env bash
# usage: build.sh [TARGET...]
# Configures and builds in build/ (cmake preset "default").
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$root"

if [[ ! -f build/build.ninja ]] || [[ CMakePresets.json -nt build/build.ninja ]]; then
  say "configuring build/"
  cmake --preset default -DPython_EXECUTABLE="$root/.venv/bin/python"
fi
say "building $*"
ninja -C build -j "${JOBS:-$(nproc)}" "$@"
