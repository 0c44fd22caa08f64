#!/usr/bin/env bash
# sample_test.sh BUILD_DIRECTORY: the run of Global Arrays' programs, on a package of our own, gives every
# verdict, and leaves the package as it is.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
run="$here/global_arrays.sh"
fail() { echo "sample_test: $*" >&2; exit 1; }
command -v make >/dev/null || { echo "skipped: no make (package make)"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cp -R "$here/sample" "$folder/sample"
summary() { (cd "$folder/sample" && find . -type f -exec cksum {} + | sort); }
before=$(summary)

code=0
rows=$("$run" "$1" --source "$folder/sample" --directory "$folder/run" --ranks 2 --csv) || code=$?
[ "$code" -eq 1 ] || fail "exit code $code, though programs failed"
expected='program,ranks,clock,verdict
armci/testing/classic,2,virtual,passed
armci/testing/classic,4,live,passed
global/testing/complains,2,virtual,failed
global/testing/content,2,virtual,passed
global/testing/content,4,live,passed
global/testing/crashes,2,virtual,failed
global/testing/expected,2,virtual,passed
global/testing/expected,4,live,passed
global/testing/fills,2,virtual,failed
global/testing/floods,2,virtual,failed
global/testing/hangs,2,virtual,failed
global/testing/quiet,2,virtual,finished
global/testing/quiet,4,live,finished
global/testing/random,-,-,skipped
global/testing/reads,2,virtual,passed
global/testing/reads,4,live,passed
global/testing/unbuildable,-,-,not built
global/testing/unexpected,2,virtual,failed
ma/alone,1,live,passed
ma/alone,1,virtual,passed'
found=$(cut -d, -f 1-4 <<<"$rows" | { read -r head; echo "$head"; sort; })
[ "$found" = "$expected" ] || fail "verdicts: $rows"
grep -q 'complains.*"ERROR: a.3.=1, b.3.=2"' <<<"$rows" || fail "no complaint quoted: $rows"
grep -q 'unbuildable.*"#error not to be compiled"' <<<"$rows" || fail "no compiler's word: $rows"
grep -q 'floods.*"prints without end"' <<<"$rows" || fail "no word of the flood: $rows"
[ "$(summary)" = "$before" ] || fail "the source has been changed"
[ -z "$(find "$folder/run" -maxdepth 1 -name 'run.*')" ] || fail "a program's directory is left"

# The second run uses what the first has built, and a program that make check leaves out is run if named.
stamp=$(stat -c %Y.%i "$folder/run/package/libsample.a")
one=$("$run" "$1" --source "$folder/sample" --directory "$folder/run" --ranks 2,3 --clock virtual --json unlisted)
[ "$(grep -c '"verdict": "passed"' <<<"$one")" -eq 2 ] || fail "JSON: $one"
[ "$(stat -c %Y.%i "$folder/run/package/libsample.a")" = "$stamp" ] || fail "built again"

touch "$folder/sample/config.status"
for mistake in "--ranks 0" "--jobs 0" "--clock never" "--nothing" "--source /nonexistent" "--source" \
  "--source $folder/sample" "--source $here/sample nosuch"; do
  code=0
  # shellcheck disable=SC2086 # several words
  said=$("$run" "$1" --directory "$folder/run" $mistake 2>&1) || code=$?
  [ "$code" -eq 2 ] || fail "$mistake: exit code $code"
  [ "$(wc -l <<<"$said")" -eq 1 ] || fail "$mistake: not one line: $said"
done
