#!/usr/bin/env bash
# The scaling page: a 1 KB Allreduce, in two levels and flat, and a six-neighbour 1 KB halo exchange
# at growing numbers of ranks, 8 to a node, under aprun and, up to 8,192 ranks, the same sources and
# algorithms under SimGrid's SMPI. Each run checks the data it received.
#
# Columns, with their names in CSV and JSON. A job runs with 0, 1 and many iterations (steps), each in a process of its own:
#   in nodes, between (messages_in_nodes, messages_between)  messages of a step, as the MPI library
#                      itself counts them (the difference of jobs of two steps and one). SMPI is told
#                      to use the same algorithms.
#   time (step_us)     virtual time of a step, after the first
#   start (start_s)    elapsed time of the job without steps
#   first (first_s)    CPU seconds of the first step: it sets up connections, or SMPI's communicators
#   CPU (cpu_s)        of the job with many steps, start-up and all
#   all: msg/s, steps/s (all_...)        of that job, per CPU second
#   steady: msg/s, steps/s (steady_...)  the same for the steps after the first: the difference between
#                      it and the job of one step
#   KB/rank (kb_per_rank)  peak resident memory above a job of one node, less the program's own data;
#                      everything included
#   8-byte: KB/rank (kb_per_rank_8_byte)  the same of a job of two steps whose messages have 8 bytes
#                      instead of 1 KB: what ranks need besides the bytes of messages that are under
#                      way all at once
#   remark             why a row has no figures
set -euo pipefail
export LC_ALL=C
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
usage() {
  cat <<'TEXT'
usage: run.sh [BUILD_DIRECTORY] [options] [RANKS ...]
Messages and steps per second of jobs of RANKS (2 and more; 1024 8192 32768), under aprun and up to 8192
ranks under SimGrid's SMPI, where smpicc and smpirun are installed (libsimgrid-dev). Its head says what
each column means. BUILD_DIRECTORY: default build/release.
  --messages N     steps for about so many messages (2500000; SMPI a tenth of it)
  --limit SECONDS  longest run (300)
  --no-smpi        Castor only
  --csv, --json    the format; else a table
TEXT
}
default_build=$here/../../build/release
# shellcheck source=scripts/rows.sh
. "$here/../../scripts/rows.sh"
# shellcheck source=benchmarks/scaling/common.sh
. "$here/common.sh"

messages=2500000 limit=300 no_smpi=no
read_options 'messages limit' no-smpi "$@"
positive --messages "$messages"
positive --limit "$limit"
sizes=("${wanted[@]}")
[ ${#sizes[@]} -gt 0 ] || sizes=(1024 8192 32768)
for ranks in "${sizes[@]}"; do
  positive RANKS "$ranks"
  [ "$ranks" -gt 1 ] || refuse "RANKS $ranks: at least 2"
done
need_programs allreduce_scale halo_scale
cd "$here/../.."

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

# measure MACHINE CASE RANKS MESSAGES: sets figures to the cells of a row, from its steps on.
measure() {
  local machine=$1 name=$2 ranks=$3 about=$4
  local within between steps base_rss start_elapsed start_cpu first_cpu first_time per_step
  local small_rss small_own
  per_step=$(step_messages "$name" "$ranks") || return
  read -r within between <<<"$per_step"
  steps=$((1 + (about + within + between - 1) / (within + between)))
  "run_$machine" "$name" "$per_node" 0 || return
  base_rss=$rss
  "run_$machine" "$name" "$ranks" 2 8 || return
  small_rss=$rss small_own=$(field own_bytes)
  "run_$machine" "$name" "$ranks" 0 || return
  start_elapsed=$elapsed start_cpu=$cpu
  "run_$machine" "$name" "$ranks" 1 || return
  first_cpu=$cpu first_time=$(field time_us)
  "run_$machine" "$name" "$ranks" "$steps" || return
  read -r -a figures < <(awk -v ranks="$ranks" -v steps="$steps" -v within="$within" \
    -v between="$between" -v own="$(field own_bytes)" -v time="$(field time_us)" -v first_time="$first_time" -v cpu="$cpu" \
    -v first_cpu="$first_cpu" -v start_cpu="$start_cpu" -v start="$start_elapsed" -v rss="$rss" \
    -v base="$base_rss" -v small_rss="$small_rss" -v small_own="$small_own" '
    function rate(count, seconds, form) {
      return seconds > 0 ? sprintf(form, count / seconds) : "-"
    }
    BEGIN {
      each = within + between
      more = steps - 1
      print steps, within, between, sprintf("%.1f", (time - first_time) / more),
        sprintf("%.2f", start), sprintf("%.2f", first_cpu - start_cpu), sprintf("%.2f", cpu),
        rate(steps * each, cpu, "%.0f"), rate(steps, cpu, "%.2f"),
        rate(more * each, cpu - first_cpu, "%.0f"), rate(more, cpu - first_cpu, "%.2f"),
        sprintf("%.1f", (rss - base) / ranks - own / 1024),
        sprintf("%.1f", (small_rss - base) / ranks - small_own / 1024)
    }')
}

# row MACHINE CASE RANKS MESSAGES: the row, or why there is none.
row() {
  local code=0 figures=()
  progress "$1 $2, $3 ranks"
  measure "$@" || code=$?
  progress
  if [ "$code" -eq 0 ]; then
    table_row "$1" "$2" "$3" "${figures[@]}"
  else
    table_remark "$(why_failed "$code")" "$1" "$2" "$3"
  fi
}

begin_table scaling '' 'machine|-10' 'case|-14' 'ranks|6' 'steps|6' \
  'messages_in_nodes|9|messages\nin nodes' 'messages_between|9|a step\nbetween' 'step_us|9|time|us' \
  'start_s|8|start|s' 'first_s|8|first|s' 'cpu_s|8|CPU|s' \
  'all_messages_per_s|9|all:\nmsg/s' 'all_steps_per_s|9|steps/s' \
  'steady_messages_per_s|9|steady:\nmsg/s' 'steady_steps_per_s|9|steps/s' \
  'kb_per_rank|8|KB/rank' 'kb_per_rank_8_byte|8|8-byte:\nKB/rank' 'remark|-0'
for name in "${cases[@]}"; do
  for ranks in "${sizes[@]}"; do row castor "$name" "$ranks" "$messages"; done
done

if [ "$no_smpi" = yes ]; then
  end_table
  exit
fi
if ! command -v smpicc >/dev/null || ! command -v smpirun >/dev/null; then
  end_table
  remark "SMPI: not installed (libsimgrid-dev)"
  exit
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
end_table
