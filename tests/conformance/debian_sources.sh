#!/usr/bin/env bash
# HPC Challenge and NetPIPE on our libmpi: fetched as Debian's source packages, built with our mpicc,
# run in virtual time, judged by the checks that they make themselves.
set -euo pipefail
export LC_ALL=C
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
usage() {
  cat <<'TEXT'
usage: tests/conformance/debian_sources.sh BUILD_DIRECTORY [options] [PROGRAM ...]
  PROGRAM        hpcc, NPmpi or NPmpi2 (all)
  --clock C      virtual, live or both (virtual)
  --ranks N,...  rank counts of HPC Challenge (2,4,6,8,16); NetPIPE has 2
  --per-node N   ranks per node of HPC Challenge (2); NetPIPE runs on one node and on two
  --size N       rows of HPC Challenge's matrices, and with them all of its sizes (600)
  --seconds N    real time a run may take (600)
  --directory D  where the packages are unpacked and built (BUILD_DIRECTORY/conformance/sources)
  --csv, --json  the format; else a table
A row is a part of HPC Challenge, or a way in which NetPIPE sends; its columns are the program's own
counts of checks passed and failed. A part passes if none of its checks failed and it came to its
end; finished is one that has no checks. Exit code 1 if a part failed.
TEXT
}
# shellcheck disable=SC2034 # for common.sh
program_name=debian_sources.sh
# shellcheck source=tests/conformance/common.sh
. "$here/common.sh"

clock=virtual ranks=2,4,6,8,16 per_node=2 size=600 seconds=600 directory=''
read_options 'clock ranks per-node size seconds directory' '' "$@"
use_clocks "$clock"
rank_list --ranks "$ranks"
positive --per-node "$per_node"
positive --size "$size"
positive --seconds "$seconds"
for name in "${wanted[@]}"; do
  case $name in hpcc | NPmpi | NPmpi2) ;; *) refuse "no such program: $name" ;; esac
done
[ ${#wanted[@]} -gt 0 ] || wanted=(hpcc NPmpi NPmpi2)
use_directory "${directory:-$build/conformance/sources}"
mkdir -p "$directory/output"

# fetch PACKAGE: sets source to a folder of its own with upstream's source.
fetch() {
  progress "fetching the source package $1"
  PART=upstream "$here/debian_source.sh" "$1" "$directory/$1"
  source=$directory/$1/source
}

# write_hpcc_make: what HPC Challenge's makefiles want to know of a system.
write_hpcc_make() {
  cat <<END
SHELL = /bin/sh
CD = cd
CP = cp
MKDIR = mkdir -p
RM = rm -f
TOUCH = touch
ARCH = castor
TOPdir = ../../..
INCdir = \$(TOPdir)/include
LIBdir = \$(TOPdir)/lib/\$(ARCH)
HPLlib = \$(LIBdir)/libhpl.a
HPL_DEFS = -DAdd_ -DF77_INTEGER=int -DStringSunStyle -I\$(INCdir) -I\$(INCdir)/\$(ARCH)
HPL_LIBS = \$(HPLlib) -lblas -lm
CC = $build/bin/mpicc
CCNOOPT = \$(HPL_DEFS)
CCFLAGS = \$(HPL_DEFS) -O2 -w
LINKER = \$(CC)
LINKFLAGS = \$(CCFLAGS)
ARCHIVER = ar
ARFLAGS = r
RANLIB = true
END
}

# Each build is a new one: the wrapper or the headers may have changed.
build_hpcc() {
  fetch hpcc
  progress 'building hpcc'
  rm -rf "$directory/hpcc/build"
  cp -r "$source" "$directory/hpcc/build"
  write_hpcc_make >"$directory/hpcc/build/hpl/Make.castor"
  make -C "$directory/hpcc/build" arch=castor -j "$(nproc)" >"$directory/hpcc/build.log" 2>&1 ||
    die "hpcc: not built: $(grep -m 1 -i error "$directory/hpcc/build.log")"
}

# build_netpipe NAME MODULE DEFINITION ...: NPmpi2 gives MPI_Win_create a null pointer for its info,
# which is none in MPICH's ABI.
build_netpipe() {
  local name=$1 module=$2
  shift 2
  fetch netpipe
  progress "building $name"
  sed 's/1, NULL, MPI_COMM_WORLD/1, MPI_INFO_NULL, MPI_COMM_WORLD/' "$source/src/$module" \
    >"$directory/netpipe/$module"
  "$build/bin/mpicc" -O2 -w "$@" "-I$source/src" "$source/src/netpipe.c" \
    "$directory/netpipe/$module" -o "$directory/netpipe/$name" 2>"$directory/netpipe/build.log" ||
    die "$name: not built: $(grep -m 1 -i error "$directory/netpipe/build.log")"
}

rows=0 failures=0
# print_row PROGRAM RANKS UNDER PART PASSED FAILED VERDICT NOTE
print_row() {
  case $format in
    csv) printf '%s,%s,%s,%s,%s,%s,%s,"%s"\n' "$@" ;;
    json)
      [ "$rows" -eq 0 ] || printf ',\n'
      printf ' {"program": "%s", "ranks": %d, "under": "%s", "part": "%s", "passed": %d, "failed": %d, "verdict": "%s", "note": "%s"}' \
        "$@"
      ;;
    *)
      progress
      printf '%-7s %5s  %-7s  %-22s %6s %6s  %-8s  %s\n' "$@"
      ;;
  esac
  rows=$((rows + 1))
  [ "$7" != failed ] || failures=$((failures + 1))
}

