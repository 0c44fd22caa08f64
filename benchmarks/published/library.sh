# What the rows of compare.sh share: runs under aprun, figures out of their CSV, comparisons. Sourced
# after scripts/options.sh; the caller sets bin (the folder of the programs), scratch (one for results)
# and row (its name).
# shellcheck shell=bash disable=SC2034,SC2086,SC2128,SC2154,SC2178 # options are words

# The environment of each progress design, as options of aprun.
design_options() {
  case $1 in
    none) ;;
    phase_one) echo "-e MPICH_NEMESIS_ASYNC_PROGRESS=SC -e MPICH_MAX_THREAD_SAFETY=multiple" ;;
    phase_two) echo "-e MPICH_NEMESIS_ASYNC_PROGRESS=MC -e MPICH_MAX_THREAD_SAFETY=multiple" ;;
    active) echo "-e MPICH_ASYNC_PROGRESS=1 -e MPICH_MAX_THREAD_SAFETY=multiple" ;;
  esac
}

design_words() {
  case $1 in
    none) echo "no progression" ;;
    phase_one) echo "phase one" ;;
    phase_two) echo "phase two" ;;
    active) echo "active thread" ;;
  esac
}

# run "APRUN OPTIONS" PROGRAM "ARGUMENTS": runs it (once: equal commands share a result) and sets
# $out (its CSV), $errors (its standard error), $setup (which CPU takes the interrupt) and $command.
# An option with blanks in it writes them as '_'.
run() {
  local word options=() name
  command="aprun $1 $2 $3 --csv"
  for word in $1; do
    case $word in package:*) word=${word//_/ } ;; esac
    options+=("$word")
  done
  command=${command//package:1_core:/\'package:1 core:}
  command=${command//_pu:1/ pu:1\'}
  name=$(printf '%s' "$command" | cksum | tr ' ' -)
  out=$scratch/$name.csv
  errors=$scratch/$name.err
  if [ ! -s "$out" ]; then
    # shellcheck disable=SC2086  # arguments are words
    if ! "$bin/aprun" -v "${options[@]}" "$bin/$2" $3 --csv >"$out" 2>"$errors"; then
      cat "$errors" >&2
      rm -f "$out"
      die "this run failed: $command"
    fi
  fi
  setup=$(sed -n 's/^castor: .*: ranks on \([^,]*\), interrupt on/ranks on CPU \1, interrupt on CPU/p' \
    "$errors" | head -n 1)
  setup=${setup:-placement not printed}
}

# figure COLUMN [COLUMN=VALUE ...]: the field of $out's first line that matches.
figure() {
  local wanted=$1
  shift
  awk -F, -v wanted="$wanted" -v filters="$*" '
    NR == 1 { for (i = 1; i <= NF; ++i) column[$i] = i; count = split(filters, filter, " "); next }
    {
      for (i = 1; i <= count; ++i) {
        split(filter[i], part, "=")
        if ($(column[part[1]]) != part[2]) next
      }
      print $(column[wanted])
      found = 1
      exit
    }
    END { if (!found) exit 1 }' "$out" || die "no $wanted for $* in: $command"
}

# figures COLUMN FILTER SIZE...: one figure per message size, as words.
figures() {
  local wanted=$1 filter=$2 size
  shift 2
  for size in "$@"; do figure "$wanted" "msgsize=$size" $filter; done | tr '\n' ' '
}

calculate() { awk "BEGIN { printf \"%.${2:-2}f\", $1 }"; }
holds() { awk "BEGIN { exit !($1) }"; }
verdict() { if holds "$1"; then echo PASS; else echo OUTSIDE; fi; }
# rounded "A..." [DIGITS]: the same words, rounded.
rounded() {
  awk -v text="$1" -v digits="${2:-1}" 'BEGIN {
    count = split(text, a, " ")
    for (i = 1; i <= count; ++i) printf("%s%." digits "f", (i == 1) ? "" : " ", a[i])
  }'
}

# pairs_hold TOLERANCE "A..." "B...": true if every A exceeds its B by more than TOLERANCE.
pairs_hold() {
  awk -v least="$1" -v first="$2" -v second="$3" 'BEGIN {
    count = split(first, a, " ")
    split(second, b, " ")
    for (i = 1; i <= count; ++i) if (!(a[i] - b[i] > least)) exit 1
  }'
}

