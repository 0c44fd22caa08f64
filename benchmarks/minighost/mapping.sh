# A run of MiniGhost in one of its mappings, and what its counters say. Sourced after
# benchmarks/published/library.sh, whose variables the caller sets.
# shellcheck shell=bash disable=SC2034,SC2154

# run_mapping RANKS MAPPING [SYSTEM [STEPS [VARS]]]: sets geminis, injected_mean and injected_max (MB of a
# Gemini in a step), step (ms) and grid.
run_mapping() {
  local counters=$scratch/counters.$1.$2 steps=${4:-1}
  run "--system ${3:-cielo} -n $1 -N 16 --counters $counters" minighost \
    "--mapping $2 --steps $steps --vars ${5:-5}"
  [ "$(figure ok)" = yes ] || die "wrong sums: $command"
  read -r injected_mean injected_max geminis < <(awk -f "$here/../minighost/injected.awk" "$counters") ||
    die "no host tiles in the counters of: $command"
  injected_mean=$(calculate "$injected_mean / 1e6 / $steps" 3)
  injected_max=$(calculate "$injected_max / 1e6 / $steps" 3)
  step=$(figure step_max)
  grid=$(figure grid)
}
