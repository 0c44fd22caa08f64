#!/usr/bin/env bash
# Draws availability and overhead by message size from three CSV files of smb_overhead into one SVG
# file.
set -euo pipefail
here=$(dirname "${BASH_SOURCE[0]}")

usage() {
  cat <<'TEXT'
usage: availability.sh OUTPUT.svg NONE.csv PHASE_ONE.csv PHASE_TWO.csv [--protocols MAILBOX,EAGER,CHUNK]
Draws what smb_overhead --csv prints without progression, with phase one and with phase two.
  --protocols M,E,C  lines where the protocol changes, in bytes: the largest message in a mailbox, the
                     first by rendezvous, the first by a cooperative write (1024,8192,524288)
TEXT
}
# shellcheck source=scripts/options.sh
. "$here/../../scripts/options.sh"
protocols=1024,8192,524288
read_arguments protocols '' "$@"
[ ${#wanted[@]} -eq 4 ] || refuse "four files are wanted; see --help"
for file in "${wanted[@]:1}"; do
  head -n 1 "$file" 2>/dev/null |
    grep -q '^side,msgsize,iterations,iter_t,work_t,overhead,base_t,avail' ||
    refuse "$file is not a CSV file of smb_overhead"
done
[[ $protocols =~ ^[0-9]+,[0-9]+,[0-9]+$ ]] || refuse "--protocols $protocols: three sizes in bytes, as 1024,8192,524288"
IFS=, read -r mailbox eager chunk <<<"$protocols"

# What lies between two sizes, if anything does: "-" stands for a line's end.
changes=() stretches=(eager:-mailbox)
if [ "$mailbox" -lt "$eager" ]; then
  changes+=("$mailbox") stretches+=(eager:-DMA)
fi
if [ "$eager" -lt "$chunk" ]; then
  changes+=("$eager") stretches+=(rendezvous:-receiver-reads)
fi
changes+=($((chunk > eager ? chunk : eager))) stretches+=(coop.-write)
need_gnuplot
gnuplot -e "output_file='${wanted[0]}'; none='${wanted[1]}'; phase_one='${wanted[2]}'" \
  -e "phase_two='${wanted[3]}'; changes='${changes[*]}'; protocols='${stretches[*]}'" \
  "$here/availability.gp"
