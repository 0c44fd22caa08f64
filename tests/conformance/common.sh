# What the conformance runs share, beside scripts/options.sh. A script that sources it sets program_name, for
# rule() rules (a file), and has a function usage, which prints the options.
# shellcheck shell=bash disable=SC2034,SC2154

# shellcheck source=scripts/options.sh
. "$(dirname "${BASH_SOURCE[0]}")/../../scripts/options.sh"

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

# use_clocks CLOCK: sets clocks to what virtual, live or both stands for.
use_clocks() {
  case $1 in
    virtual | live) clocks=("$1") ;;
    both) clocks=(virtual live) ;;
    *) refuse "--clock $1: virtual, live or both" ;;
  esac
}

# use_directory DIRECTORY: makes it and sets directory to its full name.
use_directory() {
  mkdir -p "$1"
  directory=$(cd "$1" && pwd -P)
}
