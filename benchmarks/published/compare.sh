#!/usr/bin/env bash
# Published results beside Castor's: runs every comparison of docs/results.md, and judges each.
set -euo pipefail
export LC_ALL=C

usage() {
  cat <<'TEXT'
usage: compare.sh [BUILD_DIRECTORY] [--row NAME]... [--csv]

Runs what is published about the Gemini and about Cray's MPI on it, and prints for each result the
published value or shape beside ours. PASS: within the limit, or the shape holds; OUTSIDE: not;
SHOWN: nothing was published to compare with. BUILD_DIRECTORY: default build/release.

  --row NAME   this row only (repeatable)
  --csv        comma-separated, with the command that prints each figure
TEXT
}

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
rows=(fig1 fig2 fig3 fig4 fig5 large fig6 fig7 fig8 fma_get variability short_messages waiting_peer
  cq_wakeup put_latency mpi_latency plateau s3d milc)

title() {
  case $1 in
    fig1) echo "S4 figure 1: sender availability, 16 KB" ;;
    fig2) echo "S4 figure 2: receiver availability, 16 KB" ;;
    fig3) echo "S4 figure 3: availability without progression, the three protocols" ;;
    fig4) echo "S4 figure 4: availability with phase one" ;;
    fig5) echo "S4 figure 5: phase one and phase two at 8 to 10 KB" ;;
    large) echo "S4 figures 4, 5: large messages with progression" ;;
    fig6) echo "S4 figure 6: rendezvous from 512 bytes, receiver availability" ;;
    fig7) echo "S4 figure 7: rendezvous from 512 bytes, latency" ;;
    fig8) echo "S4 figure 8: bandwidth with 4 ranks per node, by switch point" ;;
    fma_get) echo "S4 section 5.1: FMA get at intermediate sizes" ;;
    variability) echo "S4 section 5.1: core specialization and variability" ;;
    short_messages) echo "S4 section 4.1: short messages, active progress thread" ;;
    waiting_peer) echo "S4 section 4.2: phase two when the peer waits in MPI" ;;
    cq_wakeup) echo "S4 section 3: CQ wake-up" ;;
    put_latency) echo "S2, Alverson: remote put" ;;
    mpi_latency) echo "S2: MPI latency on Hopper" ;;
    s3d) echo "S4 table 3: S3D's time step (whole table: benchmarks/applications/s3d_table.sh)" ;;
    milc) echo "S4 table 5: MILC's run (whole table: benchmarks/applications/milc_table.sh)" ;;
    plateau) echo "S2, V11: large-message bandwidth" ;;
  esac
}

build=$here/../../build/release
chosen=()
csv=0
while [ $# -gt 0 ]; do
  case $1 in
    --row)
      [ $# -ge 2 ] || { echo "compare.sh: --row needs a name: ${rows[*]}" >&2; exit 2; }
      [ -n "$(title "$2")" ] || { echo "compare.sh: no row '$2': ${rows[*]}" >&2; exit 2; }
      chosen+=("$2")
      shift
      ;;
    --csv) csv=1 ;;
    -h | --help) usage; exit 0 ;;
    -*) echo "compare.sh: unknown option '$1'; see --help" >&2; exit 2 ;;
    *) build=$1 ;;
  esac
  shift
done
[ "${#chosen[@]}" -gt 0 ] || chosen=("${rows[@]}")
bin=$build/bin
[ -x "$bin/aprun" ] || { echo "compare.sh: no aprun in $bin: build first (./castor.sh build)" >&2; exit 2; }
workers=$(nproc)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# shellcheck source=library.sh
. "$here/library.sh"
. "$here/availability_rows.sh"
. "$here/latency_rows.sh"
. "$here/hardware_rows.sh"
. "$here/application_rows.sh"

# What one row recorded, for people: grouped by setup, which the header of each run names.
print_row() {
  printf '\n%s (--row %s)\n' "$(title "$row")" "$row"
  awk -F'\t' '
    $7 != setup { setup = $7; printf "  [%s]\n", setup }
    {
      printf "  %-8s %s\n", $6, $2
      printf "           %s%s%s\n", $3 != "" ? "published: " $3 "; ours: " : "ours: ", $4, $5 != "" && $5 != "0" ? " (" $5 ")" : ""
    }' "$scratch/records"
}

print_csv() {
  awk -F'\t' '
    function quoted(text) { gsub(/"/, "\"\"", text); return "\"" text "\"" }
    { for (i = 1; i <= 8; ++i) printf "%s%s", quoted($i), i < 8 ? "," : "\n" }' "$scratch/records"
}

[ $csv -eq 0 ] || echo "row,quantity,published,ours,deviation,verdict,setup,command"
: >"$scratch/all"
for row in "${chosen[@]}"; do
  : >"$scratch/records"
  "row_$row"
  cat "$scratch/records" >>"$scratch/all"
  if [ $csv -eq 1 ]; then print_csv; else print_row; fi
done
awk -F'\t' '{ ++count[$6] } END {
  printf "published: %d comparisons: %d PASS, %d OUTSIDE; %d SHOWN\n",
         count["PASS"] + count["OUTSIDE"], count["PASS"], count["OUTSIDE"], count["SHOWN"]
}' "$scratch/all" >&2
