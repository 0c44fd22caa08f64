#!/usr/bin/env bash
# The scaling page: a 1 KB Allreduce, in two levels and flat, and a six-neighbour 1 KB halo exchange
# at growing numbers of ranks, 8 to a node, under aprun and, up to 8,192 ranks, the same sources and
# algorithms under SimGrid's SMPI. Each run checks the data it received.
#
# Columns, with their names in CSV and JSON. A job runs with 0, 1 and many iterations (steps), each in a
# process of its own; with several rounds CPU seconds, rates and factors are medians of them:
#   in nodes, between (messages_in_nodes, messages_between)  messages of a step, as the MPI library
#                      itself counts them (the difference of jobs of two steps and one). SMPI is told
#                      to use the same algorithms.
#   time (step_us)     virtual time of a step, after the first
#   start (start_s)    elapsed time of the job without steps; with --apart its communicators are made
#   first (first_s)    CPU seconds of the first step: it sets up connections, or SMPI's communicators
#   CPU (cpu_s)        of the job with many steps, start-up and all
#   all: msg/s, steps/s (all_...)        of that job, per CPU second
#   steady: msg/s, steps/s (steady_...)  the same for the steps after the first: the difference between
#                      it and the job of one step
#   factor (steady_factor)  how many times fewer messages a second, steady, than with the first of RANKS
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
  --rounds N       times that Castor's steps are measured, all RANKS in turn (1)
  --apart          two cases more, whose messages all stay within nodes (allreduce_node: each node's
                   ranks sum) or all leave them (allreduce_leaders: one rank of each node sums)
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

messages=2500000 rounds=1 limit=300 no_smpi=no apart=no
read_options 'messages rounds limit' 'no-smpi apart' "$@"
positive --messages "$messages"
positive --rounds "$rounds"
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
[ "$apart" = no ] || cases+=(allreduce_node allreduce_leaders)

# choose CASE: the program, its own options, our algorithm and SMPI's.
choose() {
  program=allreduce_scale own=() levels=1 algorithm=smp_rdb
  case $1 in
    halo) program=halo_scale ;;
    allreduce_flat) levels=0 algorithm=rdb ;;
    allreduce_node | allreduce_leaders) own=(--among "${1#allreduce_}") algorithm=rdb ;;
  esac
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

