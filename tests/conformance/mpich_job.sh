#!/usr/bin/env bash
# One step of the MPICH suite's run; mpich.sh starts several at a time, with what they need in the
# environment (build, suite, directory, clock, per_node, progress, seconds, faults, sizes, fidelity, stand_ins,
# total, rules).
#   mpich_job.sh build LINE   builds a program: PATH|DEFINITIONS|SOURCES, sources from the suite's folder
#   mpich_job.sh run NUMBER   runs that line of DIRECTORY/tests and writes DIRECTORY/rows/NUMBER
# shellcheck disable=SC2154
set -euo pipefail
export LC_ALL=C
# shellcheck disable=SC2034 # for common.sh
program_name=mpich.sh
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
# shellcheck source=tests/conformance/common.sh
. "$here/common.sh"

includes=("-I$here/mpich/include" "-I$suite/include" "-I$suite/dtpools/include")

# What a missing function is replaced by if stand-ins are asked for: it says so and ends the program.
add_stand_ins() {
  local name file=$1.missing.c
  echo '#include <stdio.h>
#include <stdlib.h>' >"$file"
  while read -r name; do
    printf 'int %s(void) { fprintf(stderr, "%s is not there\\n"); fflush(stderr); abort(); }\n' \
      "$name" "$name" >>"$file"
  done
}

