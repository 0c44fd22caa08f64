#!/usr/bin/env bash
# MILC's run types of Cray's table 5, published and ours, and what-ifs of the paper's outlook.
set -euo pipefail
export LC_ALL=C

usage() {
  cat <<'TEXT'
usage: milc_table.sh [BUILD_DIRECTORY] [options]

Runs apps/milc with 4,096 and 8,192 ranks in every run type of S4's table 5 and prints the seconds of
the whole run, and of the waits in gathers, beside the published ones; then, with 1,024 ranks that have
as much to do, what-ifs. Work and imbalance are fixed on
'no progression, 8,192 ranks', the cost of an interrupt on 'phase one, no CPU reserved, 8,192 ranks'.
BUILD_DIRECTORY: default build/release.

  --short        2 operators instead of 4, 8,192 ranks only, no what-ifs
  --csv, --json  the format; else a table
TEXT
}
# shellcheck source=benchmarks/applications/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
read_table_options milc "$@"

operators=4
[ "$short" = no ] || operators=2

# types: WORDS | APRUN OPTIONS | PUBLISHED 4,096 | 8,192 | MEAN WAIT | LONGEST WAIT (both of 8,192)
types="no progression|-N 32|2165|1168|309|719
phase one, -r 1|-N 31 -r 1 $(design_options phase_one)|2121|1072|270|504
phase two, -r 1|-N 31 -r 1 $(design_options phase_two)|3782|2138||
phase one, no CPU reserved|-N 32 $(design_options phase_one)|3560|2210||
phase one, a CPU left free|-N 31 $(design_options phase_one)|2930|2070||"

many="-e CASTOR_INBAND_INTERRUPTS=many"
# 32 cores of two hyper-threads: ranks on the first of each, service CPUs are the second.
hyper="--node package:2_numa:2_core:8_pu:2 -j 1 -N 32 -r 32 -e CASTOR_SHARED_UNIT_SPEED=60"
what_ifs="phase two, no CPU reserved|-N 32 $(design_options phase_two)||||
many interrupts: phase one, -r 1|-N 31 -r 1 $(design_options phase_one) $many||||
many interrupts: phase two, -r 1|-N 31 -r 1 $(design_options phase_two) $many||||
many interrupts: phase one, none reserved|-N 32 $(design_options phase_one) $many||||
hyper-threads: phase one|$hyper $(design_options phase_one)||||
hyper-threads: phase two|$hyper $(design_options phase_two)||||
both: phase one|$hyper $(design_options phase_one) $many||||
both: phase two|$hyper $(design_options phase_two) $many||||"

# print_rows RANKS [LATTICE]: one row for each type on descriptor 3.
print_rows() {
  local ranks=$1 lattice=${2:-} words options four eight mean longest published ours
  while IFS='|' read -r words options four eight mean longest <&3; do
    progress "$words, $ranks ranks"
    run "-n $ranks $options" milc "-i $operators${lattice:+ $lattice}"
    [ "$(figure ok)" = yes ] || die "wrong data: $words"
    published=$eight
    if [ "$ranks" = 4096 ]; then published=$four mean='' longest=''; fi
    if [ -n "$lattice" ]; then published='' mean='' longest=''; fi
    ours=$(figure run)
    table_row "$words" "$ranks" "$published" "$(rounded "$ours" 0)" "$(off "$published" "$ours")" "$mean" \
      "$(rounded "$(figure run_wait_mean)" 0)" "$longest" "$(rounded "$(figure run_wait_max)" 0)"
  done
}

begin_table milc '' 'run_type|-42|run type' 'ranks|10' 'published|10' 'ours|10' 'off|10|off|%' \
  'mean_wait_published|10|mean_wait' 'mean_wait|10|ours' 'longest_wait_published|10|longest' \
  'longest_wait|10|ours'
sizes="8192 4096"
[ "$short" = no ] || sizes=8192
for size in $sizes; do print_rows "$size" 3<<<"$types"; done
# On 32 nodes, with the same sites for each rank and the same neighbours on its node.
[ "$short" = yes ] || print_rows 1024 "--space 64 --time 18" 3<<<"$types"$'\n'"$what_ifs"
end_table
