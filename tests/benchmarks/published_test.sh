#!/usr/bin/env bash
# How published judges: every kind of judgement with figures on both sides of its limit, the functions of
# expressions, what is repeated, where figures come from. The runs are those of a program that prints what
# it is told to, so that each case is exact.
# usage: published_test.sh BUILD_DIRECTORY
set -euo pipefail
export LC_ALL=C
build=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { printf 'published_test: %s\n' "$*" >&2; exit 1; }

mkdir "$work/bin" "$work/data"
cp "$build/bin/published" "$work/bin"
# aprun -v [OPTIONS] print ROW...: a table of these rows; --seed N is a row's cell.
cat >"$work/bin/aprun" <<'PROGRAM'
#!/usr/bin/env bash
echo "$*" >>"$(dirname "$0")/log"
seed=0
while [[ $1 != */print ]]; do
  case $1 in
    --seed) seed=$2; shift ;;
    --counters)
      {
        printf '#\tDEST_COORD\n#\tSRC_COORD\tGB/s\tVC0_PHITS\tVC1_PHITS\tINQ_STALLS\tOUTQ_STALLS\n'
        printf '\t(0, 0, 0)\nHH\t(0, 0, 0)\t10\t100\t20\t4\t5\nX+\t(1, 0, 0)\t9\t7\t7\t30\t1\nX-\t(2, 0, 0)\t9\t7\t7\t2\t1\n'
        printf '\t(1, 0, 0)\nHH\t(1, 0, 0)\t10\t0\t0\t0\t9\n\t(2, 0, 0)\nHH\t(2, 0, 0)\t10\t40\t0\t1\t1\nX+\t(0, 0, 0)\t9\t7\t7\t6\t1\n'
      } >"$2"
      shift ;;
    --profile)
      echo '{"time": {"whole": {"mean": 4}, "groups": {"MPI": {"mean": 1.5}}}, "calls": [{"name": "MPI_Init", "calls": 2},
        {"name": "MPI_Wait", "calls": 7, "seconds": {"mean": 0.25}, "sizes": [[1, 2, 2]]}],
        "sizes": {"point to point": [[0, 1, 0], [16, 2, 40], [256, 10, 3000], [4096, 100, 500000]], "collective": [[8, 1000, 8000], [256, 20, 6000]],
        "one-sided": []}}' >"$2"
      shift ;;
  esac
  shift
done
shift
echo 'castor: 2 ranks on 2 nodes; node xe6 (32 CPUs): ranks on 0, interrupt on 5, and so on' >&2
echo 'stats rank 0: eager 3 rts 17 reads 4' >&2
[ "$1" != fail ] || { echo 'it has failed' >&2; exit 3; }
echo 'msgsize,side,avail,ok'
for row; do [ "$row" = --csv ] || echo "${row//SEED/$seed}"; done
PROGRAM
touch "$work/bin/print"
chmod +x "$work/bin/aprun"
echo '{"rows": ["case"], "sets": {"design": {"a": {"words": "way {design}", "list": [1, 2, 4]}, "b": {"words": "way b"}}}}' \
  >"$work/data/common.json"

# judged COMPARISONS [DEFINITIONS [MORE]]: the lines of a row with these, without the row's name.
judged() {
  printf '{"row": "case", "title": "Title", "source": "Source", "definitions": {%s}, "comparisons": [%s]%s}\n' "${2:-}" "$1" "${3:-}" \
    >"$work/data/case.json"
  "$work/bin/published" --data "$work/data" --csv 2>"$work/err" >"$work/out" || fail "$1: exit code $?: $(cat "$work/err")"
  tail -n +2 "$work/out"
}
# is WANTED COMPARISONS ...: up to the verdict.
is() {
  local wanted=$1 found
  shift
  found=$(judged "$@" | cut -d, -f2-6)
  [ "$found" = "$wanted" ] || fail "$1: $found, not $wanted"
}
# value TEXT: a value that the program prints; list TEXT...: several.
rows() {
  local out='' size=1 each
  for each; do
    out+=" $size,send,$each,yes"
    size=$((size * 2))
  done
  printf '{"run": ["-n 2", "print", "%s"], "column": "avail"}' "${out# }"
}

