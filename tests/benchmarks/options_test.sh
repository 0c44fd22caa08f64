#!/usr/bin/env bash
# The options of the scripts: what is read into which variables, and what is refused in one line.
set -euo pipefail
export LC_ALL=C
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
fail() { printf 'options_test: %s\n' "$*" >&2; exit 1; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# A script as the others are, and a build for it.
cat >"$folder/sample.sh" <<SCRIPT
#!/usr/bin/env bash
set -euo pipefail
usage() { echo 'usage: sample.sh [BUILD_DIRECTORY] [options] [NAME ...]'; }
default_build=\${DEFAULT_BUILD-$folder/build}
. "$here/../../scripts/options.sh"
row=() per_node=2 verbose=no
read_options 'per-node row+' verbose "\$@"
positive --per-node "\$per_node"
for each in "\${row[@]}"; do one_of --row "\$each" first second; done
need_programs aprun
echo "\${build##*/} \$format \$per_node \$verbose rows:\${row[*]} names:\${wanted[*]}"
SCRIPT
chmod +x "$folder/sample.sh"
mkdir -p "$folder/build/bin" "$folder/other/bin" "$folder/empty"
for program in aprun mpicc; do
  for build in build other; do
    printf '#!/bin/sh\n' >"$folder/$build/bin/$program"
    chmod +x "$folder/$build/bin/$program"
  done
done

# reads EXPECTED ARGUMENT ...
reads() {
  local expected=$1 found
  shift
  found=$("$folder/sample.sh" "$@" 2>&1) || fail "$*: exit code $?: $found"
  [ "$found" = "$expected" ] || fail "$*: $found"
}
reads 'build table 2 no rows: names:'
reads 'other table 2 no rows: names:' "$folder/other/"
reads 'other csv 16 yes rows: names:a b' "$folder/other" --per-node 16 a/ --verbose --csv b
reads 'build table 2 no rows: names:64 128' 64 128
reads 'build json 2 no rows:second first names:' --csv --row second --json --row first
for help in -h --help; do
  reads 'usage: sample.sh [BUILD_DIRECTORY] [options] [NAME ...]' --csv $help --no-such
done

# refuses WORDS ARGUMENT ...: in one line that has these words, with exit code 2 and nothing else.
refuses() {
  local words=$1 code=0
  shift
  "$folder/sample.sh" "$@" >"$folder/out" 2>"$folder/err" || code=$?
  [ "$code" -eq 2 ] || fail "$*: exit code $code"
  [ "$(wc -l <"$folder/err")" -eq 1 ] || fail "$*: not one line: $(cat "$folder/err")"
  [ ! -s "$folder/out" ] || fail "$*: prints $(cat "$folder/out")"
  grep -q -F -- "sample.sh: $words" "$folder/err" || fail "$*: $(cat "$folder/err")"
}
refuses 'unknown option --no-such; see --help' --no-such
refuses 'unknown option -v' -v
refuses 'unknown option -' -
refuses 'unknown option --' --
refuses 'unknown option --per_node' --per_node 2
refuses 'unknown option --row+' --row+ first
refuses 'unknown option --verbose=yes' --verbose=yes
refuses '--per-node needs a value' --per-node
refuses '--row needs a value' --row
refuses '--row third: one of first, second' --row first --row third
for number in 0 -1 two 1.5 1234567890 ''; do
  refuses "--per-node $number: a whole number from 1" --per-node "$number"
done
refuses "$folder/empty: no aprun and mpicc" "$folder/empty"
refuses "$folder/nowhere: no aprun and mpicc" "$folder/nowhere" 64
DEFAULT_BUILD='' refuses "64: no aprun and mpicc" 64
rm "$folder/other/bin/aprun"
refuses "$folder/other: no aprun and mpicc" "$folder/other"
DEFAULT_BUILD='' refuses 'which BUILD_DIRECTORY? see --help'
