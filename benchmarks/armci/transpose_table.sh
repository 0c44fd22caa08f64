#!/usr/bin/env bash
# The thesis's transposes beside ours, table by table: put form (GA_Transpose) and get form (naive).
#
# Its phase 2a is a node of 4 CPUs, all of them used by ranks, so that the helper thread shares the
# lowest rank's CPU, under a kernel of the 2.6.16 line: threads that share a CPU take turns of
# 100 ms. Its phase 2b is a node of 24 CPUs with a later kernel: turns are the parameter's default.
# Parts of a patch are waited for one by one (--blocking). The work per element is the one figure
# taken from the tables: the naive form of 16 ranks with a blocked helper.
#
# Seconds, least, mean and largest: ours are virtual, over the ranks, and end with the sync of all
# ranks, as GA_Transpose does; the thesis's (its appendix A) do not say over what, nor where they end.
set -euo pipefail
export LC_ALL=C

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
usage() {
  cat <<'TEXT'
usage: transpose_table.sh [BUILD_DIRECTORY] [options] [TABLE ...]
The thesis's transposes beside ours. TABLE: 6400 (by eager limit), 12800, blocked (helper asleep between
requests), own-cpu (a CPU of its own for the helper, reserved by -r 1; not in the thesis), 2b (24 CPUs to
a node); all of them. BUILD_DIRECTORY: default build/release.
  --csv, --json  the format; else a table
TEXT
}
default_build=$here/../../build/release
# shellcheck source=scripts/rows.sh
. "$here/../../scripts/rows.sh"

read_options '' '' "$@"
tables=("${wanted[@]}")
for table in "${tables[@]}"; do one_of TABLE "$table" 6400 12800 blocked own-cpu 2b; done
[ ${#tables[@]} -gt 0 ] || tables=(6400 12800 blocked own-cpu 2b)
need_programs transpose

readonly element_ns=50
readonly old_slice=100ms

# published TABLE/FORM/SETTING RANKS: the thesis's least, average and largest seconds, with commas, or
# nothing. Its 42 KB tables repeat those of 10 KB but for 64 ranks; least and largest of 12800/put at
# 32 ranks are the average of 16 (a slip); phase 2b has one number each.
published() {
  awk -v key="$1" -v ranks="$2" '
    $1 == "ranks" { for (i = 2; i <= NF; ++i) column[$i] = i }
    $1 == key && ranks in column && $column[ranks] != "-" { gsub("/", ",", $column[ranks]); print $column[ranks] }
  ' <<'TABLE'
ranks           16             32              64                128               256
6400/get/2K     1.23/2.73/6.40 4.50/7.19/10.68 12.80/14.67/16.37 26.21/28.44/31.79 51.92/55.31/57.80
6400/put/2K     1.64/3.68/6.35 3.40/6.12/8.37  10.82/12.63/14.70 23.18/26.36/30.20 44.14/47.87/52.11
6400/get/10K    1.10/2.77/4.40 4.75/6.64/9.02  12.57/14.35/17.35 24.22/28.35/32.02 52.21/55.16/56.60
6400/put/10K    1.90/3.22/5.40 4.70/6.57/9.58  12.59/13.64/18.06 18.65/20.85/23.85 35.35/37.41/40.65
6400/get/42K    -              -               10.07/14.81/18.90 -                 -
6400/put/42K    -              -               9.01/10.66/12.28  -                 -
12800/get/2K    1.48/2.89/4.05 4.49/6.15/8.13  11.86/15.17/19.28 28.20/30.32/32.11 52.90/57.33/61.51
12800/put/2K    2.50/4.35/6.91 /6.62/          12.23/13.39/15.07 23.92/25.12/26.79 44.18/46.19/49.50
blocked/get/2K  .083/.140/.250 .094/.153/.274  .084/.188/.279    .268/.335/.507    .363/.455/.576
blocked/put/2K  .144/.242/.555 .072/.321/.650  .180/.463/.726    .210/.492/.958    .347/.549/.896
ranks           24             48              96                192               384
2b/get/2K       /.25/          /.34/           /.60/             /1.05/            /2.39/
2b/put/2K       /.30/          /.37/           /.49/             /.97/             /2.10/
2b/GA_Get/2K    /.02/          /.29/           /.34/             /.83/             /1.93/
TABLE
}

# The thesis's helper had one buffer for each client, unless it says otherwise.
export CASTOR_ARMCI_CHT_BUFFERS=1

# run SIZE FORM LIMIT RANKS PER_NODE SLICE VARIABLE=VALUE APRUN_OPTION ...: one transpose's row.
run() {
  local size=$1 form=$2 limit=$3 ranks=$4 per_node=$5 slice=$6 variable=$7
  shift 7
  env CASTOR_ARMCI_EAGER_LIMIT="$limit" ${slice:+CASTOR_TIME_SLICE="$slice"} "$variable" \
    "$build/bin/aprun" -q "$@" -n "$ranks" -N "$per_node" "$build/bin/transpose" --size "$size" \
    --form "$form" --element-ns $element_ns --blocking --csv
}

# field NAME < CSV: of a row that says ok.
field() {
  awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; ++i) column[$i] = i }
    NR > 1 && $column["ok"] == "yes" { print $column[name] }'
}

