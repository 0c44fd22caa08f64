#!/usr/bin/env bash
# published_rows.sh PUBLISHED_FOLDER RESULTS_PAGE BUILD_DIRECTORY: tests of compare.sh and its page.
set -euo pipefail
compare=$1/compare.sh
page=$2
build=$3
fail() { echo "published_rows: $*" >&2; exit 1; }

# Every row has a place on the page.
rows=$(sed -n '/^rows=(/,/)/p' "$compare" | tr -d '()' | sed 's/^rows=//')
[ "$(wc -w <<<"$rows")" -ge 17 ] || fail "no list of rows in $compare"
for row in $rows; do
  grep -q -- "--row $row\`" "$page" || fail "$page does not mention --row $row"
done

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
for mistake in "--row nothing" "--row" "--nothing" "/nonexistent"; do
  status=0
  # shellcheck disable=SC2086
  message=$("$compare" "$build" $mistake 2>&1 >/dev/null) || status=$?
  [ "$status" -eq 2 ] || fail "$mistake: exit code $status"
  [ "$(wc -l <<<"$message")" -eq 1 ] || fail "$mistake: $message"
done
