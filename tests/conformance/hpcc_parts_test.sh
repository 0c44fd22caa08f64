#!/usr/bin/env bash
# The parts of HPC Challenge are read from its output: their checks, and whether they came to their end.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
found=$(awk -f "$here/hpcc_parts.awk" <<'TEXT'
Version 1.5.0f, with 3 errors in 5 places before the first part (failed).
Begin of MPIRandomAccess section.
Found 0 errors in 131072 locations (passed).
End of MPIRandomAccess section.
Begin of StarRandomAccess section.
Found 1311 errors in 32768 locations (failed).
Node(s) with error 2
End of StarRandomAccess section.
Begin of PTRANS section.
WALL   200   200  32  32   2   2     0.00 PASSED    2.684  0.02
CPU    200   200  32  32   2   2     0.00 PASSED    0.894  0.99
WALL   200   200  32  32   2   2     0.00 FAILED    2.684 55.10
    4 tests completed and passed residual checks.
    1 tests completed and failed residual checks.
    0 tests skipped because of illegal input values.
End of PTRANS section.
Begin of StarSTREAM section.
Solution Validates: avg error less than 1.000000e-13 on all three arrays
Node(s) with error 0
End of StarSTREAM section.
Begin of MPIFFT section.
Vector size:                16384
max(|x-x0|): 1.047e-15
End of MPIFFT section.
Begin of MPIFFT section.
Vector size:                16384
max(|x-x0|): 1.047e-13
End of MPIFFT section.
Begin of LatencyBandwidth section.
Max Ping Pong Latency:                 0.001944 msecs
End of LatencyBandwidth section.
Begin of Summary section.
Node(s) with error 1
End of Summary section.
Begin of HPL section.
||Ax-b||_oo/(eps*(||A||_oo*||x||_oo+||b||_oo)*N)=        0.0081691 ...... PASSED
              1 tests completed and passed residual checks,
              0 tests completed and failed residual checks,
TEXT
)
expected='MPIRandomAccess|1|0|yes|0 errors in 131072 locations
StarRandomAccess|0|2|yes|1311 errors in 32768 locations
PTRANS|4|1|yes|largest residual 55.10
StarSTREAM|2|0|yes|
MPIFFT|1|0|yes|largest error 1.047e-15
MPIFFT|0|1|yes|largest error 1.047e-13
LatencyBandwidth|0|0|yes|ping pong latency 0.001944 ms at most
HPL|1|0|no|scaled residual 0.0081691'
[ "$found" = "$expected" ] || { printf 'hpcc_parts_test: found\n%s\n' "$found" >&2; exit 1; }
