#!/usr/bin/env bash
# Global Arrays' own test programs on our libarmci and libmpi: the package built as upstream builds it,
# with our ARMCI as the external one; its programs run in virtual time and live, judged by what they print.
set -euo pipefail
export LC_ALL=C
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
usage() {
  cat <<'TEXT'
usage: tests/conformance/global_arrays.sh BUILD_DIRECTORY [options] [PROGRAM ...]
  PROGRAM        a name, or its end: global/testing/elempatch or elempatch (what the package's
                 make check runs, and ARMCI's own tests with the classic header)
  --all          also programs that the package builds and make check leaves out
  --clock C      virtual, live or both (both: live with 4 ranks, of what virtual time passes)
  --ranks N,...  rank counts in virtual time (4)
  --jobs N       programs at a time (one per CPU)
  --source DIR   the unpacked source instead of Debian's package; it is copied, not changed
  --directory D  where it is built (BUILD_DIRECTORY/conformance)
  --csv, --json  the format; else a table
Verdicts: passed, failed, finished (it prints no verdict and ended well), not built, skipped (see
tests/conformance/global_arrays.rules). A program writes files of at most 4 GB, in a directory of its own,
and prints at most 4 MB. Exit code 1 if a program failed.
TEXT
}
# shellcheck disable=SC2034 # for common.sh
program_name=global_arrays.sh rules=$here/global_arrays.rules
# shellcheck source=tests/conformance/common.sh
. "$here/common.sh"

clock=both ranks=4 jobs=$(nproc) source='' directory='' all=no
read_options 'clock ranks jobs source directory' all "$@"
use_clocks "$clock"
rank_list --ranks "$ranks"
positive --jobs "$jobs"
use_directory "${directory:-$build/conformance}"

if [ -n "$source" ]; then
  [ -f "$source/configure" ] || [ -f "$source/configure.ac" ] ||
    refuse "--source $source: no configure and no configure.ac there"
  [ ! -f "$source/config.status" ] ||
    refuse "--source $source: a package has been built in it; make distclean there first"
else
  progress "fetching the source package of Global Arrays"
  "$here/debian_source.sh" ga "$directory/fetched"
  source=$directory/fetched/source
fi
source=$(cd "$source" && pwd -P)
installed=$directory/castor package_title='Global Arrays'
# shellcheck source=tests/conformance/build_steps.sh
. "$here/build_steps.sh"
# shellcheck source=tests/conformance/build_programs.sh
. "$here/build_programs.sh"

readonly bad='(^|[^a-z])(errors?|fail(s|ed|ure)?|wrong|mismatch|incorrect|inconsistent|not ok|differs?|assertion|abort(ed|ing)?|segmentation|nan)([^a-z]|$)'
readonly good='success|succe?eded|passed|complete|(^|[^a-z])(ok|done)([^a-z]|$)'
readonly output_limit=4000000 file_limit_kb=4194304

# judge PROGRAM CODE OUTPUT: verdict, then a tab and what speaks for it.
judge() {
  local complaint ignored passes
  ignored=$(rule "$1" ignores)
  passes=$(rule "$1" passes)
  complaint=$(grep -a -i -v -E "${ignored:-^$}" "$3" | grep -a -i -m 1 -E "$bad" | tr -s ' \t\r' ' ' | cut -c 1-100) || true
  if [ "$2" -eq 124 ] || [ "$2" -eq 137 ]; then
    printf 'failed\tno end within the time allowed'
  elif [ "$(wc -c <"$3")" -ge "$output_limit" ]; then
    printf 'failed\tprints without end'
  elif [ "$2" -ge 128 ]; then
    printf 'failed\tended by signal %d' $(($2 - 128))
  elif [[ " ${to_fail[*]} " == *" $1 "* ]]; then
    if [ "$2" -ne 0 ]; then
      printf 'passed\texit code %d, as it is to fail' "$2"
    else
      printf 'failed\tended well, though it is to fail'
    fi
  elif [ -n "$complaint" ]; then
    printf 'failed\t%s' "$complaint"
  elif grep -a -q -i -E "${passes:-$good}" "$3"; then
    printf 'passed\t%s' "$([ "$2" -eq 0 ] || echo "exit code $2")"
  elif [ -n "$passes" ]; then
    printf 'failed\tdoes not print /%s/' "$passes"
  elif [ "$2" -ne 0 ]; then
    printf 'failed\texit code %d' "$2"
  else
    printf 'finished\t'
  fi
}

rows=0 failures=0
print_row() {
  local program=$1 ranks=$2 on=$3 verdict=$4 note=${5//[\"\\]/}
  case $format in
    csv) printf '%s,%s,%s,%s,"%s"\n' "$program" "$ranks" "$on" "$verdict" "$note" ;;
    json)
      [ "$rows" -eq 0 ] || printf ',\n'
      printf ' {"program": "%s", "ranks": "%s", "clock": "%s", "verdict": "%s", "note": "%s"}' \
        "$program" "$ranks" "$on" "$verdict" "$(printf '%s' "$note" | tr -d '\000-\037')"
      ;;
    *)
      progress
      printf '%-40s %5s  %-7s  %-9s  %s\n' "$program" "$ranks" "$on" "$verdict" "$note"
      ;;
  esac
  rows=$((rows + 1))
  [ "$verdict" != failed ] || failures=$((failures + 1))
}

