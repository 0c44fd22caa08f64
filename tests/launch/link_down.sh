#!/usr/bin/env bash
# A job on two hosts (hosts.sh) whose link goes down: for two seconds, which loses nothing, and for
# good, which ends the job on both hosts within CASTOR_PEER_TIMEOUT, with one line on each.
#   link_down.sh PROGRAM        (as root; PROGRAM takes the seconds to run)
# Exits with 77 where that is not possible here, after a line that says why.
# What stands in single quotes is for other shells.
# shellcheck disable=SC2016
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
program=${1:?program}
fail() { echo "link_down.sh: $*" >&2; exit 1; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# Of what mpirun cannot end or pass on any more, nothing is awaited: what ranks say goes to files.
job=(sh -c 'exec "$0" "$1" 2>>"$2/said.$(hostname)"' "$program")

down='ip link set "$1-v2" down'
up='ip link set "$1-v2" up'
status=0
HOSTS_MEANWHILE="sleep 3; $down; sleep 2; $up" \
  "$here/hosts.sh" 2 1 "${job[@]}" 8 "$work" >"$work/out" || status=$?
[ $status -ne 77 ] || exit 77
[ $status -eq 0 ] || fail "two seconds without a link: exit code $status: $(cat "$work"/said.*)"
grep -q '^soak: ' "$work/out" || fail "two seconds without a link: $(cat "$work/out")"
rm -f "$work"/said.*

# Until the ranks are gone; then what mpirun has left.
read -r -d '' meanwhile <<MEANWHILE || true
ranks() {
  for pid in \$(ip netns pids "\$1-1"; ip netns pids "\$1-2"); do
    [ "\$(readlink "/proc/\$pid/exe")" != "$(readlink -f "$program")" ] || echo "\$pid"
  done
}
sleep 4
$down
ranks "\$1" | wc -l >"$work/before"
begin=\$SECONDS
while [ -n "\$(ranks "\$1")" ] && [ \$((SECONDS - begin)) -lt 40 ]; do sleep 0.1; done
echo \$((SECONDS - begin)) >"$work/took"
ip netns pids "\$1-1" | xargs -r kill -KILL
ip netns pids "\$1-2" | xargs -r kill -KILL
MEANWHILE
status=0
CASTOR_PEER_TIMEOUT=12 HOSTS_MEANWHILE=$meanwhile \
  "$here/hosts.sh" 2 2 "${job[@]}" 60 "$work" >"$work/out" 2>"$work/err" || status=$?
[ $status -ne 0 ] || fail "a link that stays down: exit code 0"
[ "$(cat "$work/before")" -eq 4 ] || fail "there were $(cat "$work/before") ranks: $(cat "$work/err")"
took=$(cat "$work/took")
[ "$took" -le 13 ] || fail "ranks lived on for $took s"
for each in "$work"/said.*; do
  sed -i '/ share CPUs$/d' "$each" # a host with few
  [ "$(wc -l <"$each")" -eq 1 ] || fail "$(basename "$each"): $(cat "$each")"
  grep -q "the link or the host is down (CASTOR_PEER_TIMEOUT)" "$each" || fail "$(cat "$each")"
done
said=("$work"/said.*)
[ ${#said[@]} -eq 2 ] || fail "not every host has said something"
echo "the link stayed down: both hosts' ranks said so and ended"