# largest_fall "A...": the largest step down between neighbours (0 if there is none).
largest_fall() {
  awk -v text="$1" 'BEGIN {
    count = split(text, a, " ")
    for (i = 2; i <= count; ++i) if (a[i - 1] - a[i] > fall) fall = a[i - 1] - a[i]
    printf "%.2f", fall + 0
  }'
}

# scatter "A...": standard deviation.
scatter() {
  awk -v text="$1" 'BEGIN {
    count = split(text, a, " ")
    for (i = 1; i <= count; ++i) mean += a[i] / count
    for (i = 1; i <= count; ++i) sum += (a[i] - mean) ^ 2
    printf "%.3f", sqrt(sum / (count - 1))
  }'
}

# record QUANTITY PUBLISHED OURS DEVIATION VERDICT: one line of the comparison, with the setup and
# the command of the last run. Verdicts: PASS, OUTSIDE, or SHOWN where nothing was published.
record() {
  [ -n "$3" ] || die "no figure for: $1"
  printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$row" "$1" "$2" "$3" "$4" "$5" "$setup" "$command" \
    >>"$scratch/records"
}

# within_percent QUANTITY PUBLISHED OURS PERCENT [UNIT]
within_percent() {
  local off
  off=$(calculate "100 * ($3 - $2) / $2" 1)
  record "$1" "$2${5:+ $5}" "$3${5:+ $5}" "$(printf '%+.1f %%' "$off")" "$(verdict "$off <= $4 && $off >= -($4)")"
}

# within_points QUANTITY PUBLISHED OURS POINTS
within_points() {
  local off
  off=$(calculate "$3 - $2" 1)
  record "$1" "$2 %" "$(rounded "$3") %" "$(printf '%+.1f points' "$off")" "$(verdict "$off <= $4 && $off >= -($4)")"
}

# within_range QUANTITY LOW HIGH OURS UNIT
within_range() {
  local off=0
  if holds "$4 < $2"; then off=$(calculate "$4 - $2" 3); fi
  if holds "$4 > $3"; then off=$(calculate "$4 - $3" 3); fi
  record "$1" "$2-$3 $5" "$4 $5" "$off" "$(verdict "$off == 0")"
}

# shape QUANTITY "PUBLISHED WORDS" "OUR WORDS" CONDITION-STATUS: 0 as published, else not.
shape() {
  local judged=PASS
  [ "$4" -eq 0 ] || judged=OUTSIDE
  record "$1" "$2" "$3" "" "$judged"
}

# availabilities RULE OPTIONS SIZES SIDE BYTES...: sets $values to a side's availabilities. RULE is the
# benchmark's own doubling of work (original), or 'fixed': the mean over five amounts of work from
# 1.4 to 1.6 base_t. (Nothing scatters in virtual time: one amount of work shows one phase of what
# rank and progress thread do to each other, and shifting it by 2 % another.)
availabilities() {
  local rule=$1 options=$2 sizes=$3 side=$4 ratio all=""
  shift 4
  if [ "$rule" = original ]; then
    run "$options" smb_overhead "--sizes $sizes"
    values=$(figures avail "side=$side" "$@")
    return
  fi
  for ratio in 1.4 1.45 1.55 1.6 1.5; do
    run "$options" smb_overhead "--sizes $sizes --work-ratio $ratio"
    all+="$(figures avail "side=$side" "$@")"$'\n'
  done
  values=$(awk '
    { for (i = 1; i <= NF; ++i) sum[i] += $i }
    END { for (i = 1; i <= NF; ++i) printf("%.3f ", sum[i] / NR) }' <<<"${all%$'\n'}")
}
