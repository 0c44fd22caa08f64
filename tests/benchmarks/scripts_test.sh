#!/usr/bin/env bash
# Every script of benchmarks/ says with --help what it does, and refuses what it does not know in one line.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
benchmarks=$(cd "$here/../../benchmarks" && pwd -P)
fail() { printf 'scripts_test: %s\n' "$*" >&2; exit 1; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# Only drawn from files: no rows of their own.
no_rows=' applications.sh availability.sh curves.sh '

# What begins with #! is run, the others are sourced. All without a build.
count=0
while read -r script; do
  head -n 1 "$script" | grep -q '^#!' || continue
  name=${script##*/}
  count=$((count + 1))
  [ -x "$script" ] || fail "$script is not executable"
  "$script" --help >"$folder/out" 2>"$folder/err" || fail "$script --help: exit code $?: $(cat "$folder/err")"
  head -n 1 "$folder/out" | grep -q "^usage: $name " || fail "$script --help: $(cat "$folder/out")"
  [ ! -s "$folder/err" ] || fail "$script --help: on standard error: $(cat "$folder/err")"
  if [[ $no_rows != *" $name "* ]]; then
    grep -q -e '--csv, --json' "$folder/out" || fail "$script --help: neither --csv nor --json"
  fi
  code=0
  "$script" --no-such >"$folder/out" 2>"$folder/err" || code=$?
  [ "$code" -eq 2 ] || fail "$script --no-such: exit code $code"
  [ "$(cat "$folder/err")" = "$name: unknown option --no-such; see --help" ] ||
    fail "$script --no-such: $(cat "$folder/err")"
  [ ! -s "$folder/out" ] || fail "$script --no-such: prints $(cat "$folder/out")"
done < <(find "$benchmarks" -name '*.sh' | sort)
[ "$count" -ge 14 ] || fail "only $count scripts in $benchmarks"
