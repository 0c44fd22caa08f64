# What the conformance runs share. Who sources it sets program_name and rules (a file).
# shellcheck shell=bash disable=SC2034,SC2154

refuse() { printf '%s: %s\n' "$program_name" "$*" >&2; exit 2; }
die() { printf '%s: %s\n' "$program_name" "$*" >&2; exit 1; }

progress() { [ ! -t 2 ] || printf '\r\033[K%s' "$*" >&2; }

# rule NAME KEY: the value of the first rule that fits, or nothing. A line of the rules is
# PATTERN KEY VALUE; * in PATTERN stands for anything.
rule() {
  local pattern key value
  while read -r pattern key value; do
    # shellcheck disable=SC2053 # the rule's name is a pattern
    if [[ $key == "$2" && $1 == $pattern ]]; then
      printf '%s\n' "$value"
      return
    fi
  done < <(grep -v '^#' "$rules")
}

# use_build DIRECTORY: sets build to its full name, if programs can be built and run with it.
use_build() {
  if [ ! -x "$1/bin/aprun" ] || [ ! -x "$1/bin/mpicc" ]; then
    refuse "$1: no aprun and mpicc there"
  fi
  build=$(cd "$1" && pwd -P)
}
