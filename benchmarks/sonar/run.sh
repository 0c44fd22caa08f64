#!/usr/bin/env bash
# S0's section V: every value beside ours, and figure 5 as a table and as a picture.
set -euo pipefail
export LC_ALL=C
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)

usage() {
  cat <<'TEXT'
usage: run.sh [BUILD_DIRECTORY] [options]

Sends pings between two nodes, reads the Geminis' counters before and after, and prints what S0 has
measured so beside ours; then figure 5: bytes that the source's Gemini injects into the network
(figure 5a), and those that it injects and receives (5b), per MPI message. BUILD_DIRECTORY: default
build/release.

  --messages NUMBER   messages of each size to take the mean of (default 10)
  --output FILE.svg   the picture (default figure5.svg; none: no picture)
  --csv, --json       the format of figure 5, without the other values; else text
TEXT
}
default_build=$here/../../build/release messages=10 output=figure5.svg
# shellcheck source=scripts/rows.sh
. "$here/../../scripts/rows.sh"
read_options 'messages output' '' "$@"
no_names
[[ $messages =~ ^[1-9][0-9]{0,3}$ ]] || refuse "--messages '$messages': must be a number from 1 to 9999"
[ "$output" = none ] || need_gnuplot

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
[ "$format" != table ] || "$here/../published/compare.sh" "$build" --row sonar

sizes=1,2,4,8,16,32,64,128,256,512,1K,2K,4K,8K,16K,32K,64K,128K,256K,512K,1M,2M,4M
"$build/bin/rtr" --system 4x4x4 --interconnect >"$work/interconnect.txt"
"$build/bin/aprun" -q --system 4x4x4 -n 2 -N 1 -L 0,2 "$build/bin/sonar" --operation message \
  --iterations "$messages" --sizes $sizes --map "$work/interconnect.txt" --csv >"$work/counters.csv"

# Of the source's Gemini, (0,0,0): what its hosts have injected (HH), and what has come over links.
awk -F, -v messages="$messages" '
  NR == 1 { for (i = 1; i <= NF; ++i) at[$i] = i; next }
  $at["x"] + $at["y"] + $at["z"] > 0 { next }
  {
    size = $at["msgsize"]
    if (!(size in seen)) { seen[size] = 1; sizes[++count] = size }
    way = $at["link"] == "HH" ? "injected" : "received"
    for (channel = 0; channel < 2; ++channel) {
      bytes[size, way, channel] += 3 * $at["vc" channel "_phits"] / messages
    }
  }
  END {
    for (i = 1; i <= count; ++i) {
      size = sizes[i]
      all = 0
      line = size
      for (k = 0; k < 4; ++k) {
        value = bytes[size, k < 2 ? "injected" : "received", k % 2]
        all += value
        line = line " " sprintf("%.1f", value)
      }
      print line, sprintf("%.1f", all), sprintf("%.2f", 100 * size / all)
    }
  }' "$work/counters.csv" >"$work/figure5"

begin_table figure5 $'\nS0 figure 5: bytes per MPI message at the source'"'"'s Gemini' 'msgsize|8|message|B' \
  'injected_vc0|12|injected\nVC0|B|1' 'injected_vc1|12|injected\nVC1|B|1' \
  'received_vc0|12|received\nVC0|B|1' 'received_vc1|12|received\nVC1|B|1' 'all|12|all|B|1' \
  'efficiency|14||%|2'
while read -r -a cells; do table_row "${cells[@]}"; done <"$work/figure5"
end_table
[ "$output" != none ] || exit 0
gnuplot -e "output_file='$output'; data_file='$work/figure5'" "$here/figure5.gp"
remark "figure 5: $output"
