#!/usr/bin/env bash
# The scale page: what memory and time jobs of many ranks take under aprun, in three tables: idle
# ranks, LULESH's halo exchange with 26 neighbours, and collectives. 16 ranks to a node; all data are
# checked.
#
#   idle(KB)    resident memory per rank while all ranks are between MPI_Init and MPI_Finalize and have
#               sent nothing, above that of a job of one rank; stacks and everything else included
#   peak(KB)    the same of the largest memory that the job ever held
#   KB/rank     of the halo: peak memory above a job of one rank, less the program's own data
#   program(KB) those data, per rank
#   msg/CPU-s, msg/s   messages that the program sends, per second of CPU and of elapsed time of the whole
#               job, start and end included
#   time(us)    virtual time of a step or an operation
#   peak(GB)    largest memory of the process, program's data included
set -euo pipefail
export LC_ALL=C
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
# shellcheck source=benchmarks/scaling/common.sh
. benchmarks/scaling/common.sh

usage() {
  cat >&2 <<'TEXT'
usage: capacity.sh BUILD_DIRECTORY [--messages N] [--limit SECONDS] [TABLE ...]
TABLE: idle, halo, collectives, or one of them with numbers of ranks: idle:64,1024 (all three)
  --messages N     steps of the halo exchange for about so many messages (2000000)
  --limit SECONDS  longest run (300)
TEXT
  exit 2
}
messages=2000000 limit=300 build='' tables=()
while [ $# -gt 0 ]; do
  case $1 in
    --messages) count "${2:-}"; messages=$2; shift ;;
    --limit) count "${2:-}"; limit=$2; shift ;;
    -*) usage ;;
    *) if [ -z "$build" ]; then build=$1; else tables+=("$1"); fi ;;
  esac
  shift
done
need_aprun capacity.sh
[ ${#tables[@]} -gt 0 ] || tables=(idle halo collectives)

# sizes_of TABLE: the numbers of ranks.
sizes_of() {
  local numbers=${1#"${1%%:*}"}
  if [ -n "$numbers" ]; then
    echo "${numbers//[:,]/ }"
  else
    case $1 in
      idle) echo 64 1024 8192 65536 ;;
      halo) echo 64 1024 8192 ;;
      collectives) echo 8192 65536 ;;
    esac
  fi
}
for table in "${tables[@]}"; do
  case ${table%%:*} in idle | halo | collectives) ;; *) usage ;; esac
  for ranks in $(sizes_of "$table"); do
    count "$ranks"
    [[ $ranks -gt 1 || $table != idle:* ]] || usage
  done
done

per_node=16
make_work

# job RANKS PROGRAM [ARGUMENT ...]
job() {
  local ranks=$1 program=$2
  shift 2
  timed "$build/bin/aprun" -n "$ranks" -N $((ranks < per_node ? ranks : per_node)) \
    "$build/bin/$program" "$@"
}

# failed NAME RANKS CODE: a line in the place of a row's.
failed() {
  printf '%-13s %6d %s\n' "$1" "$2" "$(why_failed "$3")"
  worst=1
}

idle() {
  printf '%-13s %6s %9s %9s %8s %8s\n' case ranks "idle(KB)" "peak(KB)" "time(s)" "CPU(s)"
  local ranks base base_rss
  job 1 idle_scale || { failed idle 1 $?; return; }
  base=$(field resident_kb) base_rss=$rss
  for ranks in "$@"; do
    job "$ranks" idle_scale || { failed idle "$ranks" $?; continue; }
    awk -v ranks="$ranks" -v base="$base" -v held="$(field resident_kb)" -v base_rss="$base_rss" \
      -v rss="$rss" -v elapsed="$elapsed" -v cpu="$cpu" 'BEGIN {
        others = ranks - 1
        printf "%-13s %6d %9.1f %9.1f %8.2f %8.2f\n", "idle", ranks, (held - base) / others,
          (rss - base_rss) / others, elapsed, cpu
      }'
  done
}

halo() {
  printf '%-13s %6s %6s %10s %9s %11s %10s %10s %9s %8s %8s\n' case ranks steps "time(us)" KB/rank \
    "program(KB)" msg/CPU-s msg/s "peak(GB)" "time(s)" "CPU(s)"
  local ranks base_rss steps
  job 1 lulesh_halo_scale -i 0 || { failed lulesh_halo 1 $?; return; }
  base_rss=$rss
  for ranks in "$@"; do
    steps=$(((messages + 26 * ranks - 1) / (26 * ranks)))
    job "$ranks" lulesh_halo_scale -i "$steps" || { failed lulesh_halo "$ranks" $?; continue; }
    awk -v ranks="$ranks" -v steps="$steps" -v time="$(field time_us)" -v own="$(field own_bytes)" \
      -v base="$base_rss" -v rss="$rss" -v elapsed="$elapsed" -v cpu="$cpu" 'BEGIN {
        sent = 26 * ranks * steps
        if (cpu == 0) cpu = 0.01  # what the clock of small jobs can tell apart
        if (elapsed == 0) elapsed = 0.01
        printf "%-13s %6d %6d %10.1f %9.1f %11.1f %10.0f %10.0f %9.2f %8.2f %8.2f\n", "lulesh_halo",
          ranks, steps, time / steps, (rss - base) / ranks - own / 1024, own / 1024, sent / cpu,
          sent / elapsed, rss / 1048576, elapsed, cpu
      }'
  done
}

# collective NAME RANKS TIMES PROGRAM [ARGUMENT ...]
collective() {
  local name=$1 ranks=$2 times=$3
  shift 3
  job "$ranks" "$@" -i "$times" || { failed "$name" "$ranks" $?; return; }
  awk -v name="$name" -v ranks="$ranks" -v times="$times" -v time="$(field time_us)" -v rss="$rss" \
    -v own="$(field own_bytes)" -v elapsed="$elapsed" -v cpu="$cpu" 'BEGIN {
      printf "%-13s %6d %6d %10.1f %11.1f %9.2f %8.2f %8.2f\n", name, ranks, times, time / times,
        own / 1024, rss / 1048576, elapsed, cpu
    }'
}

collectives() {
  printf '%-13s %6s %6s %10s %11s %9s %8s %8s\n' case ranks times "time(us)" "program(KB)" "peak(GB)" \
    "time(s)" "CPU(s)"
  local ranks
  for ranks in "$@"; do
    collective barrier "$ranks" 10 collective_scale -c barrier
    collective bcast "$ranks" 10 collective_scale -c bcast -m 1024
    collective allreduce "$ranks" 10 allreduce_scale
    # Buffers of the program's own grow with the square of the ranks: beyond, only in rows.
    [ "$ranks" -gt 8192 ] || collective alltoall "$ranks" 2 collective_scale -c alltoall
    collective row_alltoall "$ranks" 2 collective_scale -c row_alltoall
    collective comm_dup "$ranks" 2 collective_scale -c dup
    collective comm_split "$ranks" 2 collective_scale -c split
    collective cart_create "$ranks" 2 collective_scale -c cart
    collective dist_graph "$ranks" 2 collective_scale -c graph
  done
}

worst=0
for table in "${tables[@]}"; do
  read -r -a sizes <<<"$(sizes_of "$table")"
  case ${table%%:*} in
    idle) idle "${sizes[@]}" ;;
    halo) halo "${sizes[@]}" ;;
    collectives) collectives "${sizes[@]}" ;;
  esac
done
exit $worst
