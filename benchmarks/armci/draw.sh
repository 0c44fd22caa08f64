#!/usr/bin/env bash
# ARMCI in one picture: the availability of a target (and the share of its CPU that a helper leaves),
# the latency of every way that data take, the transposes and the speed-up by eager puts (graph 4-3)
# beside the thesis's. A table of the same rows.
set -euo pipefail
export LC_ALL=C
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
usage() {
  cat <<'TEXT'
usage: draw.sh [BUILD_DIRECTORY] [options]
ARMCI's availability, latencies and transposes: a table, and the curves in BUILD_DIRECTORY/armci.svg.
BUILD_DIRECTORY: default build/release.
  --sizes LIST   sizes in bytes, as 8,1K,512K (8 to 512K in powers of four)
  --ranks LIST   ranks of the transposes (16,32,64,128,256)
  --csv, --json  the format; else a table
TEXT
}
default_build=$here/../../build/release
sizes=8,32,128,512,2K,8K,32K,128K,512K ranks=16,32,64,128,256
# shellcheck source=scripts/rows.sh
. "$here/../../scripts/rows.sh"
read_options 'sizes ranks' '' "$@"
no_names
rank_list --ranks "$ranks"
need_programs armci_overhead armci_perf transpose
results=$build/armci_curves
picture=$build/armci.svg
mkdir -p "$results"

# curve NAME [VARIABLE=VALUE ...] -- APRUN_OPTION ... -- PROGRAM ...: a program's rows into NAME.csv.
curve() {
  local name=$1 variables=() options=()
  shift
  while [ "$1" != -- ]; do variables+=("$1"); shift; done
  shift
  while [ "$1" != -- ]; do options+=("$1"); shift; done
  shift
  progress "$name"
  if ! env "${variables[@]}" "$build/bin/aprun" -q "${options[@]}" "$build/bin/$1" "${@:2}" --csv \
    >"$results/$name.csv" 2>"$results/$name.log"; then
    progress
    cat "$results/$name.log" >&2
    exit 1
  fi
  progress
}

# Availability of the target: the helper on the one CPU that the rank has, or on a reserved one.
shared=(--node 'numa:1 core:1 pu:1') reserved=(--node 'numa:1 core:2 pu:1' -r 1)
for wait in polling blocked; do
  for place in shared reserved; do
    options=("${shared[@]}")
    [ $place = shared ] || options=("${reserved[@]}")
    curve "target_${wait}_$place" CASTOR_ARMCI_CHT_WAIT=$wait -- -n 2 -N 1 "${options[@]}" -- armci_overhead \
      --side target --operation put --layout contiguous --sizes "$sizes" --work-ratio 4
  done
done

# Latency by way; the helper polls on a CPU of its own.
way() { curve "latency_$1" "${@:3}" -- -n 2 -N 1 -r 1 -- armci_perf --test transfer --layout contiguous \
  --operation "$2" --sizes "$sizes"; }
way eager put CASTOR_ARMCI_EAGER_LIMIT=4M CASTOR_ARMCI_CHT_BUFFER_SIZE=8M
way rendezvous put CASTOR_ARMCI_EAGER_LIMIT=0
way helper_get get CASTOR_ARMCI_EAGER_GET=0
way eager_get get CASTOR_ARMCI_EAGER_GET=1 CASTOR_ARMCI_EAGER_LIMIT=4M CASTOR_ARMCI_CHT_BUFFER_SIZE=8M
way direct_put put CASTOR_ARMCI_DIRECT=1
way direct_get get CASTOR_ARMCI_DIRECT=1

# The transposes and graph 4-3, as compare.sh has them: ranks, ours, the thesis's (32 ranks: "almost nothing").
progress transposes
"$here/../published/compare.sh" "$build" --csv --row T1 --row T2 --row T14 --row T8 >"$results/thesis.csv" 2>"$results/thesis.log" || {
  cat "$results/thesis.log" >&2
  exit 1
}
progress
# of_thesis QUANTITY > FILE: QUANTITY is a pattern, behind which "at RANKS ranks" stands.
of_thesis() {
  awk -F, -v quantity="^$1 at [0-9]+ ranks\$" -v ranks=",$ranks," '
    $2 ~ quantity {
      count = split($2, word, " ")
      if (index(ranks, "," word[count - 1] ",")) print word[count - 1] "," $4 + 0 "," $3 + 0
    }' "$results/thesis.csv"
}
for key in get/2K put/2K put/10K; do of_thesis "6400/$key" >"$results/transpose_${key/\//_}.csv"; done
of_thesis 'put/[0-9]+K gains' >"$results/speed_up.csv"

begin_tables
begin_table availability '' 'helper|-8' 'place|-9' 'msgsize|9' 'avail|8||%|1' 'cpu|8||%|1'
for wait in polling blocked; do
  for place in shared reserved; do
    while IFS=, read -r _ _ _ size _ _ _ _ _ available left; do
      table_row "$wait" "$place" "$size" "$available" "$left"
    done < <(tail -n +2 "$results/target_${wait}_$place.csv")
  done
done
end_table
begin_table latency '' 'way|-11' 'msgsize|9' 'latency|10||us|2'
for name in eager rendezvous helper_get eager_get direct_put direct_get; do
  while IFS=, read -r _ _ size _ _ latency _; do
    table_row "$name" "$size" "$latency"
  done < <(tail -n +2 "$results/latency_$name.csv")
done
end_table
begin_table transposes '' 'what|-12' 'ranks|6' 'ours|9|||2' 'thesis|9|||2'
for name in transpose_get_2K transpose_put_2K transpose_put_10K speed_up; do
  while IFS=, read -r count ours said; do
    table_row "${name#transpose_}" "$count" "$ours" "$said"
  done <"$results/$name.csv"
done
end_table
end_tables
gnuplot -e "output_file='$picture'; results='$results/'" "$here/draw.gp"
remark "curves: $picture"
