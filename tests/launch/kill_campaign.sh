#!/usr/bin/env bash
# Live jobs of which one process gets a signal at a random moment; see usage. What each must do then:
# end with a code that is not 0, say why in a line or two of ours, and leave nothing behind.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
# shellcheck source=scripts/options.sh
. "$here/../../scripts/options.sh"

usage() {
  cat <<'USAGE'
usage: kill_campaign.sh [options] BUILD_DIRECTORY PROGRAM
Runs PROGRAM 0.4 (an MPI program that works for so many seconds) as live jobs, and sends a signal to a
launcher, a PMIx server or a rank while they start, run or end. Exits with 1 if any job took it badly.
  --faults N      how many jobs (default 300)
  --ranks N       ranks of each (default 3, on as many nodes)
  --seed N        which victims, signals and moments (default 1)
  --provider P    CASTOR_PROVIDER of all jobs (default: auto and tcp;ofi_rxm in turn)
  --within S      seconds within which a job has to end (default 12; it gives ranks 2 of them)
  --keep DIR      what failed jobs said is kept there
USAGE
}

faults=300 ranks=3 seed=1 provider='' within=12 keep=''
read_arguments "faults ranks seed provider within keep" "" "$@"
[ ${#wanted[@]} -eq 2 ] || refuse "BUILD_DIRECTORY and PROGRAM? see --help"
use_build "${wanted[0]}"
program=${wanted[1]}
[ -x "$program" ] || refuse "$program: no program"
for name in faults ranks seed within; do positive "--$name" "${!name}"; done

# With /dev/shm its own, whatever is left there is ours.
if [ -z "${KILL_CAMPAIGN_APART:-}" ] && unshare --mount true 2>/dev/null; then
  KILL_CAMPAIGN_APART=1 exec unshare --mount bash -c 'mount -t tmpfs shm /dev/shm && exec "$@"' _ "$0" "$@"
fi

work=$(mktemp -d "${TMPDIR:-/tmp}/kill_campaign_XXXXXX")
clean() {
  [ $BASHPID -eq $$ ] || return 0 # a launcher to be, met by its signal
  marked | xargs -r kill -KILL 2>/dev/null || true
  rm -rf "$work"
}
trap clean EXIT
trap 'exit 130' INT TERM HUP
export TMPDIR=$work/tmp KILL_CAMPAIGN=$work
mkdir "$TMPDIR"
RANDOM=$seed

milliseconds() { local now=${EPOCHREALTIME/./}; echo "${now%???}"; }
sleep_ms() { sleep "$(printf '%d.%03d' $(($1 / 1000)) $(($1 % 1000)))"; }

# Living processes of the jobs: they have inherited the mark.
marked() {
  local at
  grep -lszxF -- "KILL_CAMPAIGN=$work" /proc/[0-9]*/environ 2>/dev/null | while read -r at; do
    at=${at#/proc/} at=${at%/environ}
    [ "$at" -ne $$ ] && [ "$at" -ne $BASHPID ] && is_jobs "$at" && echo "$at"
  done
  true
}
is_jobs() {
  local comm
  { read -r comm <"/proc/$1/comm"; } 2>/dev/null || return 1
  case $comm in bash | grep | sleep | xargs | timeout | kill_campaign*) return 1 ;; esac
}

# The victim's process, or nothing while there is none.
victim_of() {
  local launcher=$1 child comm children found=()
  if [ "$2" = launcher ]; then echo "$launcher"; return; fi
  read -ra children <"/proc/$launcher/task/$launcher/children" || true
  for child in "${children[@]}"; do
    { read -r comm <"/proc/$child/comm"; } 2>/dev/null || continue
    case $comm in
      castor-pmix) [ "$2" != server ] || { echo "$child"; return; } ;;
      castor-live | aprun) ;;  # about to become one of the others
      *) found+=("$child") ;;
    esac
  done
  [ "$2" != rank ] || [ ${#found[@]} -eq 0 ] || echo "${found[$3 % ${#found[@]}]}"
}

# What files are left of a job whose launcher had this number.
left_files() {
  find "$TMPDIR" -mindepth 1 2>/dev/null
  if [ -n "${KILL_CAMPAIGN_APART:-}" ]; then
    find /dev/shm -mindepth 1
  else
    find /dev/shm -mindepth 1 -name "castor-aprun-$1-*"
  fi
}

bad=0 over=0
complain() {
  bad=$((bad + 1))
  echo "fault $fault ($what): $*"
  sed 's/^/    /' "$work/err" | head -n 40
  [ -z "$keep" ] || { mkdir -p "$keep" && cp "$work/err" "$keep/fault_$fault"; }
}

judge() { # code, milliseconds it took, launcher's number
  local code=$1 took=$2 lines foreign
  sed -i '/^castor: .*; ranks share CPUs$/d' "$work/err" # a host with few
  # What the ranks are doing, which a launcher says that gets the signal.
  sed -i -E '/^aprun: Apid [0-9]+: what the ranks are doing$/d; /^aprun: ranks? [0-9]/d' "$work/err"
  lines=$(grep -c '' "$work/err" || true)
  foreign=$(grep -cvE '^(aprun: |castor: |\[NID [0-9]+\] |Application [0-9]+ )' "$work/err" || true)
  if [ "$code" -eq 0 ]; then
    if [ "$sent" = yes ] && ! grep -q 'rounds' "$work/out"; then
      complain "exit code 0"; return
    fi
    over=$((over + 1))
  fi
  [ "$foreign" -eq 0 ] || { complain "$foreign lines that are not ours"; return; }
  [ "$lines" -le 2 ] || { complain "$lines lines"; return; }
  # A launcher that a signal ends without a word: by SIGKILL, or before it takes signals.
  if [ "$code" -ne 0 ] && [ "$lines" -eq 0 ] && [ "$victim" != launcher ]; then
    complain "ended with $code and no line"; return
  fi
  [ "$took" -le $((within * 1000)) ] || { complain "took $took ms to end"; return; }
  local begin left
  begin=$(milliseconds)
  while left=$(marked) && [ -n "$left" ]; do
    if [ $(($(milliseconds) - begin)) -gt 5000 ]; then
      complain "left processes: $(for each in $left; do tr '\0' ' ' <"/proc/$each/cmdline"; done 2>/dev/null)"
      echo "$left" | xargs -r kill -KILL 2>/dev/null || true
      return
    fi
    sleep 0.02
  done
  # The next start removes what a killed launcher could not.
  [ "$victim" != launcher ] || "$build/bin/aprun" -q --clock live -n 1 true >/dev/null 2>&1 || true
  left=$(left_files "$3")
  [ -z "$left" ] || complain "left files: $left"
}

longest=0 slowest=
for ((fault = 1; fault <= faults; ++fault)); do
  victims=(launcher server rank rank) signals=(INT TERM KILL KILL HUP SEGV)
  victim=${victims[RANDOM % 4]} signal=${signals[RANDOM % 6]} number=$RANDOM
  # Starting takes some 100 ms (tcp: 300), then 400 of work; the last third hits the end.
  case $((RANDOM % 3)) in
    0) moment=$((RANDOM % 120)) ;;
    1) moment=$((RANDOM % 500)) ;;
    2) moment=$((380 + RANDOM % 300)) ;;
  esac
  used=$provider
  if [ -z "$used" ]; then [ $((fault % 2)) -eq 0 ] && used='tcp;ofi_rxm' || used=auto; fi
  what="seed $seed, $used, SIG$signal to $victim after $moment ms"
  # Started by exec, so that $! is the launcher's number.
  (
    ulimit -c 0
    export CASTOR_PROVIDER=$used
    # In the background bash has them ignored.
    exec env --default-signal=INT,QUIT "$build/bin/aprun" -q --clock live -n "$ranks" -N 1 "$program" 0.4
  ) >"$work/out" 2>"$work/err" </dev/null &
  launcher=$!
  sleep_ms "$moment"
  sent=no
  for ((try = 0; try < 100; ++try)); do
    process=$(victim_of "$launcher" "$victim" "$number")
    if [ -n "$process" ]; then
      ! kill -s "$signal" "$process" 2>/dev/null || sent=yes
      break
    fi
    kill -0 "$launcher" 2>/dev/null || break
    sleep 0.005
  done
  begin=$(milliseconds)
  { sleep $((within + 20)) && kill -KILL "$launcher"; } 2>/dev/null &
  guard=$!
  code=0
  wait "$launcher" || code=$?
  took=$(($(milliseconds) - begin))
  kill "$guard" 2>/dev/null || true
  wait "$guard" 2>/dev/null || true
  [ "$took" -le "$longest" ] || { longest=$took slowest=$what; }
  judge "$code" "$took" "$launcher"
done 2>/dev/null # bash says of each killed child that it was
echo "$faults faults, $over after the job's end, $bad taken badly"
echo "the slowest job ended $longest ms after its signal ($slowest)"
[ "$bad" -eq 0 ]
