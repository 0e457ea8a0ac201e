#!/usr/bin/env bash
# usage: lint.sh [--fix] [--all]
# Checks format and style; --fix formats instead, --all has clang-tidy look at
# every C++ file and not only at those that changed since they last passed.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$root"

fix=0 all=0
for argument in "$@"; do
  case $argument in
  --fix) fix=1 ;;
  --all) all=1 ;;
  *) die "unknown option: $argument" ;;
  esac
done

mapfile -t cxx < <(git ls-files --cached --others --exclude-standard -- '*.cpp' '*.h' '*.c')
ruff=.venv/bin/ruff

if ((fix)); then
  say "formatting ${#cxx[@]} C++ files and the Python files"
  clang-format-22 -i "${cxx[@]}"
  "$ruff" format -q .
  "$ruff" check -q --fix .
  exit 0
fi

say "format of ${#cxx[@]} C++ files"
clang-format-22 --dry-run -Werror "${cxx[@]}"
say "Python files"
"$ruff" format -q --check .
"$ruff" check -q .
say "generated pages"
scripts/docs.sh --check
say "shell scripts"
for script in scripts/*.sh .ci/run; do
  bash -n "$script"
done

# clang-tidy takes seconds per file, so files that passed are remembered by
# their own text and that of the configuration and all of the project's headers.
[[ -f build/compile_commands.json ]] || die "clang-tidy needs build/; run 'make build'"
passed=build/clang-tidy-passed
mkdir -p "$passed"
((all)) && rm -f "$passed"/*
common=$({ cat .clang-tidy; git ls-files -- '*.h' '*.td' | xargs cat; } | sha256sum)
todo=()
for file in "${cxx[@]}"; do
  [[ $file == *.cpp ]] && grep -qF "$root/$file\"" build/compile_commands.json || continue
  key=$({ echo "$common"; cat "$file"; } | sha256sum | cut -c1-32)
  [[ -e $passed/$key ]] || todo+=("$key $file")
done
say "clang-tidy on ${#todo[@]} C++ files"
((${#todo[@]})) || exit 0
printf '%s\n' "${todo[@]}" | xargs -P "${JOBS:-$(nproc)}" -L 1 bash -c '
  clang-tidy-22 -p build --quiet --warnings-as-errors="*" "$1" 2>/dev/null && touch "'"$passed"'/$0"'
