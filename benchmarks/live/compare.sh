#!/usr/bin/env bash
# The live mode beside other MPIs and raw libfabric on this host: medians, and ratios to raw libfabric.
set -euo pipefail
export LC_ALL=C
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
root=$(cd "$here/../.." && pwd -P)
usage() {
  cat <<'TEXT'
usage: compare.sh [BUILD_DIRECTORY] [options] [ROUNDS]
Latency, bandwidth and availability of two ranks on this host: medians of ROUNDS (7), all programs in
turn in each. What is not installed of MPICH, Open MPI (mpicc.mpich, mpicc.openmpi) and libfabric
(fi_pingpong) is left out. BUILD_DIRECTORY: default build/release. Exit code 1 if a run failed.
  --csv, --json  the format; else tables
TEXT
}
default_build=$root/build/release
# shellcheck source=scripts/rows.sh
. "$root/scripts/rows.sh"

read_options '' '' "$@"
rounds=${wanted[0]:-7}
positive ROUNDS "$rounds"
[ ${#wanted[@]} -le 1 ] || refuse "ROUNDS ${wanted[*]}: one number"
need_programs mpi_latency mpi_bandwidth smb_overhead
bin=$build/bin
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

sizes=8,4K,64K,1M
latency_rounds=2000
bandwidth_rounds=20
availability_rounds=1000
flags=(-O2 -Wno-stringop-overflow -std=gnu11 -D_GNU_SOURCE -I"$root" -I"$root/corespec/include")

have() { command -v "$1" >/dev/null; }

others=()
for mpi in mpich openmpi; do
  if ! have "mpicc.$mpi" || ! have "mpirun.$mpi"; then
    printf '%s: no %s here: left out\n' "$program_name" "$mpi" >&2
    continue
  fi
  for program in mpi_latency mpi_bandwidth smb_overhead; do
    # Debian's mpicc.openmpi may be there without what it compiles with (libopenmpi-dev).
    if ! "mpicc.$mpi" "${flags[@]}" -o "$work/$program.$mpi" "$root/benchmarks/$program.c" -lm \
      2>"$work/errors"; then
      printf '%s: %s left out: %s\n' "$program_name" "$mpi" "$(grep -m 1 error "$work/errors")" >&2
      continue 2
    fi
  done
  others+=("$mpi")
done

# run WHO PROGRAM ARGUMENTS...: two ranks of PROGRAM under MPI WHO; its rows go to $work/rows. A run that
# fails is left out, with a line that says so.
worst=0
run() {
  local code=0
  progress "round $round of $rounds: $1 $2"
  : >"$work/rows"
  two_ranks "$@" >"$work/out" 2>"$work/errors" || code=$?
  if [ "$code" -eq 0 ]; then
    tail -n +2 "$work/out" >"$work/rows"
    return
  fi
  progress
  printf '%s: %s %s ended with code %d: %s\n' "$program_name" "$1" "$2" "$code" \
    "$(grep . "$work/errors" | tail -n 1)" >&2
  worst=1
}

two_ranks() {
  local who=$1 program=$2
  shift 2
  case $who in
    castor | castor_one_node)
      local per_node=1
      [ "$who" = castor_one_node ] && per_node=2
      CASTOR_NETWORK=none timeout -s KILL 120 "$bin/aprun" --clock live -q -n 2 -N "$per_node" \
        "$bin/$program" "$@" ;;
    castor_thread)
      CASTOR_NETWORK=none MPICH_NEMESIS_ASYNC_PROGRESS=MC MPICH_MAX_THREAD_SAFETY=multiple \
        timeout -s KILL 120 "$bin/aprun" --clock live -q -n 2 -N 1 "$bin/$program" "$@" ;;
    mpich) timeout -s KILL 120 mpirun.mpich -n 2 "$work/$program.mpich" "$@" ;;
    mpich_thread)
      MPICH_ASYNC_PROGRESS=1 timeout -s KILL 120 mpirun.mpich -n 2 "$work/$program.mpich" "$@" ;;
    openmpi)
      timeout -s KILL 120 mpirun.openmpi --allow-run-as-root --oversubscribe --bind-to none -n 2 \
        "$work/$program.openmpi" "$@" ;;
  esac
}

# raw SIZE: fi_pingpong on the shared-memory provider, "latency (us) bandwidth (GB/s)".
raw() {
  local port=$((20000 + RANDOM % 20000)) count=$latency_rounds
  timeout -s KILL 60 fi_pingpong -p shm -e rdm -I "$count" -S "$1" -B "$port" >/dev/null 2>&1 &
  local server=$!
  sleep 0.5
  timeout -s KILL 60 fi_pingpong -p shm -e rdm -I "$count" -S "$1" -P "$port" 127.0.0.1 \
    2>/dev/null | awk 'END { print $7, $6 / 1000 }'
  wait "$server" || true
}

