#!/usr/bin/env bash
# Draws availability by message size from three CSV files of smb_overhead into one SVG file.
set -euo pipefail
here=$(dirname "${BASH_SOURCE[0]}")

usage() {
  cat <<'TEXT'
usage: availability.sh OUTPUT.svg NONE.csv PHASE_ONE.csv PHASE_TWO.csv
Draws what smb_overhead --csv prints without progression, with phase one and with phase two.
TEXT
}
# shellcheck source=scripts/options.sh
. "$here/../../scripts/options.sh"
read_arguments '' '' "$@"
[ ${#wanted[@]} -eq 4 ] || refuse "four files are wanted; see --help"
for file in "${wanted[@]:1}"; do
  head -n 1 "$file" 2>/dev/null |
    grep -q '^side,msgsize,iterations,iter_t,work_t,overhead,base_t,avail' ||
    refuse "$file is not a CSV file of smb_overhead"
done
need_gnuplot
gnuplot -e "output_file='${wanted[0]}'; none='${wanted[1]}'; phase_one='${wanted[2]}'" \
  -e "phase_two='${wanted[3]}'" "$here/availability.gp"
