#!/usr/bin/env bash
# Published results beside Castor's: runs every comparison of docs/results.md, and judges each.
set -euo pipefail
export LC_ALL=C

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
usage() {
  cat <<'TEXT'
usage: compare.sh [BUILD_DIRECTORY] [options]

Runs what is published about the Gemini and about Cray's MPI on it, and prints for each result the
published value or shape beside ours. PASS: within the limit, or the shape holds; OUTSIDE: not;
SHOWN: nothing was published to compare with. BUILD_DIRECTORY: default build/release.

  --row NAME     this row only (repeatable); counters: all those of S0
  --csv, --json  the format, with the command that prints each figure; else text
TEXT
}
rows=(fig1 fig2 fig3 fig4 fig5 large fig6 fig7 fig8 fma_get variability short_messages waiting_peer
  cq_wakeup put_latency mpi_latency plateau s3d milc sonar minighost)

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
    minighost) echo "S0 section VI: MiniGhost's mappings (figure 6 whole: benchmarks/minighost/figure6.sh)" ;;
    sonar) echo "S0 sections II to V: transactions in the tiles' counters" ;;
    plateau) echo "S2, V11: large-message bandwidth" ;;
  esac
}

default_build=$here/../../build/release
# shellcheck source=scripts/rows.sh
. "$here/../../scripts/rows.sh"

row=()
read_options row+ '' "$@"
no_names
chosen=("${row[@]}")
unset row
[ "${#chosen[@]}" -gt 0 ] || chosen=("${rows[@]}")
# One name for all that S0 says of the counters.
[ "${chosen[*]}" != counters ] || chosen=(sonar minighost)
for row in "${chosen[@]}"; do one_of --row "$row" "${rows[@]}"; done
bin=$build/bin
# shellcheck disable=SC2034 # for latency_rows.sh
workers=$(nproc)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# shellcheck source=benchmarks/published/library.sh
. "$here/library.sh"
# shellcheck source=benchmarks/published/availability_rows.sh
. "$here/availability_rows.sh"
# shellcheck source=benchmarks/published/latency_rows.sh
. "$here/latency_rows.sh"
# shellcheck source=benchmarks/published/hardware_rows.sh
. "$here/hardware_rows.sh"
# shellcheck source=benchmarks/published/application_rows.sh
. "$here/application_rows.sh"

# shellcheck source=benchmarks/published/counter_rows.sh
. "$here/counter_rows.sh"

# What one row recorded, for people: grouped by setup, which the header of each run names.
text_records() {
  printf '\n%s (--row %s)\n' "$(title "$row")" "$row"
  awk -F'\t' '
    $7 != setup { setup = $7; printf "  [%s]\n", setup }
    {
      printf "  %-8s %s\n", $6, $2
      printf "           %s%s%s\n", $3 != "" ? "published: " $3 "; ours: " : "ours: ", $4, $5 != "" && $5 != "0" ? " (" $5 ")" : ""
    }' "$scratch/records"
}

# The same as rows; blanks between tabs would be one, not so between separators that are no blanks.
print_records() {
  local cells
  while IFS=$'\037' read -r -a cells; do
    table_row "${cells[@]}"
  done < <(tr '\t' '\037' <"$scratch/records")
}

: >"$scratch/all"
[ "$format" = table ] || begin_table published '' 'row|-' 'quantity|-' 'published|-' 'ours|-' 'deviation|-' \
  'verdict|-' 'setup|-' 'command|-'
for row in "${chosen[@]}"; do
  : >"$scratch/records"
  progress "$(title "$row")"
  "row_$row"
  progress
  cat "$scratch/records" >>"$scratch/all"
  if [ "$format" = table ]; then text_records; else print_records; fi
done
[ "$format" = table ] || end_table
awk -F'\t' '{ ++count[$6] } END {
  printf "published: %d comparisons: %d PASS, %d OUTSIDE; %d SHOWN\n",
         count["PASS"] + count["OUTSIDE"], count["PASS"], count["OUTSIDE"], count["SHOWN"]
}' "$scratch/all" >&2
