#!/usr/bin/env bash
# commands.sh PAGE SOURCE_TREE BUILD_TREE [INSTALLED_TREE]: runs the command lines of a page as they stand.
#
# Command lines are the lines of ```sh blocks, and indented lines that begin with a command. They run in
# the page's order, in a folder that looks like the root of the source tree, with the program of
# README.md as my_program, program and a.out. Each has to end with 0 within two minutes. What cannot run
# here is in commands.txt, each with its reason; a line there that no page has is an error. With
# INSTALLED_TREE the programs are those of that tree; lines that name build/ or castor.sh are left out.
set -euo pipefail
page=$1 source=$(realpath "$2") build=$(realpath "$3") installed=${4:+$(realpath "$4")}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
bin=${installed:-$build}/bin
status=0
complain() { echo "wrong: $*" >&2; status=1; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
mkdir build
ln -s "$build" build/release
for each in "$source"/*; do
  [ "$each" -ef "$source/build" ] || ln -s "$each" .
done

# castor.sh as it is, but that it installs and builds nothing: what is tested is there.
sed -e '/^command=/i setup() { :; }\nbuild() { :; }' "$source/castor.sh" >castor
rm castor.sh
mv castor castor.sh
chmod +x castor.sh

# lines PAGE: "NUMBER LINE" for each command line, comments cut off, continued lines joined.
lines() {
  awk '
    function command(text) {
      while (text ~ /^[A-Z_]+=/ && sub(/^[A-Z_]+=(\x27[^\x27]*\x27|"[^"]*"|[^ ]*) */, "", text)) {}
      return text ~ /^(aprun|mpi[a-z0-9]*(\.openmpi)?|srun|rtr|link_map|grid_order|cc|cmake|man|mkdir|echo|gdb|podman|papi_native_avail|export|source|\.\/castor\.sh|(build|benchmarks|tests)\/[^ ]*) /
    }
    function take(text) {
      sub(/(^|  +)# .*$/, "", text)
      if (joined != "") text = joined text; else first = NR
      joined = ""
      if (text ~ /\\$/) { sub(/\\$/, "", text); joined = text; return }
      if (text != "") print first, text
    }
    /^```/ { fenced = !fenced; shell = fenced && $0 ~ /^```sh/; next }
    fenced { if (shell) take($0); next }
    /^    / && (joined != "" || command(substr($0, 5))) { sub(/^    */, ""); take($0) }
  ' "$1"
}

# excused LINE: whether commands.txt says why this line does not run here.
excused() {
  local where pattern reason
  while IFS='|' read -r where pattern reason; do
    # shellcheck disable=SC2053 # a pattern
    [[ $where == "$name" && $1 == $pattern ]] && return 0
  done <"$here/commands.txt"
  return 1
}

# need COMMAND PACKAGE
need() { command -v "$1" >/dev/null || { echo "skipped: no $1 (package $2)"; exit 77; }; }
need papi_native_avail papi-tools
need man man-db
need gnuplot gnuplot-nox
need mpirun.openmpi openmpi-bin

name=${page#"$source/"}
awk '/^```c$/ { on = 1; next } /^```/ { on = 0 } on' "$source/README.md" >my_program.c
for each in program.c my_ga_program.c; do cp my_program.c "$each"; done
export PATH=$bin:$PATH CASTOR=$source
# Open MPI's launcher counts cores, and asks root twice.
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
mpicc -O2 -o my_program my_program.c
for each in program a.out; do cp my_program "$each"; done

ran=0
while read -r number line; do
  ! excused "$line" || continue
  if [ -n "$installed" ] && [[ $line == *build/* || $line == *castor.sh* || $line == *benchmarks/* ]]; then continue; fi
  ran=$((ran + 1))
  code=0
  if [[ $line == export\ * || $line == source\ * ]]; then
    eval "$line" || code=$?
  else
    timeout -s KILL 120 bash -c "$line" >said 2>&1 </dev/null || code=$?
  fi
  [ "$code" -eq 0 ] || complain "$name:$number: $line: exit code $code: $(tail -n 3 said)"
done < <(lines "$page")
[ -n "$(lines "$page")" ] || complain "$name: there is no command line"

# Reasons for lines that are not there.
while IFS='|' read -r where pattern reason; do
  [ "$where" = "$name" ] || continue
  found=no
  while read -r number line; do
    # shellcheck disable=SC2053
    [[ $line != $pattern ]] || found=yes
  done < <(lines "$page")
  [ "$found" = yes ] || complain "tests/docs/commands.txt: $name has no line '$pattern' ($reason)"
done <"$here/commands.txt"
echo "$name: $ran lines were run"
exit "$status"
