#!/usr/bin/env bash
# usage: test.sh lit | unit | python FOLDER | smoke FOLDER
# Runs one of the test suites; FOLDER is the virtual environment to use.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$root"

jobs=${JOBS:-$(nproc)}
# No test may depend on what the user's shell happens to select.
unset "${!SPINE_TRITON_@}" "${!TRITON_@}"

case $1 in
lit)
  say "lit tests"
  .venv/bin/lit -s -j "$jobs" build/test
  ;;
unit)
  say "C++ unit tests"
  ctest --test-dir build/unittest -j "$jobs" --output-on-failure --no-tests=error
  ;;
python)
  say "Python tests with Triton $("$2/bin/python" -c 'import triton; print(triton.__version__)')"
  "$2/bin/python" -m pytest -q -n "$jobs" --dist loadfile python/test
  ;;
smoke)
  say "smoke tests with Triton $("$2/bin/python" -c 'import triton; print(triton.__version__)')"
  "$2/bin/python" -m pytest -q -n "$jobs" --dist loadfile $(<scripts/smoke-tests.txt)
  ;;
*)
  die "unknown suite: $1"
  ;;
esac
