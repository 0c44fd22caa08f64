#!/usr/bin/env bash
# GASNet's test programs on our libugni, libpmi and libudreg. The user has built them: nothing is fetched or
# compiled here.
set -euo pipefail
export LC_ALL=C
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
usage() {
  cat <<'TEXT'
usage: tests/conformance/gasnet.sh BUILD_DIRECTORY --tests DIR [options] [TEST ...]
  TEST           a test's name or a pattern of it: testam, testcore*, testexit.3 (all)
  --tests DIR    the folder in which GASNet's make has left the test programs of a conduit over uGNI (the conduit's
                 folder of its build), linked with BUILD_DIRECTORY's libraries; may be given several times, one for
                 each thread model
  --clock CLOCK  live, virtual or both (live)
  --ranks N      of each test (2), unless the test wants another number
  --per-node N   ranks of a node (1)
  --seconds N    real time that a test may take (120)
  --directory D  where outputs go (BUILD_DIRECTORY/conformance/gasnet)
  --csv, --json  the format, with a line for each test; else a table with one for each clock and thread model, and one
                 for testexit
Arguments and numbers of ranks are those of GASNet's make run-tests; testexit runs once for each of its ways to end
(testexit.N), whose exit code is N or one that the rules name. A test is passed, skipped (tests/conformance/gasnet.rules says why, or, in
virtual time, it starts a thread or has to be built with -castor-tls), explained (it fails, and the rules say why that is none of ours) or failed: its
exit code is wrong, it prints an error, or nothing, or it does not end. The aries conduit's run with an Aries unless
CASTOR_NIC names another NIC. Exit code 1 if a test failed.
TEXT
}
# shellcheck disable=SC2034 # for common.sh
program_name=gasnet.sh rules=$here/gasnet.rules
# shellcheck source=tests/conformance/common.sh
. "$here/common.sh"
# shellcheck source=tests/conformance/client_tests.sh
. "$here/client_tests.sh"

# model_of PROGRAM: the thread model that GASNet has marked it with (seq, par, parsync), or nothing.
# shellcheck disable=SC2016 # dollars
model_of() {
  { grep -a -m 1 -o '\$GASNetThreadModel: GASNET_[A-Z]* \$' "$1" || true; } | sed 's/.*GASNET_//; s/ .*//' |
    tr '[:upper:]' '[:lower:]'
}

# conduit_of PROGRAM: aries, gemini, ...
# shellcheck disable=SC2016 # dollars
conduit_of() {
  { grep -a -m 1 -o '\$GASNetCoreLibraryName: [A-Z0-9]* \$' "$1" || true; } | sed 's/.*: //; s/ .*//' |
    tr '[:upper:]' '[:lower:]'
}

