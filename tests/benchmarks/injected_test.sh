#!/usr/bin/env bash
# What figure6.sh reads out of a file of `aprun --counters`.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
reader=$here/../../benchmarks/minighost/injected.awk
fail() { printf 'injected_test: %s\n' "$*" >&2; exit 1; }

# Three Geminis: one has injected nothing, others' phits of cables do not count.
file='#	DEST_COORD
#	SRC_COORD	GB/s	VC0_PHITS	VC1_PHITS	VC0_PKTS	VC1_PKTS	INQ_STALLS	OUTQ_STALLS
	(0, 0, 0)
X+	(1, 0, 0)	9.38	1000000	2000000	30000	40000	0	0
HH	(0, 0, 0)	10.40	100	20	4	4	0	0
	(1, 0, 0)
Z-	(1, 0, 23)	15.00	7	7	1	1	0	0
HH	(1, 0, 0)	10.40	0	0	0	0	0	0
	(2, 0, 0)
HH	(2, 0, 0)	10.40	6000000000	0	5	0	0	0'
found=$(awk -f "$reader" <<<"$file")
[ "$found" = "9000000180 18000000000 2" ] || fail "found $found"
! awk -f "$reader" <<<"${file%%HH*}" >/dev/null || fail "a file without host tiles is read"
