# How the conformance run builds Global Arrays and its test programs; read by global_arrays.sh, which
# sets here, build, installed, source, directory and jobs. The package is built as its authors say:
# configure --with-armci, make, make checkprogs, beside a copy of the source.
# shellcheck shell=bash disable=SC2154

# Headers that ARMCI's tests include only if a configure script has found them.
headers=(ASSERT CTYPE ERRNO FLOAT INTTYPES LIMITS MATH STDARG STDBOOL STDDEF STDINT STDIO STDLIB
  STRING STRINGS SYS_TIME SYS_TYPES TIME UNISTD)

# configure_package: a copy of the source, its configure script made if it has none, and a Makefile in
# package/. What is there of an earlier run is used if source, headers and compilers are the same.
configure_package() {
  local key copy=$directory/tree package=$directory/package
  key=$(echo "$source"; cd "$installed" && find include bin/mpi* -type f -exec cksum {} + | sort)
  if [ "$(cat "$directory/configured" 2>/dev/null)" != "$key" ]; then
    rm -rf "$copy" "$package" "$directory/configured"
  fi
  mkdir -p "$copy" "$package"
  cp -Rpu "$source/." "$copy"
  if [ ! -f "$copy/configure" ]; then
    # ARMCI's and ComEx's own configure scripts are not wanted.
    logged autoreconf autoreconf --no-recursive -if "$copy"
  fi
  [ -f "$package/Makefile" ] || (cd "$package" &&
    logged configure "$copy/configure" --no-recursion --with-mpi "--with-armci=$installed" --enable-cxx \
      --with-blas4=-lblas --with-lapack=-llapack --with-scalapack=-lscalapack-mpich \
      "CC=$installed/bin/mpicc" "MPICC=$installed/bin/mpicc" "MPICXX=$installed/bin/mpicxx" \
      "MPIF77=$installed/bin/mpif77")
  printf '%s\n' "$key" >"$directory/configured"
}

# words VARIABLE: the words of a variable of the package's Makefile, without the programs' extension.
words() {
  local extension word
  extension=$(print_words "\$(EXEEXT)")
  for word in $(print_words "\$($1)"); do printf '%s\n' "${word%"$extension"}"; done | awk '!seen[$0]++'
}
print_words() {
  printf 'castor-words:\n\t@echo %s\n' "$1" | make -s -C "$directory/package" -f Makefile -f - castor-words
}

# make_package: the library and the programs of wanted_programs. Optimized, as users have it;
# what does not compile is found missing later.
make_package() {
  local options=(-s -k -j "$jobs" -C "$directory/package" CFLAGS=-O2 CXXFLAGS=-O2 FFLAGS=-O2) extension
  logged make make "${options[@]}" all
  extension=$(print_words "\$(EXEEXT)")
  progress "make of ${#wanted_programs[@]} test programs of Global Arrays"
  make "${options[@]}" "${wanted_programs[@]/%/$extension}" >"$directory/logs/programs" 2>&1 </dev/null || true
  for program in "${wanted_programs[@]}"; do
    rm -f "$directory/programs/${program//\//.}"
    [ ! -x "$directory/package/$program$extension" ] ||
      ln -s "$directory/package/$program$extension" "$directory/programs/${program//\//.}"
  done
}

# list_armci: PROGRAM|DEFINITIONS|SOURCES of ARMCI's own tests, relative to the source.
list_armci() {
  [ -f "$source/armci/Makefile.am" ] || return 0
  awk -f "$here/automake_programs.awk" "$source/armci/Makefile.am" | grep '^testing/' |
    awk -F'|' -v OFS='|' '{ gsub(/(^| )/, "&armci/", $3); print "armci/" $1, $2, $3 }'
}

# make_armci LINE of list_armci: with the classic header, since the package does not build them if ARMCI
# is another one.
make_armci() {
  local program definitions sources name each=() options=(-DMSG_COMMS_MPI=1 -DCASTOR_ARMCI_CLASSIC)
  IFS='|' read -r program definitions sources <<<"$1"
  [ "$definitions" = - ] || read -r -a each <<<"$definitions"
  for name in "${headers[@]}"; do options+=("-DHAVE_${name}_H=1"); done
  read -r -a sources <<<"$sources"
  name=${program//\//.}
  rm -f "$directory/programs/$name"
  # The macros of ARMCI's own headers are wanted, but armci.h is ours.
  "$installed/bin/mpicc" -O2 -w "${options[@]}" "${each[@]}" -idirafter "$source/armci/src/include" \
    "${sources[@]/#/$source/}" -larmci -lm -o "$directory/programs/$name" >"$directory/logs/$name" 2>&1 || true
}

# why_not_built PROGRAM: the first complaint about it.
why_not_built() {
  local name=${1//\//.}
  case $1 in
    armci/*) build_complaint "$directory/logs/$name" ;;
    *) make -k -C "$directory/package" "$1$(print_words "\$(EXEEXT)")" >"$directory/logs/$name" 2>&1 || true
      build_complaint "$directory/logs/$name" ;;
  esac
}
