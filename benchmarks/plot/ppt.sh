#!/usr/bin/env bash
# Draws S2's figures 6 and 7 from the CSV output of compare.sh, into one SVG file.
set -euo pipefail
export LC_ALL=C
here=$(dirname "${BASH_SOURCE[0]}")

usage() {
  cat <<'TEXT'
usage: ppt.sh OUTPUT.svg TABLE.csv
Draws what compare.sh --row ppt_fig6 --row ppt_fig7 --csv prints: nodes by delay, and the time of
MPI_Allreduce by nodes, with each set of costs and each fidelity.
TEXT
}
# shellcheck source=scripts/options.sh
. "$here/../../scripts/options.sh"
read_arguments '' '' "$@"
[ ${#wanted[@]} -eq 2 ] || refuse "two files are wanted; see --help"
output=${wanted[0]} table=${wanted[1]}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# lines ROW QUANTITY: LABEL|COSTS, FIDELITY|FIGURES of such rows; the label is what stands in \( \).
lines() {
  sed -n "s/^$1,\"$2 (\([^()\"]*\))\",,\([0-9. ]*\),,SHOWN,.*/\1|\2|\3/p" "$table" 2>/dev/null || true
}

# curves ROW QUANTITY NAME STYLE PROGRAM: one curve for each line, whose points an awk program makes.
curves() {
  local name=$3 style=$4 program=$5 label figures title number=0 list=''
  while IFS='|' read -r label title figures; do
    number=$((number + 1))
    awk -v label="$label" -v figures="$figures" "$program" </dev/null >"$work/$name.$number"
    list+="${list:+, }'$work/$name.$number' using 1:2 with $style title \"$title\""
  done < <(lines "$1" "$2")
  [ -n "$list" ] || refuse "$table has no rows of $1, as compare.sh --row $1 --csv prints them"
  printf '%s' "$list"
}

bins='BEGIN { n = split(figures, ranks, " "); for (i = 1; i <= n; ++i) print label + 0.25 * (i - 1), ranks[i] }'
nodes='BEGIN { n = split(figures, us, " "); for (i = 1; i <= n; ++i) print i == 13 ? 6384 : 2 ^ i, us[i] }'
histogram=$(curves ppt_fig6 'histogram: nodes in bins of 0.25 us, the first around \([0-9.]*\) us' histogram 'histeps lw 2' "$bins")
small=$(curves ppt_fig7 "us of 8 B, \(PPT's tree\), [^\"]*" small 'linespoints lw 2 pt 7 ps 0.6' "$nodes")
large=$(curves ppt_fig7 "us of 64 KB, \(PPT's tree\), [^\"]*" large 'linespoints lw 2 pt 7 ps 0.6' "$nodes")
need_gnuplot
gnuplot -e "output_file='$output'" -e "histogram=\"${histogram//\"/\\\"}\"" -e "small=\"${small//\"/\\\"}\"" \
  -e "large=\"${large//\"/\\\"}\"" "$here/ppt.gp"