# run_one PROGRAM CLOCK RANKS: runs it in a directory of its own, beside a copy of its input files; prints
# its row, with tabs between; 1 if it failed. Live jobs, whose ranks want a CPU each, follow one another.
run_one() {
  local program=$1 on=$2 ranks=$3 code=0 result name output arguments place seconds alone=()
  [ "$on" = virtual ] || alone=(flock "$directory/live.lock")
  name=${program//\//.}
  output=$directory/output/$name.$on.$ranks
  read -r -a arguments <<<"$(rule "$program" arguments)"
  seconds=$(rule "$program" seconds)
  place=$(mktemp -d "$directory/run.XXXXXX")
  cp "$source/${program%/*}"/*.in "$source/${program%/*}"/*.inp "$source/${program%/*}"/*.inpt "$place" 2>/dev/null || true
  (
    cd "$place"
    ulimit -f "$file_limit_kb" -c 0
    set +e
    TMPDIR=$place "${alone[@]}" timeout -k 10 "${seconds:-120}" "$installed/bin/aprun" --clock "$on" -q -n "$ranks" -N 2 \
      "$directory/programs/$name" "${arguments[@]}" 2>&1 </dev/null | head -c "$output_limit" >"$output"
    exit "${PIPESTATUS[0]}"
  ) 2>/dev/null || code=$?
  rm -rf "$place"
  result=$(judge "$program" "$code" "$output")
  printf '%s\t%s\t%s\t%s\n' "$program" "$ranks" "$on" "$result"
  [ "${result%%$'\t'*}" != failed ]
}

# run_program PROGRAM: prints its rows, with tabs between, on the clocks and with the rank counts of the options.
run_program() {
  local program=$1 allowed passed=yes reason count on only
  reason=$(rule "$program" skip)
  if [ -n "$reason" ]; then
    printf '%s\t-\t-\tskipped\t%s\n' "$program" "$reason"
    return
  fi
  if [ ! -x "$directory/programs/${program//\//.}" ]; then
    printf '%s\t-\t-\tnot built\t%s\n' "$program" "$(why_not_built "$program")"
    return
  fi
  allowed=$(rule "$program" ranks)
  [[ " ${serial[*]} " != *" $program "* ]] || allowed=1
  only=$(rule "$program" clock)
  for on in "${clocks[@]}"; do
    if [ "${only:-$on}" != "$on" ]; then
      continue
    elif [ "$on" = virtual ]; then
      for count in ${allowed:-${ranks//,/ }}; do run_one "$program" virtual "$count" || passed=no; done
    elif [ "$passed" = yes ]; then
      count=${allowed##* }
      run_one "$program" live "${count:-4}" || true
    fi
  done
}

chosen() {
  local one
  [ ${#wanted[@]} -gt 0 ] || return 0
  for one in "${wanted[@]}"; do [[ $1 == "$one" || $1 == */"$one" ]] && return 0; done
  return 1
}

# choose_programs: sets programs, wanted_programs (what the package is to make), serial and to_fail.
choose_programs() {
  local line listed
  mapfile -t serial < <(words SERIAL_TESTS)
  mapfile -t to_fail < <(words XFAIL_TESTS)
  # A program that is named may be one that make check leaves out.
  if [ "$all" = yes ] || [ ${#wanted[@]} -gt 0 ]; then listed=check_PROGRAMS; else listed=TESTS; fi
  programs=() wanted_programs=()
  while read -r line; do
    if chosen "$line"; then
      programs+=("$line")
      [ -n "$(rule "$line" skip)" ] || wanted_programs+=("$line")
    fi
  done < <(words "$listed")
  while read -r line; do
    if chosen "${line%%|*}"; then programs+=("${line%%|*}"); fi
  done < <(list_armci)
  [ ${#programs[@]} -gt 0 ] || refuse "no such program: ${wanted[*]}"
}

# run_programs: as many at a time as jobs; their rows are printed in the list's order.
run_programs() {
  local started=0 running=0 printed=0 total=${#programs[@]} ended row place=() pids=()
  while [ "$printed" -lt "$total" ]; do
    while [ "$running" -lt "$jobs" ] && [ "$started" -lt "$total" ]; do
      run_program "${programs[started]}" >"$directory/rows/$started" &
      pids[$!]=$started
      started=$((started + 1)) running=$((running + 1))
    done
    progress "[$printed/$total] ${programs[printed]}"
    wait -n -p ended || true
    place[pids[ended]]=ended
    running=$((running - 1))
    while [ "$printed" -lt "$total" ] && [ -n "${place[printed]:-}" ]; do
      while IFS=$'\t' read -r -a row; do print_row "${row[@]:0:4}" "${row[4]:-}"; done <"$directory/rows/$printed"
      printed=$((printed + 1))
    done
  done
}

mkdir -p "$directory"/{output,programs,logs,rows}
install_castor
configure_package
choose_programs
make_package
while read -r line; do
  if chosen "${line%%|*}" && [ -z "$(rule "${line%%|*}" skip)" ]; then make_armci "$line"; fi
done < <(list_armci)
case $format in
  csv) echo program,ranks,clock,verdict,note ;;
  json) echo '[' ;;
  *) printf '%-40s %5s  %-7s  %-9s  %s\n' program ranks clock verdict note ;;
esac
run_programs
[ "$format" != json ] || printf '\n]\n'
progress
[ "$failures" -eq 0 ]
