#!/usr/bin/env bash
# MPICH's own test suite on our libmpi: fetched as Debian's source package, built against our mpicc,
# each line of its lists run in virtual time and judged as the suite judges it.
set -euo pipefail
export LC_ALL=C
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
folders=(pt2pt coll comm datatype attr group topo info init errhan errors threads rma f77 f90)
usage() {
  cat <<TEXT
usage: tests/conformance/mpich.sh BUILD_DIRECTORY [options] [NAME ...]
  NAME           a directory of the suite or one of its tests: coll, pt2pt/anyall, threads/comm
                 (all of ${folders[*]})
  --list FILE    the names in a file, one per line
  --clock C      virtual or live (virtual; a test that makes threads of its own runs live)
  --per-node N   ranks per node, so that memory is shared and messages travel (2)
  --progress P   the ranks' progress threads, as MPICH_NEMESIS_ASYNC_PROGRESS names them: 0, SC or MC (0)
  --faults PLAN  what goes wrong meanwhile, in statements of docs/faults.md or a file of them, such as
                 tests/conformance/mpich.plan; what has failed is posted again up to 30 times
  --sizes SEED   each line with sizes of the library (credits, queues, buffers, limits, registrations
                 kept) drawn by SEED, which is also that of the faults
  --fidelity F   message or packet (message)
  --seconds N    real time a test may take at most (what the suite allows: 180, or what its line says)
  --memory GB    tests that want as much are left out (half of what is free)
  --generated    also the lines that the suite's configure script would generate: datatypes and
                 counts in many combinations
  --stand-ins    programs that call missing functions are linked nevertheless, with functions in their
                 place that say so and end the program
  --jobs N       tests at a time (one per CPU)
  --source DIR   the unpacked source of MPICH instead of Debian's package
  --directory D  where it is unpacked and built (BUILD_DIRECTORY/conformance/mpich)
  --csv, --json  every test; else a table of directories, the failed tests and the reasons for skips
CPPFLAGS in the environment go to the compiler. What is left out and why: tests/conformance/mpich.rules.
Exit code 1 if a test failed or was not built.
TEXT
}
# shellcheck disable=SC2034 # for common.sh
program_name=mpich.sh rules=$here/mpich.rules
# shellcheck source=tests/conformance/common.sh
. "$here/common.sh"

clock=virtual per_node=2 progress=0 seconds=0 memory='' generated=no stand_ins=no jobs=$(nproc)
source='' directory='' list='' faults='' sizes='' fidelity=message
read_options 'clock per-node progress seconds memory jobs source directory list faults sizes fidelity' \
  'generated stand-ins' "$@"
