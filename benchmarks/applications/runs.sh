# Runs under aprun, and figures out of their CSV. Sourced after scripts/options.sh; the caller sets bin (the
# folder of the programs) and scratch (one for results).
# shellcheck shell=bash disable=SC2034,SC2154 # options are words

# The environment of phase one and phase two, as options of aprun.
design_options() {
  local way=SC
  [ "$1" = phase_one ] || way=MC
  echo "-e MPICH_NEMESIS_ASYNC_PROGRESS=$way -e MPICH_MAX_THREAD_SAFETY=multiple"
}

# run "APRUN OPTIONS" PROGRAM "ARGUMENTS": runs it (once: equal commands share a result) and sets
# $out (its CSV) and $command. An option with blanks in it writes them as '_'.
run() {
  local word options=() name
  command="aprun $1 $2 $3 --csv"
  for word in $1; do
    case $word in package:*) word=${word//_/ } ;; esac
    options+=("$word")
  done
  name=$(printf '%s' "$command" | cksum | tr ' ' -)
  out=$scratch/$name.csv
  if [ ! -s "$out" ]; then
    # shellcheck disable=SC2086  # arguments are words
    if ! "$bin/aprun" "${options[@]}" "$bin/$2" $3 --csv >"$out" 2>"$out.err"; then
      cat "$out.err" >&2
      rm -f "$out"
      die "this run failed: $command"
    fi
  fi
}

# figure COLUMN: the field of $out's first line.
figure() {
  awk -F, -v wanted="$1" '
    NR == 1 { for (i = 1; i <= NF; ++i) column[$i] = i; next }
    (wanted in column) { print $(column[wanted]); found = 1; exit }
    END { if (!found) exit 1 }' "$out" || die "no $1 in: $command"
}

calculate() { awk "BEGIN { printf \"%.${2:-2}f\", $1 }"; }
rounded() { printf '%.*f' "${2:-1}" "$1"; }
