#!/usr/bin/env bash
# Every script of benchmarks/, and castor.sh where it runs one, says with --help what it does and refuses
# what it does not know in one line.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
benchmarks=$(cd "$here/../../benchmarks" && pwd -P)
fail() { printf 'scripts_test: %s\n' "$*" >&2; exit 1; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# What draws: no rows of its own.
no_rows=' applications.sh availability.sh curves.sh gallery.sh minighost.sh ppt.sh '

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

# What draws is no part of a build: without it, one line says how to get it.
mkdir "$folder/bin"
find /usr/bin -maxdepth 1 ! -name 'gnuplot*' ! -type d -exec ln -s -t "$folder/bin" {} +
echo 'side,msgsize,iterations,iter_t,work_t,overhead,base_t,avail' >"$folder/a.csv"
code=0
said=$(PATH=$folder/bin "$benchmarks/plot/availability.sh" "$folder/o.svg" "$folder"/{a,a,a}.csv 2>&1) || code=$?
[ "$code: $said" = "1: availability.sh: no gnuplot here: ./castor.sh setup smb" ] ||
  fail "availability.sh without gnuplot: exit code $code: $said"

# castor.sh passes options on; asked for help it neither sets up nor builds.
while read -r script command; do
  # shellcheck disable=SC2086 # several words
  found=$("$benchmarks/../castor.sh" $command --help 2>&1) || fail "castor.sh $command --help: exit code $?"
  [ "$found" = "$("$benchmarks/../$script" --help)" ] || fail "castor.sh $command --help: $found"
done <<'COMMANDS'
benchmarks/plot/main_job.sh smb
benchmarks/published/compare.sh published
benchmarks/published/gallery.sh gallery
benchmarks/scaling/run.sh bench jobs
benchmarks/scaling/capacity.sh bench capacity
benchmarks/scaling/figure12.sh bench figure12
benchmarks/faults/campaign.sh faults
benchmarks/live/compare.sh live
tests/conformance/mpich.sh conformance mpich
COMMANDS
for mistake in 'bench --csv' 'bench nothing' 'conformance nothing' 'nothing' 'build nothing' \
  'build release nothing' 'packages nothing' 'setup build nothing' 'test nothing'; do
  code=0
  # shellcheck disable=SC2086 # several words
  said=$("$benchmarks/../castor.sh" $mistake 2>&1) || code=$?
  [ "$code" -eq 2 ] || fail "castor.sh $mistake: exit code $code"
  [ "$(wc -l <<<"$said")" -eq 1 ] || fail "castor.sh $mistake: not one line: $said"
done
code=0
said=$(CXX=/no/such/c++ "$benchmarks/../castor.sh" build 2>&1) || code=$?
[ "$code: $said" = "2: castor.sh: CXX='/no/such/c++': no such program" ] ||
  fail "castor.sh build with CXX=/no/such/c++: exit code $code: $said"
# Its help names every command that it has.
help=$("$benchmarks/../castor.sh" --help)
commands=$(sed -n 's/^  \([a-z]*\)) .*;;$/\1/p' "$benchmarks/../castor.sh")
[ "$(wc -l <<<"$commands")" -ge 13 ] || fail "castor.sh has the commands $commands"
for command in $commands; do
  grep -q "^  $command " <<<"$help" || fail "castor.sh --help does not name $command"
done
# And no page, script or recipe of the tree names another.
root=$benchmarks/..
named=0
while read -r word; do
  named=$((named + 1))
  grep -qx "$word" <<<"$commands" || fail "no command $word, but: $(grep -rn "castor.sh $word" "$root"/{docs,tests,benchmarks,scripts,.ci})"
done < <(cd "$root" && grep -rhoE '\./castor\.sh [a-z]+' README.md CONTRIBUTING.md Containerfile castor.sh .ci docs benchmarks scripts \
  tests | sed 's/.* //' | sort -u)
[ "$named" -ge 12 ] || fail "only $named commands are named"
[ "$count" -ge 14 ] || fail "only $count scripts in $benchmarks"
