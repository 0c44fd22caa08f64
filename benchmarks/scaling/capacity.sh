#!/usr/bin/env bash
# The scale page: what memory and time jobs of many ranks take under aprun, in three tables: idle
# ranks, LULESH's halo exchange with 26 neighbours, and collectives. 16 ranks to a node; all data are
# checked. Columns, with their names in CSV and JSON:
#
#   idle (idle_kb)   resident memory per rank while all ranks are between MPI_Init and MPI_Finalize and
#                    have sent nothing, above that of a job of one rank; stacks and everything else
#                    included
#   peak (peak_kb)   the same of the largest memory that the job ever held
#   KB/rank (kb_per_rank)   of the halo: peak memory above a job of one rank, less the program's own data
#   program (program_kb)    those data, per rank
#   msg/CPU-s, msg/s (messages_per_cpu_s, messages_per_s)   messages that the program sends, per second
#                    of CPU and of elapsed time of the whole job, start and end included
#   time (us: step_us, each_us)   virtual time of a step or an operation
#   peak (GB: peak_gb)            largest memory of the process, program's data included
#   time, CPU (s: elapsed_s, cpu_s)   of the whole job
#   remark           why a row has no figures
set -euo pipefail
export LC_ALL=C
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
usage() {
  cat <<'TEXT'
usage: capacity.sh [BUILD_DIRECTORY] [options] [TABLE ...]
Memory and time of jobs of many ranks. TABLE: idle, halo, collectives, or one of them with numbers of
ranks: idle:64,1024 (all three). Its head says what each column means. BUILD_DIRECTORY: default
build/release. Exit code 1 if a job failed.
  --messages N     steps of the halo exchange for about so many messages (2000000)
  --limit SECONDS  longest run (300)
  --csv, --json    the format; else tables
TEXT
}
default_build=$here/../../build/release
# shellcheck source=scripts/rows.sh
. "$here/../../scripts/rows.sh"
# shellcheck source=benchmarks/scaling/common.sh
. "$here/common.sh"

messages=2000000 limit=300
read_options 'messages limit' '' "$@"
positive --messages "$messages"
positive --limit "$limit"
tables=("${wanted[@]}")
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
  one_of TABLE "${table%%:*}" idle halo collectives
  for ranks in $(sizes_of "$table"); do
    positive "TABLE $table: RANKS" "$ranks"
    [[ $ranks -gt 1 || $table != idle:* ]] || refuse "TABLE $table: idle has at least 2 ranks"
  done
done
need_programs idle_scale lulesh_halo_scale allreduce_scale collective_scale

per_node=16
make_work

# job CASE RANKS PROGRAM [ARGUMENT ...]: runs it; if it fails, a remark is its row.
job() {
  local name=$1 ranks=$2 program=$3 code=0
  shift 3
  progress "$name, $ranks ranks"
  timed "$build/bin/aprun" -n "$ranks" -N $((ranks < per_node ? ranks : per_node)) \
    "$build/bin/$program" "$@" || code=$?
  progress
  [ "$code" -ne 0 ] || return 0
  table_remark "$(why_failed "$code")" "$name" "$ranks"
  worst=1
  return 1
}

idle() {
  begin_table idle '' 'case|-13' 'ranks|6' 'idle_kb|9|idle|KB' 'peak_kb|9|peak|KB' \
    'elapsed_s|8|time|s' 'cpu_s|8|CPU|s' 'remark|-0'
  idle_rows "$@"
  end_table
}

idle_rows() {
  local ranks base base_rss figures
  job idle 1 idle_scale || return 0
  base=$(field resident_kb) base_rss=$rss
  for ranks in "$@"; do
    job idle "$ranks" idle_scale || continue
    read -r -a figures < <(awk -v others=$((ranks - 1)) -v base="$base" -v held="$(field resident_kb)" \
      -v base_rss="$base_rss" -v rss="$rss" 'BEGIN {
        printf "%.1f %.1f\n", (held - base) / others, (rss - base_rss) / others
      }')
    table_row idle "$ranks" "${figures[@]}" "$elapsed" "$cpu"
  done
}

halo() {
  begin_table halo '' 'case|-13' 'ranks|6' 'steps|6' 'step_us|10|time|us' 'kb_per_rank|9|KB/rank' \
    'program_kb|11|program|KB' 'messages_per_cpu_s|10|msg/CPU-s' 'messages_per_s|10|msg/s' \
    'peak_gb|9|peak|GB' 'elapsed_s|8|time|s' 'cpu_s|8|CPU|s' 'remark|-0'
  halo_rows "$@"
  end_table
}

halo_rows() {
  local ranks base_rss steps figures
  job lulesh_halo 1 lulesh_halo_scale -i 0 || return 0
  base_rss=$rss
  for ranks in "$@"; do
    steps=$(((messages + 26 * ranks - 1) / (26 * ranks)))
    job lulesh_halo "$ranks" lulesh_halo_scale -i "$steps" || continue
    read -r -a figures < <(awk -v ranks="$ranks" -v steps="$steps" -v time="$(field time_us)" \
      -v own="$(field own_bytes)" -v base="$base_rss" -v rss="$rss" -v elapsed="$elapsed" -v cpu="$cpu" '
      BEGIN {
        sent = 26 * ranks * steps
        if (cpu == 0) cpu = 0.01  # what the clock of small jobs can tell apart
        if (elapsed == 0) elapsed = 0.01
        printf "%.1f %.1f %.1f %.0f %.0f %.2f\n", time / steps, (rss - base) / ranks - own / 1024,
          own / 1024, sent / cpu, sent / elapsed, rss / 1048576
      }')
    table_row lulesh_halo "$ranks" "$steps" "${figures[@]}" "$elapsed" "$cpu"
  done
}

# collective NAME RANKS TIMES PROGRAM [ARGUMENT ...]
collective() {
  local name=$1 ranks=$2 times=$3 figures
  shift 3
  job "$name" "$ranks" "$@" -i "$times" || return 0
  read -r -a figures < <(awk -v times="$times" -v time="$(field time_us)" -v rss="$rss" \
    -v own="$(field own_bytes)" 'BEGIN {
      printf "%.1f %.1f %.2f\n", time / times, own / 1024, rss / 1048576
    }')
  table_row "$name" "$ranks" "$times" "${figures[@]}" "$elapsed" "$cpu"
}

collectives() {
  begin_table collectives '' 'case|-13' 'ranks|6' 'times|6' 'each_us|10|time|us' \
    'program_kb|11|program|KB' 'peak_gb|9|peak|GB' 'elapsed_s|8|time|s' 'cpu_s|8|CPU|s' 'remark|-0'
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
  end_table
}

worst=0
begin_tables
for table in "${tables[@]}"; do
  read -r -a sizes <<<"$(sizes_of "$table")"
  case ${table%%:*} in
    idle) idle "${sizes[@]}" ;;
    halo) halo "${sizes[@]}" ;;
    collectives) collectives "${sizes[@]}" ;;
  esac
done
end_tables
exit $worst
