#!/usr/bin/env bash
# The thesis's NWChem runs as dft_scf shows them: graphs 3-4 (by ranks), 4-5 and 4-6 (1, 2 and 8
# helper buffers) and 4-7 (blocked helper), and its table 3-1 (calls and bytes at 256 ranks).
#
# The graphs' values are lost; what the thesis says of them stands beside ours. Nodes, kernel and
# waits are those of transpose_table.sh's phase 2a. The work is twelve times the program's default:
# enough that 16 ranks mostly compute, as the thesis says of its runs.
#
# Seconds of virtual time of one iteration, up to the sync of all ranks.
set -euo pipefail
export LC_ALL=C

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
usage() {
  cat <<'TEXT'
usage: dft_table.sh [BUILD_DIRECTORY] [options] [RANKS ...]
The thesis's NWChem runs with RANKS (16 32 64 128 256), and what it says of them. BUILD_DIRECTORY:
default build/release.
  --statistics   table 3-1 instead (16 iterations at 256 ranks: several minutes)
  --csv, --json  the format; else tables
TEXT
}
default_build=$here/../../build/release
# shellcheck source=scripts/rows.sh
. "$here/../../scripts/rows.sh"

statistics=no
read_options '' statistics "$@"
ranks=("${wanted[@]}")
for count in "${ranks[@]}"; do positive RANKS "$count"; done
[ ${#ranks[@]} -gt 0 ] || ranks=(16 32 64 128 256)
need_programs dft_scf

readonly work=(--task-us 36000 --point-us 24000 --update-us 60000)

# run RANKS BUFFERS SIZE WAIT OPTION ...
run() {
  local count=$1 buffers=$2 size=$3 wait=$4
  shift 4
  CASTOR_TIME_SLICE=100ms CASTOR_ARMCI_CHT_BUFFERS=$buffers CASTOR_ARMCI_CHT_BUFFER_SIZE=$size \
    CASTOR_ARMCI_CHT_WAIT=$wait "$build/bin/aprun" -q --node 'numa:1 core:4 pu:1' -n "$count" -N 4 \
    "$build/bin/dft_scf" "$@"
}

if [ "$statistics" = yes ]; then
  options=()
  [ "$format" = table ] || options=("--$format")
  run 256 2 256K blocked --statistics "${options[@]}"
  exit
fi

declare -A times seconds memory
measure() {
  local count=$1 key=$2 row
  progress "$count ranks, $key"
  # shellcheck disable=SC2086 # a key is three words
  row=$(run "$count" ${key//-/ } -i 1 "${work[@]}" --csv 2>/dev/null | awk -F, '
    NR == 1 { for (i = 1; i <= NF; ++i) column[$i] = i }
    NR > 1 && $column["ok"] == "yes" {
      print $column["min"], $column["avg"], $column["max"], $column["memory"] }') || true
  progress
  [ -n "$row" ] || die "$count ranks, $key: no right answer"
  times[$count/$key]=${row% *}
  memory[$count/$key]=${row##* }
  read -r _ seconds["$count/$key"] _ <<<"$row"
}

readonly settings=(1-256K-polling 2-256K-polling 8-64K-polling 2-256K-blocked)
begin_tables
begin_table seconds '' 'ranks|6' 'buffers|8' 'size|-8' 'helper|-9' 'min|9||s|3' 'mean|9||s|3' 'max|9||s|3' \
  'memory_mb|14|MB per node||0'
for count in "${ranks[@]}"; do
  for key in "${settings[@]}"; do
    measure "$count" "$key"
    IFS=- read -r buffers size wait <<<"$key"
    # shellcheck disable=SC2086 # least, mean, largest
    table_row "$count" "$buffers" "$size" "$wait" ${times[$count/$key]} "${memory[$count/$key]}"
  done
done
end_table

# compare TITLE KEY OTHER_KEY STATEMENT [RANKS]: the quotients of two settings, the other one's of the
# same ranks or always of RANKS, and what the thesis says.
compare() {
  local title=$1 key=$2 other=$3 said=$4 base=${5:-} count cells=()
  for count in "${ranks[@]}"; do
    cells+=("$(awk -v a="${seconds[$count/$key]}" -v b="${seconds[${base:-$count}/$other]}" \
      'BEGIN { printf "%.2f", a / b }')")
  done
  table_row "$title" "${cells[@]}" "$said"
}
columns=()
for count in "${ranks[@]}"; do columns+=("ranks_$count|7|$count"); done
begin_table quotients '' 'quotient|-34|quotients' "${columns[@]}" 'thesis|-1'
compare "2 buffers, of ${ranks[0]} ranks" 2-256K-polling 2-256K-polling \
  'falls from 16 to 32, 64 about the same, falls at 128, rises at 256' "${ranks[0]}"
compare '1 buffer / 2 buffers' 1-256K-polling 2-256K-polling 'nothing up to 64, clear from 128 on'
compare '2 buffers / 8 buffers of 64K' 2-256K-polling 8-64K-polling 'clear again'
compare 'polling / blocked' 2-256K-polling 2-256K-blocked 'about 2 at 16, little at 256'
end_table
end_tables