# list_tests: MODEL, tab, NAME, tab, PROGRAM of every test of every folder; testexit's ways are tests.
list_tests() {
  local folder program name model way last
  for folder in "${tests[@]}"; do
    for program in "$folder"/test*; do
      if [ ! -f "$program" ] || [ ! -x "$program" ]; then continue; fi
      model=$(model_of "$program")
      [ -n "$model" ] || continue
      name=${program##*/}
      if [ "$name" != testexit ]; then
        printf '%s\t%s\t%s\n' "$model" "$name" "$program"
        continue
      fi
      last=13
      [ "$model" != par ] || last=18
      for ((way = 1; way <= last; ++way)); do printf '%s\t%s\t%s\n' "$model" "testexit.$way" "$program"; done
    done
  done
}

# complaint OUTPUT: the first line by which GASNet's make run-tests calls a test failed.
complaint() {
  grep -a -E 'ERROR|fatal signal' "$1" | grep -v -E 'Retrying allocation|GASNET_FREEZE_ON_ERROR' | head -n 1 |
    tr -d '\r\t' | cut -c 1-160 || true
}

# verdict CLOCK EXPECTED CODE OUTPUT: a row's second and third field. EXPECTED: exit codes, with a | between them.
verdict() {
  local clock=$1 expected=$2 code=$3 output=$4 said
  said=$(complaint "$output")
  if [ "$clock" = virtual ] && grep -a -q 'pthread_create' "$output"; then
    printf 'skipped\tit starts a thread'
  elif [ "$clock" = virtual ] && grep -a -q 'has thread-local variables' "$output"; then
    printf 'skipped\tit has thread-local variables, and was not built with -castor-tls'
  elif [ "$code" -eq 137 ]; then
    printf 'failed\tno end within %s s' "$seconds"
  elif [ -n "$said" ]; then
    printf 'failed\t%s' "$said"
  elif [[ "|$expected|" != *"|$code|"* ]]; then
    printf 'failed\texit code %s: %s' "$code" "$(tail -n 1 "$output" | tr -d '\r\t' | cut -c 1-120)"
  elif [ ! -s "$output" ]; then
    printf 'failed\tprints nothing'
  else
    printf 'passed\t'
  fi
}

# GASNet measures the CPU's time stamp counter against the clock and aborts if one is not the other's multiple; in
# virtual time the counter is the host's still. Seconds for which a rank that ends polls are minutes of the host's.
virtual_environment=(GASNET_TSC_RATE=cpuinfo GASNET_TSC_RATE_TOLERANCE=0 GASNET_TSC_RATE_HARD_TOLERANCE=0
  GASNET_EXITTIMEOUT=0.5)

# run_test CLOCK MODEL NAME PROGRAM: prints its row.
run_test() {
  local clock=$1 model=$2 name=$3 program=$4 full=$1/$2/$3 reason expected=0 count arguments environment code=0
  local output=$directory/output/$clock.$model.$name
  reason=$(rule "$full" skip)
  if [ -n "$reason" ]; then
    printf '%s\tskipped\t%s\n' "$full" "$reason"
    return
  fi
  count=$(rule "$name" ranks)
  eval "arguments=($(rule "$name" arguments))"
  eval "environment=($(rule "$name" environment))"
  [ "$clock" = live ] || environment+=("${virtual_environment[@]}")
  if [[ $name == testexit.* ]]; then
    arguments=("${name#*.}")
    expected=$(rule "$name" codes)
    : "${expected:=${name#*.}}"
  fi
  if [ -z "${CASTOR_NIC:-}" ] && [ "$(conduit_of "$program")" = aries ]; then environment+=(CASTOR_NIC=aries); fi
  (
    [ ${#environment[@]} -eq 0 ] || export "${environment[@]}"
    run_job "$clock" "${count:-$ranks}" "$per_node" "$seconds" "$output" "$program" "${arguments[@]}"
  ) || code=$?
  printf '%s\t%s\n' "$full" "$(verdict "$clock" "$expected" "$code" "$output")"
}

tests=() clock=live ranks=2 per_node=1 seconds=120 directory=''
read_options 'tests+ clock ranks per-node seconds directory' '' "$@"
for number in ranks per_node seconds; do positive "--${number/_/-}" "${!number}"; done
use_clocks "$clock"
[ ${#tests[@]} -gt 0 ] || refuse "--tests DIR: which folder has GASNet's test programs? see --help"
for folder in "${tests[@]}"; do
  [ -d "$folder" ] || refuse "--tests $folder: no such folder"
done
mapfile -t found < <(list_tests)
[ ${#found[@]} -gt 0 ] || refuse "--tests ${tests[*]}: no test program of GASNet's there"
mapfile -t selected < <(printf '%s\n' "${found[@]}" | while IFS=$'\t' read -r model name program; do
  if chosen "$name"; then printf '%s\t%s\t%s\n' "$model" "$name" "$program"; fi
done)
[ ${#selected[@]} -gt 0 ] || refuse "no such test: ${wanted[*]}"
use_directory "${directory:-$build/conformance/gasnet}"
mkdir -p "$directory/output"
# shellcheck disable=SC2034 # for client_tests.sh
installed=$build
: >"$directory/rows"
for clock in "${clocks[@]}"; do
  for line in "${selected[@]}"; do
    IFS=$'\t' read -r model name program <<<"$line"
    progress "[$(wc -l <"$directory/rows") tests] $clock $model $name"
    run_test "$clock" "$model" "$name" "$program" | explain >>"$directory/rows"
  done
done
print_report "$directory/rows"