# run CLOCK RANKS PER_NODE FOLDER OUTPUT COMMAND ...: sets code.
run() {
  local under=$1 number=$2 room=$3 folder=$4 output=$5
  shift 5
  code=0
  (cd "$folder" && timeout -k 10 "$seconds" "$build/bin/aprun" --clock "$under" -q -n "$number" \
    -N "$room" "$@") >"$output" 2>&1 </dev/null || code=$?
}

# complaint OUTPUT: why a run did not end well, by its code.
complaint() {
  if [ "$code" -eq 124 ] || [ "$code" -eq 137 ]; then
    echo "no end within $seconds seconds"
  else
    grep -a -v -E '^[[:space:]]*$|^Application [0-9]+ ' "$1" | tail -n 1 | tr -cd '\40-\176' |
      tr -d '\134"' | cut -c 1-120 | grep . || echo "code $code"
  fi
}

hpcc_parts=(MPIRandomAccess StarRandomAccess SingleRandomAccess MPIRandomAccess_LCG
  StarRandomAccess_LCG SingleRandomAccess_LCG PTRANS StarDGEMM SingleDGEMM StarSTREAM SingleSTREAM
  MPIFFT StarFFT SingleFFT LatencyBandwidth HPL)

# write_hpcc_input RANKS: the package's own input with our size, and the squarest grid of the ranks.
write_hpcc_input() {
  local rows_of_grid=1 candidate
  for ((candidate = 1; candidate * candidate <= $1; ++candidate)); do
    [ $(($1 % candidate)) -ne 0 ] || rows_of_grid=$candidate
  done
  sed -e "s/^1000 .*Ns\$/$size Ns/; s/^80 .*NBs\$/32 NBs/" \
    -e "s/^2 .*Ps\$/$rows_of_grid Ps/; s/^2 .*Qs\$/$(($1 / rows_of_grid)) Qs/" \
    "$directory/hpcc/build/_hpccinf.txt"
}

# judge_hpcc CLOCK RANKS
judge_hpcc() {
  local folder=$directory/output/hpcc.$1.$2 part passed failed ended note verdict output
  output=$folder/output
  rm -rf "$folder"
  mkdir "$folder"
  write_hpcc_input "$2" >"$folder/hpccinf.txt"
  progress "hpcc, $2 ranks, $1"
  run "$1" "$2" "$per_node" "$folder" "$output" "$directory/hpcc/build/hpcc"
  : >>"$folder/hpccoutf.txt"
  awk -f "$here/hpcc_parts.awk" "$folder/hpccoutf.txt" >"$folder/parts"
  for part in "${hpcc_parts[@]}"; do
    IFS='|' read -r _ passed failed ended note < <(grep "^$part|" "$folder/parts" || echo "$part|0|0|no|") || true
    verdict=passed
    if [ "$ended" = no ]; then
      verdict=failed note=$(complaint "$output")
    elif [ "$failed" -gt 0 ]; then
      verdict=failed
    elif [ "$passed" -eq 0 ]; then
      verdict=finished
    fi
    print_row hpcc "$2" "$1" "$part" "$passed" "$failed" "$verdict" "$note"
  done
  # What the program says of the whole.
  if [ "$code" -eq 0 ] && grep -q '^Success=1$' "$folder/hpccoutf.txt"; then
    print_row hpcc "$2" "$1" all 1 0 passed 'Success=1'
  else
    print_row hpcc "$2" "$1" all 0 1 failed "$(complaint "$output")"
  fi
}

# judge_netpipe NAME CLOCK RANKS_PER_NODE OPTION: each size 20 times, its content looked at.
judge_netpipe() {
  local name=$1 under=$2 room=$3 option=$4 output passed failed verdict=passed note=''
  output=$directory/output/$name$option.$under.$room
  progress "$name $option, $under"
  run "$under" 2 "$room" "$directory/output" "$output" "$directory/netpipe/$name" -i -n 20 \
    ${option:+"$option"} -o "$output.data"
  read -r passed failed _ < <(awk -f "$here/debian_counts.awk" "$output")
  if [ "$code" -ne 0 ] || [ "$passed" -eq 0 ]; then
    verdict=failed note=$(complaint "$output")
  elif [ "$failed" -gt 0 ]; then
    verdict=failed note="$failed of its checks failed"
  fi
  print_row "$name" 2 "$under" "${option:-ping pong}$([ "$room" -eq 1 ] || echo ' on one node')" \
    "$passed" "$failed" "$verdict" "$note"
}

case $format in
  csv) echo program,ranks,under,part,passed,failed,verdict,note ;;
  json) echo '[' ;;
  *) printf '%-7s %5s  %-7s  %-22s %6s %6s  %-8s  %s\n' program ranks under part passed failed verdict note ;;
esac
# The ways in which NetPIPE's content can be looked at: with -2 both sides send at once, which a
# blocking send of many bytes does not survive; with NPmpi2's -g the side that looks is not sent to.
for name in "${wanted[@]}"; do
  case $name in
    hpcc) build_hpcc ;;
    NPmpi)
      build_netpipe NPmpi mpi.c -DMPI
      ways=('' -a -S -s)
      ;;
    NPmpi2)
      build_netpipe NPmpi2 mpi2.c -DMPI -DMPI2
      ways=('' -s -2)
      ;;
  esac
  for under in "${clocks[@]}"; do
    if [ "$name" = hpcc ]; then
      for number in ${ranks//,/ }; do judge_hpcc "$under" "$number"; done
    else
      for way in "${ways[@]}"; do
        for room in 1 2; do judge_netpipe "$name" "$under" "$room" "$way"; done
      done
    fi
  done
done
[ "$format" != json ] || printf '\n]\n'
progress
[ "$failures" -eq 0 ]
