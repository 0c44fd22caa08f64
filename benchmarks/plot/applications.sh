#!/usr/bin/env bash
# Draws Cray's tables of S3D and MILC, published beside ours, from the CSV output of the scripts in
# benchmarks/applications into one SVG file.
set -euo pipefail
export LC_ALL=C
here=$(dirname "${BASH_SOURCE[0]}")

usage() {
  cat <<'TEXT'
usage: applications.sh OUTPUT.svg S3D.csv MILC.csv
Draws what s3d_table.sh --csv and milc_table.sh --csv print, published beside ours.
TEXT
}
# shellcheck source=scripts/options.sh
. "$here/../../scripts/options.sh"
read_arguments '' '' "$@"
[ ${#wanted[@]} -eq 3 ] || refuse "three files are wanted; see --help"
output=${wanted[0]}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# bars FILE COLUMN SCRIPT VALUE > BARS: "label" published ours, of the rows of the first table whose
# COLUMN (of run types) says VALUE and for which something was published. Any VALUE where it is
# empty; the label then says it too.
bars() {
  awk -v column="$2" -v wanted="${4:-}" '
    # A run type is quoted if it contains commas.
    function split_row() {
      if (match($0, /^("[^"]*"|[^",]*),/) == 0) return 0
      type = substr($0, 1, RLENGTH - 1)
      gsub(/"/, "", type)
      return split(substr($0, RLENGTH + 1), field, ",")
    }
    # A line ends at a comma, or before a word that would make it longer than 16 letters.
    function wrapped(text,   count, word, i, line, lines) {
      count = split(text, word, " ")
      line = word[1]
      for (i = 2; i <= count; ++i) {
        if (line ~ /,$/ || length(line " " word[i]) > 16) {
          lines = lines line "\\n"
          line = word[i]
        } else {
          line = line " " word[i]
        }
      }
      return lines line
    }
    NR == 1 {
      split_row()
      if (type != "run_type" || field[1] != column || field[2] != "published" || field[3] != "ours") exit 1
      next
    }
    split_row() == 0 { exit }
    field[2] == "" || (wanted != "" && field[1] != wanted) { next }
    {
      label = wrapped(type (wanted == "" ? ", " field[1] " " column : ""))
      printf "\"%s\" %s %s\n", label, field[2], field[3]
      ++rows
    }
    END { if (!rows) exit 1 }' "$1" 2>/dev/null || {
    refuse "$1 has no table of $3 --csv with $2${4:+ $4}"
  }
}

bars "${wanted[1]}" threads s3d_table.sh >"$work/s3d"
for ranks in 8192 4096; do bars "${wanted[2]}" ranks milc_table.sh $ranks >"$work/milc_$ranks"; done
need_gnuplot
gnuplot -e "output_file='$output'; s3d='$work/s3d'" \
  -e "milc_8192='$work/milc_8192'; milc_4096='$work/milc_4096'" "$here/applications.gp"
