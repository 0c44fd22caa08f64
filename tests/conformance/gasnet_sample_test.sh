#!/usr/bin/env bash
# gasnet_sample_test.sh BUILD_DIRECTORY: the run of GASNet's test programs, on programs of our own, gives every
# verdict on either clock.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
run="$here/gasnet.sh"
fail() { echo "gasnet_sample_test: $*" >&2; exit 1; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder"/{seq,par,empty}

# build MODEL CONDUIT NAME ...: programs of these names, each the sample.
build() {
  local place=$folder/${1,,} name
  "$bin/mpicc" -O1 "-DMODEL=\"$1\"" "-DCONDUIT=\"$2\"" -o "$place/program" "$here/gasnet_sample/test.c" -lpmi
  for name in "${@:3}"; do ln "$place/program" "$place/$name"; done
  rm "$place/program"
}
bin=$1/bin
build SEQ ARIES testgood testquiet testcomplains testretries testfails testhangs testcore1 testbarrierconf testenv \
  testnic testreadonly testexit
build PAR GEMINI testthreads testnic testexit
echo 'int main() {}' >"$folder/seq/testgood.c"
printf '#!/bin/sh\nexit 1\n' >"$folder/seq/testscript"
chmod +x "$folder/seq/testscript"

# rows: verdicts by test, sorted.
rows() { cut -d, -f 1-2 | { read -r head; echo "$head"; sort; }; }

code=0
found=$("$run" "$1" --tests "$folder/seq" --directory "$folder/run" --clock both --seconds 5 --csv 'test[!e]*' testenv) ||
  code=$?
[ "$code" -eq 1 ] || fail "exit code $code, though tests failed"
expected=test,verdict
for clock in live virtual; do
  expected+="
$clock/seq/testbarrierconf,passed
$clock/seq/testcomplains,failed
$clock/seq/testcore1,passed
$clock/seq/testenv,passed
$clock/seq/testfails,failed
$clock/seq/testgood,passed
$clock/seq/testhangs,failed
$clock/seq/testnic,passed
$clock/seq/testquiet,failed
$clock/seq/testreadonly,skipped
$clock/seq/testretries,passed"
done
[ "$(rows <<<"$found")" = "$expected" ] || fail "verdicts: $found"
grep -q 'live/seq/testcomplains,failed,"ERROR: node [01]: 3 is not 4"' <<<"$found" || fail "no complaint quoted: $found"
grep -q 'testhangs,failed,"no end within 5 s"' <<<"$found" || fail "no word of the end: $found"
grep -q 'testfails,failed,"exit code 3' <<<"$found" || fail "no exit code: $found"

# Several folders; each way to end is a test; threads in virtual time.
code=0
found=$("$run" "$1" --tests "$folder/seq" --tests "$folder/par" --directory "$folder/run" --clock both --csv \
  testexit.7 testexit.1[0-9] testthreads testnic) || code=$?
[ "$code" -eq 1 ] || fail "exit code $code, though testexit.7 fails"
[ "$(grep -c '/testexit\.1[0-3],passed' <<<"$found")" -eq 16 ] || fail "ways to end: $found"
[ "$(grep -c '/par/testexit\.1[4-8],' <<<"$found")" -eq 10 ] || fail "ways of threads to end: $found"
! grep -q '/seq/testexit\.14' <<<"$found" || fail "threads' ways to end without threads: $found"
[ "$(grep -c '/testexit\.7,failed,"exit code 1' <<<"$found")" -eq 4 ] || fail "a wrong exit code: $found"
[ "$(grep -c '/testnic,passed' <<<"$found")" -eq 4 ] || fail "another NIC: $found"
grep -q 'live/par/testthreads,passed' <<<"$found" || fail "threads, live: $found"
grep -q 'virtual/par/testthreads,skipped,"it starts a thread"' <<<"$found" || fail "threads, virtual: $found"

one=$("$run" "$1" --tests "$folder/seq" --directory "$folder/run" --json testgood)
[ "$(grep -c '"test": "live/seq/testgood", "verdict": "passed"' <<<"$one")" -eq 1 ] || fail "JSON: $one"
table=$("$run" "$1" --tests "$folder/seq" --directory "$folder/run" testgood testreadonly)
grep -q '^1 passed, 0 failed, 1 skipped, 0 explained$' <<<"$table" || fail "table: $table"
[ -z "$(find "$folder/run" -maxdepth 1 -name 'run.*')" ] || fail "a job's folder is left"

for mistake in "" "--tests" "--tests /nonexistent" "--tests $folder/empty" "--tests $folder/seq --ranks 0" \
  "--tests $folder/seq --clock never" "--tests $folder/seq --nothing" "--tests $folder/seq nosuch"; do
  code=0
  # shellcheck disable=SC2086 # several words
  said=$("$run" "$1" --directory "$folder/run" $mistake 2>&1) || code=$?
  [ "$code" -eq 2 ] || fail "$mistake: exit code $code"
  [ "$(wc -l <<<"$said")" -eq 1 ] || fail "$mistake: not one line: $said"
done
