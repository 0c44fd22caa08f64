#!/usr/bin/env bash
# Draws availability by message size from three CSV files of smb_overhead into one SVG file.
set -euo pipefail
here=$(dirname "${BASH_SOURCE[0]}")

if [ $# -ne 4 ]; then
  echo "usage: availability.sh OUTPUT.svg NONE.csv PHASE_ONE.csv PHASE_TWO.csv" >&2
  exit 2
fi
for file in "${@:2}"; do
  if ! head -n 1 "$file" 2>/dev/null |
      grep -q '^side,msgsize,iterations,iter_t,work_t,overhead,base_t,avail'; then
    echo "availability.sh: $file is not a CSV file of smb_overhead" >&2
    exit 2
  fi
done
gnuplot -e "output_file='$1'; none='$2'; phase_one='$3'; phase_two='$4'" "$here/availability.gp"