build_program() {
  local path definitions sources file program log files=() flags threads=() wrapper=mpicc
  IFS='|' read -r path definitions sources <<<"$1"
  program=$directory/programs/${path//\//.}
  log=$directory/logs/${path//\//.}
  for file in $sources; do files+=("$suite/${path%/*}/$file"); done
  # Built already, and nothing that was compiled in has changed since; libmpi is a shared library.
  if [ "$program" -nt "$directory/objects/stamp" ] && [ "$program" -nt "${files[0]}" ] &&
    [ ! -e "$log.missing.c" ]; then
    return
  fi
  progress "building $path"
  rm -f "$program" "$log.missing.c"
  [ "$definitions" != - ] || definitions=''
  read -r -a flags <<<"$definitions ${CPPFLAGS:-}"
  case $path in threads/*) threads=(-DMTEST_USE_THREAD "$directory/objects/mtest_thread.o") ;; esac
  case $path in
    f77/* | f90/*)
      wrapper=mpifort
      flags+=(-DF77_NAME_LOWER_USCORE "-I$directory/generated/${path%/*}"
        "-I$directory/generated/${path%%/*}/attr" "-I$directory/generated/from/here"
        "-J$(mktemp -d "$directory/objects/modules.XXXXXX")" "$directory/objects/mtest_${path%%/*}.o")
      ;;
  esac
  set -- -O0 -w "${includes[@]}" "-I$suite/${path%/*}" "${flags[@]}" "${files[@]}" "${threads[@]}" \
    "$directory/objects/libmtest.a" -lm -o "$program"
  if "$build/bin/$wrapper" "$@" >"$log" 2>&1 || [ "$stand_ins" = no ]; then return; fi
  grep -q -i 'undefined reference to .P\?MPI' "$log" || return 0
  grep -o -i 'undefined reference to .P\?MPI[A-Za-z0-9_]*' "$log" | sed 's/.*[^A-Za-z0-9_]//' | sort -u |
    add_stand_ins "$log"
  "$build/bin/$wrapper" "$@" "$log.missing.c" >"$log" 2>&1 || true
}

# last_word OUTPUT: its last line; what the launcher adds only if the program says nothing.
# shellcheck disable=SC2001 # every line, not the first
last_word() {
  local said
  said=$(grep -a -v -E '^[[:space:]]*$|^[[:space:]]*No [Ee]rrors' "$1" | tr -cd '\40-\176\n' |
    tr '|' '/' | cut -c 1-200) || true
  { grep -v -E '^Application [0-9]+ (exit|resources)|^\[NID [0-9]+\] Apid' <<<"$said" ||
    sed -n 's/^\[NID [0-9]*\] Apid [0-9]*: //p' <<<"$said" | grep . ||
    sed 's/^Application [0-9]* //' <<<"$said"; } | tail -n 1
}

# judge CODE OUTPUT RESULT: verdict, then a tab and what speaks for it; as the suite's own script.
judge() {
  local last
  last=$(last_word "$2")
  case $3 in
    TestStatus | TestErrFatal)
      if [ "$1" -ne 0 ] && [ "$1" -ne 124 ] && [ "$1" -ne 137 ]; then
        printf 'passed\t'
      else
        printf 'failed\tdoes not end with an error (code %d)' "$1"
      fi
      ;;
    '')
      if [ "$1" -eq 124 ] || [ "$1" -eq 137 ]; then
        printf 'failed\tno end within the time allowed'
      elif ! grep -a -q -E '^[[:space:]]*No [Ee]rrors[[:space:]]*$' "$2"; then
        printf 'failed\t%s' "${last:-says nothing, code $1}"
      elif grep -a -q -v -E '^[[:space:]]*(No [Ee]rrors|Test Passed)[[:space:]]*$' "$2"; then
        printf 'failed\t%s' "${last:-code $1}"
      elif [ "$1" -ne 0 ]; then
        printf 'failed\tcode %d' "$1"
      else
        printf 'passed\t'
      fi
      ;;
    *) printf 'failed\tno way to judge %s' "$3" ;;
  esac
}

# build_complaint LOG: the first error, on one line.
build_complaint() {
  grep -a -m 1 -i -E 'error:|undefined reference|cannot find|No such file' "$1" |
    sed 's/^.*: \(fatal \)\{0,1\}error: //I; s/^.*: undefined/undefined/' |
    tr -cd '\40-\176\n' | tr '|' '/' | cut -c 1-160
}

# write_row VERDICT SECONDS NOTE
write_row() {
  printf '%s|%s|%s|%s|%s|%s\n' "$test" "$ranks" "$arguments" "$1" "$2" "$3" >"$directory/rows/$number"
}

# drawn_sizes LINE: a setting of each size of the library, as --sizes and the line's words draw it.
drawn_sizes() {
  local line=$1 sum setting choices
  while read -r setting choices; do
    # shellcheck disable=SC2086 # several words
    set -- "$line" $choices
    read -r sum _ < <(cksum <<<"$sizes $line $setting")
    shift $((1 + (sum >> 8) % ($# - 1)))
    [ "$1" = - ] || printf '%s=%s\n' "$setting" "$1"
  done <<'TEXT'
CASTOR_SMSG_CREDITS - 1 2 4
MPICH_GNI_RECV_CQ_SIZE - 16 64
MPICH_GNI_LOCAL_CQ_SIZE - 64
MPICH_GNI_MAX_EAGER_MSG_SIZE - 0 1024 65536
MPICH_GNI_NUM_BUFS - 1 4
MPICH_GNI_RDMA_THRESHOLD - 0 4096
MPICH_GNI_NDREG_ENTRIES - 0 1 8
TEXT
}

run_test() {
  local words options=() around=() variable reason output code=0 result allowed on start program
  number=$1
  IFS='|' read -r test ranks arguments variables allowed memory result mark \
    < <(sed -n "${number}p" "$directory/tests")
  program=$directory/programs/${test//\//.}
  reason=$(rule "$test" skip)
  if [ -z "$reason" ] && [ "$mark" = largetest ]; then reason=$(rule - large); fi
  if [ -z "$reason" ] && [ -n "$memory" ] && [ "$(echo "$memory" | cut -d. -f1)" -ge "$memory_limit" ]; then
    reason=$(rule - memory)
  fi
  if [ -n "$reason" ]; then
    write_row skipped 0 "$reason"
    return
  fi
  if [ ! -x "$program" ]; then
    write_row 'not built' 0 "$(build_complaint "$directory/logs/${test//\//.}")"
    return
  fi
  progress "[$number/$total] $test, $ranks ranks"
  on=$(rule "$test" clock)
  on=${on:-$clock}
  allowed=${allowed:-180}
  [ "$seconds" -eq 0 ] || [ "$allowed" -le "$seconds" ] || allowed=$seconds
  for variable in $variables $(rule "$test" environment); do options+=(-e "$variable"); done
  if [ "$progress" != 0 ]; then  # they need a library that is safe for threads
    options+=(-e "MPICH_NEMESIS_ASYNC_PROGRESS=$progress" -e MPICH_MAX_THREAD_SAFETY=multiple)
  fi
  if [ "$on" != live ]; then options+=(--fidelity "$fidelity"); fi
  if [ -n "$sizes" ]; then
    options+=(--seed "$sizes")
    for variable in $(drawn_sizes "$test $ranks $arguments"); do
      [[ $variable = MPICH_GNI_MAX_EAGER_MSG_SIZE=* && -n $(rule "$test" eager) ]] || around+=("$variable")
    done
  fi
  if [ -n "$faults" ]; then
    options+=(--faults "$faults")
    around+=(CASTOR_POST_TRIES=30)
  fi
  read -r -a words <<<"$arguments"
  output=$directory/output/$number
  [ -n "$faults" ] || options+=(-q)
  set -- "$build/bin/aprun" --clock "$on" -n "$ranks" -N "$per_node" "${options[@]}" "$program" "${words[@]}"
  printf '%q ' "${around[@]}" "$@" >"$output.command"
  printf '\n' >>"$output.command"
  start=$EPOCHREALTIME
  (cd "$directory/run" &&
    env "${around[@]}" timeout -k 5 "$allowed" "$@") >"$output" 2>&1 </dev/null || code=$?
  # What the launcher says of the run, of faults, and, live, of nodes that share the host's CPUs is not the
  # program's.
  sed -n 's/^castor: faults: [0-9]*: //p' "$output" >"$output.faults"
  sed -i -E '/^castor: (.* asked for on each node, but |faults: |virtual time |[^ ]*: [0-9]+ ranks? on [0-9]+ node)/d
    /^Application [0-9]+ resources: /d' "$output"
  result=$(judge "$code" "$output" "$result")
  write_row "${result%%$'\t'*}" \
    "$(awk -v a="$start" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.1f", b - a }')" "${result#*$'\t'}"
}

case $1 in
  build) build_program "$2" ;;
  run) run_test "$2" ;;
esac
