#!/usr/bin/env bash
# The manual pages and the completion say what the programs say: pages.sh manual|completion BUILD_DIR [SHARE_DIR].
set -euo pipefail
export LC_ALL=C
step=$1 build=$2
share=${3:-$build/share}
bin=$build/bin
skip=77

fail() { echo "wrong: $*" >&2; exit 1; }

# shown PAGE: the page as text; groff has nothing to complain of.
shown() {
  groff -ww -man -Tascii -P-cbou "$share/man/$1" 2>"$work/complaints"
  [ ! -s "$work/complaints" ] || fail "$1: $(head -n 3 "$work/complaints")"
}

# section TITLE FILE: of a page, the lines below a heading.
section() { awk -v title="$1" '/^[^ ]/ { on = $0 == title } on' "$2"; }

# names_in_help COMMAND ...: what it calls its options, one a line.
names_in_help() {
  "$@" | sed -n 's/^  \(-[^ ].*\)/\1/p' | sed 's/   *.*//' | tr -d ',' | tr ' ' '\n' | grep '^-' | sort
}

# tags FILE: what stands in front of paragraphs, one a line.
tags() { sed -n 's/^       \([^ ].*\)/\1/p' "$1" | sed 's/   *.*//' | tr -d ',' | tr ' ' '\n' | sort -u; }

# has_all WHAT WANTED FOUND: every line of WANTED, which are at least LEAST, is in FOUND.
has_all() {
  local what=$1 wanted=$2 found=$3 least=$4 missing
  [ "$(wc -l <"$wanted")" -ge "$least" ] || fail "$what: only $(wc -l <"$wanted") asked for"
  missing=$(comm -23 "$wanted" "$found" | tr '\n' ' ')
  [ -z "$missing" ] || fail "$what: missing are $missing"
}

