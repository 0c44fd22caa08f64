# The rows of Cray's applications, in short form: benchmarks/applications has the whole tables.
# Sourced by compare.sh.
# shellcheck shell=bash disable=SC2034,SC2154

row_s3d() {
  local off on
  run "-n 64 -N 1 --node xk6 -d 14 -cc depth" s3d "-t 14"
  off=$(figure step)
  within_percent "seconds per step, 14 threads, no progression (fixed on it)" 4.77 "$off" 15 s
  run "-n 64 -N 1 --node xk6 -d 14 -cc depth -r 2 $(design_options phase_one)" s3d "-t 14"
  on=$(figure step)
  within_percent "the same, phase one, -r 2" 3.93 "$on" 15 s
  within_percent "their ratio" 0.824 "$(calculate "$on / $off" 3)" 15
}

row_milc() {
  local off=0 ours words options published
  while IFS='|' read -r words options published <&3; do
    run "-n 8192 $options" milc "-i 2"
    ours=$(figure run)
    [ "$words" != "no progression" ] || off=$ours
    within_percent "seconds of 8,192 ranks, $words" "$published" "$ours" 15 s
    within_percent "its ratio to no progression" "$(calculate "$published / 1168" 3)" \
      "$(calculate "$ours / $off" 3)" 15
  done 3<<ROWS
no progression|-N 32|1168
phase one, -r 1|-N 31 -r 1 $(design_options phase_one)|1072
phase two, -r 1|-N 31 -r 1 $(design_options phase_two)|2138
phase one, no CPU reserved|-N 32 $(design_options phase_one)|2210
phase one, a CPU left free|-N 31 $(design_options phase_one)|2070
ROWS
}
