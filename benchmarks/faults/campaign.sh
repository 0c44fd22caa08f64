#!/usr/bin/env bash
# A campaign of drawn faults: a program whose data is checked on drawn jobs, with drawn sizes of the libraries
# and drawn plans of faults, a run for each seed. Columns, with their names in CSV and JSON:
#
#   what    runs, right, ended: all runs, those that ended well, and those that ended with one line as a fault
#           that is not recoverable says
#           failed: runs in which something was wrong; each has a line of its own on standard error, with the
#           command that repeats it
#           a kind of fault; with a kind of transaction, those of statements that choose it; a part of
#           fault_workload: those of jobs that have it alone
#   count   how often
# shellcheck disable=SC2034,SC2154
set -euo pipefail
export LC_ALL=C
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
usage() {
  cat <<'TEXT'
usage: campaign.sh [BUILD_DIRECTORY] [options]
Runs fault_workload under drawn plans of faults (default build/release). A run fails if data is wrong, if it
hangs, crashes or deadlocks, if it ends with an error though no fault of its plan forbids it to go on, or, of
every eighth seed, if it does not repeat, goes on too long after its last fault, or changes by a plan without
faults. Exit code 1 if a run failed, or if of 1,000 seeds or more none brought some row of the table.
  --seeds N        how many runs (200)
  --from N         the first seed (1)
  --jobs N         runs at a time (as many as there are CPUs)
  --ranks LIST     numbers of ranks to draw from (2,4,8,12)
  --without LIST   kinds of faults that are not drawn, like cq-overrun,register-fails
  --program TEXT   runs this command instead of fault_workload: exit code 0 is right
  --sizes-only     draws sizes of the libraries, and no plan: each run has to end well
  --closely        looks at each seed as at every eighth
  --clock CLOCK    virtual (default) or live
  --show N         the command of this seed, without running it
  --no-shrink      does not make the job of a run that fails small
  --fragile        fault_workload takes any error of uGNI's for wrong data: a campaign that has to fail
  --csv, --json    the format; else a table
TEXT
}
default_build=$here/../../build/release
# shellcheck source=scripts/rows.sh
. "$here/../../scripts/rows.sh"
for file in draw run shrink; do
  # shellcheck source=/dev/null
  . "$here/$file.sh"
done

seeds=200 from=1 jobs=$(nproc) ranks=2,4,8,12 without='' program='' clock=virtual show=''
no_shrink='' sizes_only='' closely='' fragile=''
given=("$@")
read_options 'seeds from jobs ranks without program clock show' 'no-shrink sizes-only closely fragile' "$@"
positive --seeds "$seeds"
positive --from "$from"
positive --jobs "$jobs"
rank_list --ranks "$ranks"
one_of --clock "$clock" virtual live
no_names
need_programs aprun
[ -n "$program" ] || need_programs fault_workload fault_survivors
ranks_from=$ranks

# A seed: a line "SEED VERDICT", with a tabulator and the command if it failed, and the kinds of its faults.
one_seed() {
  seed=$1
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  describe
  [ $((seed % 8)) -ne 0 ] || closely=yes
  [ "$clock" = virtual ] || closely=''
  judge
  count_faults
  case $verdict in
    right | ended) printf 'seed %s %s\n' "$seed" "$verdict" ;;
    *)
      [ -n "$no_shrink" ] || shrink
      printf 'seed %s failed\t%s\t%s\n' "$seed" "$verdict" "$(command_line)"
      ;;
  esac
}

# Lines "kind NAME COUNT", "site NAME TRANSACTION COUNT" where the statement says of which transactions, and
# "part PART COUNT" of a job that has one alone. A fault's name begins with its statement's number; of the
# network's faults aprun says how many there were.
count_faults() {
  local number=0 each kind sum=0 count list=$work/first.csv
  for each in "${statements[@]}"; do
    case $each in link*) continue ;; esac
    number=$((number + 1))
    [ -f "$list" ] || continue
    count=$(grep -c "^$number\." "$list" || true)
    sum=$((sum + count))
    kind=${each%% *}
    [[ $each != *done=yes* ]] || kind+=-done
    echo "kind $kind $count"
    [[ ! $each =~ kind=([a-z-]+)( |$) ]] || echo "site $kind ${BASH_REMATCH[1]} $count"
  done
  [ "$what" != workload ] || [ ${#parts[@]} -ne 1 ] || echo "part ${parts[0]} $sum"
  sed -nE 's/^castor: network: lost on failed links ([0-9]+), otherwise ([0-9]+);.* rerouted ([0-9]+);.*/\1 \2 \3/p' \
    "$work/first.err" | awk '{ print "kind links-down", $1 + $3; print "kind lost-packets", $2 }'
}

if [ -n "$show" ]; then
  positive --show "$show"
  seed=$show
  describe
  command_line
  echo
  exit 0
fi
if [ -n "${FAULT_CAMPAIGN_SEED:-}" ]; then
  one_seed "$FAULT_CAMPAIGN_SEED"
  exit 0
fi

# ---- All of them.

results=$(mktemp)
trap 'rm -f "$results"' EXIT
begun=${EPOCHREALTIME/./} ended=0
while IFS= read -r line; do
  printf '%s\n' "$line" >>"$results"
  case $line in
    seed*)
      ended=$((ended + 1))
      progress "$ended of $seeds seeds"
      [[ $line != *$'\t'* ]] || { progress; printf '%s\n' "${line//$'\t'/: }" >&2; }
      ;;
  esac
done < <(seq "$from" $((from + seeds - 1)) |
  xargs -P "$jobs" -I{} env FAULT_CAMPAIGN_SEED={} bash "$here/campaign.sh" "${given[@]}")
took=$((${EPOCHREALTIME/./} - begun))

count() { awk -v word="$1" '$1 == "seed" && $3 == word' "$results" | wc -l; }
# sum_of WORD ...: of the lines that begin with these words, and a row of the table. Into blind, if there is
# nothing where something has to be.
blind=''
sum_of() {
  local sum
  sum=$(awk -v words="$*" 'index($0, words " ") == 1 { sum += $NF } END { print sum + 0 }' "$results")
  table_row "${*:2}" "$sum"
  [ "$sum" -gt 0 ] || [[ ",$without," == *",$2,"* ]] || blind+="${blind:+, }${*:2}"
}
begin_table campaign '' 'what|-26' 'count|10'
table_row runs "$ended"
for each in right ended failed; do table_row "$each" "$(count "$each")"; done
table_row 'runs an hour' "$(awk -v runs="$ended" -v us="$took" 'BEGIN { printf "%d", runs * 3.6e9 / us }')"
if [ -z "$sizes_only" ]; then
  kinds_of_clock
  [ "$clock" = live ] || kinds+=(lost-packets)
  for each in "${kinds[@]}"; do
    sum_of kind "$each"
    case $each in post-* | completion-late) for of in "${all_transactions[@]}"; do sum_of site "$each" "$of"; done ;; esac
  done
  for each in "${all_parts[@]}"; do [ -n "$program" ] || sum_of part "$each"; done
fi
end_table
[ "$ended" -eq "$seeds" ] || die "$((seeds - ended)) seeds have no result"
# A user's program may have no such transaction.
if [ "$seeds" -ge 1000 ] && [ -n "$blind" ] && [ -z "$program" ]; then
  die "no seed brought $blind"
fi
[ "$(count failed)" -eq 0 ] || exit 1
