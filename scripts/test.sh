#!/usr/bin/env bash
# usage: test.sh lit | unit | python FOLDER | smoke FOLDER | riscv [all | large]
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
  version=$("$2/bin/python" -c 'import triton; print(triton.__version__)')
  # Another package's requirements may have brought another version.
  [[ $2 == *-"${version%.*}" ]] || die "$2 has Triton $version"
  say "smoke tests with Triton $version"
  "$2/bin/python" -m pytest -q -n "$jobs" --dist loadfile $(<scripts/smoke-tests.txt)
  ;;
riscv)
  # The kernel cases in QEMU. Tiles larger than the target's scratchpad are
  # split. Cases that need the caller's address space are left out by the cases
  # themselves.
  export SPINE_TRITON_RUNNER=qemu SPINE_TRITON_AUTO_TILE=1
  # The largest launches take two minutes on two cores, on a busy machine more.
  export SPINE_TRITON_RUNNER_TIMEOUT=3600
  if [[ ${SPINE_REQUIRE_QEMU:-} != 1 ]] && ! why=$(.venv/bin/python -c '
from spine_triton.runners import qemu
qemu.program_path(), qemu.runner_path()' 2>&1); then
    say "no kernel cases in QEMU: ${why##*$'\n'}"
    exit 0
  fi
  run_cases() { # run_cases TARGET pytest options...
    say "kernel cases for $1 in QEMU"
    SPINE_TRITON_TARGET=$1 .venv/bin/python -m pytest -q -n "$jobs" "${@:2}"
  }
  others=(rv64gcv rv64gcv-zvl256b rv64gcv-zvl512b spacemit-x60)
  if [[ ${2:-} == all ]]; then
    CASES_SLOW=1 CASES_LARGE=1 run_cases spacemit-a100 python/test/cases
    for target in "${others[@]}"; do
      run_cases "$target" python/test/cases
    done
  elif [[ ${2:-} == large ]]; then
    CASES_LARGE=1 run_cases spacemit-a100 python/test/cases -m large
  else
    run_cases spacemit-a100 $(<scripts/riscv-tests.txt)
    for target in "${others[@]}"; do
      run_cases "$target" $(<scripts/riscv-tests-short.txt)
    done
  fi
  ;;
*)
  die "unknown suite: $1"
  ;;
esac
