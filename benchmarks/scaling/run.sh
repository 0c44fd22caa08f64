#!/usr/bin/env bash
# The scaling page: a 1 KB Allreduce, in two levels and flat, and a six-neighbour 1 KB halo exchange
# at growing numbers of ranks, 8 to a node, under aprun and, up to 8,192 ranks, the same sources and
# algorithms under SimGrid's SMPI. Each run checks the data it received.
#
# A job runs with 0, 1 and many iterations (steps), each in a process of its own:
#   in nodes, between  messages of a step, as the MPI library itself counts them (the difference of
#                      jobs of two steps and one). SMPI is told to use the same algorithms.
#   time(us)           virtual time of a step, after the first
#   start(s)           elapsed time of the job without steps
#   first(s)           CPU seconds of the first step: it sets up connections, or SMPI's communicators
#   CPU(s)             of the job with many steps, start-up and all
#   all: msg/s, steps/s        of that job, per CPU second
#   steady: msg/s, steps/s     the same for the steps after the first: the difference between it and
#                              the job of one step
#   KB/rank            peak resident memory above a job of one node, less the program's own data;
#                      everything included
#   8-byte: KB/rank    the same of a job of two steps whose messages have 8 bytes instead of 1 KB: what
#                      ranks need besides the bytes of messages that are under way all at once
set -euo pipefail
export LC_ALL=C
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
# shellcheck source=benchmarks/scaling/common.sh
. benchmarks/scaling/common.sh

usage() {
  cat >&2 <<'TEXT'
usage: run.sh BUILD_DIRECTORY [--messages N] [--limit SECONDS] [--no-smpi] [RANKS ...]
RANKS: 2 and more; default 1024 8192 32768. SMPI runs up to 8192 ranks, where smpicc and smpirun are installed
(libsimgrid-dev).
  --messages N     steps for about so many messages (2500000; SMPI a tenth of it)
  --limit SECONDS  longest run (300)
  --no-smpi        Castor only
TEXT
  exit 2
}
messages=2500000 limit=300 smpi=1 build='' sizes=()
while [ $# -gt 0 ]; do
  case $1 in
    --messages) count "${2:-}"; messages=$2; shift ;;
    --limit) count "${2:-}"; limit=$2; shift ;;
    --no-smpi) smpi=0 ;;
    -*) usage ;;
    *) if [ -z "$build" ]; then build=$1; else count "$1"; [ "$1" != 1 ] || usage; sizes+=("$1"); fi ;;
  esac
  shift
done
need_aprun run.sh
[ ${#sizes[@]} -gt 0 ] || sizes=(1024 8192 32768)

per_node=8
smpi_limit=8192
make_work
cases=(allreduce allreduce_flat halo)

program() { case $1 in halo) echo halo_scale ;; *) echo allreduce_scale ;; esac; }

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

# run_MACHINE CASE RANKS STEPS [BYTES]: one job; sets what `timed` sets.
run_castor() {
  local levels=1
  [ "$1" != allreduce_flat ] || levels=0
  MPICH_ENABLE_SMP_COLLECTIVES=$levels \
    timed "$build/bin/aprun" -n "$2" -N "$per_node" "$build/bin/$(program "$1")" -i "$3" -m "${4:-1024}"
}
run_smpi() {
  local host algorithm=smp_rdb
  [ "$1" != allreduce_flat ] || algorithm=rdb
  for ((host = 0; host < ($2 + per_node - 1) / per_node; ++host)); do
    echo "gemini-$host:$per_node"
  done >"$work/hosts"
  timed smpirun -np "$2" -platform "$work/torus.xml" -hostfile "$work/hosts" -no-privatize \
    --cfg=smpi/simulate-computation:no --cfg=contexts/guard-size:0 \
    --cfg=contexts/stack-size:256 --cfg=smpi/coll-selector:mpich \
    --cfg=smpi/allreduce:"$algorithm" "${smpi_options[@]}" --log=root.thres:error \
    "$work/$(program "$1")" -i "$3" -m "${4:-1024}"
}
run_smpi_no_ct() {
  local smpi_options=(--cfg=network/crosstraffic:no)
  run_smpi "$@"
}
smpi_options=()

# counted CASE RANKS STEPS: messages that Castor's MPI library says it sent, within nodes and
# between them.
counted() {
  MPICH_GNI_ASYNC_PROGRESS_STATS=1 run_castor "$@" || return
  awk '/^MPICH progress stats rank/ {
      for (i = 6; i < NF; i += 2) sent[$i] += $(i + 1)
    }
    END { printf "%d %d\n", sent["intra_node"], sent["e0"] + sent["e1"] + sent["rts"] }' "$work/err"
}

