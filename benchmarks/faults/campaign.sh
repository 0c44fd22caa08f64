#!/usr/bin/env bash
# A campaign of drawn faults: fault_workload on drawn jobs, with drawn sizes of the libraries and drawn
# plans of faults, a run for each seed. Columns, with their names in CSV and JSON:
#
#   what         a kind of fault; runs, right, ended: all runs, those that ended well, and those that ended
#                with one line as a fault that is not recoverable says
#   count        how often
#   failed       runs in which something was wrong; each has a line of its own on standard error, with the
#                command that repeats it
# shellcheck disable=SC2154
set -euo pipefail
export LC_ALL=C
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
usage() {
  cat <<'TEXT'
usage: campaign.sh [BUILD_DIRECTORY] [options]
Runs fault_workload under drawn plans of faults (default build/release). A run fails if data is wrong, if it
hangs, crashes or deadlocks, if it ends with an error though no fault of its plan forbids it to go on, or
if it does not repeat. Exit code 1 if a run failed, or if of 1,000 seeds or more none brought some kind of fault.
  --seeds N        how many runs (200)
  --from N         the first seed (1)
  --jobs N         runs at a time (as many as there are CPUs)
  --without LIST   kinds of faults that are not drawn, like cq-overrun,register-fails
  --show N         the command of this seed, without running it
  --no-shrink      does not look for the fewest faults with which a run fails
  --csv, --json    the format; else a table
TEXT
}
default_build=$here/../../build/release
# shellcheck source=scripts/rows.sh
. "$here/../../scripts/rows.sh"

seeds=200 from=1 jobs=$(nproc) without='' show='' no_shrink=''
read_options 'seeds from jobs without show' 'no-shrink' "$@"
positive --seeds "$seeds"
positive --from "$from"
positive --jobs "$jobs"
no_names
need_programs aprun fault_workload

# ---- A seed's run. Numbers are drawn by a generator of its own, so that a seed means the same everywhere.

draw() { # below $1, into drawn
  state=$((state * 6364136223846793005 + 1442695040888963407))
  drawn=$((((state >> 33) & 0x7fffffff) % $1))
}
choose() { draw $#; shift "$drawn"; chosen=$1; }
chance() { draw 100; [ "$drawn" -lt "$1" ]; }

# when: a statement's words about when it strikes.
when() {
  choose .002 .01 .05 .2
  words=" p=$chosen"
  if chance 30; then
    choose 1 2 5 20 60
    words=" nth=$chosen"
    chance 50 && { choose 1 2 4; words+=" times=$chosen"; }
  fi
  chance 20 && { choose 100us 1ms 3ms; words+=" at=$chosen"; }
  chance 15 && { draw 8; words+=" node=$drawn"; }
  return 0
}
kinds_of_posts() {
  posts=''
  chance 50 && { choose put get message amo cq-write put,get; posts=" kind=$chosen"; }
  return 0
}
statement() {
  local kind=$1
  when
  kinds_of_posts
  case $kind in
    post-fails) choose recoverable recoverable recoverable recoverable recoverable fatal; plan+="post-fails$posts error=$chosen$words; " ;;
    post-fails-done) plan+="post-fails$posts done=yes$words; " ;;
    post-refused) choose 200ns 1us 20us; plan+="post-refused for=$chosen$posts$words; " ;;
    completion-late) choose 500ns 5us 100us; plan+="completion-late by=$chosen$posts$words; " ;;
    datagram-late | credits-late) choose 1us 20us 500us; plan+="$kind by=$chosen$words; " ;;
    nic-stalls) choose 1us 30us 400us; plan+="nic-stalls for=$chosen$words; " ;;
    links-down) draw 30; local count=$drawn; choose 50us 300us 2ms; plan+="links-down count=$((count + 1)) seed=$seed until=5ms for=$chosen; " ;;
    *) plan+="$kind$words; " ;;
  esac
}
all_kinds='post-fails post-fails-done post-refused message-lost completion-late datagram-late credits-late cq-overrun
  register-fails nic-stalls links-down'

