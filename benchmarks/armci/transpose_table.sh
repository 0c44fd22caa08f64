#!/usr/bin/env bash
# The thesis's transposes beside ours: 6400 x 6400 ints, 4 ranks on nodes of 4 CPUs, put form
# (GA_Transpose) and get form (naive), by eager limit, and with a helper that waits blocked. The
# thesis's seconds are SeaStar's: shapes are to be compared, so both are given as multiples of
# their own value at 16 ranks, too.
set -euo pipefail
export LC_ALL=C
usage() { echo "usage: transpose_table.sh BUILD_DIRECTORY [RANKS ...]   (16 32 64 128 256)" >&2; exit 2; }
[ $# -ge 1 ] && [ -x "$1/bin/aprun" ] || usage
build=$1
shift
ranks=("$@")
[ ${#ranks[@]} -gt 0 ] || ranks=(16 32 64 128 256)

# published FORM SETTING RANKS: the thesis's average in seconds, or nothing.
published() {
  awk -v key="$1/$2/$3" '$1 == key { print $2 }' <<'TABLE'
get/2K/16 2.73
get/2K/32 7.19
get/2K/64 14.67
get/2K/128 28.44
get/2K/256 55.31
put/2K/16 3.68
put/2K/32 6.12
put/2K/64 12.63
put/2K/128 26.36
put/2K/256 47.87
get/10K/16 2.77
get/10K/32 6.64
get/10K/64 14.35
get/10K/128 28.35
get/10K/256 55.16
put/10K/16 3.22
put/10K/32 6.57
put/10K/64 13.64
put/10K/128 20.85
put/10K/256 37.41
get/42K/64 14.81
put/42K/64 10.66
get/blocked/16 .140
get/blocked/32 .153
get/blocked/64 .188
get/blocked/128 .335
get/blocked/256 .455
put/blocked/16 .242
put/blocked/32 .321
put/blocked/64 .463
put/blocked/128 .492
put/blocked/256 .549
TABLE
}

# ours FORM SETTING RANKS: average in seconds of virtual time.
ours() {
  local variable
  case $2 in
    blocked) variable=CASTOR_ARMCI_CHT_WAIT=blocked ;;
    *) variable=CASTOR_ARMCI_EAGER_LIMIT=$2 ;;
  esac
  env "$variable" "$build/bin/aprun" -q --node 'numa:1 core:4 pu:1' -n "$3" -N 4 \
    "$build/bin/transpose" --size 6400 --form "$1" --csv 2>/dev/null |
    awk -F, 'NR > 1 && $7 == "yes" { print $6 }'
}

printf '%-5s %-8s %6s %12s %10s %12s %10s\n' form setting ranks 'ours (s)' 'x of 16' 'thesis (s)' 'x of 16'
for setting in 2K 10K 42K blocked; do
  for form in put get; do
    first='' first_published=''
    for count in "${ranks[@]}"; do
      if [ -t 2 ]; then printf '\r%s %s %s ... ' "$form" "$setting" "$count" >&2; fi
      value=$(ours "$form" "$setting" "$count")
      [ -n "$value" ] || { echo "transpose_table.sh: $form $setting $count: no right answer" >&2; exit 1; }
      other=$(published "$form" "$setting" "$count")
      first=${first:-$value} first_published=${first_published:-$other}
      if [ -t 2 ]; then printf '\r%40s\r' '' >&2; fi
      awk -v f="$form" -v s="$setting" -v n="$count" -v v="$value" -v a="$first" -v o="$other" \
        -v b="$first_published" 'BEGIN {
          printf "%-5s %-8s %6d %12.4f %10.2f", f, s, n, v, v / a
          if (o == "") printf " %12s %10s\n", "-", "-"
          else printf " %12.3f %10.2f\n", o, o / b
        }'
    done
  done
done
