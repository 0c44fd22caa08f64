#!/usr/bin/env bash
# What several runs agree on, and whether one more agrees with them.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
# shellcheck source=tests/conformance/agreement.sh
. "$here/agreement.sh"

die() { echo "agreement_test: $*" >&2; exit 1; }

# expect_shared SHARED TEXT ...
expect_shared() {
  local found
  found=$(shared_part "${@:2}")
  [ "$found" = "$1" ] || die "$found instead of $1"
}
expect_shared 'energy = -95.66' 'energy = -95.6678' 'energy = -95.6691' 'energy = -95.6672'
expect_shared 'energy = -95.6678' 'energy = -95.6678'
expect_shared '' 'a' 'b'

close_to 'e = -1.23' 'e = -1.2399' 'e = -1.2301' 'e = -1.2350' || die 'the digits that follow do not count'
close_to 'e = -1.23' 'e = -1.2400' 'e = -1.2399' 'e = -1.2398' || die 'a step to the next digit is no difference'
close_to 'e = -1.2345' 'e = -1.2346' 'e = -1.2345' || die 'the last digit may differ by one'
! close_to 'e = -1.2345' 'e = -1.2347' 'e = -1.2345' || die 'but not by two'
! close_to 'e = -1.23' 'e = -1.2410' 'e = -1.2301' 'e = -1.2399' || die 'it is to be close to all'
! close_to 'e = -1.23' '' 'e = -1.2301' || die 'no number is close to none'