# step_messages CASE RANKS: those of one step.
step_messages() {
  local one two
  one=$(counted "$1" "$2" 1) && two=$(counted "$1" "$2" 2) || return
  awk -v one="$one" -v two="$two" 'BEGIN {
    split(one, a)
    split(two, b)
    print b[1] - a[1], b[2] - a[2]
  }'
}

# measure MACHINE CASE RANKS MESSAGES: one row of the table.
measure() {
  local machine=$1 name=$2 ranks=$3 wanted=$4
  local within between steps base_rss start_elapsed start_cpu first_cpu first_time per_step
  local small_rss small_own
  per_step=$(step_messages "$name" "$ranks") || return
  read -r within between <<<"$per_step"
  steps=$((1 + (wanted + within + between - 1) / (within + between)))
  "run_$machine" "$name" "$per_node" 0 || return
  base_rss=$rss
  "run_$machine" "$name" "$ranks" 2 8 || return
  small_rss=$rss small_own=$(field own_bytes)
  "run_$machine" "$name" "$ranks" 0 || return
  start_elapsed=$elapsed start_cpu=$cpu
  "run_$machine" "$name" "$ranks" 1 || return
  first_cpu=$cpu first_time=$(field time_us)
  "run_$machine" "$name" "$ranks" "$steps" || return
  awk -v machine="$machine" -v name="$name" -v ranks="$ranks" -v steps="$steps" \
    -v within="$within" -v between="$between" -v own="$(field own_bytes)" \
    -v time="$(field time_us)" -v first_time="$first_time" -v cpu="$cpu" \
    -v first_cpu="$first_cpu" -v start_cpu="$start_cpu" -v start="$start_elapsed" -v rss="$rss" \
    -v base="$base_rss" -v small_rss="$small_rss" -v small_own="$small_own" '
    function rate(count, seconds, form) {
      return seconds > 0 ? sprintf(form, count / seconds) : "-"
    }
    BEGIN {
      each = within + between
      more = steps - 1
      printf "%-10s %-14s %6d %6d %9d %9d %9.1f %8.2f %8.2f %8.2f %9s %9s %9s %9s %8.1f %8.1f\n", machine,
        name, ranks, steps, within, between, (time - first_time) / more, start,
        first_cpu - start_cpu, cpu, rate(steps * each, cpu, "%.0f"), rate(steps, cpu, "%.2f"),
        rate(more * each, cpu - first_cpu, "%.0f"), rate(more, cpu - first_cpu, "%.2f"),
        (rss - base) / ranks - own / 1024, (small_rss - base) / ranks - small_own / 1024
    }'
}

# row MACHINE CASE RANKS MESSAGES: the row, or why there is none.
row() {
  local code=0
  measure "$@" || code=$?
  [ "$code" -eq 0 ] || printf '%-10s %-14s %6d %s\n' "$1" "$2" "$3" "$(why_failed "$code")"
}

printf '%-10s %-14s %6s %6s %9s %9s %9s %8s %8s %8s %9s %9s %9s %9s %8s %8s\n' \
  "" "" "" "" "messages" "a step" "" "" "" "" "all:" "" "steady:" "" "" "8-byte:" \
  machine case ranks steps "in nodes" between "time(us)" "start(s)" "first(s)" "CPU(s)" \
  "msg/s" "steps/s" "msg/s" "steps/s" KB/rank KB/rank
for name in "${cases[@]}"; do
  for ranks in "${sizes[@]}"; do row castor "$name" "$ranks" "$messages"; done
done

[ "$smpi" -eq 1 ] || exit 0
if ! command -v smpicc >/dev/null || ! command -v smpirun >/dev/null; then
  echo "SMPI: not installed (libsimgrid-dev)"
  exit 0
fi
smpi_platform
for source in allreduce_scale halo_scale; do
  smpicc -O3 -I. -Icorespec/include "benchmarks/scaling/$source.c" -o "$work/$source"
done
for machine in smpi smpi_no_ct; do
  for name in "${cases[@]}"; do
    for ranks in "${sizes[@]}"; do
      [ "$ranks" -le "$smpi_limit" ] || continue
      row "$machine" "$name" "$ranks" $(((messages + 9) / 10))
    done
  done
done
