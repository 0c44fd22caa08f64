# What the applications' tables share: their command line, rows of published figures beside ours.
# Sourced, after $title and $usage_text are set.

usage() { printf '%s\n' "$usage_text"; }

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=$here/../../build/release
csv=0
short=0
while [ $# -gt 0 ]; do
  case $1 in
    --csv) csv=1 ;;
    --short) short=1 ;;
    -h | --help) usage; exit 0 ;;
    -*) echo "$title: unknown option '$1'; see --help" >&2; exit 2 ;;
    *) build=$1 ;;
  esac
  shift
done
bin=$build/bin
[ -x "$bin/aprun" ] || { echo "$title: no aprun in $bin: build first (./castor.sh build)" >&2; exit 2; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# shellcheck source=../published/library.sh
. "$here/../published/library.sh"

# line WHAT VALUE...: the columns of a table, or one row; an empty value stays empty.
line() {
  if [ $csv -eq 1 ]; then
    printf '"%s"' "$1"
    shift
    printf ',%s' "$@"
  else
    printf '%-42s' "$1"
    shift
    printf '%11s' "$@"
  fi
  echo
}

# off PUBLISHED OURS: "+3.4%", or nothing where nothing was published.
off() { [ -z "$1" ] || printf '%+.1f%%' "$(calculate "100 * ($2 - $1) / $1" 3)"; }
