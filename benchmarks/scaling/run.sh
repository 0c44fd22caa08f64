#!/usr/bin/env bash
# The scaling page: a 1 KB Allreduce and a six-neighbour 1 KB halo exchange at growing numbers of
# ranks, 8 to a node, under aprun and, up to 8,192 ranks, the same sources under SimGrid's SMPI.
#
# Per run: start-up is the elapsed time of the same job with no iterations; messages per CPU second
# leave the start-up's CPU time out; KB per rank is peak resident memory above that of a one-node
# job, less the program's own data. Messages are those that the algorithm needs (recursive
# doubling, six per rank and step); each run checks the data it received.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

usage() {
  cat >&2 <<'TEXT'
usage: run.sh BUILD_DIRECTORY [RANKS ...]   (default: 1024 8192 32768)
SMPI runs up to 8192 ranks, where smpicc and smpirun are installed (libsimgrid-dev).
TEXT
  exit 2
}
[ $# -ge 1 ] || usage
build=$1
shift
[ -x "$build/bin/aprun" ] || { echo "run.sh: no aprun in $build/bin" >&2; exit 2; }
[ $# -gt 0 ] || set -- 1024 8192 32768
for ranks in "$@"; do [[ $ranks =~ ^[1-9][0-9]*$ ]] || usage; done

per_node=8
smpi_limit=8192
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
programs=(allreduce_scale halo_scale)

# timed COMMAND...: its figures in elapsed, cpu (s) and rss (KB), its line in $work/out.
timed() {
  if ! /usr/bin/time -q -o "$work/time" -f '%e %U %S %M' "$@" >"$work/out" 2>"$work/err"; then
    cat "$work/err" >&2
    return 1
  fi
  local user system
  read -r elapsed user system rss <"$work/time"
  cpu=$(awk -v u="$user" -v s="$system" 'BEGIN { print u + s }')
}

# field NAME: a value from the program's line.
field() { tr ' ' '\n' <"$work/out" | sed -n "s/^$1=//p"; }

# iterations PROGRAM RANKS MESSAGES: enough for about that many messages, at least 2.
iterations() {
  awk -v program="$1" -v ranks="$2" -v wanted="$3" 'BEGIN {
    each = program == "halo_scale" ? 6 : log(ranks) / log(2)
    count = int(wanted / (ranks * each))
    print count < 2 ? 2 : count
  }'
}

# Torus of Hopper's shape; one host per Gemini, since SimGrid's has one host per router.
smpi_platform() {
  cat >"$work/torus.xml" <<'XML'
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="hopper" prefix="gemini-" suffix="" radical="0-3263" speed="10Gf"
           bw="9.375GBps" lat="105ns" loopback_bw="8GBps" loopback_lat="100ns"
           topology="TORUS" topo_parameters="17,8,24" sharing_policy="SPLITDUPLEX"/>
</platform>
XML
}

# One launch under each machine; sets what `timed` sets.
run_castor() { timed "$build/bin/aprun" -n "$2" -N "$per_node" "$build/bin/$1" -i "$3"; }
run_smpi() {
  local host
  for ((host = 0; host < ($2 + per_node - 1) / per_node; ++host)); do
    echo "gemini-$host:$per_node"
  done >"$work/hosts"
  timed smpirun -np "$2" -platform "$work/torus.xml" -hostfile "$work/hosts" -no-privatize \
    --cfg=smpi/simulate-computation:no --cfg=contexts/guard-size:0 \
    --cfg=contexts/stack-size:256 --cfg=smpi/coll-selector:mpich --log=root.thres:error \
    "$work/$1" -i "$3"
}

# measure MACHINE PROGRAM RANKS MESSAGES: one row of the table.
measure() {
  local machine=$1 program=$2 ranks=$3 count base_rss start_elapsed start_cpu
  count=$(iterations "$program" "$ranks" "$4")
  "run_$machine" "$program" "$per_node" 0 || return 1
  base_rss=$rss
  "run_$machine" "$program" "$ranks" 0 || return 1
  start_elapsed=$elapsed start_cpu=$cpu
  "run_$machine" "$program" "$ranks" "$count" || return 1
  awk -v machine="$machine" -v program="$program" -v ranks="$ranks" -v count="$count" \
    -v all="$(field messages)" -v between="$(field between_nodes)" -v own="$(field own_bytes)" \
    -v time="$(field time_us)" -v cpu="$cpu" -v start_cpu="$start_cpu" \
    -v start="$start_elapsed" -v rss="$rss" -v base="$base_rss" 'BEGIN {
      busy = cpu - start_cpu
      rate = busy > 0 ? sprintf("%.0f", all / busy) : "-"
      printf "%-8s %-16s %6d %6d %12.0f %12.0f %12.1f %9.2f %9.2f %10s %9.1f\n", machine, program,
        ranks, count, all - between, between, time, start, cpu, rate,
        (rss - base) / ranks - own / 1024
    }'
}

printf '%-8s %-16s %6s %6s %12s %12s %12s %9s %9s %10s %9s\n' machine program ranks iter. \
  "in nodes" "between" "time(us)" "start(s)" "CPU(s)" "msg/CPU s" "KB/rank"
for program in "${programs[@]}"; do
  for ranks in "$@"; do
    measure castor "$program" "$ranks" 1000000 ||
      echo "castor   $program with $ranks ranks failed"
  done
done

if ! command -v smpicc >/dev/null || ! command -v smpirun >/dev/null; then
  echo "SMPI: not installed (libsimgrid-dev)"
  exit 0
fi
smpi_platform
for program in "${programs[@]}"; do
  smpicc -O2 -I. -Icorespec/include "benchmarks/scaling/$program.c" -o "$work/$program"
  for ranks in "$@"; do
    [ "$ranks" -le "$smpi_limit" ] || continue
    measure smpi "$program" "$ranks" 100000 || echo "smpi     $program with $ranks ranks failed"
  done
done