check_manual() {
  command -v groff >/dev/null || { echo "skipped: no groff (package groff-base)"; exit $skip; }
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  shown man1/aprun.1 >"$work/aprun"
  shown man1/mpicc.1 >"$work/mpicc"
  shown man1/rtr.1 >"$work/rtr"
  shown man7/castor-variables.7 >"$work/variables"
  section "OPTIONS OF APRUN" "$work/aprun" >"$work/section"
  tags "$work/section" >"$work/found"
  names_in_help "$bin/aprun" --help >"$work/wanted"
  has_all "aprun(1)" "$work/wanted" "$work/found" 25
  section "OPTIONS OF MPIEXEC AND MPIRUN" "$work/aprun" >"$work/section"
  tags "$work/section" >"$work/found"
  for name in mpiexec mpirun; do
    names_in_help "$bin/$name" --help >"$work/wanted"
    has_all "$name(1)" "$work/wanted" "$work/found" 25
  done
  tags "$work/mpicc" >"$work/found"
  names_in_help "$bin/mpicc" -castor-help >"$work/wanted"
  has_all "mpicc(1)" "$work/wanted" "$work/found" 5
  tags "$work/rtr" >"$work/found"
  names_in_help "$bin/rtr" --help >"$work/wanted"
  has_all "rtr(1)" "$work/wanted" "$work/found" 5
  shown man1/grid_order.1 >"$work/grid_order"
  tags "$work/grid_order" >"$work/found"
  names_in_help "$bin/grid_order" --help >"$work/wanted"
  has_all "grid_order(1)" "$work/wanted" "$work/found" 10
  shown man1/link_map.1 >"$work/link_map"
  tags "$work/link_map" >"$work/found"
  names_in_help "$bin/link_map" --help >"$work/wanted"
  has_all "link_map(1)" "$work/wanted" "$work/found" 3
  tags "$work/variables" >"$work/found"
  "$bin/aprun" --env-help | sed -n 's/^  \([^ ]*\) .*/\1/p' | grep . | sort >"$work/wanted"
  has_all "castor-variables(7)" "$work/wanted" "$work/found" 100
  # The text, too, of the first and of the last.
  for word in CASTOR_INTERRUPT_HANDLER CASTOR_CPU_BINDING; do
    help=$("$bin/aprun" --env-help "$word" | sed -n "s/^  $word *//p")
    grep -qF -e "${help:0:40}" "$work/variables" || fail "castor-variables(7) does not say: $help"
  done
  for name in mpiexec mpirun mpicxx mpifort mpif77 mpif90; do
    read -r request page <"$share/man/man1/$name.1"
    { [ "$request" = .so ] && [ -s "$share/man/$page" ]; } || fail "$name.1 leads to $page"
  done
  # bin/ in PATH leads man to share/man.
  if command -v man >/dev/null && [ "$share" = "$build/share" ]; then
    for name in aprun mpiexec mpicc grid_order link_map rtr castor-variables; do
      found=$(unset MANPATH; PATH=$bin:$PATH man -w "$name") || fail "man finds no $name"
      [[ $found == "$(realpath "$share")"/man/man[17]/* ]] || fail "man finds $found for $name"
    done
  fi
}

# offered WORDS ... : what is offered for the last of them, one a line.
offered() {
  bash -c '
    source "$1" && shift
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
    "$(complete -p "${1##*/}" | sed "s/.*-F \([^ ]*\) .*/\1/")"
    printf "%s\n" "${COMPREPLY[@]}"' bash "$share/bash-completion/completions/${1##*/}" "$@"
}

# offers WORDS ... : the same in order, on one line.
offers() { offered "$@" | sort | tr '\n' ' '; }

# expect WANTED WORDS ...
expect() {
  local wanted=$1 got
  shift
  got=$(offers "$@")
  [ "$got" = "$wanted" ] || fail "for '$*' is offered '$got', not '$wanted'"
}

check_completion() {
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  mkdir "$work/folder"
  touch "$work/file" "$work/folder/program"
  cd "$work"
  for name in aprun mpiexec mpirun rtr; do
    names_in_help "$bin/$name" --help >wanted
    offers "$name" - | tr ' ' '\n' | grep . | sort >found
    cmp -s wanted found || fail "$name offers $(tr '\n' ' ' <found)"
  done
  rm wanted found
  expect "live virtual " aprun --clock ""
  expect "live " aprun -n 4 --clock l
  expect "live " aprun --clock = l
  expect "live virtual " aprun --clock =
  expect "live " mpiexec -clock l
  expect "auto " aprun -q --compute a
  expect "cpu " aprun -cc c
  expect "hopper " aprun --system h
  expect "cielo edison hopper " rtr --interconnect --system ""
  expect "cielo " rtr --system c
  expect "hopper " rtr --system = h
  expect "cielo edison hopper " rtr --system =
  expect "--interconnect " rtr --i
  expect "--clock " /some/where/aprun --cl
  expect "-ppn -prepend-rank " mpiexec -p
  expect "--compute --compute-factor " mpirun -np 2 --compu
  expect " " aprun -n ""
  expect " " mpiexec -env A ""
  expect " " aprun -e A = b
  expect "file folder " mpiexec -env A b ./nothing ""
  expect "file folder " aprun -e A = b -- ./nothing ""
  expect "folder " mpiexec -wdir fo
  expect "folder/program " aprun -n 2 folder/
  expect "file " aprun -n 2 folder/program -n fil
  expect "file " aprun -n 2 folder/program --clock fil
  expect "file folder " aprun --clock live --node f
  mkdir 'with blanks'
  touch 'with blanks/b a'
  expect "with blanks/b a " aprun 'with blanks/'
  [ "$(offered aprun 'with blanks/' | wc -l)" = 1 ] || fail "a name with blanks is offered in parts"
  expect "CASTOR_SEED " aprun --env-help CASTOR_SEE
  expect " " aprun no_such_program_here
  [[ $(offers aprun ech) == *"echo "* ]] || fail "commands are not offered"
}

case $step in
  manual) check_manual ;;
  completion) check_completion ;;
  *) fail "no step $step" ;;
esac
