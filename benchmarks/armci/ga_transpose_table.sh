#!/usr/bin/env bash
# The toolkit's transposes (ga_transpose: GA_Transpose, and NGA_Get with a local NGA_Put) beside
# those of apps/transpose and the thesis's averages: 6400 x 6400 ints, 4 ranks to a node, eager
# limit 2K, a polling helper; MPI's progress threads off and on; on nodes of 4 CPUs, where helper
# and progress threads share the ranks' CPUs, and of 5 with `aprun -r 1`, where they share the
# reserved one. The thesis's seconds are SeaStar's: shapes are to be compared.
set -euo pipefail
export LC_ALL=C
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
usage() {
  cat <<'TEXT'
usage: ga_transpose_table.sh [BUILD_DIRECTORY] [options] [RANKS ...]
Transposes of the toolkit and of apps/transpose with RANKS (16 32 64 128 256), and the thesis's.
BUILD_DIRECTORY: default build/release.
  --csv, --json  the format; else a table
TEXT
}
default_build=$here/../../build/release
# shellcheck source=scripts/rows.sh
. "$here/../../scripts/rows.sh"

read_options '' '' "$@"
ranks=("${wanted[@]}")
for count in "${ranks[@]}"; do positive RANKS "$count"; done
[ ${#ranks[@]} -gt 0 ] || ranks=(16 32 64 128 256)
need_programs transpose
[ -x "$build/bin/ga_transpose" ] || refuse "$build has no ga_transpose: ./castor.sh setup conformance, then build"

# published FORM RANKS: the thesis's average in seconds (2 KB, polling), or nothing.
published() {
  awk -v key="$1/$2" '$1 == key { print $2 }' <<'TABLE'
get/16 2.73
get/32 7.19
get/64 14.67
get/128 28.44
get/256 55.31
put/16 3.68
put/32 6.12
put/64 12.63
put/128 26.36
put/256 47.87
TABLE
}

# ours PROGRAM FORM HELPER PROGRESS RANKS: least, largest and mean seconds of virtual time.
ours() {
  local node='numa:1 core:4 pu:1' settings=() options=()
  if [ "$3" = reserved ]; then node='numa:1 core:5 pu:1' options=(-r 1); fi
  if [ "$4" = on ]; then
    settings=(MPICH_NEMESIS_ASYNC_PROGRESS=MC MPICH_MAX_THREAD_SAFETY=multiple)
  fi
  env CASTOR_ARMCI_EAGER_LIMIT=2K CASTOR_ARMCI_CHT_BUFFERS=1 "${settings[@]}" "$build/bin/aprun" -q --node "$node" -n "$5" \
    -N 4 "${options[@]}" "$build/bin/$1" --size 6400 --form "$2" --csv 2>/dev/null |
    awk -F, 'NR > 1 && $7 == "yes" { print $4, $5, $6 }'
}

begin_table transposes '' 'program|-12' 'form|-4' 'helper|-8' 'progress|-8' 'ranks|5' 'min|10|min|s|4' \
  'max|10|max|s|4' 'avg|10|avg|s|4' 'thesis|10|thesis|s'
for helper in shared reserved; do
  for progress in off on; do
    for form in put get; do
      for program in ga_transpose transpose; do
        for count in "${ranks[@]}"; do
          what="$program $form $helper $progress $count"
          progress "$what"
          read -r least most mean <<<"$(ours "$program" "$form" "$helper" "$progress" "$count")"
          progress
          [ -n "$mean" ] || die "$what: no right answer"
          table_row "$program" "$form" "$helper" "$progress" "$count" "$least" "$most" "$mean" \
            "$(published "$form" "$count")"
        done
      done
    done
  done
done
end_table
