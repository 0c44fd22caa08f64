# The rows of S4's latency, bandwidth and variability results (figures 7 and 8, sections 4 and 5.1).
# Sourced by compare.sh.
# shellcheck shell=bash disable=SC2034,SC2086,SC2154 # options are words

small_eager="-e MPICH_GNI_MAX_EAGER_MSG_SIZE=513"  # 512 bytes is the last eager size

# The three kinds of nodes: RANKS per node -> options. 'full' has a CPU per rank and none to spare.
placements=(spare reserved full)
placement_options() {
  case $1 in
    spare) ;;
    reserved) echo "-r 1" ;;
    full) echo "--node package:1_core:$2_pu:1" ;;
  esac
}
placement_words() {
  case $1 in
    spare) echo "spare CPUs, no -r" ;;
    reserved) echo "-r 1" ;;
    full) echo "no spare CPU" ;;
  esac
}

# grows "A...": the last is above the first, and no step goes down, by more than 1 %.
grows() {
  awk -v text="$1" 'BEGIN {
    count = split(text, a, " ")
    for (i = 2; i <= count; ++i) if (a[i] < 0.99 * a[i - 1]) exit 1
    exit !(a[count] > 1.01 * a[1])
  }'
}

row_fig7() {
  local place design ppn size step with means worst what
  for place in "${placements[@]}"; do
    for ppn in 1 2 4; do
      for design in none phase_one phase_two; do
        run "$(design_options $design) $small_eager -n $((2 * ppn)) -N $ppn $(placement_options $place $ppn)" \
          mpi_latency "--sizes 512,1K,2K,4K,8K"
        with=$(calculate "$(figure latency_mean msgsize=1024) - $(figure latency_mean msgsize=512)" 2)
        if [ $design = none ]; then
          step=$with
          shape "step from 512 B to 1 KB, no progression, $ppn per node, $(placement_words $place)" \
            "steps up at the switch" "$step us" "$(holds "$step > 0"; echo $?)"
        else
          shape "the same, $(design_words $design)" "steps up more" "$with us (off: $step us)" \
            "$(holds "$with > $step"; echo $?)"
        fi
      done
    done
    for design in phase_one phase_two; do
      for size in 1024 2048 4096 8192; do
        means="" worst=""
        for ppn in 1 2 4; do
          run "$(design_options $design) $small_eager -n $((2 * ppn)) -N $ppn $(placement_options $place $ppn)" \
            mpi_latency "--sizes 512,1K,2K,4K,8K"
          means+="$(figure latency_mean msgsize=$size) "
          worst+="$(figure latency_max msgsize=$size) "
        done
        what="$size B, $(design_words $design), $(placement_words $place), 1, 2, 4 per node"
        shape "$what: mean" "grows with ranks per node" "$(rounded "$means" 2) us" "$(grows "$means"; echo $?)"
        shape "$what: slowest pair" "grows with ranks per node" "$(rounded "$worst" 2) us" \
          "$(grows "$worst"; echo $?)"
      done
    done
  done
}

