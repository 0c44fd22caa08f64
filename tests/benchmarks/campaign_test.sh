#!/usr/bin/env bash
# The campaign of faults: what it draws repeats, what fails is made small, and what is small still fails.
#   campaign_test.sh BUILD_DIRECTORY
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
build=$1
fail() { printf 'campaign_test: %s\n' "$*" >&2; exit 1; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
code=0
campaign() { # into $folder/out and err, its exit code into code
  code=0
  "$here/../../benchmarks/faults/campaign.sh" "$build" --csv "$@" >"$folder/out" 2>"$folder/err" || code=$?
}
counted() { awk -F, -v what="$1" '$1 == what { print $2 }' "$folder/out"; }

# A seed's command is the same each time, and other seeds have others.
campaign --show 16
first=$(cat "$folder/out")
campaign --show 16
[ "$(cat "$folder/out")" = "$first" ] || fail "seed 16 is not what it was"
campaign --show 17
[ "$(cat "$folder/out")" != "$first" ] || fail "seeds 16 and 17 are the same"

# A client that cannot bear an error fails, by one fault, alone and in the smallest of jobs.
all=$(sed -n '/^all_kinds=/,/)/p' "$here/../../benchmarks/faults/draw.sh" | tr -d '()' | sed 's/all_kinds=//')
without=''
for kind in $all; do [ "$kind" = post-fails ] || without+="${without:+,}$kind"; done
campaign --fragile --without "$without" --seeds 8 --jobs 2
[ "$code" -eq 1 ] || fail "fragile: exit code $code: $(cat "$folder/out" "$folder/err")"
[ "$(counted failed)" -ge 2 ] || fail "fragile: $(cat "$folder/out")"
[ "$(grep -c 'failed: wrong data: env ' "$folder/err")" -eq "$(counted failed)" ] || fail "fragile: $(cat "$folder/err")"
while read -r line; do
  command=${line#*wrong data: }
  [[ $command =~ ^env\ [^\ ]*aprun\ .*\ -n\ [12]\ -N\ [12]\  ]] || fail "not small: $command"
  [[ $command == *' --rounds 1 --parts ugni --fragile' ]] || fail "not small: $command"
  [[ $command != *FAULTS_ONLY* && $command != *\;* ]] || fail "more than one fault: $command"
  code=0
  bash -c "$command" >"$folder/again" 2>&1 || code=$?
  [ "$code" -eq 3 ] || fail "exit code $code: $command: $(cat "$folder/again")"
  grep -q 'ugni: a post has failed' "$folder/again" || fail "$command: $(cat "$folder/again")"
  grep -q '^castor: faults: [12]: post-fails [12]$' "$folder/again" || fail "$command: $(cat "$folder/again")"
done < <(grep 'failed: ' "$folder/err")

# Any program: what it ends with is the verdict.
program="$build/bin/mpi_one_to_all"
campaign --program "$program" --ranks 4 --sizes-only --seeds 10 --jobs 2
[ "$code: $(counted right)" = "0: 10" ] || fail "sizes: exit code $code: $(cat "$folder/out" "$folder/err")"
campaign --program "$program" --ranks 4 --seeds 10 --jobs 2
[ "$code: $(counted failed)" = "0: 0" ] || fail "program: exit code $code: $(cat "$folder/out" "$folder/err")"
campaign --program "$program --no-such" --sizes-only --seeds 1
[ "$code: $(counted failed)" = "1: 1" ] || fail "no such option: exit code $code: $(cat "$folder/out" "$folder/err")"
grep -q 'seed 1 failed: ends with exit code 2: env .*aprun .* -n 1 ' "$folder/err" || fail "no such option: $(cat "$folder/err")"

# Live: the faults of live jobs are drawn and counted, and a job that fails is made small.
live=$(sed -nE 's/^live_kinds=\((.*)\)$/\1/p' "$here/../../benchmarks/faults/draw.sh")
[ -n "$live" ] || fail "live: no kinds"
for ((seed = 1; seed <= 60; ++seed)); do
  campaign --clock live --show "$seed"
  cat "$folder/out"
done >"$folder/shown"
for kind in $live; do grep -q "[';]$kind " "$folder/shown" || fail "live: $kind is never drawn"; done
! grep -q links-down "$folder/shown" || fail "live: links are drawn"
campaign --clock live --seeds 4 --jobs 1
[ "$code: $(counted failed)" = "0: 0" ] || fail "live: exit code $code: $(cat "$folder/out" "$folder/err")"
for kind in $live; do [ -n "$(counted "$kind")" ] || fail "live: no row of $kind: $(cat "$folder/out")"; done
for kind in $live; do without+=",$kind"; done
campaign --clock live --fragile --without "$without" --seeds 1 --from 28
[ "$code" -eq 1 ] || fail "live, fragile: exit code $code: $(cat "$folder/out" "$folder/err")"
line=$(grep 'failed: wrong data: env ' "$folder/err") || fail "live, fragile: $(cat "$folder/err")"
[[ $line == *' --clock live '*' --rounds 1 --parts ugni --fragile' && $line != *\;* ]] || fail "live: not small: $line"
