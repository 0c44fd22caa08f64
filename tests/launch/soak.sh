#!/usr/bin/env bash
# The soak program with each progress design, live: random traffic whose every byte is checked. A
# short form of it are the tests LiveSoak. Columns, with their names in CSV and JSON:
#
#   design       none, phase_one, phase_two, active
#   messages     that have come, all of them right
#   gigabytes    in them
#   growth_KB    of a rank's resident memory after its 100th round, at most
#   seconds      that the job took
#   remark       what went wrong
# shellcheck disable=SC2154
set -euo pipefail
export LC_ALL=C
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
usage() {
  cat <<'TEXT'
usage: soak.sh [BUILD_DIRECTORY] [options]
Random traffic in a live job with each progress design, every byte checked (default build/release).
Exit code 1 if a job failed.
  --seconds N      traffic with each design (600)
  --ranks N        ranks, two to a node (4)
  --design NAME    only this one: none, phase_one, phase_two or active; may be repeated
  --csv, --json    the format; else a table
TEXT
}
default_build=$here/../../build/release
# shellcheck source=scripts/rows.sh
. "$here/../../scripts/rows.sh"

seconds=600 ranks=4 design=()
read_options 'seconds ranks design+' '' "$@"
positive --seconds "$seconds"
positive --ranks "$ranks"
no_names
[ ${#design[@]} -gt 0 ] || design=(none phase_one phase_two active)
soak=$build/tests/launch/programs/soak
[ -x "$soak" ] || die "$soak is not there: ./castor.sh build"

settings_of() {
  case $1 in
    none) ;;
    phase_one) echo MPICH_NEMESIS_ASYNC_PROGRESS=SC MPICH_MAX_THREAD_SAFETY=multiple ;;
    phase_two) echo MPICH_NEMESIS_ASYNC_PROGRESS=MC MPICH_MAX_THREAD_SAFETY=multiple ;;
    active) echo MPICH_ASYNC_PROGRESS=1 MPICH_MAX_THREAD_SAFETY=multiple ;;
  esac
}
for each in "${design[@]}"; do one_of --design "$each" none phase_one phase_two active; done

failed=0
begin_table soak '' 'design|-10' 'messages|12' 'gigabytes|10|||1' 'growth_KB|10' 'seconds|8|||0' 'remark|-0'
for each in "${design[@]}"; do
  progress "$each: $seconds s"
  read -r -a settings <<<"$(settings_of "$each")"
  begun=$SECONDS status=0
  said=$(env "${settings[@]}" timeout -s KILL $((seconds + 300)) "$build/bin/aprun" --clock live -q \
    -n "$ranks" -N 2 "$soak" "$seconds" 2>&1) || status=$?
  # soak: 4 ranks, 310 rounds, 55180 messages, 4604.1 MB, resident memory grew by 12 KB ...
  if [ "$status" -eq 0 ] && [[ $said =~ ([0-9]+)\ messages,\ ([0-9.]+)\ MB.*\ ([0-9]+)\ KB ]]; then
    table_row "$each" "${BASH_REMATCH[1]}" "$(awk "BEGIN { print ${BASH_REMATCH[2]} / 1000 }")" \
      "${BASH_REMATCH[3]}" $((SECONDS - begun))
  else
    failed=1
    table_remark "exit code $status: ${said##*$'\n'}" "$each" '' '' '' $((SECONDS - begun))
  fi
done
end_table
exit "$failed"