describe() { # of $seed: plan, settings, options, arguments
  state=$((seed * 2654435761 + 12345))
  draw 2 >/dev/null; draw 2
  settings=() options=(--system 4x4x2 --seed "$seed") plan=''
  choose message message packet
  options+=(--fidelity "$chosen")
  choose 2 4 8 12
  local ranks=$chosen
  choose 1 2 4
  options+=(-n "$ranks" -N $((chosen < ranks ? chosen : ranks)))
  choose none none SC MC
  [ "$chosen" = none ] || settings+=(MPICH_NEMESIS_ASYNC_PROGRESS="$chosen" MPICH_MAX_THREAD_SAFETY=multiple)
  [ "$chosen" = none ] || options+=(-r 1)
  chance 30 && { choose 1 2 4 64; settings+=(CASTOR_SMSG_CREDITS="$chosen"); }
  chance 30 && { choose 16 64 1024; settings+=(MPICH_GNI_RECV_CQ_SIZE="$chosen"); }
  chance 20 && { choose 64 256; settings+=(MPICH_GNI_LOCAL_CQ_SIZE="$chosen"); }
  chance 30 && { choose 0 1024 4096 65536; settings+=(MPICH_GNI_MAX_EAGER_MSG_SIZE="$chosen"); }
  chance 30 && { choose 1 4 256; settings+=(MPICH_GNI_NUM_BUFS="$chosen"); }
  chance 30 && { choose 0 4096 65536; settings+=(MPICH_GNI_RDMA_THRESHOLD="$chosen"); }
  chance 30 && { choose 0 1 8; settings+=(MPICH_GNI_NDREG_ENTRIES="$chosen"); }
  chance 30 && { choose 1 8; settings+=(CASTOR_ARMCI_CHT_BUFFERS="$chosen"); }
  chance 30 && { choose 4096 16384; settings+=(CASTOR_ARMCI_CHT_BUFFER_SIZE="$chosen"); }
  chance 20 && { choose polling blocked; settings+=(CASTOR_ARMCI_CHT_WAIT="$chosen"); }
  chance 20 && { choose 500 5000; settings+=(CASTOR_LOST_PACKETS="$chosen"); }
  parts=''
  for each in mpi windows armci dmapp ugni; do chance 55 && parts+="${parts:+,}$each"; done
  draw 4
  arguments=(--seed "$seed" --rounds $((drawn + 1)) --parts "${parts:-mpi}")
  read -r -a known <<<"$(for each in $all_kinds; do [[ ",$without," == *",$each,"* ]] || echo "$each"; done | tr '\n' ' ')"
  draw 4
  local statements=$((drawn + 1))
  while [ "$statements" -gt 0 ]; do
    choose "${known[@]}"
    statement "$chosen"
    statements=$((statements - 1))
  done
}

command_of() { # $1: CASTOR_FAULTS_ONLY
  printf 'env'
  [ ${#settings[@]} -eq 0 ] || printf ' %s' "${settings[@]}"
  [ -z "${1:-}" ] || printf ' CASTOR_FAULTS_ONLY=%s' "$1"
  printf ' %s/bin/aprun' "$build"
  printf ' %s' "${options[@]}"
  printf " --faults '%s' %s/bin/fault_workload" "$plan" "$build"
  printf ' %s' "${arguments[@]}"
}

# run NAME [ONLY]: into NAME.out, NAME.err and NAME.csv of $work; its exit code into code.
run() {
  code=0
  timeout -s KILL 60 env "${settings[@]}" ${2:+CASTOR_FAULTS_ONLY="$2"} "$build/bin/aprun" "${options[@]}" -t 5 \
    --faults "$plan" --faults-file "$work/$1.csv" "$build/bin/fault_workload" "${arguments[@]}" \
    >"$work/$1.out" 2>"$work/$1.err" || code=$?
}

# verdict NAME: right, ended, or what was wrong, into verdict. A fault that is not recoverable may end a run,
# and so may one that a library has met too often, or memory that cannot be registered.
verdict() {
  local fatal
  fatal=$(grep -c -E ',(post-fails|register-fails|message-lost)' "$work/$1.csv" 2>/dev/null || true)
  grep -q -E 'given up [1-9]' "$work/$1.err" && fatal=1
  case $code in
    0) verdict=right ;;
    3) verdict="wrong data" ;;
    124) verdict=hangs ;;
    134 | 139) verdict=crash ;;
    *) verdict=ended ;;  # 137 a transaction, 4 the workload, others an error class of MPI's
  esac
  [ "$code" -ne 137 ] || [ -s "$work/$1.csv" ] || verdict="hangs"
  grep -q -E '^aprun: deadlock' "$work/$1.err" && verdict=deadlock
  grep -q -E 'exit code 3|error code 3' "$work/$1.err" && verdict="wrong data"
  [ "$verdict" != ended ] || [ "$(grep -c -E ': rank [0-9]+: ' "$work/$1.err")" -gt 0 ] || verdict="says nothing"
  if [ "$verdict" = ended ] && [ "${fatal:-0}" -eq 0 ]; then verdict="ended without a fatal fault"; fi
}

