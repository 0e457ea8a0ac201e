#!/usr/bin/env bash
# usage: bench.sh [argument...]
# Runs the benchmarks; arguments (or BENCH_ARGS) go to benchmarks/run.py, and
# --quick to the one of the residency check, too.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$root"

# shellcheck disable=SC2086 # several arguments on purpose
.venv/bin/python benchmarks/run.py ${BENCH_ARGS:-} "$@"
quick=()
[[ " ${BENCH_ARGS:-} $* " == *" --quick "* ]] && quick=(--quick)
.venv/bin/python benchmarks/residency.py "${quick[@]}"
