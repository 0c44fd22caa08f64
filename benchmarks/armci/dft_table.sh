#!/usr/bin/env bash
# The thesis's NWChem runs as dft_scf shows them: graphs 3-4 (by ranks), 4-5 and 4-6 (1, 2 and 8
# helper buffers) and 4-7 (blocked helper), and its table 3-1 (calls and bytes at 256 ranks).
#
# The graphs' values are lost; what the thesis says of them stands beside ours. Nodes, kernel and
# waits are those of transpose_table.sh's phase 2a. The work is twelve times the program's default:
# enough that 16 ranks mostly compute, as the thesis says of its runs.
#
# Seconds of virtual time of one iteration, the slowest rank's.
set -euo pipefail
export LC_ALL=C

usage() {
  cat >&2 <<'TEXT'
usage: dft_table.sh BUILD_DIRECTORY [--csv] [--statistics] [RANKS ...]   (16 32 64 128 256)

--statistics: table 3-1 instead (16 iterations at 256 ranks: several minutes)
TEXT
  exit 2
}
[ $# -ge 1 ] && [ -x "$1/bin/aprun" ] || usage
build=$1
shift
csv=no
statistics=no
ranks=()
for word in "$@"; do
  case $word in
    --csv) csv=yes ;;
    --statistics) statistics=yes ;;
    *[!0-9]* | '') usage ;;
    *) ranks+=("$word") ;;
  esac
done
[ ${#ranks[@]} -gt 0 ] || ranks=(16 32 64 128 256)

readonly work=(--task-us 36000 --point-us 24000 --update-us 60000)

# run RANKS BUFFERS SIZE WAIT OPTION ...
run() {
  local count=$1 buffers=$2 size=$3 wait=$4
  shift 4
  CASTOR_TIME_SLICE=100ms CASTOR_ARMCI_CHT_BUFFERS=$buffers CASTOR_ARMCI_CHT_BUFFER_SIZE=$size \
    CASTOR_ARMCI_CHT_WAIT=$wait "$build/bin/aprun" -q --node 'numa:1 core:4 pu:1' -n "$count" -N 4 \
    "$build/bin/dft_scf" "$@"
}

if [ $statistics = yes ]; then
  format=()
  [ $csv = no ] || format=(--csv)
  run 256 2 256K blocked --statistics "${format[@]}"
  exit
fi

declare -A seconds memory
measure() {
  local count=$1 key=$2 row
  if [ -t 2 ]; then printf '\r%-60s' "$count ranks, $key ..." >&2; fi
  row=$(run "$count" ${key//-/ } -i 1 "${work[@]}" --csv 2>/dev/null | awk -F, '
    NR == 1 { for (i = 1; i <= NF; ++i) column[$i] = i }
    NR > 1 && $column["ok"] == "yes" { print $column["max"], $column["memory"] }') || true
  if [ -t 2 ]; then printf '\r%60s\r' '' >&2; fi
  [ -n "$row" ] || { echo "dft_table.sh: $count ranks, $key: no right answer" >&2; exit 1; }
  seconds[$count/$key]=${row% *}
  memory[$count/$key]=${row#* }
}

readonly settings=(1-256K-polling 2-256K-polling 8-64K-polling 2-256K-blocked)
if [ $csv = yes ]; then
  echo ranks,buffers,size,helper,seconds,memory_mb
else
  printf '%6s %8s %8s %9s %12s %14s\n' ranks buffers size helper 'seconds' 'MB per node'
fi
for count in "${ranks[@]}"; do
  for key in "${settings[@]}"; do
    measure "$count" "$key"
    IFS=- read -r buffers size wait <<<"$key"
    if [ $csv = yes ]; then
      echo "$count,$buffers,$size,$wait,${seconds[$count/$key]},${memory[$count/$key]}"
    else
      printf '%6d %8s %8s %9s %12.3f %14.0f\n' "$count" "$buffers" "$size" "$wait" \
        "${seconds[$count/$key]}" "${memory[$count/$key]}"
    fi
  done
done
[ $csv = no ] || exit 0

# compare TITLE KEY OTHER_KEY STATEMENT: the quotients of two settings, and what the thesis says.
compare() {
  local count
  printf '%-34s' "$1"
  for count in "${ranks[@]}"; do
    awk -v a="${seconds[$count/$2]}" -v b="${seconds[$count/$3]}" 'BEGIN { printf " %7.2f", a / b }'
  done
  printf '   thesis: %s\n' "$4"
}
printf '\n%-34s' quotients
printf ' %7d' "${ranks[@]}"
printf '\n'
first=${ranks[0]}
printf '%-34s' "2 buffers, of $first ranks"
for count in "${ranks[@]}"; do
  awk -v a="${seconds[$count/2-256K-polling]}" -v b="${seconds[$first/2-256K-polling]}" \
    'BEGIN { printf " %7.2f", a / b }'
done
printf '   thesis: falls from 16 to 32, 64 about the same, falls at 128, rises at 256\n'
compare '1 buffer / 2 buffers' 1-256K-polling 2-256K-polling 'nothing up to 64, clear from 128 on'
compare '2 buffers / 8 buffers of 64K' 2-256K-polling 8-64K-polling 'clear again'
compare 'polling / blocked' 2-256K-polling 2-256K-blocked 'about 2 at 16, little at 256'