# The fewest faults with which the run still ends so: halves, quarters, ... are left out as long as it does.
shrink() {
  local wanted=$verdict size kept left names
  mapfile -t names < <(tail -n +2 "$work/first.csv" 2>/dev/null | cut -d, -f1)
  size=$(((${#names[@]} + 1) / 2))
  while [ "$size" -ge 1 ] && [ ${#names[@]} -gt 1 ]; do
    kept=''
    for ((at = 0; at < ${#names[@]}; at += size)); do
      left=("${names[@]:0:at}" "${names[@]:at + size}")
      [ ${#left[@]} -gt 0 ] || continue
      run less "$(IFS=,; echo "${left[*]}")"
      verdict less
      if [ "$verdict" = "$wanted" ]; then
        names=("${left[@]}")
        kept=yes
        break
      fi
    done
    [ -n "$kept" ] || size=$((size / 2))
    [ "$size" -le ${#names[@]} ] || size=$(((${#names[@]} + 1) / 2))
  done
  verdict=$wanted
  only=$(IFS=,; echo "${names[*]}")
}

# A seed: a line "SEED VERDICT", with a tabulator and the command if it failed, and the kinds of its faults.
one_seed() {
  local first
  seed=$1
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  describe
  run first
  verdict first
  first=$verdict
  if [ $((seed % 8)) -eq 0 ] && [[ $verdict = right || $verdict = ended ]]; then
    run again
    # Where the host has put memory shows in some errors.
    sed -i 's/0x[0-9a-f]*/0x/g' "$work/first.err" "$work/again.err"
    if ! cmp -s "$work/first.err" "$work/again.err" || ! cmp -s "$work/first.csv" "$work/again.csv"; then
      first="does not repeat"
    fi
  fi
  tail -n +2 "$work/first.csv" 2>/dev/null | cut -d, -f2 | sort | uniq -c | awk '{ print "kind", $2, $1 }'
  only=''
  case $first in
    right | ended) printf 'seed %s %s\n' "$seed" "$first" ;;
    *)
      [ -n "$no_shrink" ] || [ "$first" = "does not repeat" ] || { verdict=$first; shrink; }
      printf 'seed %s failed\t%s\t%s\n' "$seed" "$first" "$(command_of "$only")"
      ;;
  esac
}

if [ -n "$show" ]; then
  positive --show "$show"
  seed=$show
  describe
  command_of
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
begun=$SECONDS ended=0
self=$here/campaign.sh
while IFS= read -r line; do
  printf '%s\n' "$line" >>"$results"
  case $line in
    seed*)
      ended=$((ended + 1))
      progress "$ended of $seeds seeds"
      [[ $line != *$'\t'* ]] || { progress; printf '%s\n' "${line//$'\t'/: }" >&2; }
      ;;
  esac
done < <(seq "$from" $((from + seeds - 1)) | xargs -P "$jobs" -I{} env FAULT_CAMPAIGN_SEED={} \
  bash "$self" "$build" --without "$without" ${no_shrink:+--no-shrink})
took=$((SECONDS - begun))

count() { awk -v word="$1" '$1 == "seed" && $3 == word' "$results" | wc -l; }
begin_table campaign '' 'what|-20' 'count|10'
table_row runs "$ended"
for each in right ended failed; do table_row "$each" "$(count "$each")"; done
blind=''
for each in $all_kinds; do
  case $each in post-fails-done | links-down) continue ;; esac
  sum=$(awk -v kind="$each" '$1 == "kind" && $2 == kind { sum += $3 } END { print sum + 0 }' "$results")
  table_row "$each" "$sum"
  [ "$sum" -gt 0 ] || [[ ",$without," == *",$each,"* ]] || blind+=" $each"
done
table_row 'runs an hour' $((took > 0 ? ended * 3600 / took : 0))
end_table
[ "$ended" -eq "$seeds" ] || die "$((seeds - ended)) seeds have no result"
if [ "$seeds" -ge 1000 ] && [ -n "$blind" ]; then die "no seed brought$blind"; fi
[ "$(count failed)" -eq 0 ] || exit 1
