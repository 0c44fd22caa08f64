#!/usr/bin/env bash
# S2's figure 11: how long MPI calls take in a trace of LULESH on 64 ranks, and in replays of it.
#
# Columns, with their names in CSV and JSON; times of all ranks together:
#   call                     all: of the table's calls together
#   calls, published         in the trace; in S2's trace
#   trace_ms, trace_max_ms   time in such calls, and the longest one, as recorded
#   exact_ms, exact_max_ms   replay: calls begin when the trace says (figure 11, middle)
#   shift_ms, shift_max_ms   replay: with time shift (figure 11, bottom)
#   clocks_ms, clocks_max_ms replay: exact, with the ranks' clocks set together by the messages
set -euo pipefail
export LC_ALL=C
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)

usage() {
  cat <<'TEXT'
usage: figure11.sh [BUILD_DIRECTORY] [options]
Records LULESH's messages on 64 ranks of the modelled machine (lulesh, libdumpi_record), with clocks that
are apart, and replays the trace three times. S2's own trace is not public: its sizes and counts are
those of 100 cycles with 50 elements along a side. BUILD_DIRECTORY: default build/release.
  --skew-ms F       clocks of ranks are apart by up to so much (100)
  --imbalance F     ranks have up to so much more or less to do, of 1 (0.05); the same from cycle to cycle
  --size N          elements along a side of a rank's cube (50)
  --iterations N    cycles (100)
  --keep FOLDER     leaves the trace and the replays' CSV there
  --draw FILE       draws durations over time, as figure 11 does, into a PNG or SVG file
  --csv, --json     the format; else a table
TEXT
}
default_build=$here/../../build/release
# shellcheck source=scripts/rows.sh
. "$here/../../scripts/rows.sh"

skew_ms=100 imbalance=0.05 size=50 iterations=100 keep='' draw=''
read_options 'skew-ms imbalance size iterations keep draw' '' "$@"
[ ${#wanted[@]} -eq 0 ] || refuse "${wanted[0]}: not an option; see --help"
[[ $skew_ms =~ ^[0-9]+(\.[0-9]+)?$ ]] || refuse "--skew-ms $skew_ms: a number of 0 or more is allowed"
need_programs aprun lulesh dumpi_replay
[ -z "$draw" ] || need_gnuplot
if [ -n "$keep" ]; then
  mkdir -p "$keep"
  work=$keep
else
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
fi

progress "recording 64 ranks ..."
"$build/bin/aprun" -q -n 64 -N 16 -e LD_PRELOAD="$build/lib/libdumpi_record.so" \
  -e DUMPI_RECORD_PREFIX="$work/lulesh64" \
  -e DUMPI_RECORD_SKEW_US="$(awk -v ms="$skew_ms" 'BEGIN { print ms * 1000 }')" \
  "$build/bin/lulesh" --size "$size" --iterations "$iterations" --sync none \
  --imbalance "$imbalance" --variation "$imbalance" >"$work/lulesh.txt" ||
  die "lulesh has failed"
replay() {
  progress "replaying ($1) ..."
  "$build/bin/aprun" -q -n 64 -N 16 "$build/bin/dumpi_replay" "${@:2}" --csv "$work/lulesh64.meta" \
    >"$work/$1.csv" || die "the replay has failed"
}
replay exact --exact --clocks as-recorded
replay shift --time-shift --clocks as-recorded
replay clocks --exact --clocks messages

# sums FILE COLUMN: "CALL ms longest count" of each kind of call, and of all that S2 counts.
calls='MPI_Isend MPI_Irecv MPI_Wait MPI_Waitall MPI_Allreduce MPI_Barrier MPI_Reduce'
sums() {
  awk -F, -v column="$2" -v calls="$calls" '
    BEGIN { n = split(calls, names, " "); for (i = 1; i <= n; ++i) wanted[names[i]] = 1 }
    NR == 1 { for (i = 1; i <= NF; ++i) place[$i] = i; next }
    $place["call"] in wanted {
      us = $place[column]
      for (each in both) delete both[each]
      both[$place["call"]] = both["all"] = 1
      for (each in both) { sum[each] += us; ++count[each]; if (us > most[each]) most[each] = us }
    }
    END { for (each in sum) printf "%s %.6f %.6f %d\n", each, sum[each] / 1000, most[each] / 1000, count[each] }
  ' "$work/$1.csv"
}
sums exact trace_us >"$work/trace.sums"
for each in exact shift clocks; do sums "$each" us >"$work/$each.sums"; done
of() { awk -v call="$2" -v word="$3" '$1 == call { print $word }' "$work/$1.sums"; }

begin_table figure11 '' 'call|-14' 'calls|9' 'published|10' 'trace_ms|13|trace|ms|3' \
  'trace_max_ms|10|longest|ms|3' 'exact_ms|13|exact|ms|3' 'exact_max_ms|10|longest|ms|3' \
  'shift_ms|13|time shift|ms|3' 'shift_max_ms|10|longest|ms|3' 'clocks_ms|13|clocks set|ms|3' \
  'clocks_max_ms|10|longest|ms|3'
declare -A published=([MPI_Isend]=123336 [MPI_Irecv]=123336 [MPI_Wait]=123336 [MPI_Waitall]=12864
  [MPI_Allreduce]=6336 [MPI_Barrier]=64 [MPI_Reduce]=64 [all]=389336)
for call in $calls all; do
  cells=("$call" "$(of trace "$call" 4)" "${published[$call]}")
  for each in trace exact shift clocks; do cells+=("$(of "$each" "$call" 2)" "$(of "$each" "$call" 3)"); done
  table_row "${cells[@]}"
done
end_table
[ -z "$draw" ] && exit 0

# One point for all that would fall on each other, of the first 10 s.
points() {
  awk -F, -v begin="$2" -v time="$3" '
    NR == 1 { for (i = 1; i <= NF; ++i) place[$i] = i; next }
    $place[begin] < 1e7 {
      x = int($place[begin] / 2e4) / 50; y = int($place[time] / 2e3) * 2
      if (!seen[x, y]++) print x, y
    }' "$work/$1.csv"
}
points exact trace_start_us trace_us >"$work/trace.points"
for each in exact shift clocks; do points "$each" start_us us >"$work/$each.points"; done
gnuplot -e "folder='$work'; output_file='$draw'" "$here/figure11.gp"
