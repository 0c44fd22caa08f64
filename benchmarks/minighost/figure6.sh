#!/usr/bin/env bash
# MiniGhost's three mappings of ranks to nodes, as in S0's figure 6: what a Gemini's NICs inject into the
# network, and how the time of a step grows with the job (weak scaling; S0, section VI). Columns, with
# their names in CSV and JSON:
#
#   mean, max (injected_mean, injected_max)  MB that a Gemini injects in a step, requests and answers:
#             phits of its host tiles x 3 bytes; the mean of all Geminis, and the largest
#   ratio     what No-Remap injects, by what this mapping does (means)
#   step (step_ms)  time of a step, of the rank that has the longest
#   efficiency      time of a step with the least number of ranks, by this one's, percent
set -euo pipefail
export LC_ALL=C
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)

usage() {
  cat <<'TEXT'
usage: figure6.sh [BUILD_DIRECTORY] [options]
Runs apps/minighost with 1,024 to 131,072 ranks, 16 to a node, in three mappings: No-Remap (1x1x16
ranks of the grid on a node), Remap (2x2x4), Random. Prints the bytes that a Gemini injects in a step, and
the time of a step. All sizes take some 20 minutes and 3.5 GB, those up to 16,384 ranks 2 minutes.
BUILD_DIRECTORY: default build/release.
  --most N         ranks of the largest job (131072): powers of two up to it
  --ranks N[,N...] these numbers of ranks instead
  --mappings M[,M...]  of noremap, remap, random: these only
  --steps N        time steps (1)
  --vars N         variables (5)
  --system NAME    of aprun (cielo)
  --draw FILE.svg  draws it, too
  --csv, --json    the format; else a table
TEXT
}
default_build=$here/../../build/release
# shellcheck source=scripts/rows.sh
. "$here/../../scripts/rows.sh"

# run "APRUN OPTIONS" PROGRAM "ARGUMENTS": sets $out (its CSV) and $command.
run() {
  command="aprun $1 $2 $3 --csv"
  out=$scratch/out.csv
  # shellcheck disable=SC2086 # options are words
  if ! "$bin/aprun" $1 "$bin/$2" $3 --csv >"$out" 2>"$out.err"; then
    cat "$out.err" >&2
    die "this run failed: $command"
  fi
}

# figure COLUMN: the field of $out's first line.
figure() {
  awk -F, -v wanted="$1" '
    NR == 1 { for (i = 1; i <= NF; ++i) column[$i] = i; next }
    (wanted in column) { print $(column[wanted]); found = 1; exit }
    END { if (!found) exit 1 }' "$out" || die "no $1 in: $command"
}

calculate() { awk "BEGIN { printf \"%.${2:-2}f\", $1 }"; }

most=131072 ranks='' mappings=noremap,remap,random steps=1 vars=5 system=cielo draw=''
read_options 'most ranks mappings steps vars system draw' '' "$@"
no_names
positive --most "$most"
positive --steps "$steps"
positive --vars "$vars"
[ -z "$ranks" ] || rank_list --ranks "$ranks"
[ "$most" -ge 1024 ] || [ -n "$ranks" ] || refuse "--most $most: 1024 or more"
if [ -z "$ranks" ]; then
  for ((size = 1024; size <= most; size *= 2)); do ranks+=${ranks:+,}$size; done
fi
for mapping in ${mappings//,/ }; do one_of --mappings "$mapping" noremap remap random; done
[ -z "$draw" ] || [ "$mappings" = noremap,remap,random ] || refuse "--draw: all mappings are wanted"
need_programs minighost
[ -z "$draw" ] || need_gnuplot
bin=$build/bin
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

declare -A title=([noremap]=No-Remap [remap]=Remap [random]=Random)
declare -A first_step=() noremap_mean=()
: >"$scratch/rows"

# one RANKS MAPPING: a run, and its row.
one() {
  local mean largest geminis step ratio='' efficiency
  progress "$1 ranks, ${title[$2]}"
  run "--system $system -n $1 -N 16 --counters $scratch/counters.$1.$2" minighost \
    "--mapping $2 --steps $steps --vars $vars"
  [ "$(figure ok)" = yes ] || die "wrong sums: $command"
  read -r mean largest geminis < <(awk -f "$here/injected.awk" "$scratch/counters.$1.$2") ||
    die "no host tiles in the counters of: $command"
  mean=$(calculate "$mean / 1e6 / $steps" 3) largest=$(calculate "$largest / 1e6 / $steps" 3)
  [ "$2" != noremap ] || noremap_mean[$1]=$mean
  [ -z "${noremap_mean[$1]:-}" ] || ratio=$(calculate "${noremap_mean[$1]} / $mean" 2)
  step=$(figure step_max)
  : "${first_step[$2]:=$step}"
  efficiency=$(calculate "100 * ${first_step[$2]} / $step" 1)
  echo "$1 $2 $mean $largest $step $efficiency" >>"$scratch/rows"
  table_row "$1" "$geminis" "$(figure grid)" "${title[$2]}" "$mean" "$largest" "$ratio" "$step" "$efficiency"
}

begin_table figure6 '' 'ranks|8' 'geminis|8' 'grid|-11' 'mapping|-9' 'injected_mean|12|injected(MB):\nmean' \
  'injected_max|9|max' 'ratio|7' 'step_ms|11|step|ms' 'efficiency|12|efficiency|%'
for size in ${ranks//,/ }; do
  for mapping in ${mappings//,/ }; do one "$size" "$mapping"; done
done
end_table

[ -n "$draw" ] || exit 0
for mapping in noremap remap random; do
  awk -v mapping="$mapping" '$2 == mapping { print $1, $3, $4, $5, $6 }' "$scratch/rows" >"$scratch/$mapping"
done
gnuplot -e "output_file='$draw'; folder='$scratch'" "$here/figure6.gp"
remark "figure 6: $draw"
