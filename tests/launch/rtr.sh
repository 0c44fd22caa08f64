#!/usr/bin/env bash
# What rtr prints, and what it refuses: rtr.sh BUILD_DIR.
set -euo pipefail
export LC_ALL=C
unset CASTOR_SYSTEM
rtr=$1/bin/rtr
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() { echo "wrong: $*" >&2; exit 1; }

# lines FILE WANTED
lines() { [ "$(wc -l <"$1")" -eq "$2" ] || fail "$(wc -l <"$1") lines, not $2"; }

# S0, figure 2 and the number of its lines.
"$rtr" --system cielo --interconnect >"$work/cielo"
lines "$work/cielo" 184320
head -n 8 "$work/cielo" | cmp - <(
  cat <<'FIGURE'
c0-0c0s0g0l00[(0,0,0)] Z+ -> c0-0c0s1g0l32[(0,0,1)] LinkType: backplane
c0-0c0s0g0l01[(0,0,0)] Z+ -> c0-0c0s1g0l21[(0,0,1)] LinkType: backplane
c0-0c0s0g0l02[(0,0,0)] X+ -> c1-0c0s0g0l02[(1,0,0)] LinkType: cable11x
c0-0c0s0g0l03[(0,0,0)] X+ -> c1-0c0s0g0l03[(1,0,0)] LinkType: cable11x
c0-0c0s0g0l04[(0,0,0)] X- -> c2-0c0s0g0l41[(15,0,0)] LinkType: cable18x
c0-0c0s0g0l05[(0,0,0)] X- -> c2-0c0s0g0l31[(15,0,0)] LinkType: cable18x
c0-0c0s0g0l06[(0,0,0)] Z- -> c0-0c2s7g0l26[(0,0,23)] LinkType: cable15z
c0-0c0s0g0l07[(0,0,0)] Z- -> c0-0c2s7g0l35[(0,0,23)] LinkType: cable15z
FIGURE
) || fail "cielo's first lines"

# Six words to a line; each line's other end has a line that leads back, the other way, by the same
# type; no tile has two lines; 40 to a Gemini.
check_lines() {
  awk '
    BEGIN { back["X+"] = "X-"; back["X-"] = "X+"; back["Y+"] = "Y-"; back["Y-"] = "Y+"
            back["Z+"] = "Z-"; back["Z-"] = "Z+" }
    NF != 6 || $3 != "->" || $5 != "LinkType:" || $1 in far { print "wrong line: " $0; exit 1 }
    { far[$1] = $4; way[$1] = $2; type[$1] = $6; split($1, part, "l"); ++tiles[part[1]] }
    END {
      for (tile in far) {
        other = far[tile]
        if (far[other] != tile || way[other] != back[way[tile]] || type[other] != type[tile]) {
          print "no way back from " other " to " tile; exit 1
        }
      }
      for (gemini in tiles) if (tiles[gemini] != each) { print gemini ": " tiles[gemini]; exit 1 }
    }' each="$1" "$2" >&2 || fail "$2"
}
check_lines 40 "$work/cielo"
"$rtr" --interconnect >"$work/hopper"  # which is the default
lines "$work/hopper" $((3264 * 40))
check_lines 40 "$work/hopper"
grep -qF 'c15-0c0s0g0l04[(8,0,0)] X+ -> c16-0c0s0g0l04[(9,0,0)] LinkType: cable11x' "$work/hopper" ||
  fail "the end of hopper's 17 columns"
"$rtr" --system=3x5x9 --interconnect >"$work/odd"
lines "$work/odd" $((135 * 40))
check_lines 40 "$work/odd"
CASTOR_SYSTEM=2x1x3 "$rtr" --interconnect >"$work/small"
lines "$work/small" $((6 * 32))
check_lines 32 "$work/small"
CASTOR_SYSTEM=2x1x3 "$rtr" --system 1x1x1 --interconnect >"$work/one"
lines "$work/one" 0

# A dragonfly has a line for each of its 48 tiles (tests/gemini/topology/dragonfly_test.cc looks at all).
"$rtr" --system edison --interconnect >"$work/edison"
lines "$work/edison" $((1440 * 48))
head -n 1 "$work/edison" | grep -qxF 'c0-0c0s0a0l00(0:0:0) green -> c0-0c0s1a0l00(0:0:1)' || fail "edison's first line"
[ "$(grep -c '^c0-0c0s0a0l.. blue -> unused$' <(sed 's/([^)]*)//' "$work/edison"))" -eq 6 ] ||
  fail "a router with two blue links"
CASTOR_SYSTEM=dragonfly:3x2x4x4 "$rtr" --interconnect >"$work/small"
lines "$work/small" $((24 * 48))

# refused CODE WANTED ARGUMENTS ...: one line, that.
refused() {
  local code=$1 wanted=$2 got=0
  shift 2
  "$rtr" "$@" >"$work/out" 2>"$work/error" || got=$?
  [ "$got" -eq "$code" ] || fail "rtr $* ends with $got"
  [ ! -s "$work/out" ] || fail "rtr $* prints"
  [ "$(cat "$work/error")" = "rtr: $wanted" ] || fail "rtr $* says: $(cat "$work/error")"
}
refused 2 "nothing to do; --interconnect prints the tiles, see rtr --help"
refused 2 "'--intercom': no option of rtr; see rtr --help" --intercom
refused 2 "'cielo': no option of rtr; see rtr --help" --interconnect cielo
refused 2 "--system: needs a value, as hopper, cielo or edison; see rtr --help" --interconnect --system
refused 2 "--system '': needs a value, as hopper, cielo or edison; see rtr --help" --interconnect --system=
refused 2 "--interconnect=yes: --interconnect takes no value" --interconnect=yes
system="must be hopper, cielo, edison, dragonfly:GROUPSxCHASSISxBLADESxNODES, or a torus XxYxZ of Geminis like 4x4x8, each side 1 to 128, at most 65536 Geminis in all"
refused 2 "system (--system, CASTOR_SYSTEM) '2x2': $system" --system 2x2 --interconnect
export CASTOR_SYSTEM=titan
refused 2 "system (--system, CASTOR_SYSTEM) 'titan': $system" --interconnect
unset CASTOR_SYSTEM
code=0
"$rtr" --interconnect >/dev/full 2>"$work/error" || code=$?
[ "$code" -eq 1 ] || fail "a full disk: $code"
[ "$(cat "$work/error")" = "rtr: standard output: No space left on device" ] ||
  fail "a full disk: $(cat "$work/error")"
[[ $("$rtr" --version) == "rtr (Castor) "* ]] || fail "--version"
[[ $("$rtr" --help --interconnect) == *"--system SYSTEM"* ]] || fail "--help"
