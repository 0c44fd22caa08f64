#!/usr/bin/env bash
# Draws one column of CSV files (mpi_latency, mpi_bandwidth, ugni_perf, ...) by message size.
set -euo pipefail
here=$(dirname "${BASH_SOURCE[0]}")

usage() {
  cat <<'TEXT'
usage: curves.sh OUTPUT.svg COLUMN FILE.csv[:COLUMN=VALUE[,COLUMN=VALUE...]][@TITLE] ...
One curve per FILE: COLUMN over msgsize, of the rows in which every named column has that value.
  curves.sh put.svg latency perf.csv:engine=fma,operation=put@FMA perf.csv:engine=bte,operation=put@BTE
TEXT
}
# shellcheck source=scripts/options.sh
. "$here/../../scripts/options.sh"
read_arguments '' '' "$@"
[ ${#wanted[@]} -ge 3 ] || refuse "a picture, a column and a file are wanted; see --help"
output=${wanted[0]} column=${wanted[1]}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
number=0
plots=()
for argument in "${wanted[@]:2}"; do
  title=${argument#*@}
  selection=${argument%%@*}
  file=${selection%%:*}
  filter=${selection#"$file"}
  number=$((number + 1))
  if ! awk -F, -v column="$column" -v filter="${filter#:}" '
    NR == 1 {
      for (i = 1; i <= NF; ++i) index_of[$i] = i
      if (!("msgsize" in index_of) || !(column in index_of)) exit 1
      count = split(filter, wanted, ",")
      for (k = 1; k <= count; ++k) {
        split(wanted[k], pair, "=")
        if (!(pair[1] in index_of)) exit 1
        where[k] = index_of[pair[1]]
        value[k] = pair[2]
      }
      next
    }
    {
      for (k = 1; k <= count; ++k) if ($where[k] != value[k]) next
      print $index_of["msgsize"], $index_of[column]
    }' "$file" >"$work/$number"; then
    refuse "$file: no such column ('msgsize', '$column', ${filter#:})"
  fi
  plots+=("'$work/$number' using 1:2 with linespoints lw 2 pt 7 ps 0.5 title \"${title//\"/}\"")
done
list=$(IFS=,; echo "${plots[*]}")
need_gnuplot
gnuplot -e "output_file='$output'; quantity='$column'" -e "curves=\"${list//\"/\\\"}\"" \
  "$here/curves.gp"
echo "curves: $output"
