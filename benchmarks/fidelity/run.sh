#!/usr/bin/env bash
# How far fidelity message is from fidelity packet: pairs, open loops and halo bursts in both.
#
# Columns, with their names in CSV and JSON:
#   kind, load    what is sent
#   message_us    completion (pairs, bursts) or mean latency (open loops) in fidelity message
#   packet_us     the same in fidelity packet
#   error         of message, percent
#   queue         message's longest queue before a link, over what the tiles there hold
set -euo pipefail
export LC_ALL=C
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)

usage() {
  cat <<'TEXT'
usage: run.sh [BUILD_DIRECTORY] [options]
Runs the same loads in both fidelities of the network and prints how far message is from packet; takes
some minutes. The script's head says what each column means. BUILD_DIRECTORY: default build/release.
  --torus XxYxZ   the network (4x4x16)
  --draw FILE     draws errors by queues into an SVG file
  --csv, --json   the format; else a table
TEXT
}
default_build=$here/../../build/release
# shellcheck source=scripts/rows.sh
. "$here/../../scripts/rows.sh"

torus=4x4x16 draw=''
read_options 'torus draw' '' "$@"
[ ${#wanted[@]} -eq 0 ] || refuse "${wanted[0]}: not an option; see --help"
need_programs fidelity_error
[ -z "$draw" ] || need_gnuplot
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

begin_table fidelity '' 'kind|-10' 'load|-26' 'message_us|12|message|us|3' 'packet_us|12|packet|us|3' \
  'error|9||%|2' 'queue|9|||2'
progress "the first pair ..."
while IFS=, read -r kind load message_us packet_us error queue; do
  printf '%s,%s,%s,%s,%s,%s\n' "$kind" "$load" "$message_us" "$packet_us" "$error" "$queue" >>"$work/table"
  [ "$kind" != kind ] || continue
  table_row "$kind" "$load" "$message_us" "$packet_us" "$error" "$queue"
  progress "after $kind, $load ..."
done < <("$build/bin/fidelity_error" --torus "$torus" --csv)
end_table
[ -z "$draw" ] || gnuplot -e "table='$work/table'; output_file='$draw'" "$here/errors.gp"
