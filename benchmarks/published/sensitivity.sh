#!/usr/bin/env bash
# What rests on estimates: every estimated or calibrated parameter 50 % down and up, and what that
# does to the two availabilities published for 16 KB (S4, figures 1 and 2).
set -euo pipefail
export LC_ALL=C

usage() {
  cat <<'TEXT'
usage: sensitivity.sh [BUILD_DIRECTORY] [--csv | --markdown]

Runs SMB overhead at 16 KB without progression, one rank per node, with each parameter that is not
published or derived at half and at one and a half times its default. BUILD_DIRECTORY: default
build/release.
TEXT
}

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=$here/../../build/release
format=table
while [ $# -gt 0 ]; do
  case $1 in
    --csv) format=csv ;;
    --markdown) format=markdown ;;
    -h | --help) usage; exit 0 ;;
    -*) echo "sensitivity.sh: unknown option '$1'; see --help" >&2; exit 2 ;;
    *) build=$1 ;;
  esac
  shift
done
bin=$build/bin
[ -x "$bin/aprun" ] || { echo "sensitivity.sh: no aprun in $bin: build first (./castor.sh build)" >&2; exit 2; }

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
case $format in
  csv) echo "parameter,basis,default,unit,send_low,recv_low,send_high,recv_high" ;;
  markdown)
    echo "| parameter | default | basis | 83: -50 % | 83: +50 % | 20: -50 % | 20: +50 % |"
    echo "|---|---|---|---|---|---|---|"
    ;;
  table)
    echo "16 KB, no progression: sender $send %, receiver $recv %; changes in points"
    printf '%-32s %14s %-11s %8s %8s %8s %8s\n' parameter default basis 83:-50% 83:+50% 20:-50% 20:+50%
    ;;
esac

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
    echo "sensitivity.sh: $name left out: half or one and a half of $value is not allowed" >&2
    continue
  fi
  both=$(availabilities "$name=$down")
  read -r send_low recv_low <<<"$both"
  both=$(availabilities "$name=$up")
  read -r send_high recv_high <<<"$both"
  case $format in
    csv) echo "$name,$basis,$value,$unit,$send_low,$recv_low,$send_high,$recv_high" ;;
    markdown)
      echo "| $name | $value ${unit/-/} | $basis | $(points "$send_low" "$send") | $(points "$send_high" "$send") | $(points "$recv_low" "$recv") | $(points "$recv_high" "$recv") |"
      ;;
    table)
      printf '%-32s %14s %-11s %8s %8s %8s %8s\n' "$name" "$value ${unit/-/}" "$basis" \
        "$(points "$send_low" "$send")" "$(points "$send_high" "$send")" \
        "$(points "$recv_low" "$recv")" "$(points "$recv_high" "$recv")"
      ;;
  esac
done < <(estimates)
