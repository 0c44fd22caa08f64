#!/usr/bin/env bash
# S3D's run types of Cray's table 3 and its profile, published and ours, and what-ifs of the outlook.
set -euo pipefail
export LC_ALL=C

usage() {
  cat <<'TEXT'
usage: s3d_table.sh [BUILD_DIRECTORY] [options]

Runs apps/s3d on 64 nodes of one Interlagos each, one rank with 14, 15 and 16 threads per node, without
progression and with phase one and 2, 1 or no CPU reserved, and prints seconds per time step beside
S4's table 3. Work, imbalance and variation are fixed on 'progression disabled' (and table 1's share of
MPI). BUILD_DIRECTORY: default build/release.

  --short        8 nodes and 14 and 16 threads only, no what-ifs
  --csv, --json  the format; else tables
TEXT
}
# shellcheck source=benchmarks/applications/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
read_table_options s3d "$@"

nodes=64
[ "$short" = no ] || nodes=8

# measure THREADS OPTIONS: one run; its checksum must be that of all others.
checksum=
measure() {
  run "-n $nodes -N 1 --node xk6 -d $1 -cc depth $2" s3d "-t $1"
  [ -n "$checksum" ] || checksum=$(figure checksum)
  if [ "$(figure ok)" != yes ] || [ "$(figure checksum)" != "$checksum" ]; then
    # shellcheck disable=SC2154 # runs.sh sets it
    die "wrong answer: $command"
  fi
}

# row WORDS THREADS OPTIONS PUBLISHED
row() {
  progress "$1, $2 threads"
  measure "$2" "$3"
  table_row "$1" "$2" "$4" "$(rounded "$(figure step)" 2)" "$(off "$4" "$(figure step)")" \
    "$(rounded "$(figure waitall)" 2)" "$(rounded "$(figure wait)" 2)"
}

one=$(design_options phase_one)
begin_tables
begin_table steps '' 'run_type|-42|run type' 'threads|10' 'published|10' 'ours|10' 'off|10|off|%' \
  'waitall|10' 'wait|10'
row "progression disabled" 14 "" 4.77
[ "$short" = yes ] || row "progression disabled" 15 "" 4.68
row "progression disabled" 16 "" 4.59
row "phase one, -r 2" 14 "-r 2 $one" 3.93
[ "$short" = yes ] || row "phase one, -r 1" 15 "-r 1 $one" 4.05
row "phase one, no CPU reserved" 16 "$one" 4.06
if [ "$short" = yes ]; then
  end_table
  end_tables
  exit
fi

many="-e CASTOR_INBAND_INTERRUPTS=many"
row "many interrupts: phase one, -r 2" 14 "-r 2 $one $many" ""
row "many interrupts: none reserved" 16 "$one $many" ""
# 16 cores of two hyper-threads: a thread on the first of each, service CPUs are the second.
hyper="--node package:1_numa:2_core:8_pu:2 -j 1 -r 16 -e CASTOR_SHARED_UNIT_SPEED=60"
row "hyper-threads: phase one" 16 "$hyper $one" ""

# Table 1's profile: percent of the run without progression.
end_table
measure 16 ""
share() { calculate "100 * $1 / $(figure step)" 1; }
begin_table profile '' 'call|-42|profile of 16 threads, percent' 'published|10' 'ours|10'
table_row "MPI_Waitall" 23.7 "$(share "$(figure waitall)")"
table_row "MPI_Wait" 14.2 "$(share "$(figure wait)")"
table_row "all else" 62.1 "$(share "($(figure step) - $(figure waitall) - $(figure wait))")"
end_table
end_tables
