# What the scripts of this folder share: timed jobs, the programs' lines. Sourced after the options are
# read; the caller has `build` and `limit`.
# shellcheck shell=bash disable=SC2034,SC2154

# make_work: a folder for the script's files, `work`.
make_work() {
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
}

# timed COMMAND...: its figures in elapsed, user, cpu (s; the user's and the kernel's) and rss (KB), its
# output in $work/out and $work/err.
timed() {
  /usr/bin/time -q -o "$work/time" -f '%e %U %S %M' timeout -k 5 "$limit" "$@" \
    >"$work/out" 2>"$work/err" || return
  local system
  read -r elapsed user system rss <"$work/time"
  cpu=$(awk -v u="$user" -v s="$system" 'BEGIN { printf "%.2f", u + s }')
}

# field NAME: a value from the program's line.
field() { tr ' ' '\n' <"$work/out" | sed -n "s/^$1=//p"; }

# why_failed CODE: of the last command that timed; what it said itself goes to standard error.
why_failed() {
  case $1 in
    124 | 137) echo "not finished within $limit s" ;;
    *) echo failed; tail -n 5 "$work/err" >&2 ;;
  esac
}

# middle: the median of the numbers on standard input, with the least and the greatest.
middle() {
  sort -g | awk '{ v[NR] = $1 } END { printf "%.3f %.3f %.3f\n",
    NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2, v[1], v[NR] }'
}
