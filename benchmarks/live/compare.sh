#!/usr/bin/env bash
# Compares the live mode with other MPIs and with raw libfabric on this host: medians as ratios.
#   benchmarks/live/compare.sh BUILD [ROUNDS]      (default: 7 rounds, all programs in turn in each)
# Programs that are not installed (mpicc.mpich, mpicc.openmpi, fi_pingpong) are left out.
set -euo pipefail

build=${1:?build folder, as build/release}
rounds=${2:-7}
here=$(cd "$(dirname "$0")/../.." && pwd)
bin=$(cd "$build/bin" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

sizes=8,4K,64K,1M
latency_rounds=2000
bandwidth_rounds=20
flags=(-O2 -Wno-stringop-overflow -std=gnu11 -D_GNU_SOURCE -I"$here" -I"$here/corespec/include")

say() { printf '%s\n' "$*" >&2; }
have() { command -v "$1" >/dev/null; }

others=()
for mpi in mpich openmpi; do
  if ! have "mpicc.$mpi" || ! have "mpirun.$mpi"; then
    say "compare: no $mpi here: left out"
    continue
  fi
  others+=("$mpi")
  for program in mpi_latency mpi_bandwidth smb_overhead; do
    "mpicc.$mpi" "${flags[@]}" -o "$work/$program.$mpi" "$here/benchmarks/$program.c" -lm
  done
done

# run WHO PROGRAM ARGUMENTS...: two ranks of PROGRAM under MPI WHO.
run() {
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
  esac 2>>"$work/errors"
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
keep() { [ -n "$4" ] && printf '%s %s %s %s\n' "$1" "$2" "$3" "$4" >>"$work/values"; }

bytes_of() { numfmt --from=iec "${1%B}"; }

: >"$work/values"
for ((round = 1; round <= rounds; ++round)); do
  [ -t 2 ] && printf '\rround %d of %d ' "$round" "$rounds" >&2
  for who in castor castor_one_node "${others[@]}"; do
    while IFS=, read -r size _ _ mean _; do
      keep "$who" latency "$size" "$mean"
    done < <(run "$who" mpi_latency --sizes "$sizes" -i "$latency_rounds" --csv | tail -n +2)
    while IFS=, read -r size _ _ _ _ bandwidth _; do
      keep "$who" bandwidth "$size" "$bandwidth"
    done < <(run "$who" mpi_bandwidth --sizes "$sizes" -i "$bandwidth_rounds" --csv | tail -n +2)
  done
  if have fi_pingpong; then
    for size in ${sizes//,/ }; do
      size=$(bytes_of "$size")
      read -r latency bandwidth < <(raw "$size")
      keep raw latency "$size" "$latency"
      keep raw bandwidth "$size" "$bandwidth"
    done
  fi
  threads=()
  for other in "${others[@]}"; do
    threads+=("$other")
    [ "$other" = mpich ] && threads+=(mpich_thread)
  done
  for who in castor castor_thread "${threads[@]}"; do
    while IFS=, read -r side size _ _ _ _ _ available _; do
      keep "$who" "available_$side" "$size" "$available"
    done < <(run "$who" smb_overhead --sizes 64K,1M --csv | tail -n +2)
  done
done
[ -t 2 ] && printf '\r%20s\r' '' >&2

# Medians, and ratios to raw libfabric.
sort -k1,3 -k4,4g "$work/values" | awk -v rounds="$rounds" '
  function median(n) {
    return n % 2 ? list[(n + 1) / 2] : (list[n / 2] + list[n / 2 + 1]) / 2
  }
  function finish() {
    if (key != "") value[key] = median(count)
    split("", list)
    count = 0
  }
  { this = $1 SUBSEP $2 SUBSEP $3
    if (this != key) { finish(); key = this }
    list[++count] = $4 }
  END {
    finish()
    split("raw castor castor_one_node castor_thread mpich mpich_thread openmpi", whos, " ")
    split("latency bandwidth", whats, " ")
    split("8 4096 65536 1048576", sizes, " ")
    printf "medians of %d alternating rounds, 2 ranks on this host\n", rounds
    for (w = 1; w <= 2; ++w) {
      what = whats[w]
      printf "\n%-16s", what == "latency" ? "latency (us)" : "bandwidth (GB/s)"
      for (s = 1; s <= 4; ++s) printf "%12s %8s", sizes[s] " B", "to raw"
      printf "\n"
      for (i = 1; i in whos; ++i) {
        if (!((whos[i], what, 8) in value)) continue
        printf "%-16s", whos[i]
        for (s = 1; s <= 4; ++s) {
          mine = value[whos[i], what, sizes[s]]
          base = value["raw", what, sizes[s]]
          if (base > 0) printf "%12.3f %8.2f", mine, mine / base
          else printf "%12.3f %8s", mine, "-"
        }
        printf "\n"
      }
    }
    printf "\n%-16s%12s%12s%12s%12s\n", "availability (%)", "send 64K", "recv 64K", "send 1M", "recv 1M"
    for (i = 1; i in whos; ++i) {
      if (!((whos[i], "available_recv", 1048576) in value)) continue
      printf "%-16s%12.1f%12.1f%12.1f%12.1f\n", whos[i], value[whos[i], "available_send", 65536],
        value[whos[i], "available_recv", 65536], value[whos[i], "available_send", 1048576],
        value[whos[i], "available_recv", 1048576]
    }
  }'
