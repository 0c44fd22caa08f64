#!/usr/bin/env bash
# Draws Cray's tables of S3D and MILC, published beside ours, from the CSV output of
# compare.sh, into one SVG file.
set -euo pipefail
export LC_ALL=C
here=$(dirname "${BASH_SOURCE[0]}")

usage() {
  cat <<'TEXT'
usage: applications.sh OUTPUT.svg TABLES.csv
Draws what compare.sh --row s3d_table --row milc_table --csv prints, published beside ours.
TEXT
}
# shellcheck source=scripts/options.sh
. "$here/../../scripts/options.sh"
read_arguments '' '' "$@"
[ ${#wanted[@]} -eq 2 ] || refuse "two files are wanted; see --help"
output=${wanted[0]}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# bars ROW WHAT [RANKS] > BARS: "label" published ours, of the seconds of WHAT for which something was
# published; the label says all that stands behind WHAT, but for the RANKS that are drawn.
bars() {
  awk -v row="$1" -v what="$2, " -v ranks="${3:+, $3}" '
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
    index($0, row ",\"" what) != 1 { next }
    {
      text = substr($0, length(row) + 3)
      end = index(text, "\"")
      split(substr(text, end + 2), field, ",")
      label = substr(text, length(what) + 1, end - length(what) - 1)
      if (field[1] !~ /^[0-9.]+ s$/ || field[2] !~ /^[0-9.]+ s$/) next
      if (ranks != "" && substr(label, length(label) - length(ranks) + 1) != ranks) next
      printf "\"%s\" %s %s\n", wrapped(substr(label, 1, length(label) - length(ranks))), field[1] + 0, field[2] + 0
      ++rows
    }
    END { if (!rows) exit 1 }' "${wanted[1]}" 2>/dev/null ||
    refuse "${wanted[1]} has no rows of $1${3:+ with $3}, as compare.sh --row $1 --csv prints them"
}

bars s3d_table 'seconds per step' >"$work/s3d"
for ranks in 8,192 4,096; do bars milc_table 'seconds of a run' "$ranks ranks" >"$work/milc_${ranks/,/}"; done
need_gnuplot
gnuplot -e "output_file='$output'; s3d='$work/s3d'" \
  -e "milc_8192='$work/milc_8192'; milc_4096='$work/milc_4096'" "$here/applications.gp"
