#!/usr/bin/env bash
# What rests on estimates: every estimated or calibrated parameter 50 % down and up, and what that
# does to the two availabilities published for 16 KB (S4, figures 1 and 2).
set -euo pipefail
export LC_ALL=C

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
usage() {
  cat <<'TEXT'
usage: sensitivity.sh [BUILD_DIRECTORY] [options]

Runs SMB overhead at 16 KB without progression, one rank per node, with each parameter that is not
published or derived at half and at one and a half times its default. BUILD_DIRECTORY: default
build/release.

  --markdown     changes of the availabilities, for docs/results.md
  --csv, --json  the availabilities themselves; else a table of their changes
TEXT
}
default_build=$here/../../build/release
# shellcheck source=scripts/rows.sh
. "$here/../../scripts/rows.sh"

markdown=no
read_options '' markdown "$@"
no_names
need_programs smb_overhead
bin=$build/bin

# availabilities [NAME=VALUE]: "sender receiver" in percent.
availabilities() {
  "$bin/aprun" -q ${1:+-e "$1"} -n 2 -N 1 "$bin/smb_overhead" --sizes 16K --csv |
    awk -F, 'NR > 1 { printf("%.2f ", $8) }'
}

# estimates: "NAME BASIS DEFAULT UNIT LOW HIGH" of every parameter with an estimated or calibrated
# default, from the one table behind aprun --env-help. Sizes come out in bytes.
estimates() {
  "$bin/aprun" --env-help | awk '
    function bytes(text,   last) {
      last = substr(text, length(text))
      if (last == "K") return text * 1024
      if (last == "M") return text * 1048576
      return text + 0
    }
    /^  [A-Z]/ { name = $1 }
    /^ +default / && /; (estimated|calibrated)/ {
      basis = /; calibrated/ ? "calibrated" : "estimated"
      match($0, /allowed: [^;]*/)
      split(substr($0, RSTART + 9, RLENGTH - 9), range, " to ")
      unit = $3
      sub(/;$/, "", unit)
      sub(/;$/, "", $2)
      if (unit == "allowed:") unit = "-"
      print name, basis, bytes($2), unit, bytes(range[1]), bytes(range[2])
    }'
}

# scaled DEFAULT FACTOR UNIT: whole numbers for counts and bytes.
scaled() {
  awk -v value="$1" -v factor="$2" -v unit="$3" 'BEGIN {
    if (unit == "-" || unit == "bytes") printf "%d", value * factor
    else printf "%.10g", value * factor
  }'
}

both=$(availabilities)
read -r send recv <<<"$both"
if [ "$markdown" = yes ]; then
  echo "| parameter | default | basis | 83: -50 % | 83: +50 % | 20: -50 % | 20: +50 % |"
  echo "|---|---|---|---|---|---|---|"
elif [ "$format" = table ]; then
  begin_table changes "16 KB, no progression: sender $send %, receiver $recv %; changes in points" \
    'parameter|-32' 'default|14' 'basis|-11' 'send_low|8|83:-50%' 'send_high|8|83:+50%' \
    'recv_low|8|20:-50%' 'recv_high|8|20:+50%'
else
  begin_table availabilities "16 KB, no progression: sender $send %, receiver $recv %" \
    'parameter|-' 'basis|-' 'default|+' 'unit|-' 'send_low|+' 'recv_low|+' 'send_high|+' 'recv_high|+'
fi

points() { awk -v now="$1" -v was="$2" 'BEGIN { text = sprintf("%+.2f", now - was); print (text + 0 == 0) ? "0" : text }'; }

while read -r name basis value unit low high; do
  note=""
  if [ "$value" = 0 ] && [ "$name" = MPICH_GNI_MAX_VSHORT_MSG_SIZE ]; then
    value=1024  # 0 stands for this up to 4,096 ranks
  fi
  down=$(scaled "$value" 0.5 "$unit")
  up=$(scaled "$value" 1.5 "$unit")
  awk "BEGIN { exit !($down >= $low && $up <= $high) }" || note="(outside $low to $high)"
  if [ -n "$note" ]; then
    progress
    printf '%s: %s left out: half or one and a half of %s is not allowed\n' "$program_name" "$name" \
      "$value" >&2
    continue
  fi
  progress "$name"
  both=$(availabilities "$name=$down")
  read -r send_low recv_low <<<"$both"
  both=$(availabilities "$name=$up")
  read -r send_high recv_high <<<"$both"
  progress
  changes=("$(points "$send_low" "$send")" "$(points "$send_high" "$send")"
    "$(points "$recv_low" "$recv")" "$(points "$recv_high" "$recv")")
  if [ "$markdown" = yes ]; then
    printf '| %s ' "$name" "$value ${unit/-/}" "$basis" "${changes[@]}"
    echo '|'
  elif [ "$format" = table ]; then
    table_row "$name" "$value ${unit/-/}" "$basis" "${changes[@]}"
  else
    table_row "$name" "$basis" "$value" "$unit" "$send_low" "$recv_low" "$send_high" "$recv_high"
  fi
done < <(estimates)
[ "$markdown" = yes ] || end_table