case $clock in virtual | live) ;; *) refuse "--clock $clock: virtual or live" ;; esac
case $progress in 0 | SC | MC) ;; *) refuse "--progress $progress: 0, SC or MC" ;; esac
one_of --fidelity "$fidelity" message packet
[ -z "$sizes" ] || positive --sizes "$sizes"
[ ! -f "$faults" ] || faults=$(realpath "$faults")
positive --per-node "$per_node"
positive --jobs "$jobs"
[ "$seconds" = 0 ] || positive --seconds "$seconds"
memory_limit=${memory:-$(awk '/^MemAvailable/ { print int($2 / 2097152) + 1 }' /proc/meminfo)}
positive --memory "$memory_limit"
if [ -n "$list" ]; then
  [ -r "$list" ] || refuse "--list $list: cannot be read"
  mapfile -t -O ${#wanted[@]} wanted < <(sed 's/#.*//; s/[[:space:]]//g; /^$/d' "$list")
fi
use_directory "${directory:-$build/conformance/mpich}"

if [ -n "$source" ]; then
  [ -d "$source/test/mpi" ] || refuse "--source $source: no test/mpi there"
else
  progress "fetching the source package of MPICH"
  BINARY_PACKAGE=libmpich12 "$here/debian_source.sh" mpich "$directory/package"
  source=$directory/package/source
fi
suite=$(cd "$source/test/mpi" && pwd -P)
export build clock per_node progress seconds faults sizes fidelity memory_limit stand_ins directory suite rules
mkdir -p "$directory"/{programs,logs,objects,run,generated}
rm -rf "$directory/rows" "$directory/output"
mkdir "$directory/rows" "$directory/output"

# The folders of tests; that of the threads has folders of its own.
list_folders() {
  local folder
  for folder in "${folders[@]}"; do
    [ ! -d "$suite/$folder" ] || find "$suite/$folder" -name Makefile.am -printf '%h\n'
  done | sed "s|^$suite/||" | sort -u
}

chosen() {
  local one
  [ ${#wanted[@]} -gt 0 ] || return 0
  for one in "${wanted[@]}"; do [[ $1 == "$one" || $1 == "$one"/* ]] && return 0; done
  return 1
}

# list_tests: the lines of the suite's lists that are wanted, as mpich_lines.awk writes them.
list_tests() {
  local folder file line
  for folder in $(list_folders); do
    for file in "$suite/$folder"/testlist{,.in} "$directory/generated/$folder/testlist.dtp"; do
      if [ ! -f "$file" ] || [[ $file = *.dtp && $generated = no ]]; then continue; fi
      awk -v directory="$folder" -f "$here/mpich_lines.awk" "$file"
    done
  done | while read -r line; do if chosen "${line%%|*}"; then printf '%s\n' "$line"; fi; done
}

# list_programs: PATH|DEFINITIONS|SOURCES of every program of the suite, sources within its folder.
list_programs() {
  local folder
  for folder in $(list_folders); do
    awk -f "$here/automake_programs.awk" "$suite/$folder/Makefile.am" | sed "s|^|$folder/|"
  done
}

# Headers of the Fortran tests that the suite's configure script would write. Their parts in C name a
# header by its place, ../../include, seen from a test's folder.
write_fortran_headers() {
  local file
  mkdir -p "$directory/generated/include" "$directory/generated/from/here"
  cp "$here"/mpich/include/* "$directory/generated/include"
  (cd "$suite" && find f77 f90 -name '*.h.in') | while read -r file; do
    mkdir -p "$directory/generated/${file%/*}"
    sed 's/@F77_MPI_\(ADDRESS\|OFFSET\)@/integer*8/' "$suite/$file" >"$directory/generated/${file%.in}"
  done
}

# What the suite's programs share; what cannot be built is missing from the library.
build_helpers() {
  local file object objects=() includes
  includes=("-I$here/mpich/include" "-I$suite/include" "-I$suite/dtpools/include")
  for file in "$suite"/util/mtest{,_common,_single,_thread}.c "$suite"/util/mtest_datatype*.c "$suite"/util/dtypes.c \
    "$suite"/dtpools/src/*.c; do
    [ -f "$file" ] || continue
    object=$directory/objects/$(basename "$file" .c).o
    # shellcheck disable=SC2086 # several words
    "$build/bin/mpicc" -O0 -w "${includes[@]}" ${CPPFLAGS:-} \
      '-DDTP_MPI_DATATYPE=MPI_INT,MPI_INT:4+MPI_DOUBLE:8' -c "$file" -o "$object" \
      >"${object%.o}.log" 2>&1 || {
      rm -f "$object"
      printf 'mpich.sh: %s: %s\n' "$(basename "$file")" \
        "$(grep -m 1 error: "${object%.o}.log" | sed 's/.*error: //')" >&2
      continue
    }
    # The threads' object stands in for a part of the others'.
    [ "$(basename "$object")" = mtest_thread.o ] || objects+=("$object")
  done
  rm -f "$directory/objects/libmtest.a"
  ar rcs "$directory/objects/libmtest.a" "${objects[@]}"
  [ ! -d "$suite/f77" ] || write_fortran_headers
  for file in "$suite"/util/mtest_f77.f "$suite"/util/mtest_f90.f90; do
    [ -f "$file" ] || continue
    "$build/bin/mpifort" -O0 -w -c "$file" "-J$directory/objects" \
      -o "$directory/objects/$(basename "${file%.*}").o"
  done
}

if [ "$generated" = yes ]; then
  [ -f "$suite/maint/gentests_dtp.sh" ] || refuse "--generated: no maint/gentests_dtp.sh in $suite"
  (cd "$directory/generated" && mkdir -p pt2pt coll rma part &&
    bash "$suite/maint/gentests_dtp.sh" --with-dtpools-datatypes=MPI_INT,MPI_INT:4+MPI_DOUBLE:8) \
    >/dev/null
fi
list_tests >"$directory/tests"
total=$(wc -l <"$directory/tests")
[ "$total" -gt 0 ] || refuse "no such test: ${wanted[*]}"
export total

# Programs are built again if the wrapper, the headers or what is linked with them have changed.
build_helpers
stamp=$directory/objects/stamp
identity=$({
  echo "${CPPFLAGS:-}"
  cat "$directory/objects/libmtest.a" "$build/bin/mpicc" "$here"/mpich/*.h "$here"/mpich/include/*.h
  echo '#include <mpi.h>' | "$build/bin/mpicc" -E -x c -
} | cksum)
if [ ! -f "$stamp" ] || [ "$(cat "$stamp")" != "$identity" ]; then
  printf '%s\n' "$identity" >"$stamp"
fi

# A program that no Makefile.am names has a source of its own name.
{
  list_programs
  cut -d'|' -f1 "$directory/tests" | sort -u |
    awk -F/ '{ print $0 "|-|" $NF ($1 == "f77" ? ".f" : $1 == "f90" ? ".f90" : ".c") }'
} | awk -F'|' 'NR == FNR { wanted[$1]; next } $1 in wanted && !seen[$1]++' "$directory/tests" - |
  while IFS= read -r line; do
    [ -n "$(rule "${line%%|*}" skip)" ] || printf '%s\0' "$line"
  done | xargs -0 -r -n 1 -P "$jobs" "$here/mpich_job.sh" build
seq "$total" | xargs -n 1 -P "$jobs" "$here/mpich_job.sh" run
progress

# The rows in the order of the lists.
rows() { seq "$total" | sed "s|^|$directory/rows/|" | xargs cat; }
case $format in
  csv) echo test,ranks,arguments,verdict,seconds,note ;;
esac
# Of each kind how often, in all tests.
faults_struck() {
  cat "$directory"/output/*.faults | tr ',' '\n' |
    awk '{ number[$1] += $2 } END { for (kind in number) print kind, number[kind] }' | sort |
    paste -sd, | sed 's/,/, /g; s/^$/none/; s/^/faults: /; s/$/\n/'
}
[ -z "$faults" ] || [ "$format" != table ] || faults_struck
rows | awk -F'|' -v format="$format" -f "$here/mpich_report.awk"
