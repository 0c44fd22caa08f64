#!/usr/bin/env bash
# published_rows.sh PUBLISHED_FOLDER RESULTS_PAGE BUILD_DIRECTORY: tests of compare.sh and its page.
set -euo pipefail
compare=$1/compare.sh
page=$2
build=$3
fail() { echo "published_rows: $*" >&2; exit 1; }

# Every row has a data file and a place on the page.
# rows_of NAME: a list of common.json.
rows_of() { sed -n "/\"$1\": \[/,/]/p" "$2" | grep -o '"[A-Za-z0-9_]*"' | tr -d '"' | grep -vx "$1"; }
rows=$(rows_of rows "$1/common.json")
more=$(rows_of more "$1/common.json")  # only by name
[ "$(wc -w <<<"$rows")" -ge 21 ] || fail "no list of rows in common.json"
for row in $rows; do
  [ -e "$1/$row.json" ] || fail "no $row.json"
  grep -q -- "--row $row\`" "$page" || fail "$page does not mention --row $row"
done
for row in $more; do
  [ -e "$1/$row.json" ] || fail "no $row.json"
  grep -qE -- "--row $row\>|^\| $row, " "$(dirname "$page")"/*.md || fail "no page of docs/ mentions --row $row"
done
for file in "$1"/*.json; do
  name=$(basename "$file" .json)
  [ "$name" = common ] || grep -qx "$name" <<<"$rows"$'\n'"$more" || fail "$file is no row of common.json"
done

# The thesis's items, by name: one with three quotients, of which the third is the second by the first.
quotients=$("$compare" "$build" --row T13 --csv 2>/dev/null | awk -F, 'NR > 1 { print $4 + 0 }')
awk '{ q[NR] = $1 } END { exit !(NR == 3 && q[1] > 1 && (q[1] * q[3] - q[2]) ^ 2 < 1e-4) }' <<<"$quotients" ||
  fail "T13: $quotients"

# A row's figures: the header, the values, and the same bytes again.
first=$("$compare" "$build" --row fig1 --row fig2 --csv 2>/dev/null)
again=$("$compare" "$build" --row fig1 --row fig2 --csv 2>/dev/null)
[ "$first" = "$again" ] || fail "two runs differ"
[ "$(head -n 1 <<<"$first")" = "row,quantity,published,ours,deviation,verdict,setup,command" ] ||
  fail "another header: $(head -n 1 <<<"$first")"
[ "$(grep -c ',PASS,' <<<"$first")" -eq 2 ] || fail "16 KB is not within 5 points: $first"
grep -q 'interrupt on CPU 0' <<<"$first" || fail "no word on which CPU takes the interrupt"

# A parameter moves the figure and its verdict: nothing is written down.
moved=$(CASTOR_LMT_SETUP=20000 "$compare" "$build" --row fig1 --csv 2>/dev/null)
grep -q ',OUTSIDE,' <<<"$moved" || fail "CASTOR_LMT_SETUP=20000 changes nothing: $moved"

# Mistakes end with one line and exit code 2.
for mistake in "--row nothing" "--row T18" "--row" "--nothing" "/nonexistent"; do
  status=0
  # shellcheck disable=SC2086
  message=$("$compare" "$build" $mistake 2>&1 >/dev/null) || status=$?
  [ "$status" -eq 2 ] || fail "$mistake: exit code $status"
  [ "$(wc -l <<<"$message")" -eq 1 ] || fail "$mistake: $message"
done

# Mistakes of the data are named with their file.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# spoilt WANTED SED_SCRIPT: the row fig1 with its file changed.
spoilt() {
  local code=0 said
  cp "$1"/*.json "$work"
  sed -i "$3" "$work/fig1.json"
  said=$("$build/bin/published" --data "$work" --row fig1 2>&1 >/dev/null) || code=$?
  [ "$code" -eq 2 ] || fail "$3: exit code $code: $said"
  grep -q "$2" <<<"$said" || fail "$3: $said"
  [ "$(wc -l <<<"$said")" -eq 1 ] || fail "$3: not one line: $said"
}
spoilt "$1" 'fig1.json: .*parse error' '2s/"//'
spoilt "$1" "fig1.json: .*key 'title' not found" '/"title": "S4/d'
spoilt "$1" 'fig1.json: there is no {nothing} for: -n {nothing} -N 1' 's/-n 2 -N 1/-n {nothing} -N 1/'
spoilt "$1" 'fig1.json: .*judge guess: points, percent, beside, range, below, holds, same or shown' 's/"points", "pub/"guess", "pub/'
spoilt "$1" 'fig1.json: .*no column nothing' 's/"column": "avail", "where": "side=send"}}/"column": "nothing"}}/'
spoilt "$1" 'fig1.json: no value none: none' 's/"ours": "avail"/"ours": "none"/'