row_fig8() {
  local design confinement low high off
  local sizes="512,1K,2K,4K,8K,16K,64K,256K,1M"
  local stream="-L 0,2 -n 8 -N 4"
  for design in phase_one phase_two; do
    for confinement in "${confinements[@]}"; do
      run "$small_eager $stream $confinement" mpi_bandwidth "--sizes $sizes"
      off=$(figures bandwidth "" 1024 2048 4096 8192)
      run "$(design_options $design) -e MPICH_GNI_MAX_EAGER_MSG_SIZE=4097 $stream $confinement" \
        mpi_bandwidth "--sizes $sizes"
      high=$(figures bandwidth "" 1024 2048 4096 65536 262144 1048576)
      run "$(design_options $design) $small_eager $stream $confinement" mpi_bandwidth "--sizes $sizes"
      low=$(figures bandwidth "" 1024 2048 4096 65536 262144 1048576)
      local what
      what="$(design_words $design), $(confinement_words "$confinement")"
      shape "GB/s at 1, 2, 4 KB, $what" "eager to 4 KB beats rendezvous from 512 B" \
        "$(rounded "${high% * * * }" 2) against $(rounded "${low% * * * }" 2)" \
        "$(pairs_hold 0 "${high% * * * }" "${low% * * * }"; echo $?)"
      high=${high#* * * } low=${low#* * * }
      shape "GB/s at 64 KB, 256 KB, 1 MB, $what" "rendezvous catches up (ours: to 5 %)" \
        "$(rounded "$high" 2) against $(rounded "$low" 2)" \
        "$(pairs_hold -0.35 "$low" "$high"; echo $?)"
      low=$(figures bandwidth "" 1024 2048 4096 8192)
      shape "GB/s at 1-8 KB, rendezvous from 512 B, $what" "progression reduces it" \
        "$(rounded "$low" 2), off $(rounded "$off" 2)" "$(pairs_hold 0 "$off" "$low"; echo $?)"
    done
  done
}

row_fma_get() {
  local place design ppn gain gains block fma send_block send_fma recv_block recv_fma threshold options
  local raised="-e MPICH_GNI_RDMA_THRESHOLD=65536" sizes="2K,4K,8K"
  for place in "${placements[@]}"; do
    for design in none phase_one phase_two; do
      gains=""
      for ppn in 1 4 8; do
        for threshold in "" "$raised"; do
          run "$(design_options $design) $small_eager $threshold -n $((2 * ppn)) -N $ppn $(placement_options $place $ppn)" \
            mpi_latency "--sizes $sizes"
          fma=$(figure latency_mean msgsize=2048)
          [ -n "$threshold" ] || block=$fma
        done
        gain=$(calculate "$block - $fma" 2)
        gains+="$gain "
      done
      shape "2 KB latency saved (us), $(design_words $design), $(placement_words $place), 1, 4, 8 per node" \
        "lower latency" "$gains" "$(pairs_hold 0 "$gains" "0 0 0"; echo $?)"
      # shellcheck disable=SC2086
      set -- $gains
      shape "the same" "most with many ranks per node" "$gains" "$(holds "$3 > $1"; echo $?)"
      for threshold in "" "$raised"; do
        options="$(design_options $design) $small_eager $threshold -n 2 -N 1 $(placement_options $place 1)"
        availabilities fixed "$options" $sizes send 2048 4096 8192
        send_fma=$values
        availabilities fixed "$options" $sizes recv 2048 4096 8192
        recv_fma=$values
        [ -n "$threshold" ] || { send_block=$send_fma; recv_block=$recv_fma; }
      done
      shape "sender availability, 2, 4, 8 KB, $(design_words $design), $(placement_words $place)" \
        "lower" "BTE $(rounded "$send_block"); FMA $(rounded "$send_fma")" \
        "$(pairs_hold 0 "$send_block" "$send_fma"; echo $?)"
      shape "receiver availability, the same" "lower" \
        "BTE $(rounded "$recv_block"); FMA $(rounded "$recv_fma")" \
        "$(pairs_hold 0 "$recv_block" "$recv_fma"; echo $?)"
    done
  done
}

# noisy_run DESIGN CONFINEMENT SEED: with the iterations of the original (its -i is 1000).
noisy_run() {
  run "$(design_options "$1") -e CASTOR_NOISE=1 --seed $3 -n 2 -N 1 $2" smb_overhead \
    "--sizes 16K --work-ratio 1.5 -i 1000"
}

row_variability() {
  local design confinement seed side name column values key
  local -A spread
  for design in none phase_one phase_two; do
    for confinement in "${confinements[@]}"; do
      for seed in {1..20}; do
        noisy_run $design "$confinement" $seed &
        [ $((seed % workers)) -ne 0 ] || wait
      done
      wait
    done
  done
  for design in none phase_one phase_two; do
    for side in send recv; do
      name=sender
      [ $side = send ] || name=receiver
      for column in avail iter_t; do
        for confinement in "${confinements[@]}"; do
          values=""
          for seed in {1..20}; do
            noisy_run $design "$confinement" $seed
            values+="$(figure $column side=$side) "
          done
          spread[${confinement:-none}]=$(scatter "$values")
        done
        key="$name, $column: standard deviation over 20 seeds, 16 KB, $(design_words $design)"
        shape "$key" "smaller with -r 1" "no -r ${spread[none]}, -r 1 ${spread["-r 1"]}" \
          "$(holds "${spread["-r 1"]} < ${spread[none]}"; echo $?)"
      done
    done
  done
}

row_short_messages() {
  local design latency=() rate=() confinement overhead idle
  for confinement in "${confinements[@]}"; do
    latency=() rate=()
    for design in none phase_one phase_two active; do
      run "$(design_options $design) -n 2 -N 1 $confinement" mpi_bandwidth "--sizes 8"
      rate+=("$(figure message_rate msgsize=8)")
      run "$(design_options $design) -n 2 -N 1 $confinement" mpi_latency "--sizes 8"
      latency+=("$(figure latency_mean msgsize=8)")
      record "8 B, $(design_words $design), $(confinement_words "$confinement")" "" \
        "${latency[-1]} us, ${rate[-1]} million messages/s" "" SHOWN
    done
    shape "active thread, $(confinement_words "$confinement")" "adds significantly to latency" \
      "$(calculate "${latency[3]} - ${latency[0]}") us more, rate x $(calculate "${rate[3]} / ${rate[0]}")" \
      "$(holds "${latency[3]} > 1.5 * ${latency[0]}"; echo $?)"
    shape "phase one, $(confinement_words "$confinement")" "almost alone (ours: a quarter of active's cost)" \
      "$(calculate "${latency[1]} - ${latency[0]}") us more, rate x $(calculate "${rate[1]} / ${rate[0]}")" \
      "$(holds "${latency[1]} - ${latency[0]} < (${latency[3]} - ${latency[0]}) / 4"; echo $?)"
  done
  # Alone on its CPU with the rank: what the thread progresses, it takes from the rank.
  for design in none active; do
    run "$(design_options $design) -n 2 -N 1 $(placement_options full 1)" smb_overhead \
      "--sizes 64K --work-ratio 1.5"
    overhead="$(figures overhead side=send 65536)$(figures overhead side=recv 65536)"
    record "64 KB on nodes of one CPU, $(design_words $design): availability send, recv" "" \
      "$(rounded "$(figures avail side=send 65536)$(figures avail side=recv 65536)") % (overhead $(rounded "$overhead" 2) us)" \
      "" SHOWN
    [ $design = active ] || idle=$overhead
  done
  shape "active without a spare CPU: overhead (us) send, recv" "gains nothing" \
    "$(rounded "$overhead" 2), without it $(rounded "$idle" 2)" "$(pairs_hold 0 "$overhead" "$idle"; echo $?)"
}

row_waiting_peer() {
  local confinement one two
  for confinement in "${confinements[@]}"; do
    run "$(design_options phase_one) -n 2 -N 1 $confinement" mpi_latency "--sizes 8K,16K,64K,256K,1M"
    one=$(figures latency_mean "" 8192 16384 65536 262144)
    local one_large
    one_large=$(figure latency_mean msgsize=1048576)
    run "$(design_options phase_two) -n 2 -N 1 $confinement" mpi_latency "--sizes 8K,16K,64K,256K,1M"
    two=$(figures latency_mean "" 8192 16384 65536 262144)
    shape "rendezvous ping-pong (us), 8, 16, 64, 256 KB, $(confinement_words "$confinement")" \
      "phase two slower" "$(rounded "$two" 2), phase one $(rounded "$one" 2)" \
      "$(pairs_hold 0 "$two" "$one"; echo $?)"
    record "the same, 1 MB (cooperative write)" "" \
      "$(rounded "$(figure latency_mean msgsize=1048576)" 2), phase one $(rounded "$one_large" 2)" "" SHOWN
  done
}