# Numbers: the limit itself is within.
points() { printf '{"quantity": "q", "values": {"v": %s}, "judge": "points", "published": 20, "within": 5, "ours": "v"}' "$(rows "$1")"; }
is 'q,20 %,25.0 %,+5.0 points,PASS' "$(points 25.04)"
is 'q,20 %,25.1 %,+5.1 points,OUTSIDE' "$(points 25.06)"
is 'q,20 %,14.9 %,-5.1 points,OUTSIDE' "$(points 14.9)"
percent() { printf '{"quantity": "q", "values": {"v": %s}, "judge": "percent", %s, "within": 10, "ours": "v", "unit": "us"}' "$(rows "$1")" "$2"; }
is 'q,2 us,2.2000 us,+10.0 %,PASS' "$(percent 2.2000 '"published": 2')"
is 'q,2 us,1.79 us,-10.5 %,OUTSIDE' "$(percent 1.79 '"published": 2')"
is 'q,2-3 us,2.5 us,+0.0 %,PASS' "$(percent 2.5 '"low": 2, "high": 3')"
is 'q,2-3 us,3.5 us,+16.7 %,OUTSIDE' "$(percent 3.5 '"low": 2, "high": 3')"
is 'q,2-3 us,1.9 us,-5.0 %,PASS' "$(percent 1.9 '"low": 2, "high": 3')"
range() { printf '{"quantity": "q", "values": {"v": %s}, "judge": "range", "low": 3, "high": 4, "ours": "v", "unit": "us"}' "$(rows "$1")"; }
is 'q,3-4 us,4.0 us,0,PASS' "$(range 4.0)"
is 'q,3-4 us,4.25 us,0.250,OUTSIDE' "$(range 4.25)"
is 'q,3-4 us,2.5 us,-0.500,OUTSIDE' "$(range 2.5)"
below() { printf '{"quantity": "q", "values": {"v": %s}, "judge": "below", "limit": 0.7, "ours": "v", "unit": "us"}' "$(rows "$1")"; }
is 'q,under 0.7 us,0.63 us,-10.0 %,PASS' "$(below 0.63)"
is 'q,under 0.7 us,0.7 us,+0.0 %,OUTSIDE' "$(below 0.7)"
same() { printf '{"quantity": "q", "values": {"v": %s}, "judge": "same", "value": "v", "text": "1 x", "published": "p", "ours": "at {v}"}' "$(rows "$@")"; }
is 'q,p,at 1 x,,PASS' "$(same 1 x)"
is 'q,p,at 1 y,,OUTSIDE' "$(same 1 y)"
is 'q,,1.25 1.2,,SHOWN' "{\"quantity\": \"q\", \"values\": {\"v\": $(rows 1.25)}, \"judge\": \"shown\", \"ours\": \"{v} {v:1}\"}"

# Expressions: PASS or OUTSIDE for the values of v and w.
holds() {
  local wanted=$1 condition=$2 v=$3 w=${4:-0} found
  # shellcheck disable=SC2086 # values are words
  found=$(judged "{\"quantity\": \"q\", \"values\": {\"v\": $(rows $v), \"w\": $(rows $w)}, \"judge\": \"holds\",
    \"holds\": \"$condition\", \"published\": \"p\", \"ours\": \"o\"}" | cut -d, -f6)
  [ "$found" = "$wanted" ] || fail "$condition with $v and $w: $found"
}
holds PASS 'fall(v) == 2' '1 5 4 6 4 9'
holds PASS 'fall(v) == 0' '1 2 2'
holds OUTSIDE 'fall(v) == 0' '1 2 1.99'
holds PASS 'rises(v)' '1 2 3'
holds OUTSIDE 'rises(v)' '1 2 2'
holds PASS 'grows(v, 1)' '100 99.5 102'
holds OUTSIDE 'grows(v, 1)' '100 98.5 102'
holds OUTSIDE 'grows(v, 1)' '100 100.5 101'
holds PASS 'v - w > 20' '50 41' '29 20'
holds OUTSIDE 'v - w > 20' '50 40' '29 20'
holds PASS 'v > w and last(v) == 3' '2 3' '1'
holds OUTSIDE 'v > w and first(v) == 3' '2 3' '1'
holds PASS 'round(deviation(v), 3) == 1.291' '1 2 3 4'
holds PASS 'sum(v) == 10 and mean(v) == 2.5 and largest(v) == 4' '1 4 2 3'
holds PASS '-v * 2 + 6 / w >= -(1 + 4)' '4' '2'
holds PASS 'round(v / 3, 2) == 0.67' '2'

# Repeated: each combination in its order, and values of outer nodes.
definition='"all": {"run": ["--seed {seed}", "print", "1,{side},SEED,yes 8192,{side},SEED5,yes"], "column": "avail"}'
found=$(judged '{"for": {"design": ["a", "b"], "seed": "3..4"}, "with": {"side": "send"},
  "values": {"v": {"like": "all", "at": "8K"}}, "do": [
    {"quantity": "{design.words} {seed}", "judge": "shown", "ours": "{v}"},
    {"quantity": "the same", "judge": "shown", "values": {"w": "v + 1"}, "ours": "{w}"}]}' "$definition" | cut -d, -f2,4)
[ "$found" = $'way a 3,35\nthe same,36\nway a 4,45\nthe same,46\nway b 3,35\nthe same,36\nway b 4,45\nthe same,46' ] ||
  fail "repeated: $found"
