# How the scripts read their command lines, refuse what is wrong with them and report progress. Sourced;
# the caller has a function usage, which prints its options, and may set
#   program_name   what stands before its complaints (the script's name)
#   default_build  the build directory if none is named (none: it must be named)
# shellcheck shell=bash disable=SC2034

: "${program_name:=${0##*/}}" "${default_build:=}" "${format:=table}"

refuse() { printf '%s: %s\n' "$program_name" "$*" >&2; exit 2; }
die() { printf '%s: %s\n' "$program_name" "$*" >&2; exit 1; }

progress() { [ ! -t 2 ] || printf '\r\033[K%s' "$*" >&2; }

# read_arguments VALUES FLAGS ARGUMENT ...: reads a command line. VALUES and FLAGS name the options,
# without their dashes. An option's value goes into the variable of its name, with _ for -; a value
# named NAME+ may be given several times and is appended to an array; a flag's is yes. Of the flags
# csv and json the last sets format instead (table without them). All else goes into wanted.
read_arguments() {
  local values=" $1 " flags=" $2 " option name
  shift 2
  format=table wanted=()
  while [ $# -gt 0 ]; do
    case $1 in
      -h | --help) usage; exit 0 ;;
      --?*)
        option=${1#--} name=${1#--}
        name=${name//-/_}
        if [[ ! $option =~ ^[a-z-]+$ ]]; then
          refuse "unknown option $1; see --help"
        elif [[ $flags == *" $option "* ]]; then
          case $option in
            csv | json) format=$option ;;
            *) printf -v "$name" yes ;;
          esac
        elif [[ $values == *" $option "* || $values == *" $option+ "* ]]; then
          [ $# -gt 1 ] || refuse "$1 needs a value"
          if [[ $values == *" $option "* ]]; then
            printf -v "$name" %s "$2"
          else
            local -n appended=$name
            appended+=("$2")
            unset -n appended
          fi
          shift
        else
          refuse "unknown option $1; see --help"
        fi
        ;;
      -*) refuse "unknown option $1; see --help" ;;
      *) wanted+=("$1") ;;
    esac
    shift
  done
}

# read_options VALUES FLAGS ARGUMENT ...: the same for a run that prints rows: it has --csv and --json,
# and the first of the other words is the build directory (build); where there is a default, only if it
# has a / or is a directory.
read_options() {
  read_arguments "$1" "$2 csv json" "${@:3}"
  take_build
}

# take_build: sets build to the build directory that wanted begins with, or to the default, and takes
# it from wanted.
take_build() {
  build=$default_build
  if [ ${#wanted[@]} -gt 0 ] && [[ -z $build || ${wanted[0]} == */* || -d ${wanted[0]} ]]; then
    build=${wanted[0]}
    wanted=("${wanted[@]:1}")
  fi
  wanted=("${wanted[@]%/}")
  [ -n "$build" ] || refuse "which BUILD_DIRECTORY? see --help"
  use_build "$build"
}

# use_build DIRECTORY: sets build to its full name, if programs can be built and run with it.
use_build() {
  if [ ! -x "$1/bin/aprun" ] || [ ! -x "$1/bin/mpicc" ]; then
    refuse "$1: no aprun and mpicc in its bin; build first (./castor.sh build)"
  fi
  build=$(cd "$1" && pwd -P)
}

# What draws pictures is no part of a build.
need_gnuplot() { command -v gnuplot >/dev/null || die "no gnuplot here: ./castor.sh setup smb"; }

# need_programs NAME ...: programs of the build.
need_programs() {
  local name
  for name in "$@"; do
    [ -x "$build/bin/$name" ] || refuse "$build: no $name in its bin; build first (./castor.sh build)"
  done
}

# no_names: refuses words that a script without any was given.
no_names() { [ ${#wanted[@]} -eq 0 ] || refuse "what is ${wanted[0]}? see --help"; }

# positive WHAT VALUE
positive() { [[ $2 =~ ^[1-9][0-9]{0,8}$ ]] || refuse "$1 $2: a whole number from 1 to 999999999"; }

# rank_list WHAT VALUE: numbers of ranks.
rank_list() { [[ $2 =~ ^[1-9][0-9]*(,[1-9][0-9]*)*$ ]] || refuse "$1 $2: numbers with commas"; }

# one_of WHAT VALUE ALLOWED ...
one_of() {
  local each allowed
  for each in "${@:3}"; do [ "$2" != "$each" ] || return 0; done
  printf -v allowed ', %s' "${@:3}"
  refuse "$1 $2: one of ${allowed#, }"
}
