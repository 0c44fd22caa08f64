#!/usr/bin/env bash
# mpich_sample_test.sh BUILD_DIRECTORY: the run of MPICH's suite, on a tree of our own, reads the
# lists as it should and gives every verdict.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
run="$here/mpich.sh"
fail() { echo "mpich_sample_test: $*" >&2; exit 1; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# verdicts OPTION...: test, ranks and verdict of each row; the run's exit code goes to $folder/code.
verdicts() {
  local code=0
  "$run" "$build" --source "$here/mpich_sample" --directory "$folder" --csv "$@" >"$folder/csv" || code=$?
  echo "$code" >"$folder/code"
  sed 1d "$folder/csv" | awk -F, '{ print $1, $2, $4 }'
}
build=$1
expected='pt2pt/content 2 passed
pt2pt/content 3 passed
pt2pt/content 1 passed
pt2pt/content 4 skipped
pt2pt/content 5 skipped
pt2pt/complains 2 failed
pt2pt/adds 2 failed
pt2pt/quiet 1 failed
pt2pt/hangs 2 failed
pt2pt/crashes 1 failed
pt2pt/unbuildable 2 not built
pt2pt/missing 1 not built
pt2pt/isendrecv 2 skipped'
found=$(verdicts pt2pt)
[ "$found" = "$expected" ] || fail "verdicts: $(cat "$folder/csv")"
[ "$(cat "$folder/code")" -eq 1 ] || fail "exit code $(cat "$folder/code"), though tests failed"
for word in 'complains.*"Found 1 errors"' 'adds.*"Expected 1 but got 2"' 'quiet.*"says nothing, code 0"' \
  'hangs.*"no end within the time allowed"' 'unbuildable.*"#error not to be compiled"' \
  'missing.*undefined reference to .MPI_Sample_nobody_has_this' 'isendrecv.*"MPI-4'; do
  grep -q "$word" "$folder/csv" || fail "no /$word/: $(cat "$folder/csv")"
done

found=$(verdicts init)
expected='init/ends 1 passed
init/ends 2 passed
init/ends 3 failed'
[ "$found" = "$expected" ] || fail "ends: $(cat "$folder/csv")"

# A missing function's stand-in says its name; without stand-ins the program is gone again.
[ "$(verdicts --stand-ins pt2pt/missing)" = 'pt2pt/missing 1 failed' ] || fail "stand-in: $(cat "$folder/csv")"
grep -q '"MPI_Sample_nobody_has_this is not there"' "$folder/csv" || fail "stand-in: $(cat "$folder/csv")"
[ "$(verdicts pt2pt/missing)" = 'pt2pt/missing 1 not built' ] || fail "stand-in stays: $(cat "$folder/csv")"

# A list of names, live; the table and its exit code.
printf '# those that pass\npt2pt/content\n' >"$folder/list"
table=$("$run" "$build" --source "$here/mpich_sample" --directory "$folder" --clock live --list "$folder/list") ||
  fail "exit code $?, though no test failed: $table"
grep -q '^pt2pt  *5  *3  *0  *0  *2$' <<<"$table" || fail "table: $table"
grep -q '^skipped  *1: large' <<<"$table" || fail "table: $table"

# Under faults, with drawn sizes: the same, and how many there were. Another seed draws other sizes.
drawn() {
  "$run" "$build" --source "$here/mpich_sample" --directory "$folder" --list "$folder/list" --per-node 1 \
    --faults 'register-fails times=1' --sizes "$1"
}
table=$(drawn 1) || fail "under faults: $table"
grep -q '^faults: register-fails [1-9]' <<<"$table" || fail "no fault: $table"
grep -q '^pt2pt  *5  *3  *0  *0  *2$' <<<"$table" || fail "under faults: $table"
sizes=$(sed 's/ [^ ]*aprun .*//' "$folder"/output/*.command)
drawn 2 >"$folder/table"
[ "$sizes" != "$(sed 's/ [^ ]*aprun .*//' "$folder"/output/*.command)" ] || fail "the same sizes: $sizes"

for mistake in "--jobs 0" "--sizes 0" "--fidelity exact" "--clock never" "--nothing" "--source /nonexistent" "--list /nonexistent" \
  "--source" "--source $here/mpich_sample nosuch"; do
  code=0
  # shellcheck disable=SC2086 # several words
  said=$("$run" "$build" --directory "$folder" $mistake 2>&1) || code=$?
  [ "$code" -eq 2 ] || fail "$mistake: exit code $code"
  [ "$(wc -l <<<"$said")" -eq 1 ] || fail "$mistake: not one line: $said"
done
