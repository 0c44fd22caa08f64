#!/usr/bin/env bash
# Global Arrays' own test programs on our libarmci and libmpi: fetched as Debian's source package,
# built against Debian's unmodified archive, run in virtual time and live, judged by what they print.
set -euo pipefail
export LC_ALL=C
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
usage() {
  cat <<'TEXT'
usage: tests/conformance/global_arrays.sh BUILD_DIRECTORY [options] [PROGRAM ...]
  PROGRAM        a name, or its end: global/testing/elempatch or elempatch (all)
  --clock C      virtual, live or both (both: live with 4 ranks, of what virtual time passes)
  --ranks N,...  rank counts in virtual time (1,4,6)
  --source DIR   the unpacked source instead of Debian's package
  --directory D  where the source is unpacked and built (BUILD_DIRECTORY/conformance)
  --csv, --json  the format; else a table
Verdicts: passed, failed, finished (it prints no verdict and ended well), not built, skipped (see
tests/conformance/global_arrays.rules). Exit code 1 if a program failed.
TEXT
}
# shellcheck disable=SC2034 # for common.sh
program_name=global_arrays.sh rules=$here/global_arrays.rules
# shellcheck source=tests/conformance/common.sh
. "$here/common.sh"

clock=both ranks=1,4,6 source='' directory=''
read_options 'clock ranks source directory' '' "$@"
use_clocks "$clock"
rank_list --ranks "$ranks"
rank_counts=$ranks
use_directory "${directory:-$build/conformance}"

if [ -n "$source" ]; then
  [ -f "$source/Makefile.am" ] || refuse "--source $source: no Makefile.am there"
else
  progress "fetching the source package of Global Arrays"
  BINARY_PACKAGE=libglobalarrays-dev "$here/debian_source.sh" ga "$directory/package"
  source=$directory/package/source
fi
source=$(cd "$source" && pwd -P)
. "$here/build_programs.sh"

readonly bad='(^|[^a-z])(errors?|fail(s|ed|ure)?|wrong|mismatch|incorrect|inconsistent|not ok|differs?|assertion|abort(ed|ing)?|segmentation|nan)([^a-z]|$)'
readonly good='success|succeeded|passed|complete|(^|[^a-z])(ok|done)([^a-z]|$)'

# judge PROGRAM CODE OUTPUT: verdict, then a tab and what speaks for it.
judge() {
  local complaint ignored passes
  ignored=$(rule "$1" ignores)
  passes=$(rule "$1" passes)
  complaint=$(grep -a -i -v -E "${ignored:-^$}" "$3" | grep -a -i -m 1 -E "$bad" | tr -s ' \t\r' ' ' | cut -c 1-100) || true
  if [ "$2" -eq 124 ] || [ "$2" -eq 137 ]; then
    printf 'failed\tno end within the time allowed'
  elif [ "$2" -ge 128 ]; then
    printf 'failed\tended by signal %d' $(($2 - 128))
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
      printf '%-38s %5s  %-7s  %-9s  %s\n' "$program" "$ranks" "$on" "$verdict" "$note"
      ;;
  esac
  rows=$((rows + 1))
  [ "$verdict" != failed ] || failures=$((failures + 1))
}

# run_one PROGRAM CLOCK RANKS: runs it, prints its row; 1 if it failed.
run_one() {
  local program=$1 on=$2 ranks=$3 code=0 result name output arguments
  name=${program//\//.}
  output=$directory/output/$name.$on.$ranks
  read -r -a arguments <<<"$(rule "$program" arguments)"
  progress "[$number/$total] $program, $ranks ranks, $on"
  (cd "$directory/run" &&
    timeout -k 10 "$(rule "$program" seconds | grep . || echo 120)" \
      "$build/bin/aprun" --clock "$on" -q -n "$ranks" -N 2 \
      "$directory/programs/$name" "${arguments[@]}") >"$output" 2>&1 </dev/null || code=$?
  result=$(judge "$program" "$code" "$output")
  print_row "$program" "$ranks" "$on" "${result%%$'\t'*}" "${result#*$'\t'}"
  [ "${result%%$'\t'*}" != failed ]
}

# run_program PROGRAM: on the clocks and rank counts asked for.
run_program() {
  local program=$1 ranks allowed passed=yes
  allowed=$(rule "$program" ranks)
  if [ "$clock" != live ]; then
    for ranks in ${allowed:-${rank_counts//,/ }}; do run_one "$program" virtual "$ranks" || passed=no; done
  fi
  ranks=${allowed##* }
  if [ "$clock" != virtual ] && [ "$passed" = yes ]; then
    run_one "$program" live "${ranks:-4}" || true
  fi
}

chosen() {
  local one
  [ ${#wanted[@]} -gt 0 ] || return 0
  for one in "${wanted[@]}"; do [[ $1 == "$one" || $1 == */"$one" ]] && return 0; done
  return 1
}

mkdir -p "$directory/output" "$directory/run" "$directory/programs"
mapfile -t listed < <(list_programs)
[ ${#listed[@]} -gt 0 ] || die "$source: no test programs found in its Makefile.am"
programs=()
for line in "${listed[@]}"; do if chosen "${line%%|*}"; then programs+=("$line"); fi; done
[ ${#programs[@]} -gt 0 ] || refuse "no such program: ${wanted[*]}"
total=${#programs[@]} number=0
prepare_build
case $format in
  csv) echo program,ranks,clock,verdict,note ;;
  json) echo '[' ;;
  *) printf '%-38s %5s  %-7s  %-9s  %s\n' program ranks clock verdict note ;;
esac
for line in "${programs[@]}"; do
  program=${line%%|*}
  number=$((number + 1))
  reason=$(rule "$program" skip)
  if [ -n "$reason" ]; then
    print_row "$program" - - skipped "$reason"
    continue
  fi
  progress "[$number/$total] building $program"
  if build_program "$line"; then
    run_program "$program"
  else
    print_row "$program" - - 'not built' "$(build_complaint "$program")"
  fi
done
[ "$format" != json ] || printf '\n]\n'
progress
[ "$failures" -eq 0 ]
