#!/usr/bin/env bash
# sample_test.sh BUILD_DIRECTORY: the conformance run on a tree of our own gives every verdict.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
run="$here/global_arrays.sh"
fail() { echo "sample_test: $*" >&2; exit 1; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

code=0
rows=$("$run" "$1" --source "$here/sample" --directory "$folder" --ranks 2 --csv) || code=$?
[ "$code" -eq 1 ] || fail "exit code $code, though programs failed"
expected='program,ranks,clock,verdict
armci/testing/classic,2,virtual,passed
armci/testing/classic,4,live,passed
global/testing/complains,2,virtual,failed
global/testing/content,2,virtual,passed
global/testing/content,4,live,passed
global/testing/crashes,2,virtual,failed
global/testing/hangs,2,virtual,failed
global/testing/quiet,2,virtual,finished
global/testing/quiet,4,live,finished
global/testing/random,-,-,skipped
global/testing/unbuildable,-,-,not built'
found=$(cut -d, -f 1-4 <<<"$rows" | { read -r head; echo "$head"; sort; })
[ "$found" = "$expected" ] || fail "verdicts: $rows"
grep -q 'complains.*"ERROR: a.3.=1, b.3.=2"' <<<"$rows" || fail "no complaint quoted: $rows"
grep -q 'unbuildable.*"#error not to be compiled"' <<<"$rows" || fail "no compiler's word: $rows"

one=$("$run" "$1" --source "$here/sample" --directory "$folder" --ranks 1,3 --clock virtual --json content)
[ "$(grep -c '"verdict": "passed"' <<<"$one")" -eq 2 ] || fail "JSON: $one"

for mistake in "--ranks 0" "--clock never" "--nothing" "--source /nonexistent" "--source" \
  "--source $here/sample nosuch"; do
  code=0
  # shellcheck disable=SC2086 # several words
  said=$("$run" "$1" --directory "$folder" $mistake 2>&1) || code=$?
  [ "$code" -eq 2 ] || fail "$mistake: exit code $code"
  [ "$(wc -l <<<"$said")" -eq 1 ] || fail "$mistake: not one line: $said"
done
