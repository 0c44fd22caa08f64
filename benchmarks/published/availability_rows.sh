# The rows of S4's availability figures (1 to 6). Sourced by compare.sh.
# shellcheck shell=bash disable=SC2034,SC2154

sixteen_kb() {
  run "-n 2 -N 1" smb_overhead "--sizes 16K"
  within_points "$1 availability at 16 KB, no progression" "$3" "$(figure avail "side=$2")" 5
}
row_fig1() { sixteen_kb sender send 83; }
row_fig2() { sixteen_kb receiver recv 20; }

# count_protocol SIZE NAME: sets $count to what MPICH_GNI_ASYNC_PROGRESS_STATS counts for a round trip.
count_protocol() {
  run "-e MPICH_GNI_ASYNC_PROGRESS_STATS=1 -n 2 -N 1" mpi_latency "--sizes $1 -i 1"
  count=$(sed -n "s/.*stats rank 0: .* $2 \([0-9]*\).*/\1/p" "$errors")
}

row_fig3() {
  local below at count eager read write
  count_protocol 8191 rts
  below=$count
  count_protocol 8192 rts
  at=$count
  shape "eager below 8 KB, rendezvous from 8 KB" "8192" "RTS for 8191 B: $below, for 8192 B: $at" \
    "$([ "$below" -eq 0 ] && [ "$at" -gt 0 ]; echo $?)"
  count_protocol 524284 reads
  below=$count
  count_protocol 524288 writes
  at=$count
  shape "read below 512 KB, cooperative write from 512 KB" "large" \
    "reads for 524284 B: $below, writes for 524288 B: $at" \
    "$([ "$below" -gt 0 ] && [ "$at" -gt 0 ]; echo $?)"

  run "-n 2 -N 1" smb_overhead "--sizes 1,64,1K,4K,8191,8K,16K,32K,64K,128K,256K,524284,512K,1M,4M"
  local eager_sizes="1 64 1024 4096 8191" read_sizes="8192 16384 32768 65536 131072 262144 524284"
  local side name
  for side in send recv; do
    name=sender
    [ $side = send ] || name=receiver
    # shellcheck disable=SC2086  # sizes are words
    eager=$(figures overhead side=$side $eager_sizes)
    shape "eager, $name's overhead (us) at $eager_sizes" "both sides pay per message" \
      "$(rounded "$eager" 2)" "$(pairs_hold 0.1 "$eager" "0 0 0 0 0"; echo $?)"
  done
  # shellcheck disable=SC2086
  read=$(figures avail side=send $read_sizes)
  shape "read, sender availability (%) from 8 KB to 512 KB" "rises with size" "$(rounded "$read")" \
    "$(holds "$(largest_fall "$read") == 0"; echo $?)"
  # shellcheck disable=SC2086
  read=$(figures overhead side=recv $read_sizes)
  shape "read, receiver overhead (us) from 8 KB to 512 KB" "grows with size" "$(rounded "$read")" \
    "$(pairs_hold 0 "${read#* }" "$read"; echo $?)"
  for side in send recv; do
    name=sender
    [ $side = send ] || name=receiver
    write=$(figures avail side=$side 524288 1048576 4194304)
    shape "write, $name availability (%) at 512 KB, 1 MB, 4 MB" "no overlap" "$(rounded "$write")" \
      "$(pairs_hold 0 "5 5 5" "$write"; echo $?)"
  done
}

# Both rules for the amount of work: see availabilities().
rules=(original fixed)
rule_words() { if [ "$1" = original ]; then echo "original stop rule"; else echo "work 1.4-1.6 base_t"; fi; }
confinements=("" "-r 1")
confinement_words() { if [ -z "$1" ]; then echo "no -r"; else echo "-r 1"; fi; }

sweep_sizes=4K,8191,8K,9K,10K,16K,32K,64K,128K,256K,512K,1M,4M

# sweep DESIGN CONFINEMENT RULE SIDE BYTES...: figures 4 and 5; sets $values.
sweep() {
  local design=$1 confinement=$2 rule=$3
  shift 3
  availabilities "$rule" "$(design_options "$design") -n 2 -N 1 $confinement" $sweep_sizes "$@"
}

row_fig4() {
  local confinement rule side name what ratio
  for confinement in "${confinements[@]}"; do
    for rule in "${rules[@]}"; do
      what="$(confinement_words "$confinement"), $(rule_words "$rule")"
      sweep phase_one "$confinement" "$rule" recv 8191 8192
      shape "receiver at the switch (8191 B, 8 KB), $what" "dips" "$(rounded "$values")" \
        "$(holds "$(largest_fall "$values") > 0"; echo $?)"
      for side in send recv; do
        name=sender
        [ $side = send ] || name=receiver
        sweep phase_one "$confinement" "$rule" $side 8192 16384 32768 65536 131072 262144 524288 \
          1048576 4194304
        shape "$name from 8 KB to 4 MB, $what" "rises steadily (ours: no step down over 1 point)" \
          "$(rounded "$values")" "$(holds "$(largest_fall "$values") <= 1"; echo $?)"
      done
    done
    for ratio in 2 3; do
      run "$(design_options phase_one) -n 2 -N 1 $confinement" smb_overhead \
        "--sizes $sweep_sizes --work-ratio $ratio"
      record "receiver at 8191 B, 8 KB, 10 KB, $(confinement_words "$confinement"), work $ratio base_t" "" \
        "$(rounded "$(figures avail side=recv 8191 8192 10240)")" "" SHOWN
    done
  done
}

row_fig5() {
  local confinement rule one
  for confinement in "${confinements[@]}"; do
    for rule in "${rules[@]}"; do
      sweep phase_one "$confinement" "$rule" recv 8192 9216 10240
      one=$values
      sweep phase_two "$confinement" "$rule" recv 8192 9216 10240
      shape "receiver at 8, 9, 10 KB, $(confinement_words "$confinement"), $(rule_words "$rule")" \
        "phase two better" "phase one $(rounded "$one"); phase two $(rounded "$values")" \
        "$(pairs_hold 0 "$values" "$one"; echo $?)"
    done
  done
}

row_large() {
  local design confinement all
  for design in phase_one phase_two; do
    for confinement in "${confinements[@]}"; do
      run "$(design_options $design) -n 2 -N 1 $confinement" smb_overhead "--sizes $sweep_sizes"
      all="$(figures avail side=send 1048576 4194304)$(figures avail side=recv 1048576 4194304)"
      shape "$(design_words $design), $(confinement_words "$confinement"): sender 1, 4 MB, receiver 1, 4 MB" \
        "above 90 % (our own aim)" "$(rounded "$all")" "$(pairs_hold 0 "$all" "90 90 90 90"; echo $?)"
    done
  done
}

row_fig6() {
  local limit="-e MPICH_GNI_MAX_EAGER_MSG_SIZE=513" sizes="1K,2K,4K,8K,16K,32K"
  local bytes="1024 2048 4096 8192 16384 32768" design confinement off on
  for confinement in "${confinements[@]}"; do
    # shellcheck disable=SC2086
    availabilities fixed "$limit -n 2 -N 1 $confinement" $sizes recv $bytes
    off=$values
    for design in phase_one phase_two; do
      # shellcheck disable=SC2086
      availabilities fixed "$(design_options $design) $limit -n 2 -N 1 $confinement" $sizes recv $bytes
      on=$values
      shape "receiver 1-32 KB, $(design_words $design), $(confinement_words "$confinement")" \
        "jumps with progression (ours: 20 points)" "off $(rounded "$off"); on $(rounded "$on")" \
        "$(pairs_hold 20 "$on" "$off"; echo $?)"
      shape "the same, by size" "creeps up (ours: no step down over 1 point)" "$(rounded "$on")" \
        "$(holds "$(largest_fall "$on") <= 1"; echo $?)"
    done
  done
}
