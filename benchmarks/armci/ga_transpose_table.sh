#!/usr/bin/env bash
# The toolkit's transposes (ga_transpose: GA_Transpose, and NGA_Get with a local NGA_Put) beside
# those of apps/transpose and the thesis's averages: 6400 x 6400 ints, 4 ranks to a node, eager
# limit 2K, a polling helper; MPI's progress threads off and on; on nodes of 4 CPUs, where helper
# and progress threads share the ranks' CPUs, and of 5 with `aprun -r 1`, where they share the
# reserved one. The thesis's seconds are SeaStar's: shapes are to be compared.
set -euo pipefail
export LC_ALL=C
usage() {
  echo "usage: ga_transpose_table.sh BUILD_DIRECTORY [--csv] [RANKS ...]   (16 32 64 128 256)" >&2
  exit 2
}
[ $# -ge 1 ] && [ -x "$1/bin/aprun" ] || usage
build=$1 csv='' ranks=()
shift
for argument in "$@"; do
  case $argument in
    --csv) csv=yes ;;
    *[!0-9]* | '' | 0*) usage ;;
    *) ranks+=("$argument") ;;
  esac
done
[ ${#ranks[@]} -gt 0 ] || ranks=(16 32 64 128 256)
if [ ! -x "$build/bin/ga_transpose" ]; then
  echo "ga_transpose_table.sh: $build has no ga_transpose: ./castor.sh setup, then build" >&2
  exit 2
fi

# published FORM RANKS: the thesis's average in seconds (2 KB, polling), or -.
published() {
  awk -v key="$1/$2" '$1 == key { found = 1; print $2 } END { if (!found) print "-" }' <<'TABLE'
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
  env CASTOR_ARMCI_EAGER_LIMIT=2K "${settings[@]}" "$build/bin/aprun" -q --node "$node" -n "$5" \
    -N 4 "${options[@]}" "$build/bin/$1" --size 6400 --form "$2" --csv 2>/dev/null |
    awk -F, 'NR > 1 && $7 == "yes" { print $4, $5, $6 }'
}

if [ -n "$csv" ]; then
  echo program,form,helper,progress,ranks,min,max,avg,thesis
else
  printf '%-12s %-4s %-8s %-8s %5s %10s %10s %10s %10s\n' \
    program form helper progress ranks 'min (s)' 'max (s)' 'avg (s)' thesis
fi
for helper in shared reserved; do
  for progress in off on; do
    for form in put get; do
      for program in ga_transpose transpose; do
        for count in "${ranks[@]}"; do
          if [ -t 2 ]; then
            printf '\r\033[K%s %s %s %s %s ... ' "$program" "$form" "$helper" "$progress" "$count" >&2
          fi
          read -r least most mean <<<"$(ours "$program" "$form" "$helper" "$progress" "$count")"
          if [ -t 2 ]; then printf '\r\033[K' >&2; fi
          if [ -z "$mean" ]; then
            echo "ga_transpose_table.sh: $program $form $helper $progress $count: no right answer" >&2
            exit 1
          fi
          line=("$program" "$form" "$helper" "$progress" "$count" "$least" "$most" "$mean"
            "$(published "$form" "$count")")
          if [ -n "$csv" ]; then
            (IFS=, && echo "${line[*]}")
          else
            printf '%-12s %-4s %-8s %-8s %5s %10.4f %10.4f %10.4f %10s\n' "${line[@]}"
          fi
        done
      done
    done
  done
done
