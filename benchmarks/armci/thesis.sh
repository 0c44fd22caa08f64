#!/usr/bin/env bash
# Every graph and table of results in the thesis (S1 of docs/sources.md), in its order, beside ours.
#
# Where the thesis's numbers are lost with its graphs, what its text says of them is the published
# value: a quotient of ours then decides whether it holds. "As much" and "almost nothing" mean within
# 10 %, "clearly" and "gains" more than that; "falls" and "rises" are against the number before.
#
# The runs are those of transpose_table.sh, dft_table.sh and armci_perf, and take the environment
# that this script is given.
set -euo pipefail
export LC_ALL=C

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
usage() {
  cat <<'TEXT'
usage: thesis.sh [BUILD_DIRECTORY] [options] [ITEM ...]
The thesis's graphs and tables of results beside ours. ITEM: T1 to T17; all but T4. BUILD_DIRECTORY:
default build/release.
  T1   graph 3-1: naive transpose           T10  graph 4-5: 1 and 2 helper buffers
  T2   graph 3-2: GA_Transpose              T11  graph 4-6: 2 and 8 helper buffers
  T3   graph 3-3: naive against it          T12  graph 4-7: blocked helper
  T4   table 3-1: calls, bytes (minutes)    T13  section 5.2: latency of gets
  T5   graph 3-4: DFT module by ranks       T14  graph 6-1: transposes, limit 10 KB
  T6   graph 4-1: limit 10 KB for puts      T15  graph 6-2: transposes, blocked helper
  T7   graph 4-2: limit 40 KB for puts      T16  graph 6-3: DFT module, all settings
  T8   graph 4-3: speed-up by eager puts    T17  appendix A: phase 2b
  T9   graph 4-4: limit 10 KB for gets
  --csv, --json  the format; else a table
TEXT
}
default_build=$here/../../build/release
# shellcheck source=scripts/rows.sh
. "$here/../../scripts/rows.sh"

read_options '' '' "$@"
all=(T1 T2 T3 T4 T5 T6 T7 T8 T9 T10 T11 T12 T13 T14 T15 T16 T17)
items=("${wanted[@]}")
for item in "${items[@]}"; do one_of ITEM "$item" "${all[@]}"; done
[ ${#items[@]} -gt 0 ] || items=("${all[@]:0:3}" "${all[@]:4}")
need_programs transpose dft_scf armci_perf

declare -A value measured
# What has been asked of a script; its own complaint ends this one.
rows_of() {
  progress "$1 ${*:2}"
  "$here/$1" "$build" --csv "${@:2}" || exit 1
}

# measure WHAT ...: runs what an item needs, once. value[transposes: TABLE/FORM/SETTING/RANKS/COLUMN;
# dft: dft/BUFFERS-SIZE-HELPER/RANKS/COLUMN].
measure() {
  local what rows row
  for what in "$@"; do
    [ -z "${measured[$what]:-}" ] || continue
    measured[$what]=yes
    case $what in
      dft)
        rows=$(rows_of dft_table.sh)
        while IFS=, read -r -a row; do
          [[ ${row[0]:-} =~ ^[0-9]+$ ]] || continue
          set_values "dft/${row[1]}-${row[2]}-${row[3]}/${row[0]}" min "${row[4]}" mean "${row[5]}" max "${row[6]}" \
            memory "${row[7]}"
        done <<<"$rows"
        ;;
      *)
        rows=$(rows_of transpose_table.sh "$what")
        while IFS=, read -r -a row; do
          [ "${row[0]}" != table ] || continue
          set_values "${row[0]}/${row[1]}/${row[2]}/${row[3]}" min "${row[4]}" mean "${row[5]}" max "${row[6]}" \
            thesis "${row[8]:-}"
        done <<<"$rows"
        ;;
    esac
  done
}

