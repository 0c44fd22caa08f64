#!/usr/bin/env bash
# Runs a program that takes long under Slurm's srun --mpi=pmix, on a cluster of this host alone that
# exists for as long as that takes: on 2 tasks and on 4, to its end, and on 4 of which one is killed.
#   slurm.sh PROGRAM        (as root; PROGRAM takes the seconds to run; environment is passed on)
# Exits with 77 where that is not possible here, after a line that says why.
set -euo pipefail

skip() { echo "slurm.sh: skipped: $*" >&2; exit 77; }
fail() { echo "slurm.sh: $*" >&2; exit 1; }

if [ "${1:-}" != --inside ]; then
  program=${1:?program}
  [ "$(id -u)" -eq 0 ] || skip "needs root"
  for each in srun slurmctld slurmd munged ip; do
    command -v "$each" >/dev/null ||
      skip "no $each (package slurmd, slurmctld, slurm-client, munge, iproute2)"
  done
  # Processes, ports and shared memory of their own: everything ends with the first process, and
  # that with this one.
  separate=(setpriv --pdeathsig KILL unshare --pid --fork --kill-child=KILL --mount-proc --net)
  "${separate[@]}" true 2>/dev/null || skip "namespaces are not allowed here"
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  trap 'kill -KILL "$inside" 2>/dev/null; exit 130' INT TERM HUP
  "${separate[@]}" "$0" --inside "$work" "$program" &
  inside=$!
  status=0
  wait "$inside" || status=$?
  if [ "$status" -ne 0 ] && [ "$status" -ne 77 ]; then tail -n 20 "$work"/log/* >&2; fi
  exit "$status"
fi

work=$2
program=$3
ip link set lo up
# Slurm's daemons listen only where there is an address besides the loopback's.
ip link add eth0 type veth peer name eth1
ip addr add 10.77.0.1/24 dev eth0
ip link set eth0 up
ip link set eth1 up
mount -t tmpfs shm /dev/shm
host=$(hostname -s)
chmod 755 "$work"
mkdir "$work"/{run,state,spool,log,tmp}
export SLURM_CONF=$work/slurm.conf TMPDIR=$work/tmp
cat >"$SLURM_CONF" <<CONF
ClusterName=castor
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$work/run/munge
CredType=cred/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MailProg=/bin/true
ReturnToService=2
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool
TmpFS=$work/tmp
SlurmctldPidFile=$work/run/slurmctld.pid
SlurmdPidFile=$work/run/slurmd.pid
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=all Nodes=$host Default=YES MaxTime=INFINITE State=UP
CONF
head -c 128 /dev/urandom >"$work/key"
chmod 400 "$work/key"
munged --foreground --force --key-file="$work/key" --socket="$work/run/munge" \
  --pid-file="$work/run/munged.pid" --seed-file="$work/state/seed" \
  --log-file="$work/log/munged" &>"$work/log/munged.out" &
for ((i = 0; i < 100; ++i)); do [ -S "$work/run/munge" ] && break || sleep 0.05; done
slurmctld -D &>"$work/log/slurmctld" &
slurmd -D -N "$host" &>"$work/log/slurmd" &
srun --mpi=list 2>&1 | grep -qw pmix || skip "Slurm has no PMIx plugin"
for ((i = 0; i < 100; ++i)); do
  [ "$(timeout 5 sinfo -h -o %T 2>/dev/null)" = idle ] && break || sleep 0.1
done
[ "$(timeout 5 sinfo -h -o %T 2>&1)" = idle ] || fail "the cluster does not start"

run() { timeout -s KILL 60 srun --mpi=pmix --overcommit -n "$@"; }
for tasks in 2 4; do
  run "$tasks" "$program" 0.5 || fail "$tasks tasks: exit code $?"
done

name=$(basename "$program")
ranks() { pgrep -x "${name:0:15}"; }
run 4 "$program" 60 &>"$work/log/killed" &
launcher=$!
for ((i = 0; i < 200; ++i)); do
  [ "$(ranks | wc -l)" -eq 4 ] && break || sleep 0.05
done
[ "$(ranks | wc -l)" -eq 4 ] || fail "4 ranks have not started"
sleep 2
# Until the ranks have met, their regions have names, which a killed job leaves behind.
for ((i = 0; i < 100; ++i)); do
  [ -z "$(find /dev/shm -name 'castor-*')" ] && break || sleep 0.1
done
kill -KILL "$(ranks | tail -n 1)"
status=0
wait "$launcher" || status=$?
[ "$status" -ne 0 ] || fail "a rank was killed, and srun's exit code is 0"
grep -q "tasks\? .*: Killed" "$work/log/killed" || fail "srun ended otherwise: exit code $status"
for ((i = 0; i < 100; ++i)); do [ -n "$(ranks)" ] && sleep 0.05 || break; done
[ -z "$(ranks)" ] || fail "a rank was killed, and others are still there"
left=$(find /dev/shm "$work/tmp" -mindepth 1 -name 'castor-*')
[ -z "$left" ] || fail "left behind: $left"
echo "killed one of 4: the others ended"
