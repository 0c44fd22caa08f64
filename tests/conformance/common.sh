# What the conformance runs share. Who sources it sets program_name, for rule() rules (a file), and has a
# function usage, which prints the options.
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

# read_options VALUES FLAGS ARGUMENT ...: reads the command line of a run. VALUES and FLAGS name its
# options, without their dashes. An option's value goes into the variable of its name, with _ for -;
# a flag's is yes. Sets also build, format (csv, json or table) and wanted (all other names).
read_options() {
  local values=" $1 " flags=" $2 " option
  shift 2
  build='' format=table wanted=()
  while [ $# -gt 0 ]; do
    option=${1#--}
    case $1 in
      -h | --help) usage; exit 0 ;;
      --csv | --json) format=$option ;;
      -*)
        if [[ $1 =~ ^--[a-z-]+$ && $values == *" $option "* ]]; then
          [ $# -gt 1 ] || refuse "$1 needs a value"
          printf -v "${option//-/_}" %s "$2"
          shift
        elif [[ $1 =~ ^--[a-z-]+$ && $flags == *" $option "* ]]; then
          printf -v "${option//-/_}" yes
        else
          refuse "unknown option $1; see --help"
        fi
        ;;
      *) if [ -z "$build" ]; then build=$1; else wanted+=("${1%/}"); fi ;;
    esac
    shift
  done
  [ -n "$build" ] || { usage >&2; exit 2; }
  use_build "$build"
}

# positive OPTION VALUE
positive() { [[ $2 =~ ^[1-9][0-9]{0,5}$ ]] || refuse "$1 $2: a number from 1 on"; }

# rank_list OPTION VALUE: numbers of ranks.
rank_list() { [[ $2 =~ ^[1-9][0-9]*(,[1-9][0-9]*)*$ ]] || refuse "$1 $2: numbers with commas"; }

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
