# How the conformance run builds Global Arrays' test programs; read by global_arrays.sh, which sets
# here, build, source and directory.
# shellcheck shell=bash disable=SC2154

# Headers that the tests include only if a configure script has found them.
headers=(ASSERT CTYPE ERRNO FLOAT INTTYPES LIMITS MATH STDARG STDBOOL STDDEF STDINT STDIO STDLIB
  STRING STRINGS SYS_TIME SYS_TYPES TIME UNISTD)

# list_programs: PATH|DEFINITIONS|SOURCES, paths relative to the source.
list_programs() {
  awk -f "$here/automake_programs.awk" "$source/Makefile.am"
  if [ -f "$source/armci/Makefile.am" ]; then
    awk -f "$here/automake_programs.awk" "$source/armci/Makefile.am" |
      awk -F'|' -v OFS='|' '{ gsub(/(^| )/, "&armci/", $3); print "armci/" $1, $2, $3 }'
  fi
}

prepare_build() {
  local name folder
  cpp=(-DMSG_COMMS_MPI=1 -DHAVE_ARMCI_GROUP_COMM=1)
  for name in "${headers[@]}"; do cpp+=("-DHAVE_${name}_H=1"); done
  # The tests' own folders; Global Arrays' public headers are the installed ones.
  for folder in global/testing ga++/testing armci/testing armci/src/include comex/testing \
    global/src gaf2c ma tcgmsg pario/dra pario/eaf pario/sf pario/elio; do
    [ -d "$source/$folder" ] && cpp+=("-idirafter" "$source/$folder")
  done
  libraries=(-lga-mpich -larmci -lscalapack-mpich -llapack -lblas
    "$(gcc -print-file-name=libgfortran.so)" -lm)
  mkdir -p "$directory/objects" "$directory/logs" "$directory/include"
  cp "$here/fortran/mpif.fh" "$directory/include/mpif.h"
  common=()
  # What all tests of Global Arrays may call.
  for name in global/testing/util.c global/testing/ffflush.F global/testing/testblas.F; do
    if [ -f "$source/$name" ] && compile "$name" '' common; then common+=("$object"); fi
  done
  "$build/bin/mpicc" -O1 -c "$here/fortran/mpi_names.c" -o "$directory/objects/mpi_names.o"
  common+=("$directory/objects/mpi_names.o")
  rm -f "$directory/objects/libcommon.a"
  ar rcs "$directory/objects/libcommon.a" "${common[@]}"
}

# compile SOURCE DEFINITIONS PROGRAM: sets object; what the compiler says goes to the program's log.
compile() {
  local file=$source/$1 definitions
  read -r -a definitions <<<"$2"
  object=$directory/objects/${3//\//.}.${1//\//.}.o
  if [ ! -f "$file" ] && [ -f "${file%.F}.m4" ]; then
    file=$directory/objects/$(basename "$1")
    m4 -I "$(dirname "$source/$1")" "$source/${1%.F}.m4" >"$file" || return 1
  fi
  case $1 in
    *.F | *.f)
      gfortran -O1 -w -std=legacy -fallow-argument-mismatch -fdefault-integer-8 -cpp \
        -ffixed-line-length-none -DMPI=1 "-I$directory/include" -I/usr/include \
        "-I$(dirname "$source/$1")" "${definitions[@]}" -c "$file" -o "$object"
      ;;
    *.cc | *.cpp)
      "$build/bin/mpicxx" -O1 -w "${cpp[@]}" "${definitions[@]}" -c "$file" -o "$object"
      ;;
    *)
      "$build/bin/mpicc" -O1 -w "${cpp[@]}" "${definitions[@]}" -c "$file" -o "$object"
      ;;
  esac >>"$directory/logs/${3//\//.}" 2>&1
}

# build_program LINE of list_programs.
build_program() {
  local program definitions sources file wrapper=mpicc objects=() plus=()
  IFS='|' read -r program definitions sources <<<"$1"
  [ "$definitions" != - ] || definitions=''
  case $program in
    armci/*) definitions="$definitions $(rule "$program" definitions)" ;;
  esac
  : >"$directory/logs/${program//\//.}"
  for file in $sources; do
    compile "$file" "$definitions" "$program" || return 1
    objects+=("$object")
    case $file in *.cc | *.cpp) wrapper=mpicxx plus=(-lga++-mpich) ;; esac
  done
  "$build/bin/$wrapper" "${objects[@]}" "$directory/objects/libcommon.a" "${plus[@]}" \
    "${libraries[@]}" -o "$directory/programs/${program//\//.}" \
    >>"$directory/logs/${program//\//.}" 2>&1
}

# build_complaint PROGRAM: the first error, on one line.
build_complaint() {
  grep -m 1 -i -E 'error|undefined reference|cannot find|No such file' "$directory/logs/${1//\//.}" |
    sed 's/^.*: \(fatal \)\{0,1\}error: //I; s/^.*: undefined/undefined/' | cut -c 1-100
}
