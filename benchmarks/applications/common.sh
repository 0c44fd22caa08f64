# What the applications' tables share: their command line, rows of published figures beside ours. Sourced;
# the caller has a function usage, and calls read_table_options before all else.
# shellcheck shell=bash disable=SC2034,SC2154

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
default_build=$here/../../build/release
# shellcheck source=scripts/rows.sh
. "$here/../../scripts/rows.sh"
# shellcheck source=benchmarks/applications/runs.sh
. "$here/runs.sh"

# read_table_options PROGRAM ARGUMENT ...: sets short, and what the runs of runs.sh want.
read_table_options() {
  short=no
  read_options '' short "${@:2}"
  no_names
  need_programs "$1"
  bin=$build/bin
  scratch=$(mktemp -d)
  trap 'rm -rf "$scratch"' EXIT
}

# off PUBLISHED OURS: "+3.4", or nothing where nothing was published.
off() { [ -z "$1" ] || printf '%+.1f' "$(calculate "100 * ($2 - $1) / $1" 3)"; }