# set_values KEY NAME VALUE ...
set_values() {
  local key=$1
  shift
  while [ $# -gt 0 ]; do
    value[$key/$1]=$2
    shift 2
  done
}

# calculate EXPRESSION: a number, from an awk expression of numbers.
calculate() { awk "BEGIN { printf \"%.3f\", $1 }"; }
holds() { awk "BEGIN { exit !($1) }" && echo holds || echo 'does not'; }

# away OURS THESIS'S: how far ours is from the thesis's.
away() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%+.0f %%", 100 * (a / b - 1) }'; }

# seconds ITEM GRAPH RANKS TABLE/FORM/SETTING ...: of transposes with the numbers of ranks in the array
# RANKS: the thesis's average, ours, and how far ours is from it.
seconds() {
  local item=$1 graph=$2 series key count least mean most said
  local -n counts=$3
  for series in "${@:4}"; do
    for count in "${counts[@]}"; do
      key=$series/$count
      least=${value[$key/min]} mean=${value[$key/mean]} most=${value[$key/max]} said=${value[$key/thesis]}
      table_row "$item" "$graph" "$series seconds" "$count" "$said" "$least" "$mean" "$most" \
        "$(away "${mean:-$most}" "$said")"
    done
  done
}

# quotients ITEM GRAPH WHAT KEY OTHER_KEY RANKS ...: of two transposes' means, and of the thesis's.
quotients() {
  local ranks ours said
  measure 6400
  for ranks in "${@:6}"; do
    ours=$(calculate "${value[$4/$ranks/mean]} / ${value[$5/$ranks/mean]}")
    said=$(calculate "${value[$4/$ranks/thesis]} / ${value[$5/$ranks/thesis]}")
    table_row "$1" "$2" "$3" "$ranks" "$said" '' "$ours" '' "$(away "$ours" "$said")"
  done
}

# statement ITEM GRAPH WHAT RANKS SAID OURS CONDITION: CONDITION is an awk expression of x, which is ours.
statement() {
  table_row "$1" "$2" "$3" "$4" "$5" '' "$6" '' "$(holds "${7//x/($6)}")"
}

# shellcheck disable=SC2034 # named to seconds()
readonly five=(16 32 64 128 256) with_24=(24 48 96 192 384)
readonly alike='x > 0.9 && x < 1.1' clearly='x >= 1.1'

# A DFT run's seconds: its mean.
dft() { printf '%s' "${value[dft/$1/$2/mean]}"; }
readonly with_1=1-256K-polling with_2=2-256K-polling with_8=8-64K-polling asleep=2-256K-blocked

item_T1() {
  measure 6400 12800
  seconds T1 3-1 five 6400/get/2K 12800/get/2K
}
item_T2() {
  measure 6400 12800
  seconds T2 3-2 five 6400/put/2K 12800/put/2K
}
item_T3() { quotients T3 3-3 'put / get 2K' 6400/put/2K 6400/get/2K "${five[@]}"; }
item_T4() {
  local rows kind numbers
  rows=$(rows_of dft_table.sh --statistics)
  while IFS=, read -r kind numbers; do
    [ "$kind" != statistic ] || continue
    local n
    IFS=, read -r -a n <<<"$numbers"
    table_row T4 'table 3-1' "$kind: calls" 256 "${n[0]}" '' "${n[2]}" '' ''
    table_row T4 'table 3-1' "$kind: KB" 256 "${n[3]}" '' "${n[5]}" '' ''
    table_row T4 'table 3-1' "$kind: remote KB" 256 "${n[6]}" '' "${n[8]}" '' ''
  done <<<"$rows"
}
item_T5() {
  local at before=16 said
  measure dft
  table_row T5 3-4 '2 buffers seconds' 16 '' "${value[dft/$with_2/16/min]}" "$(dft $with_2 16)" "${value[dft/$with_2/16/max]}" ''
  while read -r at condition said; do
    statement T5 3-4 "2 buffers of $before ranks' time" "$at" "$said" \
      "$(calculate "$(dft $with_2 "$at") / $(dft $with_2 "$before")")" "x $condition"
    before=$at
  done <<'SAID'
32 <0.9 falls
64 >0.9&&x<1.1 about the same
128 <0.9 falls
256 >1.1 rises
SAID
}
item_T6() { quotients T6 4-1 'put 10K / 2K' 6400/put/10K 6400/put/2K 128 256; }
item_T7() { quotients T7 4-2 'put 42K / 2K' 6400/put/42K 6400/put/2K 64; }
item_T8() {
  local ranks limit what
  measure 6400
  while read -r ranks limit; do
    local ours said=0
    ours=$(calculate "100 * (1 - ${value[6400/put/$limit/$ranks/mean]} / ${value[6400/put/2K/$ranks/mean]})")
    what="put $limit gains percent"
    if [ "$ranks" = 32 ]; then
      statement T8 4-3 "$what" 32 'almost nothing' "$ours" 'x < 10'
    else
      said=$(calculate "100 * (1 - ${value[6400/put/$limit/$ranks/thesis]} / ${value[6400/put/2K/$ranks/thesis]})")
      table_row T8 4-3 "$what" "$ranks" "$said" '' "$ours" '' "$(calculate "$ours - $said") points"
    fi
  done <<'LIMITS'
32 162K
64 42K
128 10K
256 10K
LIMITS
}
item_T9() { quotients T9 4-4 'get 10K / 2K' 6400/get/10K 6400/get/2K "${five[@]}"; }
# compare ITEM GRAPH WHAT KEY OTHER_KEY SAID CONDITION RANKS ...
compare() {
  local ranks
  for ranks in "${@:8}"; do
    statement "$1" "$2" "$3" "$ranks" "$6" "$(calculate "$(dft "$4" "$ranks") / $(dft "$5" "$ranks")")" "$7"
  done
}
item_T10() {
  measure dft
  compare T10 4-5 '1 buffer / 2 buffers' $with_1 $with_2 'no gain' "$alike" 16 32 64
  compare T10 4-5 '1 buffer / 2 buffers' $with_1 $with_2 'clear gain' "$clearly" 128 256
}
item_T11() {
  measure dft
  compare T11 4-6 '2 / 8 buffers of 64K' $with_2 $with_8 'considerable' "$clearly" 128 256
  statement T11 4-6 'MB of buffers to a node' 256 512 "${value[dft/$with_8/256/memory]}" 'x == 512'
}
item_T12() {
  measure dft
  compare T12 4-7 'polling / blocked' $with_2 $asleep 'almost 2' 'x > 1.6 && x < 2.4' 16
  compare T12 4-7 'polling / blocked' $with_2 $asleep 'as at 16' 'x > 1.6 && x < 2.4' 32 64
  compare T12 4-7 'polling / blocked' $with_2 $asleep 'less than at 64' \
    "x < $(calculate "$(dft $with_2 64) / $(dft $asleep 64)")" 128
  compare T12 4-7 'polling / blocked' $with_2 $asleep 'very little' "$alike" 256
}
# latency ENVIRONMENT OPERATION: of 8 bytes, microseconds; the helper has a CPU of its own.
latency() {
  env CASTOR_ARMCI_EAGER_GET="$1" "$build/bin/aprun" -q -n 2 -N 1 -r 1 \
    "$build/bin/armci_perf" --sizes 8 --operation "$2" --layout contiguous --test transfer --csv 2>/dev/null |
    awk -F, 'NR > 1 { print $6; exit }'
}
item_T13() {
  local put get eager
  put=$(latency 0 put) get=$(latency 0 get) eager=$(latency 1 get)
  if [ -z "$put" ] || [ -z "$get" ] || [ -z "$eager" ]; then die 'T13: armci_perf printed no row'; fi
  statement T13 5.2 "get / put of 8 bytes ($get and $put us)" 2 twice "$(calculate "$get / $put")" 'x > 1.8 && x < 2.2'
  statement T13 5.2 "eager get / put ($eager us)" 2 'as put' "$(calculate "$eager / $put")" "$alike"
  statement T13 5.2 'eager get / get' 2 half "$(calculate "$eager / $get")" 'x > 0.45 && x < 0.55'
}
item_T14() {
  measure 6400
  seconds T14 6-1 five 6400/get/10K 6400/put/10K
}
item_T15() {
  measure blocked
  seconds T15 6-2 five blocked/get/2K blocked/put/2K
}
item_T16() {
  local ranks a b c d
  measure dft
  for ranks in "${five[@]}"; do
    a=$(dft $with_1 "$ranks") b=$(dft $with_2 "$ranks") c=$(dft $with_8 "$ranks") d=$(dft $asleep "$ranks")
    table_row T16 6-3 "1 and 2 and 8 buffers and blocked: $a $b $c $d" "$ranks" 'gradually faster' '' '' '' \
      "$(holds "$a * 1.02 > $b && $b * 1.02 > $c && $c > $d")"
  done
  compare T16 6-3 '8 buffers / blocked' $with_8 $asleep 'gap seems to go' "$alike" 256
}
item_T17() {
  measure 2b
  seconds T17 'phase 2b' with_24 2b/get/2K 2b/put/2K \
    2b/GA_Get/2K
}

begin_table thesis '' 'item|-4' 'graph|-9' 'what|-' 'ranks|6' 'thesis|-16' 'min|9|ours\nmin||3' \
  'mean|9|||3' 'max|9|||3' 'verdict|-12'
for item in "${items[@]}"; do
  "item_$item"
  progress
done
end_table
