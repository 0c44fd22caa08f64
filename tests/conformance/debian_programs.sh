#!/usr/bin/env bash
# Programs that Debian compiled against its MPICH, as they come, on our libmpi: NetPIPE, ScaLAPACK's
# self-checking tests and NWChem, beside the same binaries under MPICH itself if asked for.
set -euo pipefail
export LC_ALL=C
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
usage() {
  cat <<'TEXT'
usage: tests/conformance/debian_programs.sh BUILD_DIRECTORY [options] [PROGRAM ...]
  PROGRAM        a name: NPmpich2, nwchem_scf, nwchem_dft, xdlu, dpb1tst ... (all)
  --clock C      virtual, live or both (virtual)
  --reference    each program also under Debian's MPICH, and the same counts wanted; a program with
                 a result three times, and the result to the last digit that the three agree on
  --unset BYTE   live and under MPICH: what ScaLAPACK's tests read unset is filled with BYTE, as 00 or ff
  --seconds N    real time a program may take (600)
  --directory D  where the packages are unpacked (BUILD_DIRECTORY/conformance/programs)
  --csv, --json  the format; else a table
The columns are the program's own counts of checks passed, failed and left out. A program passes if
it counts checks, none failed, and it ends well; if under MPICH it fails in the same way, the verdict
is none. Nothing is installed: the packages are fetched with
apt-get download and unpacked. Exit code 1 if a program failed.
TEXT
}
# shellcheck disable=SC2034 # for common.sh
program_name=debian_programs.sh rules=$here/debian_programs.rules
# shellcheck source=tests/conformance/common.sh
. "$here/common.sh"
# shellcheck source=tests/conformance/agreement.sh
. "$here/agreement.sh"

clock=virtual reference=no seconds=600 directory='' unset=''
read_options 'clock seconds directory unset' reference "$@"
use_clocks "$clock"
positive --seconds "$seconds"
[[ $unset =~ ^([0-9a-f]{2})?$ ]] || refuse "--unset $unset: two hexadecimal digits"
use_directory "${directory:-$build/conformance/programs}"
mkdir -p "$directory/output"
root=$directory/root

# fetch PACKAGE ...: unpacks those that are not there yet.
fetch() {
  local package
  for package in "$@"; do
    [ ! -e "$directory/$package.there" ] || continue
    progress "fetching $package"
    (cd "$directory" && apt-get -q download "$package" >"$directory/$package.log" 2>&1) ||
      die "$package: $(grep -m 1 '^E: ' "$directory/$package.log" || tail -n 1 "$directory/$package.log")"
    dpkg -x "$directory/$package"_*.deb "$root"
    : >"$directory/$package.there"
  done
}
mkdir -p "$root"
fetch netpipe-mpich2 scalapack-mpi-test scalapack-test-common nwchem-mpich nwchem-data libpython3.11
# hydra, which starts MPICH's processes, asks for Slurm's library.
[ "$reference" = no ] || fetch mpich libslurm38

# preload NAME [OPTION ...]: compiles what is loaded before a program.
preload() {
  gcc -O2 -shared -fPIC -o "$directory/$1.so" "${@:2}" "$here/$1.c" || die "$1.c: not compiled"
}
[ "$reference" = no ] || preload mpich_yield
[ -z "$unset" ] || preload scalapack_unset "-DUNSET=0x$unset"
multiarch=$(gcc -print-multiarch)
tests=$root/usr/lib/$multiarch/scalapack/mpich-tests

# list_programs: NAME FILE, relative to the packages' root; ScaLAPACK's as its own ctest files name
# them. Those of the folder TIMING print times and no verdict.
list_programs() {
  echo NPmpich2 usr/bin/NPmpich2
  echo nwchem_scf usr/bin/nwchem.mpich
  echo nwchem_dft usr/bin/nwchem.mpich
  find "$tests" -name CTestTestfile.cmake | grep -v /TIMING/ | sort | while read -r file; do
    sed -n 's/^add_test(\([A-Za-z0-9]*\) .*/\1/p' "$file" |
      sed "s|.*|& $(dirname "${file#"$root"/}")/&|"
  done
}

rows=0 failures=0
print_row() {
  local cells=("$@")
  case $format in
    csv) printf '%s,%s,%s,%s,%s,%s,%s,"%s"\n' "${cells[@]}" ;;
    json)
      [ "$rows" -eq 0 ] || printf ',\n'
      printf ' {"program": "%s", "ranks": %d, "under": "%s", "passed": %d, "failed": %d, "left_out": %d, "verdict": "%s", "note": "%s"}' \
        "${cells[@]}"
      ;;
    *)
      progress
      printf '%-10s %5s  %-7s %7s %7s %8s  %-7s  %s\n' "${cells[@]}"
      ;;
  esac
  rows=$((rows + 1))
  [ "${cells[6]}" != failed ] || failures=$((failures + 1))
}

