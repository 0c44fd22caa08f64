# Whether a number that a program prints is the one that other runs of it printed.
# shellcheck shell=bash

# shared_part TEXT ...: what all of them begin with.
shared_part() {
  local shared=$1 text
  for text in "$@"; do
    while [ "${text#"$shared"}" = "$text" ] && [ -n "$shared" ]; do shared=${shared%?}; done
  done
  printf '%s\n' "$shared"
}

# close_to SHARED RESULT TEXT ...: whether the number at the end of RESULT differs from those of all
# TEXTs by at most one in the last digit of SHARED.
close_to() {
  local shared=${1##* } result=${2##* }
  shift 2
  printf '%s\n' "${@##* }" | awk -v shared="$shared" -v result="$result" '
    BEGIN { point = index(shared, "."); unit = point ? 10 ^ (point - length(shared)) : 1 }
    { difference = $1 - result; if (difference < 0) difference = -difference }
    difference > 1.01 * unit { far = 1 }
    END { exit far }'
}
