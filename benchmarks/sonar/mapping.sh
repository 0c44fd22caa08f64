#!/usr/bin/env bash
# What the order of ranks saves on the network: bytes x hops of a halo exchange on a Cartesian grid.
set -euo pipefail
export LC_ALL=C
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)

usage() {
  cat <<'TEXT'
usage: mapping.sh [BUILD_DIRECTORY] [options]

Runs a halo exchange on a wrapping grid in the ranks' own order, in an order that grid_order has written
(MPICH_RANK_REORDER_METHOD=3), and in that of MPI_Cart_create with reorder; prints the bytes that all
Geminis inject, the bytes over all links (bytes x hops), and the time of a step. BUILD_DIRECTORY:
default build/release.

  --ranks N[,N...]    numbers of ranks (512,4096)
  --per-node N        ranks to a node (16)
  --dimensions N      of the grid, 1 to 3 (3)
  --bytes N           to each neighbour (64K)
  --system NAME       of aprun (cielo)
  --csv, --json       the format; else a table
TEXT
}
default_build=$here/../../build/release
ranks=512,4096 per_node=16 dimensions=3 bytes=64K system=cielo
# shellcheck source=scripts/rows.sh
. "$here/../../scripts/rows.sh"
read_options 'ranks per-node dimensions bytes system' '' "$@"
no_names
rank_list --ranks "$ranks"
positive --per-node "$per_node"
positive --dimensions "$dimensions"
need_programs cart_halo
bin=$build/bin
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# one RANKS ORDER "APRUN OPTIONS" "ARGUMENTS": a run, and its row.
one() {
  local counted step
  progress "$1 ranks, $2"
  # shellcheck disable=SC2086 # options are words
  (cd "$work" && "$bin/aprun" -n "$1" -N "$per_node" --system "$system" --counters counters $3 \
    "$bin/cart_halo" -d "$dimensions" -b "$bytes" --csv $4 >out 2>errors) || die "$(cat "$work/errors")"
  step=$(tail -n 1 "$work/out" | cut -d, -f4)
  # HH: what hosts have injected; all else has come over a link.
  counted=$(awk -F'\t' '
    /^#/ || NF < 5 { next }
    $1 == "HH" { injected += 3 * ($4 + $5); next }
    { links += 3 * ($4 + $5) }
    END { printf "%.3f %.3f %.2f", injected / 1e6, links / 1e6, injected ? links / injected : 0 }' \
    "$work/counters")
  # shellcheck disable=SC2086 # three words
  table_row "$1" "$2" $counted "$step"
}

# grid_of RANKS DIMENSIONS: their most cubic grid, largest first, as MPI_Dims_create has it.
grid_of() {
  awk -v n="$1" -v d="$2" 'BEGIN {
    for (i = 1; i <= d; ++i) size[i] = 1
    for (p = 2; n > 1;) {
      if (n % p) { ++p; continue }
      factor[++count] = p
      n /= p
    }
    for (k = count; k >= 1; --k) {
      least = 1
      for (i = 2; i <= d; ++i) if (size[i] < size[least]) least = i
      size[least] *= factor[k]
    }
    for (i = 1; i <= d; ++i) for (j = i + 1; j <= d; ++j) if (size[j] > size[i]) {
      t = size[i]; size[i] = size[j]; size[j] = t
    }
    for (i = 1; i <= d; ++i) printf "%s%d", (i > 1 ? "," : ""), size[i]
  }'
}

begin_table mapping '' 'ranks|8' 'order|-18' 'injected|12||MB|3' 'bytes_hops|14|bytes x hops|MB|3' \
  'hops|6|hops||2' 'step|12||us|1'
for count in ${ranks//,/ }; do
  one "$count" "own" "" ""
  "$bin/grid_order" -R -g "$(grid_of "$count" "$dimensions")" -c "$(grid_of "$per_node" "$dimensions")" \
    >"$work/MPICH_RANK_ORDER" || die "grid_order: no order for $count ranks"
  one "$count" "grid_order" "-e MPICH_RANK_REORDER_METHOD=3" ""
  rm "$work/MPICH_RANK_ORDER"
  one "$count" "MPI_Cart_create" "" "--reorder"
done
end_table
