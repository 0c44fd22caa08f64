# A job, run, and what is to be said of it. Sourced by campaign.sh.
# shellcheck shell=bash disable=SC2034,SC2154

plan() { local IFS=';'; printf '%s' "${statements[*]}"; }

# make_command PLAN: aprun's command line into command. PLAN may be none.
make_command() {
  command=("$build/bin/aprun" --seed "$seed" -n "$ranks" -N "$per_node")
  if [ "$clock" = live ]; then command+=(--clock live); else command+=(--system 4x4x2 --fidelity "$fidelity"); fi
  [ -z "$service" ] || command+=(-r "$service")
  [ -z "$reconnect" ] || command+=(-C)
  [ "$clock" = live ] || [ "$what" = program ] || command+=(--audit)
  [ -z "$1" ] || command+=(--faults "$1")
}
add_program() {
  local IFS=,
  case $what in
    workload)
      command+=("$build/bin/fault_workload" --seed "$seed" --rounds "$rounds" --parts "${parts[*]}")
      [ -z "$fragile" ] || command+=(--fragile)
      ;;
    survivors) command+=("$build/bin/fault_survivors" --seed "$seed" --rounds "$rounds") ;;
    program)
      [ "$clock" = live ] || command+=(--compute modelled)
      IFS=' '
      # shellcheck disable=SC2206 # words of a command
      command+=($program)
      ;;
  esac
}

# The command as a user types it.
command_line() {
  local each
  make_command "$(plan)"
  add_program
  printf env
  for each in "${settings[@]}" ${only:+"CASTOR_FAULTS_ONLY=$only"} "${command[@]}"; do
    case $each in *[!A-Za-z0-9_./=:,+-]*) printf " '%s'" "$each" ;; *) printf ' %s' "$each" ;; esac
  done
}

elsewhere='' patience=60
# run NAME [PLAN]: with another plan, or with none (''); with `elsewhere` in an environment of another length, as
# where memory lies must not matter. Into NAME.out, NAME.err and, of a plan, NAME.csv of $work; its exit code into
# code.
run() {
  local plan=${2-$(plan)}
  make_command "$plan"
  if [ -n "$plan" ]; then command+=(--faults-file "$work/$1.csv"); fi
  [ "$what" = program ] || [ "$clock" = live ] || command+=(-t 5)
  add_program
  rm -f "$work/$1.csv"
  code=0
  timeout -s KILL "$patience" env ${elsewhere:+ELSEWHERE="$elsewhere"} "${settings[@]}" \
    ${only:+CASTOR_FAULTS_ONLY="$only"} "${command[@]}" >"$work/$1.out" 2>"$work/$1.err" || code=$?
}

# struck NAME KINDS: faults of these kinds have happened.
struck() { grep -q -E "^[0-9.]+,($2)," "$work/$1.csv" 2>/dev/null; }

# may_end NAME: one of the run's faults forbids it to go on: one that is not recoverable, or one that a library
# may have met too often.
may_end() {
  grep -q -E 'given up [1-9]' "$work/$1.err" && return 0
  case ${settings[*]} in  # few tries
    *LOST_TRANSACTIONS*POST_TRIES*) return 0 ;;
    *POST_TRIES*) struck "$1" cq-overrun && return 0 ;;
  esac
  struck "$1" 'post-fails|register-fails|message-lost|node-dead|transport-fails|rank-killed'
}

# verdict NAME: right, ended, or what was wrong, into verdict.
verdict() {
  local err=$work/$1.err
  case $code in
    0) verdict=right ;;
    3) verdict="wrong data" ;;
    124) verdict=hangs ;;
    132 | 134 | 135 | 136 | 139) verdict=crash ;;
    *) verdict=ended ;;  # 137 a transaction, 4 the workload, others an error class of MPI's
  esac
  # Killed by us, or at the limit of virtual time.
  if [ "$code" -eq 137 ] && ! grep -q ': rank [0-9]*: ' "$err"; then verdict=hangs; fi
  grep -q '^aprun: -t: ' "$err" && verdict=hangs
  [ "$what" != program ] || [ "$verdict" != "wrong data" ] || verdict=ended
  grep -q -E '^aprun: deadlock' "$err" && verdict=deadlock
  [ "$what" = program ] || ! grep -q -E 'exit code 3|error code 3' "$err" || verdict="wrong data"
  grep -q -E 'Sanitizer|signal (4|6|7|8|11)|SIGSEGV|SIGABRT' "$err" && verdict=crash
  if [ "$verdict" = ended ] && grep -q '^castor: audit: ' "$err"; then verdict="gives not all back"; fi
  if [ "$clock" = virtual ] && struck "$1" node-dead; then verdict_of_death "$1"; fi
  if [ -n "$sizes_only" ] && [ "$verdict" = ended ]; then verdict="ends with exit code $code"; fi
  [ "$verdict" != ended ] || [ "$(grep -c -E ': rank [0-9]+: ' "$err")" -gt 0 ] || verdict="says nothing"
  if [ "$verdict" = ended ] && ! may_end "$1"; then verdict="ended without a fatal fault"; fi
}

