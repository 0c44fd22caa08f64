#!/usr/bin/env bash
# The counts of a program's checks are read from every form of output.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)

# expect COUNTS TEXT
expect() {
  local found
  found=$(awk -f "$here/debian_counts.awk" <<<"$2")
  [ "$found" = "$1" ] || { echo "debian_counts_test: $found instead of $1 from: $2" >&2; exit 1; }
}
expect '0 0 0' 'nothing of the kind, 3 tests'
expect '352 1 31' 'WALL     15     10   5   3     4     1      0.00        0.00 PASSED    0.
  352 tests completed and passed residual checks.
    1 tests completed and failed residual checks.
   31 tests skipped because of illegal input values.'
expect '108 0 2' '  108 tests completed and passed residual checks.
    2 tests completed without checking.
    0 tests skipped for lack of memory.
    0 tests completed and failed.'
expect '30 1 1' '     SUBROUTINE  TOTAL TESTS  PASSED   FAILED  SKIPPED
  |  PDSWAP           16        16        0       0
  |  PZGEMM           16        14        1       1'
expect '110 2 25' 'INTEGER SDRV TESTS:   77 TESTS;   50 PASSED,   25 SKIPPED,    2 FAILED.
REAL SUM TESTS: PASSED ALL   60 TESTS.'
expect '1 0 0' '         Total SCF energy =    -74.963146766236'
expect '1 0 0' '         Total DFT energy =      -95.669708499177'
expect '2 1 0' 'Passed 0.245E-02-0.100E+01    80    32   2   2
Passed 0.250E-02-0.100E+01    80    32   2   2
Failed 0.250E+02-0.100E+01    80    32   2   2'
expect '1 1 0' '    N  NB    P    Q  QR Time  CHECK
----- --- ---- ---- -------- ------
  500  50    2    2     0.46 PASSED
 1000  50    2    2     0.46 FAILED'
expect '1 1 0' '  0:  5 bytes  20 times -->  Integrity check passed
  1:  7 bytes  20 times -->  Integrity check failed'
