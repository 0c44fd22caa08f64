#!/usr/bin/env bash
# Draws MiniGhost's three mappings from the CSV output of compare.sh, into one SVG file.
set -euo pipefail
export LC_ALL=C
here=$(dirname "${BASH_SOURCE[0]}")

usage() {
  cat <<'TEXT'
usage: minighost.sh OUTPUT.svg TABLE.csv
Draws what compare.sh --row minighost_table --csv prints: the bytes that a Gemini injects in a step, and
the time of a step, by mapping and ranks.
TEXT
}
# shellcheck source=scripts/options.sh
. "$here/../../scripts/options.sh"
read_arguments '' '' "$@"
[ ${#wanted[@]} -eq 2 ] || refuse "two files are wanted; see --help"
output=${wanted[0]}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Lines of ranks, mean, largest, ms, efficiency; the first is in the row's text.
for mapping in No-Remap Remap Random; do
  sed -n "s/^minighost_table,\"$mapping, \([0-9,]*\) ranks: [^\"]*\",,\([0-9. ]*\),.*/\1 \2/p" "${wanted[1]}" \
    >"$work/$mapping" 2>/dev/null || true
  [ -s "$work/$mapping" ] ||
    refuse "${wanted[1]} has no rows of $mapping, as compare.sh --row minighost_table --csv prints them"
done
need_gnuplot
gnuplot -e "output_file='$output'; folder='$work'" "$here/minighost.gp"