# A node has failed. Without -C the job ends, and one line says so. With it what has to do with the node's ranks
# ends with an error, or, if it waits for them, in a deadlock that names one. What is written for it goes on:
# each other rank ends well, and says which ranks do not answer: those alone.
verdict_of_death() {
  local node rank gone=() alone=() lost
  node=$(grep -o ',node-dead,.*' "$work/$1.csv" | cut -d, -f4)
  for ((rank = node * per_node; rank < (node + 1) * per_node && rank < ranks; ++rank)); do gone+=("$rank"); done
  if [ -z "$reconnect" ]; then
    [ "$verdict" = ended ] || return 0
    [ "$(grep -c 'killed: its node has failed; aprun -C lets the others go on$' "$work/$1.err")" -eq 1 ] ||
      struck "$1" post-fails || verdict="says nothing of the node"
    return 0
  fi
  case $verdict in
    right) verdict="right without a node" ;;
    deadlock)
      lost=$(IFS='|'; echo "${gone[*]}")
      ! grep -E '^aprun: +(ranks? |.* (from|to) rank)' "$work/$1.err" | grep -v ': lost with node' |
        grep -q -E "(^|[^0-9])($lost)([^0-9]|\$)" || verdict=ended
      ;;
  esac
  [ "$what" = survivors ] && [ "$verdict" = ended ] || return 0
  grep -q -E '^aprun: deadlock' "$work/$1.err" && { verdict_of_start "$1"; return 0; }
  for ((rank = 0; rank < ranks; ++rank)); do
    [[ " ${gone[*]} " == *" $rank "* ]] || alone+=("$rank")
  done
  lost=$(IFS='|'; echo "${gone[*]}")
  for rank in "${alone[@]}"; do
    # Those that had said that they have ended may fail unnoticed.
    grep -q -x -E "fault_survivors: rank $rank: right(; no answer from ($lost)(, ($lost))*)?" "$work/$1.out" ||
      struck "$1" post-fails || grep -q -E 'given up [1-9]' "$work/$1.err" || verdict="a survivor is missing"
  done
}
# Before all ranks know of each other a node's end is nothing that a program could go on from.
verdict_of_start() {
  grep -q -E '^aprun: .*: in PMI_' "$work/$1.err" || verdict=deadlock
}

# ---- Of every eighth seed, or with --closely.

microseconds() { sed -nE 's/^castor: virtual time ([0-9.]+) s,.*/\1/p' "$work/$1.err" | awk '{ printf "%.0f", $1 * 1e6 }'; }
fingerprint() { sed -nE 's/^castor: virtual time .*, fingerprint ([0-9a-f]+),.*/\1/p' "$work/$1.err"; }

# slack: what may lie between a fault and its end besides the job's own work, in us: each statement's time, that
# of a node once for each of its ranks, the tries after lost packets, and time slices (3 ms) of the threads that
# share a service CPU.
slack() {
  local lost=0 slices=$((${service:-0} * (per_node + 1) * 3000))
  case "${settings[*]} ${statements[*]}" in *LOST_PACKETS* | *links-down*) lost=10000 ;; esac
  printf '%s\n' "${statements[@]}" | awk -v lost="$((lost + slices))" -v per_node="$per_node" '
    { us = $1 == "node-dead" ? 1000 : 0
      for (i = 2; i <= NF; ++i) if ($i ~ /^(for|by|noticed-after)=/) {
        sub(/.*=/, "", $i); unit = $i; sub(/[0-9.]*/, "", unit)
        us = $i * (unit == "ns" ? 1e-3 : unit == "us" ? 1 : unit == "ms" ? 1e3 : 1e6) }
      sum += us * ($1 == "node-dead" ? per_node : 1) }
    END { printf "%.0f", sum + lost + 1 }'
}
last_fault() { # us; links fail until 5 ms
  local last
  last=$(tail -n +2 "$work/first.csv" | cut -d, -f3 | sort -g | tail -n 1)
  [[ ${statements[*]} != *links-down* ]] || last=$(printf '%s\n5000\n' "$last" | sort -g | tail -n 1)
  awk -v last="${last:-0}" 'BEGIN { printf "%.0f", last + 0.5 }'
}

# The same again is the same to the letter; a job goes on soon after its last fault; and plans without faults are
# none. Into verdict, if it is wrong.
look_closely() {
  local said=$verdict limit each
  elsewhere=$(printf "%$((8 * (1 + seed % 97)))s" '' | tr ' ' x)
  run again
  elsewhere=''
  # Where the host has put memory shows in some errors.
  sed -i 's/0x[0-9a-f]*/0x/g' "$work/first.err" "$work/again.err"
  touch "$work/first.csv" "$work/again.csv"  # a job without a plan has no list
  for each in err out csv; do
    cmp -s "$work/first.$each" "$work/again.$each" || { verdict="does not repeat"; return; }
  done
  run whole ''
  verdict whole
  [[ $verdict = right || $verdict = ended ]] || { verdict="without a plan: $verdict"; return; }
  verdict=$said
  echo '# nothing' >"$work/empty"
  for each in "$work/empty" "nic-stalls for=1us at=1000s;completion-late by=1us p=0;datagram-late by=1us at=1000s;credits-late by=1us p=0;post-refused p=0"; do
    run none "$each"
    [ "$(fingerprint none)" = "$(fingerprint whole)" ] || { verdict="a plan without faults changes the run"; return; }
  done
  # Libraries take the care that this plan asks for, and none of its faults happens.
  each=$only
  only=1.0.9999999999
  [ ${#statements[@]} -eq 0 ] || run whole
  only=$each
  [ "$code" -eq 0 ] || return 0  # of lost packets alone it ends so
  # Twice: MPI posts again in its next call, and others may wait for what this rank does before.
  limit=$(($(last_fault) + 2 * $(microseconds whole) + $(slack)))
  [ "$(microseconds first)" -le "$limit" ] || verdict=late
}

# judge: runs the job and says what was wrong, if anything was.
judge() {
  run first
  verdict first
  [ -z "$closely" ] || [[ $verdict != right && $verdict != ended ]] || look_closely
}
