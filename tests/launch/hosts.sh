#!/usr/bin/env bash
# Runs a live job on several "hosts" of this machine: network namespaces joined by veth, each with a
# host name of its own, started through Open MPI's mpirun with a launch agent that enters them.
#   hosts.sh HOSTS RANKS_PER_HOST PROGRAM [ARGUMENT...]       (as root; environment is passed on)
# HOSTS_MEANWHILE is run by bash while the job runs, and ends with it; its argument is the tag that begins the names of
# hosts (TAG-1 ...) and of their links (TAG-v1 ...).
# Exits with 77 where that is not possible here, after a line that says why.
set -euo pipefail

skip() { echo "hosts.sh: skipped: $*" >&2; exit 77; }
[ "$(id -u)" -eq 0 ] || skip "needs root"
command -v ip >/dev/null || skip "no ip (package iproute2)"
command -v mpirun.openmpi >/dev/null || skip "no mpirun.openmpi (package openmpi-bin)"
unshare --net true 2>/dev/null || skip "network namespaces are not allowed here"
# Bridge and links are no business of the host: other live jobs there would find these interfaces,
# faster than the host's own, and lose them at the end.
[ "${1:-}" = --apart ] || exec unshare --net "$0" --apart "$@"
shift
hosts=${1:?number of hosts}
per_host=${2:?ranks per host}
shift 2

# Names of interfaces have at most 15 letters.
tag=c$$
work=$(mktemp -d)
clean() {
  for running in $(jobs -pr); do kill "$running" 2>/dev/null || true; done
  for ((i = 1; i <= hosts; ++i)); do ip netns del "$tag-$i" 2>/dev/null || true; done
  ip link del "$tag-br" 2>/dev/null || true
  rm -rf "$work"
}
trap clean EXIT
trap 'exit 130' INT TERM HUP

ip link add "$tag-br" type bridge || skip "no bridge can be made here"
ip link set "$tag-br" up
list=
for ((i = 1; i <= hosts; ++i)); do
  ip netns add "$tag-$i"
  ip netns exec "$tag-$i" true 2>/dev/null || skip "network namespaces cannot be entered here"
  ip link add "$tag-v$i" type veth peer name eth0 netns "$tag-$i"
  ip link set "$tag-v$i" master "$tag-br" up
  ip -n "$tag-$i" addr add "10.77.$(($$ % 250)).$i/24" dev eth0
  ip -n "$tag-$i" link set eth0 up
  ip -n "$tag-$i" link set lo up
  list+="${list:+,}$tag-$i:$per_host"
done

cat >"$work/agent" <<'AGENT'
#!/bin/sh
# Called as ssh would be: host, command.
host=$1
shift
exec ip netns exec "$host" unshare --uts sh -c "hostname $host && $*"
AGENT
chmod +x "$work/agent"

pass=()
while IFS='=' read -r name _; do
  case $name in CASTOR_* | MPICH_* | FI_* | ASAN_OPTIONS | TSAN_OPTIONS) pass+=(-x "$name") ;; esac
done < <(env)

[ -z "${HOSTS_MEANWHILE:-}" ] || bash -c "$HOSTS_MEANWHILE" _ "$tag" &

# Without a warning of Open MPI's launcher, which depends on which of two processes is faster.
exec 3>&1
{
  timeout -s KILL "${HOSTS_PATIENCE:-100}" ip netns exec "$tag-1" unshare --uts sh -c \
    'hostname "$0" && exec "$@"' "$tag-1" \
    mpirun.openmpi --allow-run-as-root --bind-to none --mca plm_rsh_agent "$work/agent" \
    -H "$list" -n $((hosts * per_host)) "${pass[@]}" "$@" 2>&1 >&3 3>&- || echo $? >"$work/status"
} | { grep -v --line-buffered 'plm:rsh: Warning: setpgid' >&2 || true; }
exit "$(cat "$work/status" 2>/dev/null || echo 0)"
