#!/usr/bin/env bash
# Writes docs/parameters.md, the reference page of every parameter, from `aprun --env-help`.
set -euo pipefail
export LC_ALL=C

usage() {
  cat <<'TEXT'
usage: make-parameters.sh [BUILD_DIRECTORY] [--print | --check]

Writes docs/parameters.md from the parameter table in BUILD_DIRECTORY's aprun (default
build/release); --print prints it instead; --check only compares, and fails if the page is old.
TEXT
}

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
page=$here/parameters.md
build=$here/../build/release
action=write
while [ $# -gt 0 ]; do
  case $1 in
    --print) action=print ;;
    --check) action=check ;;
    -h | --help) usage; exit 0 ;;
    -*) echo "make-parameters.sh: unknown option '$1'; see --help" >&2; exit 2 ;;
    *) build=$1 ;;
  esac
  shift
done
aprun=$build/bin/aprun
[ -x "$aprun" ] || { echo "make-parameters.sh: no $aprun: build first (./castor.sh build)" >&2; exit 2; }

# Each parameter is two lines: name and meaning; default, allowed values, basis and source.
markdown() {
  cat <<'TEXT'
# Parameters

Every parameter, its default and where the default comes from. This page is made from the one table
that `aprun --env-help` prints; `docs/make-parameters.sh` writes it, and a test fails where it is old.

A parameter is set in the environment, or for one run with `aprun -e NAME=VALUE`. Sizes take K, M and
G (powers of 1,024); rates are 10^9 bytes a second. A value that does not parse or is out of range
ends the run before it starts, with exit code 2; so does an unknown name that begins with CASTOR_.
An unknown name that begins with MPICH_, DMAPP_, ARMCI_, XT_SYMMETRIC_ or CRAY_PORTALS_ only gets a
warning, with the nearest name that exists; so do a variable of Cray's MPI that is not emulated, and one
that such a run does not use: the CPUs' costs and "Running in virtual time" live, "Live mode" in virtual
time, and those that stand in for an option of `aprun` under `aprun`.

Basis: *published*; *derived*: arithmetic on published figures; *estimated*; *calibrated*: chosen with
a published result in view; *design*: our own. S0 to S4 and the other tags are explained in
[sources](sources.md).
TEXT
  awk '
    function cell(text) { gsub(/\|/, "\\|", text); return text }
    function emit(   allowed, rest, basis, source, cut) {
      cut = index(details, "; allowed: ")
      rest = substr(details, cut + 11)
      value = substr(details, 9, cut - 9)
      if (!match(rest, /; (published|derived|estimated|calibrated|design)(: .*)?$/)) exit 1
      allowed = substr(rest, 1, RSTART - 1)
      rest = substr(rest, RSTART + 2)
      cut = index(rest, ": ")
      basis = cut ? substr(rest, 1, cut - 1) : rest
      source = cut ? substr(rest, cut + 2) : ""
      printf("| `%s` | %s | %s | %s | %s | %s |\n", name, cell(value), cell(allowed), basis,
             cell(source), cell(meaning))
    }
    /^[^ ]/ {
      printf("\n## %s\n\n| parameter | default | allowed | basis | source | meaning |\n|---|---|---|---|---|---|\n", $0)
      next
    }
    /^  [^ ]/ { name = $1; meaning = $0; sub(/^ +[^ ]+ +/, "", meaning); next }
    /^ +default / { details = $0; sub(/^ +/, "", details); emit() }'
}

help=$("$aprun" --env-help)
made=$(markdown <<<"$help")
case $action in
  print) printf '%s\n' "$made" ;;
  write) printf '%s\n' "$made" >"$page" ;;
  check)
    if ! diff -u "$page" <(printf '%s\n' "$made"); then
      echo "make-parameters.sh: docs/parameters.md is old: run docs/make-parameters.sh $build" >&2
      exit 1
    fi
    ;;
esac
