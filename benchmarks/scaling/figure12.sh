#!/usr/bin/env bash
# Figure 12 of PPT's paper (S2): an Allreduce of all 156,672 cores of a Hopper of 6,528 nodes, 24 ranks to
# a node, of 1 KB and of 4 KB, run by a growing number of workers. The paper's simulator ran on 12 to 3,072
# cores (4 KB: from 48 on); it says that the time falls steadily as workers are added, and prints no times.
# The data are checked; the virtual time is the same for any number of workers, or the script fails.
#
# Columns, with their names in CSV and JSON:
#   bytes            of each rank's data
#   workers          processes that run the job (aprun --workers)
#   virtual (virtual_us)     virtual time of the Allreduce, the first in the job: connections are made
#   time (elapsed_s)         of the host, start and end of the job included: the median of the rounds
#   speed-up (speed_up)      the time with one worker through this one: the median, round by round
#   CPU (cpu_s)              seconds of all workers, of the last round
#   memory (memory_gb)       of all workers, at most
#   remark                   why a row has no figures
set -euo pipefail
export LC_ALL=C
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
usage() {
  cat <<'TEXT'
usage: figure12.sh [BUILD_DIRECTORY] [options] [WORKERS ...]
An Allreduce of 156,672 ranks, of 1 and 4 KB, by so many WORKERS (1, 2, 4, ... up to the CPUs of this host).
Its head says what each column means. BUILD_DIRECTORY: default build/release. Exit code 1 if a job failed or
a virtual time is not that of one worker.
  --ranks N        another number of ranks (156672)
  --rounds N       times that each is measured, all WORKERS in turn (1)
  --limit SECONDS  longest run (60)
  --draw FILE      draws times by workers into an SVG file
  --csv, --json    the format; else a table
TEXT
}
default_build=$here/../../build/release
# shellcheck source=scripts/rows.sh
. "$here/../../scripts/rows.sh"
# shellcheck source=benchmarks/scaling/common.sh
. "$here/common.sh"

ranks=156672 rounds=1 limit=60 draw=''
read_options 'ranks rounds limit draw' '' "$@"
positive --ranks "$ranks"
positive --rounds "$rounds"
positive --limit "$limit"
counts=("${wanted[@]}")
if [ ${#counts[@]} -eq 0 ]; then
  for ((count = 1; count <= $(nproc); count *= 2)); do counts+=("$count"); done
fi
for count in "${counts[@]}"; do positive WORKERS "$count"; done
[ "${counts[0]}" -eq 1 ] || counts=(1 "${counts[@]}")
need_programs allreduce_scale
[ -z "$draw" ] || need_gnuplot

per_node=24
make_work
worst=0

# The line of -v about workers, or, with one, what `timed` has found.
used() {
  local line
  line=$(sed -n 's/^castor: [0-9]* workers: \(.*\) s of CPU time, \(.*\) GB at most;.*$/\1|\2/p' "$work/err")
  if [ -n "$line" ]; then
    awk -F'|' -v line="$line" 'BEGIN {
      split(line, part, "|")
      for (i = split(part[1], second, " [+] "); i > 0; --i) cpu += second[i]
      for (i = split(part[2], gb, " [+] "); i > 0; --i) memory += gb[i]
      printf "%.2f %.2f\n", cpu, memory
    }'
  else
    awk -v cpu="$cpu" -v rss="$rss" 'BEGIN { printf "%.2f %.2f\n", cpu, rss * 1024e-9 }'
  fi
}

# measure BYTES WORKERS: one run; a line "WORKERS virtual elapsed cpu memory" to the rounds.
measure() {
  local code=0
  progress "$1 bytes, $2 workers"
  CASTOR_WORKERS=$2 timed "$build/bin/aprun" -v -n "$ranks" -N "$per_node" "$build/bin/allreduce_scale" \
    -i 1 -m "$1" || code=$?
  [ "$code" -eq 0 ] || { why[$2]=$(why_failed "$code"); worst=1; return 0; }
  echo "$2 $(field time_us) $elapsed $(used)" >>"$work/rounds"
}

# of COUNT COLUMN: of all rounds with so many workers.
of() { awk -v count="$1" -v column="$2" '$1 == count { print $column }' "$work/rounds"; }

# speed_ups COUNT: of each round.
speed_ups() { paste -d' ' <(of 1 3) <(of "$1" 3) | awk 'NF == 2 && $2 > 0 { print $1 / $2 }'; }

rows() {
  local bytes=$1 count round elapsed speed_up virtual cpu memory rest
  local -A why=()
  : >"$work/rounds"
  for ((round = 1; round <= rounds; ++round)); do
    for count in "${counts[@]}"; do [ -n "${why[$count]:-}" ] || measure "$bytes" "$count"; done
  done
  progress
  for count in "${counts[@]}"; do
    if [ -n "${why[$count]:-}" ]; then
      table_remark "${why[$count]}" "$bytes" "$count"
      continue
    fi
    read -r elapsed rest < <(of "$count" 3 | middle)
    read -r speed_up rest < <(speed_ups "$count" | middle)
    virtual=$(of "$count" 2 | tail -n 1) cpu=$(of "$count" 4 | tail -n 1) memory=$(of "$count" 5 | tail -n 1)
    table_row "$bytes" "$count" "$virtual" "$elapsed" "$speed_up" "$cpu" "$memory"
    echo "$bytes $count $elapsed" >>"$work/times"
    [ "$(of "$count" 2 | sort -u)" = "$(of 1 2 | sort -u)" ] && continue
    remark "$bytes bytes, $count workers: another virtual time than with one"
    worst=1
  done
}

: >"$work/times"
begin_table figure12 '' 'bytes|6' 'workers|8' 'virtual_us|10|virtual|us' 'elapsed_s|8|time|s|2' \
  'speed_up|9|speed-up||2' 'cpu_s|8|CPU|s' 'memory_gb|8|memory|GB' 'remark|-0'
rows 1024
rows 4096
end_table
if [ -n "$draw" ]; then
  awk '$1 == 1024' "$work/times" >"$work/small"
  awk '$1 == 4096' "$work/times" >"$work/large"
  gnuplot -e "output_file='$draw'; small='$work/small'; large='$work/large'; ranks='$ranks'" \
    "$here/figure12.gp"
fi
exit $worst
