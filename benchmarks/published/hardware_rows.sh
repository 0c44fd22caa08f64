# The rows of the machine itself: wake-ups, latencies, plateaus. Sourced by compare.sh.
# shellcheck shell=bash disable=SC2034,SC2154

farthest="0,3622"  # Hopper: (0,0,0) and (8,4,12), 24 hops by the nid rule of ugni_emu/gemini/topology/torus.h

row_cq_wakeup() {
  run "-n 2 -N 1" cq_wakeup ""
  within_range "waiter on the CPU that takes the interrupt" 3 4 "$(figure half_round_trip)" us
  run "-n 2 -N 1 -r 1" cq_wakeup "--waiter service"
  within_range "the same, both on the service CPU" 3 4 "$(figure half_round_trip)" us
  run "-n 2 -N 1 -r 1" cq_wakeup ""
  within_range "waiter on another CPU" 7 8 "$(figure half_round_trip)" us
}

row_put_latency() {
  local ours
  run "-n 2 -N 1" ugni_perf "--engine fma --operation put --sizes 8"
  ours=$(figure latency)
  record "FMA put, 8 B, nids 0 and 1 (one Gemini)" "under 0.7 us" "$ours us" \
    "$(printf '%+.1f %%' "$(calculate "100 * ($ours - 0.7) / 0.7" 1)")" "$(verdict "$ours < 0.7")"
  run "-n 2 -N 1 -L 0,2" ugni_perf "--engine fma --operation put --sizes 8"
  within_percent "the same, one hop apart" 0.7 "$(figure latency)" 10 us
}

row_mpi_latency() {
  run "-n 2 -N 1" mpi_latency "--sizes 4"
  within_percent "nearest pair, 4 B (nids 0 and 1: one Gemini)" 1.27 "$(figure latency_mean)" 10 us
  run "-n 2 -N 1 -L $farthest" mpi_latency "--sizes 4"
  within_percent "farthest pair on Hopper, 4 B (nids ${farthest/,/ and }: 24 hops)" 3.88 "$(figure latency_mean)" 10 us
}

# plateau QUANTITY OURS: 5 % around the published 6.75 (S2) to 6.93 GB/s (host port).
plateau() {
  local off
  off=$(calculate "($2 < 6.75) ? 100 * ($2 / 6.75 - 1) : ($2 > 6.93) ? 100 * ($2 / 6.93 - 1) : 0" 1)
  record "$1" "6.75-6.93 GB/s" "$2 GB/s" "$(printf '%+.1f %%' "$off")" "$(verdict "$off <= 5 && $off >= -5")"
}

row_plateau() {
  local nodes where
  for nodes in 0,2 0,1; do
    where="two Geminis"
    [ $nodes = 0,2 ] || where="one Gemini"
    run "-n 2 -N 1 -L $nodes" mpi_bandwidth "--sizes 128K,4M"
    plateau "MPI, 4 MB (R1: PUT), $where" "$(figure bandwidth msgsize=4194304)"
    plateau "MPI, 128 KB (R0: GET), $where" "$(figure bandwidth msgsize=131072)"
    run "-n 8 -N 4 -L $nodes" mpi_bandwidth "--sizes 4M"
    plateau "MPI, 4 MB, 4 ranks per node, $where" "$(figure bandwidth msgsize=4194304)"
    run "-n 8 -N 4 -L $nodes" ugni_perf "--sizes 4M -p 1,2,4"
    plateau "BTE put, 4 MB, $where" "$(figure bandwidth engine=bte operation=put processes=1)"
    local one two four
    one=$(figure bandwidth engine=fma operation=put processes=1)
    two=$(figure bandwidth engine=fma operation=put processes=2)
    four=$(figure bandwidth engine=fma operation=put processes=4)
    shape "FMA put, 4 MB, 1, 2, 4 processes per node, $where" "above 6 GB/s, converging" \
      "$one $two $four GB/s" "$(pairs_hold 0 "$one $two $four" "6 6 6"; echo $?)"
  done
}
