#!/usr/bin/env bash
# The rows of the scripts: aligned text, CSV with its quotes, JSON with its escapes, of the same cells.
set -euo pipefail
export LC_ALL=C
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
fail() { printf 'rows_test: %s\n' "$*" >&2; exit 1; }

# shellcheck source=scripts/rows.sh
. "$here/../../scripts/rows.sh"

# expect WHAT FOUND EXPECTED
expect() { [ "$2" = "$3" ] || fail "$1: found"$'\n'"$2"$'\n'"instead of"$'\n'"$3"; }

# Widths that are given, and a row without figures; then widths that the cells give.
page() {
  begin_tables
  begin_table jobs 'Two jobs' 'case|-10' 'ranks|5' 'sent|9|messages\nin nodes' 'step|10|time|us|1' 'remark|-0'
  table_row halo 64 1024 12.345
  table_row 'say "a,b"' 8 '' +.25
  table_remark 'not finished within 1 s' late 4096
  end_table
  begin_table notes '' 'name|-' 'off|+|off|%' 'note|-'
  table_row back\\slash -.5 $'tab\tand\nline'
  table_row x 12345678 ''
  table_row y inf "caf\xe9"
  end_table
  begin_table nothing '' 'name|-' 'value|+'
  end_table
  remark 'a remark'
  end_tables
}

expect text "$(page 2>&1)" 'Two jobs
                  messages
case       ranks  in nodes   time(us)
halo          64      1024       12.3
say "a,b"      8         -        0.2
late        4096 not finished within 1 s

name         off(%) note
back\slash      -.5 tab	and
line
x          12345678
y               inf caf\xe9

name value
a remark'

format=csv
expect CSV "$(page 2>/dev/null)" 'case,ranks,sent,step,remark
halo,64,1024,12.345,
"say ""a,b""",8,,+.25,
late,4096,,,not finished within 1 s

name,off,note
back\slash,-.5,"tab	and
line"
x,12345678,
y,inf,caf\xe9

name,value'
expect 'what is no row of CSV' "$(page 2>&1 >/dev/null)" 'Two jobs
a remark'

format=json
found=$(page 2>/dev/null)
expect JSON "$found" '{
"jobs": [
 {"case": "halo", "ranks": 64, "sent": 1024, "step": 12.345, "remark": ""},
 {"case": "say \"a,b\"", "ranks": 8, "sent": null, "step": 0.25, "remark": ""},
 {"case": "late", "ranks": 4096, "sent": null, "step": null, "remark": "not finished within 1 s"}
],
"notes": [
 {"name": "back\\slash", "off": -0.5, "note": "tab\u0009and\u000aline"},
 {"name": "x", "off": 12345678, "note": ""},
 {"name": "y", "off": "inf", "note": "caf\\xe9"}
],
"nothing": []
}'
if command -v jq >/dev/null; then
  jq -e '.jobs[0].step == 12.345 and .notes[0].note == "tab\tand\nline"' <<<"$found" >/dev/null ||
    fail "jq reads something else from $found"
fi

# What is a number, and what only begins as one.
numbers() {
  local cell
  begin_table numbers '' 'n|1'
  for cell in 0 -7 1e-3 007 5. 1,5 0x10 - +2 ''; do table_row "$cell"; done
  end_table
}
expect numbers "$(numbers | tr -d '\n')" '[ {"n": 0}, {"n": -7}, {"n": 1e-3}, {"n": "007"}, {"n": "5."},'\
' {"n": "1,5"}, {"n": "0x10"}, {"n": null}, {"n": 2}, {"n": null}]'

# One table is an array, and nothing follows it.
one() {
  begin_table one '' 'a|-3' 'b|4'
  table_row x 1
  end_table
}
expect 'one table' "$(one)" '[
 {"a": "x", "b": 1}
]'
format=table
expect 'a line' "$(one)" 'a      b
x      1'

# A script's own mistakes do not pass: more cells than columns, a remark without a column for it.
for mistake in 'table_row a 1 2' 'table_remark why a'; do
  code=0
  # shellcheck disable=SC2086 # several words
  said=$(begin_table one '' 'a|-3' 'b|4' && $mistake 2>&1) || code=$?
  [ "$code" -eq 1 ] || fail "$mistake: exit code $code"
  grep -q 'table one: ' <<<"$said" || fail "$mistake: $said"
done