# keep WHO WHAT SIZE VALUE
keep() { [ -z "$4" ] || printf '%s %s %s %s\n' "$1" "$2" "$3" "$4" >>"$work/values"; }

bytes_of() { numfmt --from=iec "${1%B}"; }

: >"$work/values"
for ((round = 1; round <= rounds; ++round)); do
  for who in castor castor_one_node "${others[@]}"; do
    run "$who" mpi_latency --sizes "$sizes" -i "$latency_rounds" --csv
    while IFS=, read -r size _ _ mean _; do
      keep "$who" latency "$size" "$mean"
    done <"$work/rows"
    run "$who" mpi_bandwidth --sizes "$sizes" -i "$bandwidth_rounds" --csv
    while IFS=, read -r size _ _ _ _ bandwidth _; do
      keep "$who" bandwidth "$size" "$bandwidth"
    done <"$work/rows"
  done
  if have fi_pingpong; then
    for size in ${sizes//,/ }; do
      size=$(bytes_of "$size")
      progress "round $round of $rounds: fi_pingpong"
      latency='' bandwidth=''
      read -r latency bandwidth < <(raw "$size") || true
      keep raw latency "$size" "$latency"
      keep raw bandwidth "$size" "$bandwidth"
    done
  fi
  threads=()
  for other in "${others[@]}"; do
    threads+=("$other")
    [ "$other" != mpich ] || threads+=(mpich_thread)
  done
  for who in castor castor_thread "${threads[@]}"; do
    # Doubling the work, as the original does, ends at any disturbance of one loop.
    run "$who" smb_overhead --sizes 64K,1M -i "$availability_rounds" --work-ratio 2 --csv
    while IFS=, read -r side size _ _ _ _ _ available _; do
      keep "$who" "available_$side" "$size" "$available"
    done <"$work/rows"
  done
done
progress

# medians: WHO WHAT SIZE MEDIAN.
medians() {
  sort -k1,3 -k4,4g "$work/values" | awk '
    function finish() {
      if (key != "") print key, count % 2 ? list[(count + 1) / 2] : (list[count / 2] + list[count / 2 + 1]) / 2
      count = 0
    }
    { this = $1 " " $2 " " $3
      if (this != key) { finish(); key = this }
      list[++count] = $4 }
    END { finish() }'
}
declare -A median
while read -r who what size value; do median[$who/$what/$size]=$value; done < <(medians)
everybody=(raw castor castor_one_node castor_thread mpich mpich_thread openmpi)
bytes=()
for size in ${sizes//,/ }; do bytes+=("$(bytes_of "$size")"); done

# compare WHAT UNIT: medians of each size, and their ratios to raw libfabric's.
compare() {
  local what=$1 who size mine base cells columns=()
  for size in "${bytes[@]}"; do
    columns+=("bytes_$size|11|$size B||3" "to_raw_$size|8|to raw")
  done
  begin_table "$what" '' "mpi|-16|$what|$2" "${columns[@]}"
  for who in "${everybody[@]}"; do
    [ -n "${median[$who/$what/8]:-}" ] || continue
    cells=()
    for size in "${bytes[@]}"; do
      mine=${median[$who/$what/$size]:-} base=${median[raw/$what/$size]:-}
      cells+=("$mine" "$(awk -v mine="$mine" -v base="$base" 'BEGIN { if (base > 0) printf "%.2f", mine / base }')")
    done
    table_row "$who" "${cells[@]}"
  done
  end_table
}

begin_tables
remark "medians of $rounds alternating rounds, 2 ranks on this host"
[ "$format" != table ] || echo
compare latency us
compare bandwidth GB/s
begin_table availability '' 'mpi|-16|availability|%' 'send_65536|11|send 64K||1' 'recv_65536|11|recv 64K||1' \
  'send_1048576|11|send 1M||1' 'recv_1048576|11|recv 1M||1'
for who in "${everybody[@]}"; do
  [ -n "${median[$who/available_recv/1048576]:-}" ] || continue
  table_row "$who" "${median[$who/available_send/65536]:-}" "${median[$who/available_recv/65536]:-}" \
    "${median[$who/available_send/1048576]:-}" "${median[$who/available_recv/1048576]:-}"
done
end_table
end_tables
exit $worst