# print_row TABLE FORM SETTING RANKS LEAST MEAN MOST THESIS: the quotient is that of the means; of one
# that stands alone (GA_Get), the only number's.
print_row() {
  local ratio='' least mean most
  progress
  IFS=, read -r least mean most <<<"$8"
  [ -z "$mean" ] || ratio=$(awk -v ours="${6:-$7}" -v thesis="$mean" 'BEGIN { printf "%.2f", ours / thesis }')
  table_row "$1" "$2" "$3" "$4" "$5" "$6" "$7" "$least" "$mean" "$most" "$ratio"
}

# row TABLE FORM SETTING RANKS PUBLISHED_KEY RUN_ARGUMENTS ...
row() {
  local table=$1 form=$2 setting=$3 ranks=$4 key=$5 rows most
  shift 5
  progress "$table $form $setting $ranks"
  rows=$(run "$@" 2>/dev/null) || true
  most=$(field max <<<"$rows")
  [ -n "$most" ] || die "$table $form $setting $ranks: no right answer"
  print_row "$table" "$form" "$setting" "$ranks" "$(field min <<<"$rows")" "$(field avg <<<"$rows")" \
    "$most" "$(published "$key" "$ranks")"
  if [ "$table/$form" = 2b/get ]; then
    print_row 2b GA_Get "$setting" "$ranks" '' '' "$(field get <<<"$rows")" "$(published 2b/GA_Get/2K "$ranks")"
  fi
}

four=(--node 'numa:1 core:4 pu:1')
five=(--node 'numa:1 core:5 pu:1' -r 1)
twenty_four=(--node 'numa:4 core:6 pu:1')

table_6400() {
  local limit form ranks
  for limit in 2K 10K 42K 162K; do
    for form in get put; do
      for ranks in 16 32 64 128 256; do
        row 6400 $form $limit $ranks 6400/$form/$limit \
          6400 $form $limit $ranks 4 $old_slice CASTOR_ARMCI_CHT_WAIT=polling "${four[@]}"
      done
    done
  done
}

table_12800() {
  local form ranks
  for form in get put; do
    for ranks in 16 32 64 128 256; do
      row 12800 $form 2K $ranks 12800/$form/2K \
        12800 $form 2K $ranks 4 $old_slice CASTOR_ARMCI_CHT_WAIT=polling "${four[@]}"
    done
  done
}

table_blocked() {
  local form ranks
  for form in get put; do
    for ranks in 16 32 64 128 256; do
      row blocked $form 2K $ranks blocked/$form/2K \
        6400 $form 2K $ranks 4 $old_slice CASTOR_ARMCI_CHT_WAIT=blocked "${four[@]}"
    done
  done
}

table_own_cpu() {
  local form ranks wait
  for wait in polling blocked; do
    for form in get put; do
      for ranks in 16 256; do
        row own-cpu $form $wait $ranks none \
          6400 $form 2K $ranks 4 $old_slice CASTOR_ARMCI_CHT_WAIT=$wait "${five[@]}"
      done
    done
  done
}

table_2b() {
  local form ranks
  for form in get put; do
    for ranks in 24 48 96 192 384; do
      row 2b $form 2K $ranks 2b/$form/2K \
        9600 $form 2K $ranks 24 '' CASTOR_ARMCI_CHT_WAIT=polling "${twenty_four[@]}"
    done
  done
}

begin_table transposes '' 'table|-8' 'form|-7' 'setting|-8' 'ranks|6' 'min|9|ours\nmin|s|4' 'mean|9||s|4' \
  'max|9||s|4' 'thesis_min|9|thesis\nmin|s' 'thesis|9|\nmean|s' 'thesis_max|9|\nmax|s' 'ratio|6'
for table in "${tables[@]}"; do "table_${table/-/_}"; done
end_table