[ "$(grep -c -- '--seed 3' "$work/bin/log")" -eq 1 ] || fail "equal commands were run several times"
is 'q,,1 8 2 8 4 8,,SHOWN' '{"quantity": "q", "with": {"design": "a"}, "values": {"v": {"run": ["--seed {seed}", "print", "1,send,SEED,yes 2,send,8,yes"],
  "column": "avail", "for": {"seed": "design.list"}}}, "judge": "shown", "ours": "{v}"}'
is 'q,,2.333 7.000,,SHOWN' '{"quantity": "q", "with": {"design": "a"}, "values": {"v": {"run": ["--seed {seed}", "print", "1,send,SEED,yes 2,send,7,yes"],
  "column": "avail", "average_over": {"seed": "design.list"}}}, "judge": "shown", "ours": "{v}"}'

# Where figures come from.
is 'q,,17 4 60 240,,SHOWN' '{"quantity": "q", "values": {
  "rts": {"run": ["-n 2", "print"], "statistic": "rts"}, "reads": {"run": ["-n 2", "print"], "statistic": "reads"},
  "bytes": {"run": ["--counters FILE -n 2", "print"], "injected": true}, "half": "last(bytes) / 2", "mean": "mean(bytes)"},
  "judge": "shown", "ours": "{rts} {reads} {half} {mean}"}'
is 'q,,send:2 recv:3,,SHOWN' '{"quantity": "q", "values": {"v": {"run": ["", "print", "1,send,1,yes 1,send,2,yes 1,recv,3,yes"],
  "column": "<side>:<avail>", "where": "msgsize=1.0 avail!=1 avail>1"}}, "judge": "shown", "ours": "{v}"}'
is 'q,,2/4 4/8,,SHOWN' "{\"quantity\": \"q\", \"values\": {\"v\": $(rows 1 1 3 0),
  \"at\": {\"run\": [\"-n 2\", \"print\", \"1,send,1,yes 2,send,1,yes 4,send,3,yes 8,send,0,yes\"], \"column\": \"msgsize\"},
  \"steps\": \"changes(v, at)\"}, \"judge\": \"shown\", \"ours\": \"{steps}\"}"
is 'q,,32 0 6 36 0 7 5 9 1,,SHOWN' '{"quantity": "q", "values": {
  "x": {"run": ["--counters FILE -n 2", "print"], "counted": "INQ_STALLS", "links": "X"},
  "all": {"run": ["--counters FILE -n 2", "print"], "counted": "INQ_STALLS"},
  "host": {"run": ["--counters FILE -n 2", "print"], "counted": "OUTQ_STALLS", "links": "HH"}}, "judge": "shown", "ours": "{x} {all} {host}"}'
profile='"all": {"run": ["--profile FILE -n 2", "print"]}'
# of PART...: the figure of such a part of a source.
of() { printf '{"quantity": "q", "values": {"v": {"like": "all", %s}}, "judge": "shown", "ours": "{v}"}' "$1"; }
is 'q,,1.5,,SHOWN' "$(of '"profile": "/time/groups/MPI/mean"')" "$profile"
is 'q,,0.25,,SHOWN' "$(of '"profile": "/calls/MPI_Wait/seconds/mean"')" "$profile"
is 'q,,1133,,SHOWN' "$(of '"messages": "0"')" "$profile"
is 'q,,30,,SHOWN' "$(of '"messages": "256 4K"')" "$profile"
is 'q,,10,,SHOWN' "$(of '"messages": "256 4K", "kind": "point to point"')" "$profile"
is 'q,,1003,,SHOWN' "$(of '"messages": "0 256"')" "$profile"
is 'q,,110,,SHOWN' "$(of '"messages": "256", "kind": "point to point"')" "$profile"
is 'q,,0,,SHOWN' "$(of '"messages": "0", "kind": "one-sided"')" "$profile"
is 'q,,1.5 40 5,,SHOWN' '{"quantity": "q", "values": {
  "mpi": {"run": ["--profile FILE --counters FILE --seed 5", "print", "1,send,SEED,yes"], "profile": "/time/groups/MPI/mean"},
  "bytes": {"run": ["--profile FILE --counters FILE --seed 5", "print", "1,send,SEED,yes"], "injected": true},
  "seed": {"run": ["--profile FILE --counters FILE --seed 5", "print", "1,send,SEED,yes"], "column": "avail"}, "sixth": "last(bytes) / 3"},
  "judge": "shown", "ours": "{mpi} {sixth} {seed}"}'
