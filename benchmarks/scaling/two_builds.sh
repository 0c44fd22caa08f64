#!/usr/bin/env bash
# Two builds beside each other: the user time of the same jobs, run with both at once on one CPU. What
# slows one, a neighbour on the host or its clock, slows the other as much: the quotient of the times
# repeats to 1 % where the times themselves vary by half. Columns, with their names in CSV and JSON:
#
#   first, second (s: first_s, second_s)   user time of a job, start and end included, medians
#   quotient, least, greatest   second by first: the median of all pairs, and the ends of their range
#   remark       why a row has no figures, and of which build
# Each build's job has a $work of its own:
# shellcheck disable=SC2030,SC2031
set -euo pipefail
export LC_ALL=C
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
usage() {
  cat <<'TEXT'
usage: two_builds.sh BUILD_DIRECTORY OTHER_BUILD [options]
User time of two builds, run at once on one CPU, and its quotient. OTHER_BUILD may be a copy of the
bin and lib of an earlier build. Exit code 1 if a job failed.
  --ranks N        ranks of each job (32768)
  --pairs N        pairs of each job (4)
  --messages N     steps for about so many messages (1200000)
  --limit SECONDS  longest run (300)
  --csv, --json    the format; else a table
TEXT
}
# shellcheck source=scripts/rows.sh
. "$here/../../scripts/rows.sh"
# shellcheck source=benchmarks/scaling/common.sh
. "$here/common.sh"

ranks=32768 pairs=4 messages=1200000 limit=300
read_options 'ranks pairs messages limit' '' "$@"
for option in ranks pairs messages limit; do positive "--$option" "${!option}"; done
[ "$ranks" -gt 1 ] || refuse "--ranks $ranks: at least 2"
[ ${#wanted[@]} -eq 1 ] || refuse "which OTHER_BUILD? see --help"
first=$build
use_build "${wanted[0]}"
second=$build
for build in "$second" "$first"; do need_programs allreduce_scale halo_scale; done
make_work

mkdir "$work/first" "$work/second"
host_cpu=$(taskset -cp $$)
host_cpu=${host_cpu##* }
host_cpu=${host_cpu%%[-,]*}

# run_one first|second PROGRAM STEPS: a job of that build, which has a folder of its own for its files.
# A copy's programs name the libraries of the build that they are from, so where its own are is said.
run_one() (
  work=$work/$1
  directory=${!1}
  export LD_LIBRARY_PATH=$directory/lib
  timed taskset -c "$host_cpu" "$directory/bin/aprun" -q -n "$ranks" -N 8 \
    "$directory/bin/$2" -i "$3" || exit
  echo "$user" >"$work/user"
)

failed=''
begin_table builds '' 'case|-10' 'ranks|7' 'pairs|6' 'first_s|8|first|s|2' 'second_s|9|second|s|2' \
  'quotient|9|||3' 'least|6|||3' 'greatest|9|||3' 'remark|-0'
# A step of the Allreduce takes 3.25 messages a rank, one of the halo exchange 6.
while read -r name quarters; do
  steps=$((4 * messages / (quarters * ranks)))
  [ "$steps" -gt 0 ] || steps=1
  : >"$work/pairs"
  for ((pair = 1; pair <= pairs; ++pair)); do
    progress "$name, pair $pair of $pairs"
    # The build that starts first is a little ahead of the other all the way: each in turn.
    order=(first second)
    [ $((pair % 2)) -eq 1 ] || order=(second first)
    run_one "${order[0]}" "${name}_scale" "$steps" &
    one=$!
    sleep 0.1
    codes=(0 0)
    run_one "${order[1]}" "${name}_scale" "$steps" || codes[1]=$?
    wait "$one" || codes[0]=$?
    for which in 0 1; do
      [ "${codes[which]}" -ne 0 ] || continue
      remark=$(work=$work/${order[which]} why_failed "${codes[which]}")
      table_remark "${order[which]}: $remark" "$name" "$ranks" "$pairs"
      failed=yes
      continue 3
    done
    paste -d ' ' "$work/first/user" "$work/second/user" >>"$work/pairs"
  done
  first_s=$(awk '{ print $1 }' "$work/pairs" | middle)
  second_s=$(awk '{ print $2 }' "$work/pairs" | middle)
  read -r quotient least greatest \
    <<<"$(awk '{ print ($1 > 0 ? $2 / $1 : 1) }' "$work/pairs" | middle)"
  table_row "$name" "$ranks" "$pairs" "${first_s%% *}" "${second_s%% *}" "$quotient" "$least" "$greatest"
done <<'CASES'
allreduce 13
halo 24
CASES
end_table
[ -z "$failed" ] || exit 1