# run_MACHINE CASE RANKS STEPS [BYTES]: one job; sets what `timed` sets.
run_castor() {
  local program own levels algorithm
  choose "$1"
  MPICH_ENABLE_SMP_COLLECTIVES=$levels timed "$build/bin/aprun" -n "$2" -N "$per_node" \
    "$build/bin/$program" -i "$3" -m "${4:-1024}" "${own[@]}"
}
run_smpi() {
  local host program own levels algorithm
  choose "$1"
  for ((host = 0; host < ($2 + per_node - 1) / per_node; ++host)); do
    echo "gemini-$host:$per_node"
  done >"$work/hosts"
  timed smpirun -np "$2" -platform "$work/torus.xml" -hostfile "$work/hosts" -no-privatize \
    --cfg=smpi/simulate-computation:no --cfg=contexts/guard-size:0 \
    --cfg=contexts/stack-size:256 --cfg=smpi/coll-selector:mpich \
    --cfg=smpi/allreduce:"$algorithm" "${smpi_options[@]}" --log=root.thres:error \
    "$work/$program" -i "$3" -m "${4:-1024}" "${own[@]}"
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

# prepare MACHINE CASE RANKS MESSAGES: what is measured once; sets prepared.
prepare() {
  local machine=$1 name=$2 ranks=$3 about=$4
  local per_step within between steps base_rss small_rss small_own
  per_step=$(step_messages "$name" "$ranks") || return
  read -r within between <<<"$per_step"
  steps=$((1 + (about + within + between - 1) / (within + between)))
  "run_$machine" "$name" "$per_node" 0 || return
  base_rss=$rss
  "run_$machine" "$name" "$ranks" 2 8 || return
  small_rss=$rss small_own=$(field own_bytes)
  "run_$machine" "$name" "$ranks" 0 || return
  prepared="$steps $within $between $base_rss $small_rss $small_own $elapsed $cpu"
}

# time_steps MACHINE CASE RANKS STEPS: a line of the jobs of one step and of many: CPU seconds, step
# times, memory.
time_steps() {
  local first_cpu first_time
  "run_$1" "$2" "$3" 1 || return
  first_cpu=$cpu first_time=$(field time_us)
  "run_$1" "$2" "$3" "$4" || return
  echo "$3 $first_cpu $cpu $first_time $(field time_us) $rss $(field own_bytes)"
}

# median_of RANKS EXPRESSION: of what awk makes of their lines.
median_of() {
  local median rest
  read -r median rest < <(awk -v ranks="$1" "\$1 == ranks { print $2 }" "$work/rounds" | middle)
  echo "$median"
}

# factors RANKS FIRST_RANKS: of the seconds that many steps take more than one, round by round.
factors() {
  awk -v ranks="$1" -v first="$2" '
    $1 == first { before[++n] = $3 - $2 }
    $1 == ranks { after[++m] = $3 - $2 }
    END { for (i = 1; i <= m; ++i) if (before[i] > 0 && after[i] > 0) print after[i] / before[i] }' "$work/rounds"
}

# figures RANKS FIRST_RANKS PREPARED...: the cells of a row, from its steps on: medians of the rounds.
# shellcheck disable=SC2016
figures() {
  local factor=0 rest
  [ -z "$(factors "$1" "$2")" ] || read -r factor rest < <(factors "$1" "$2" | middle)
  awk -v ranks="$1" -v prepared="${*:3}" -v first_prepared="$first_prepared" -v factor="$factor" \
    -v first="$(median_of "$1" '$2')" -v cpu="$(median_of "$1" '$3')" \
    -v longer="$(median_of "$1" '$3 - $2')" '
    function rate(count, seconds, form) {
      return seconds > 0 ? sprintf(form, count / seconds) : "-"
    }
    $1 == ranks {
      time = $5 - $4
      rss = $6
      own = $7
    }
    END {
      split(prepared, p)
      split(first_prepared, f)
      steps = p[1]
      each = p[2] + p[3]
      more = steps - 1
      first_messages = (f[1] - 1) * (f[2] + f[3])
      print steps, p[2], p[3], sprintf("%.1f", time / more), sprintf("%.2f", p[7]),
        sprintf("%.2f", first - p[8]), sprintf("%.2f", cpu),
        rate(steps * each, cpu, "%.0f"), rate(steps, cpu, "%.2f"),
        rate(more * each, longer, "%.0f"), rate(more, longer, "%.2f"),
        (factor ? sprintf("%.2f", factor * first_messages / (more * each)) : "-"),
        sprintf("%.1f", (rss - p[4]) / ranks - own / 1024),
        sprintf("%.1f", (p[5] - p[4]) / ranks - p[6] / 1024)
    }' "$work/rounds"
}

# rows MACHINE CASE MESSAGES ROUNDS RANKS...: those of a case, or why there are none. Rounds go through
# all numbers of ranks, so that what slows the host for a while slows all of them.
rows() {
  local machine=$1 name=$2 about=$3 rounds=$4 prepared first_prepared='' cells
  local -A of why=()
  local ranks round code
  shift 4
  : >"$work/rounds"
  for ranks; do
    code=0
    progress "$machine $name, $ranks ranks"
    prepare "$machine" "$name" "$ranks" "$about" || code=$?
    if [ "$code" -eq 0 ]; then of[$ranks]=$prepared; else why[$ranks]=$(why_failed "$code"); fi
  done
  for ((round = 1; round <= rounds; ++round)); do
    for ranks; do
      [ -z "${why[$ranks]:-}" ] || continue
      code=0
      progress "$machine $name, $ranks ranks, round $round of $rounds"
      time_steps "$machine" "$name" "$ranks" "${of[$ranks]%% *}" >>"$work/rounds" || code=$?
      [ "$code" -eq 0 ] || why[$ranks]=$(why_failed "$code")
    done
  done
  progress
  first_prepared=${of[$1]:-}
  for ranks; do
    if [ -n "${why[$ranks]:-}" ]; then
      table_remark "${why[$ranks]}" "$machine" "$name" "$ranks"
    else
      # shellcheck disable=SC2086
      read -r -a cells < <(figures "$ranks" "$1" ${of[$ranks]})
      table_row "$machine" "$name" "$ranks" "${cells[@]}"
    fi
  done
}

begin_table scaling '' 'machine|-10' 'case|-17' 'ranks|6' 'steps|6' \
  'messages_in_nodes|9|messages\nin nodes' 'messages_between|9|a step\nbetween' 'step_us|9|time|us' \
  'start_s|8|start|s' 'first_s|8|first|s' 'cpu_s|8|CPU|s' \
  'all_messages_per_s|9|all:\nmsg/s' 'all_steps_per_s|9|steps/s' \
  'steady_messages_per_s|9|steady:\nmsg/s' 'steady_steps_per_s|9|steps/s' \
  'steady_factor|7|factor' 'kb_per_rank|8|KB/rank' 'kb_per_rank_8_byte|8|8-byte:\nKB/rank' 'remark|-0'
for name in "${cases[@]}"; do rows castor "$name" "$messages" "$rounds" "${sizes[@]}"; done

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
smpi_sizes=()
for ranks in "${sizes[@]}"; do
  [ "$ranks" -gt "$smpi_limit" ] || smpi_sizes+=("$ranks")
done
for machine in smpi smpi_no_ct; do
  [ ${#smpi_sizes[@]} -gt 0 ] || continue
  for name in "${cases[@]}"; do rows "$machine" "$name" $(((messages + 9) / 10)) 1 "${smpi_sizes[@]}"; done
done
end_table