# run_program NAME FILE UNDER RANKS ARGUMENT ...: its output goes to output/NAME.UNDER.
run_program() {
  local name=$1 program=$root/$2 folder under=$3 ranks=$4 per_node=2 variables before=''
  folder=$(dirname "$program")
  shift 4
  if [ -n "$(rule "$name" writes)" ]; then
    folder=$directory/output/$name.$under.files
    rm -rf "$folder"
    mkdir "$folder"
  fi
  read -r -a variables <<<"$(rule "$name" environment)"
  variables=("LD_LIBRARY_PATH=$root/usr/lib/$multiarch" "${variables[@]//@ROOT@/$root}")
  [ "$ranks" -gt 2 ] || per_node=1
  progress "$name, $ranks ranks, $under"
  if [ -n "$unset" ] && [ "$under" != virtual ] && [[ $program == "$tests"/* ]]; then
    before=$directory/scalapack_unset.so
  fi
  if [ "$under" = MPICH ]; then
    # Only with fewer CPUs than ranks: it makes short waits longer.
    [ "$ranks" -le "$(nproc)" ] || before+=" $directory/mpich_yield.so"
    set -- "$root/usr/bin/mpiexec.hydra" -genv LD_PRELOAD "$before" -n "$ranks" "$program" "$@"
  else
    [ -z "$before" ] || variables+=("LD_PRELOAD=$before")
    set -- "$build/bin/aprun" --clock "$under" -q -n "$ranks" -N "$per_node" "$program" "$@"
  fi
  (cd "$folder" && env OMP_NUM_THREADS=1 "${variables[@]}" timeout -k 10 "$seconds" "$@") \
    >"$directory/output/$name.$under" 2>&1 </dev/null
}

# result_of NAME OUTPUT: the last line of the output that the program's rule says, on single blanks.
result_of() {
  local pattern
  pattern=$(rule "$1" result)
  [ -z "$pattern" ] || { grep -a -e "$pattern" "$2" | tail -n 1 | xargs || true; }
}

# judge_run NAME FILE UNDER: runs it, and sets found and its three counts, result, verdict and note.
judge_run() {
  local name=$1 under=$3 code=0 output arguments
  read -r -a arguments <<<"$(rule "$name" arguments)"
  output=$directory/output/$name.$under
  arguments=("${arguments[@]//@OUTPUT@/$output.data}")
  run_program "$name" "$2" "$under" "$ranks" "${arguments[@]//@HERE@/$here}" || code=$?
  result=$(result_of "$name" "$output")
  found=$(awk -f "$here/debian_counts.awk" "$output")
  read -r passed failed left_out <<<"$found"
  verdict=passed note=''
  if [ "$code" -eq 124 ] || [ "$code" -eq 137 ]; then
    verdict=failed note="no end within $seconds seconds"
  elif [ "$passed" -eq 0 ] || { [ "$code" -ne 0 ] && [ "$(rule "$name" ends)" != abort ]; }; then
    verdict=failed
    note=$(grep -a -v -E '^[[:space:]]*$|^Application [0-9]+ ' "$output" | tail -n 1 | tr -cd '\40-\176' | tr -d '"' | cut -c 1-120)
    note=${note:-code $code}
  elif [ "$failed" -gt 0 ]; then
    verdict=failed note="$failed of its checks failed"
  fi
}

# use_reference NAME FILE: runs it under MPICH, sets reference_counts and reference_results, none if
# it did not pass.
use_reference() {
  local runs=1
  [ -z "$(rule "$1" result)" ] || runs=3
  reference_counts='' reference_results=()
  while [ ${#reference_results[@]} -lt "$runs" ]; do
    judge_run "$1" "$2" MPICH
    if [ "$verdict" != passed ]; then
      verdict=none reference_counts='' reference_note=$note
      return
    fi
    reference_counts=$found
    reference_results+=("$result")
  done
  shared=$(shared_part "${reference_results[@]}")
  [ -z "$shared" ] || note="$runs runs agree on $shared"
}

# compare_with_reference: sets verdict and note of a run that passed, or of one that has no end under
# MPICH either.
compare_with_reference() {
  if [ -z "$reference_counts" ]; then
    [ "$note" != "$reference_note" ] || verdict=none note+=", as under MPICH"
  elif [ "$verdict" != passed ]; then
    return
  elif [ "$found" != "$reference_counts" ]; then
    verdict=failed note="under MPICH: $reference_counts"
  elif [ -n "$shared" ] && ! close_to "$shared" "$result" "${reference_results[@]}"; then
    verdict=failed note="$result; under MPICH: $shared"
  else
    note="as under MPICH${result:+: $result}"
  fi
}

# judge_program NAME FILE UNDER: runs it, prints its row.
judge_program() {
  local ranks passed failed left_out found result verdict note
  ranks=$(rule "$1" ranks)
  ranks=${ranks:-4}
  if [ "$3" = MPICH ]; then
    use_reference "$1" "$2"
  else
    judge_run "$@"
    [ "$reference" = no ] || compare_with_reference
    [ "$verdict" != passed ] || note=${note:-$result}
  fi
  print_row "$1" "$ranks" "$3" "$passed" "$failed" "$left_out" "$verdict" "$note"
}

chosen() {
  local one
  [ ${#wanted[@]} -gt 0 ] || return 0
  for one in "${wanted[@]}"; do [ "$1" != "$one" ] || return 0; done
  return 1
}

mapfile -t listed < <(list_programs | while read -r line; do
  if chosen "${line%% *}"; then printf '%s\n' "$line"; fi
done)
[ ${#listed[@]} -gt 0 ] || refuse "no such program: ${wanted[*]}"
heading=(program ranks under passed failed 'left out' verdict note)
case $format in
  csv) echo program,ranks,under,passed,failed,left_out,verdict,note ;;
  json) echo '[' ;;
  *) printf '%-10s %5s  %-7s %7s %7s %8s  %-7s  %s\n' "${heading[@]}" ;;
esac
for line in "${listed[@]}"; do
  reference_counts='' reference_results=() reference_note='' shared=''
  [ "$reference" = no ] || judge_program "${line%% *}" "${line#* }" MPICH
  for under in "${clocks[@]}"; do
    needed=$(rule "${line%% *}" clock)
    if [ -z "$needed" ]; then
      judge_program "${line%% *}" "${line#* }" "$under"
    elif [ "$under" = "${clocks[0]}" ]; then
      judge_program "${line%% *}" "${line#* }" "$needed"
    fi
  done
done
[ "$format" != json ] || printf '\n]\n'
progress
[ "$failures" -eq 0 ]