# wrong PART SAID: a part of a source that is not there, or a mistake of the data.
wrong() {
  local code=0
  printf '{"row": "case", "title": "t", "source": "s", "definitions": {%s}, "comparisons": [%s]}\n' "${3:-$profile}" "$(of "$1")" >"$work/data/case.json"
  "$work/bin/published" --data "$work/data" >"$work/out" 2>"$work/err" || code=$?
  [ "$code: $(tail -n 1 "$work/err")" = "2: published: case.json: $2" ] || fail "$1: exit code $code: $(cat "$work/err")"
}
run='aprun --profile FILE -n 2 print --csv'
wrong '"counted": "STALLS"' 'no STALLS in the counters in: aprun --counters FILE -n 2 print --csv' '"all": {"run": ["--counters FILE -n 2", "print"]}'
wrong '"counted": "INQ_STALLS"' 'no INQ_STALLS in the counters in: aprun --profile FILE -n 2 print --csv'
wrong '"profile": "/calls/MPI_Send/calls"' "$run: profile: /calls/MPI_Send/calls: no MPI_Send"
wrong '"profile": "/time/groups"' "$run: profile: /time/groups: no number"
wrong '"profile": "time"' "$run: profile: time: no / at its begin"
wrong '"profile": "/time/whole/mean/more"' "$run: profile: /time/whole/mean/more: no more"
wrong '"messages": "256 3K"' "$run: messages: 256 3K: 3K is no border of a class: 0, 1, 2, 4, 8, ..."
wrong '"messages": "some"' "$run: messages: some: some is no border of a class: 0, 1, 2, 4, 8, ..."
wrong '"messages": "0 8 16"' "$run: messages: 0 8 16: must be \"FROM TO\" or \"FROM\""
wrong '"messages": "0", "kind": "some"' "$run: kind: some: point to point, collective or one-sided"
wrong '"profile": "/time"' 'aprun -n 2 print --csv: no --profile FILE among the options of aprun' '"all": {"run": ["-n 2", "print"]}'
is 'q,,1,,SHOWN' "{\"quantity\": \"q\", \"values\": {\"v\": {\"run\": [\"-L $(seq -s, 100)\", \"print\", \"1,send,1,yes\"], \"column\": \"avail\"}}, \"judge\": \"shown\", \"ours\": \"{v}\"}"
judged "$(points 20)" | grep -q ',"ranks on CPU 0, interrupt on CPU 5, and so on",' || fail "the setup: $(cat "$work/out")"
judged "$(points 20)" '' ', "setup": "elsewhere"' | grep -q ',elsewhere,"aprun -n 2 print' || fail "the setup: $(cat "$work/out")"
judged "{\"quantity\": \"q\", \"setup\": \"costs of {v}\", \"values\": {\"v\": $(rows 7)}, \"judge\": \"shown\", \"ours\": \"{v}\"}" |
  grep -q ',costs of 7,"aprun -n 2 print' || fail "a comparison's own setup: $(cat "$work/out")"

# Curves, as --json has them.
judged "$(points 20)" '' ', "charts": [{"for": {"design": ["a"]}, "title": "{design.words}", "x": {"title": "Size"}, "y": {"title": "y"}, "series": [
  {"name": "curve", "run": ["", "print", "1,send,5,yes 2,send,6,yes 2,recv,7,yes"], "column": "avail", "where": "side=send"},
  {"name": "published", "kind": "points", "points": [[2, 4]]},
  {"name": "bars", "kind": "bars", "each": {"design": ["a", "b"]}, "x": "{design.words}", "values": {"v": {"run": ["", "print", "1,send,5,yes"], "column": "avail"}}, "y": "2 * v"}]}]' >/dev/null
"$work/bin/published" --data "$work/data" --json 2>/dev/null >"$work/json"
tr -d ' \n' <"$work/json" | grep -qF '"charts":[{"title":"waya","x":{"title":"Size"},"y":{"title":"y"},"series":[{"name":"curve","points":[[1.0,5.0],[2.0,6.0]]},{"name":"published","kind":"points","points":[[2,4]]},{"name":"bars","kind":"bars","points":[["waya",10.0],["wayb",10.0]]}]}]' ||
  fail "the charts: $(cat "$work/json")"

# A run that fails, and one whose answer is wrong, end it.
fails() {
  local wanted=$1 code=0
  printf '{"row": "case", "title": "t", "source": "s", "comparisons": [{"quantity": "q", "values": {"v": {"run": ["", "print", "%s"], "column": "avail"}},
    "judge": "shown", "ours": "{v}"}]}\n' "$2" >"$work/data/case.json"
  "$work/bin/published" --data "$work/data" >"$work/out" 2>"$work/err" || code=$?
  [ "$code" -eq 1 ] || fail "$2: exit code $code"
  tail -n 1 "$work/err" | grep -qF "$wanted" || fail "$2: $(cat "$work/err")"
}
fails 'this run failed: aprun print fail --csv' fail
grep -q 'it has failed' "$work/err" || fail "it does not say what the program said"
fails "published: the program's answer is wrong: aprun print 1,send,2,no --csv" 1,send,2,no
