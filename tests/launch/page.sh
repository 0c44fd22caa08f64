#!/usr/bin/env bash
# make_page and chart.js in a browser: a page that nothing in its text or data can break, curves and bars
# with the right number of marks, a hint, zoom, a legend that hides, and the values as a table. The
# browser's part is skipped (77) without Chromium: Debian's package chromium.
# usage: page.sh BUILD_DIR
set -euo pipefail
make_page=$1/bin/make_page
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# shellcheck source=tests/support/browser.sh
. "$here/../support/browser.sh"

# Mistakes are one line and exit code 2.
refused() {
  local wanted=$1 code=0 said
  shift
  said=$("$make_page" "$@" 2>&1 >/dev/null) || code=$?
  [ "$code: $said" = "2: make_page: $wanted" ] || fail "make_page $*: exit code $code: $said"
}
echo '{}' >"$work/data.json"
echo 'nothing' >"$work/no.json"
refused '--title is missing; see make_page --help'
refused '--titel: there is no such option; see make_page --help' --titel x
refused '-o needs a value' -o
refused "$work/none: No such file or directory" --title x --script "$work/none" --data "$work/data.json"
refused "$work/no.json: is not JSON" --title x --script "$work/data.json" --data "$work/no.json"

cat >"$work/data.json" <<'JSON'
{"text": "</script><b>@D3@", "curve": [[8, 1.5], [1024, 2], [8192, 40], [1048576, 99.5]]}
JSON
cat >"$work/own.js" <<'SCRIPT'
const data = castor.data();
castor.chart("#here", {
  x: {title: "Size", scale: "log2", bytes: true}, y: {title: "Availability", unit: "%"},
  series: [{name: data.text, points: data.curve},
           {name: "published", kind: "points", points: [[8192, 20]]}],
  bands: [{name: "band", y: [15, 25]}], lines: [{name: "switch", x: 8192}]});
castor.chart("#here", {
  x: {title: "Ranks", categories: ["one", "two", "4"]}, y: {title: "Time", unit: "s"},
  series: [{name: "a", kind: "bars", points: [["one", 1], ["two", 2], [4, 3]]},
           {name: "b", kind: "bars", points: [["one", 2], ["4", 1]]}]});
SCRIPT
echo '<div id="here"></div>' >"$work/body.html"
"$make_page" --title 'a </title> & @DATA@' --script "$work/own.js" --data "$work/data.json" \
  --body "$work/body.html" -o "$work/page.html"
grep -qF '<title>a &lt;/title> &amp; @DATA@</title>' "$work/page.html" || fail "the title"
grep -q 'Redistributions in binary form must reproduce' "$work/page.html" || fail "no licence of D3"
! grep -qE ' src=|<link|@import' "$work/page.html" || fail "the page wants other files"

need_browser
browse "$work/page.html"
marks 1 'path class="curve"'
marks 4 'path class="mark"[^>]*stroke-width="0"'
marks 1 'path class="mark"[^>]*stroke-width="2"'
marks 5 'rect class="bar mark"'
marks 1 'rect class="band"'
marks 1 'line class="reference"'
grep -qF '<td class="left">8 KB</td><td>40</td><td>20</td>' "$work/dom" || fail "the table of the curves"
grep -qF '<td class="left">two</td><td>2</td><td></td></tr><tr><td class="left">4</td><td>3</td><td>1</td>' "$work/dom" || fail "the table of the bars"
grep -qF '<span>&lt;/script&gt;&lt;b&gt;@D3@</span>' "$work/dom" || fail "the legend"

# The mouse at 8 KB of the first picture: both values.
use "$work/page.html" 'const plane = document.querySelector(".plane"), box = plane.getBoundingClientRect();
  const at = (kind, x, y, target) => (target || plane).dispatchEvent(new MouseEvent(kind,
    {bubbles: true, clientX: box.left + x * box.width, clientY: box.top + y * box.height}));
  at("mousemove", 10 / 17, 0.5);'
marks 1 'line class="cursor"'
grep -qE '<div id="tip"[^>]*visible[^>]*><b>8 KB</b>.*<td>40 %</td>.*<td>20 %</td>' "$work/dom" ||
  fail "the hint: $(grep -o '<div id="tip".*' "$work/dom" | head -n 1)"
# A box around the left half: the axis ends before 1 MB, the button goes back.
zoom='const plane = document.querySelector(".plane"), box = plane.getBoundingClientRect();
  const at = (kind, x, y, target) => target.dispatchEvent(new MouseEvent(kind,
    {bubbles: true, clientX: box.left + x * box.width, clientY: box.top + y * box.height}));
  at("mousedown", 0, 0, plane); at("mousemove", 0.5, 0.6, window); at("mouseup", 0.5, 0.6, window);'
use "$work/page.html" "$zoom"
! grep -q '>1 MB</text>' "$work/dom" || fail "zoomed in, 1 MB is still on the axis"
grep -q '>2 KB</text>' "$work/dom" || fail "zoomed in, the axis has no 2 KB"
use "$work/page.html" "$zoom document.querySelector('button.reset').dispatchEvent(new MouseEvent('click'));"
grep -qE '>(512 KB|1 MB)</text>' "$work/dom" || fail "the button does not show all again"
use "$work/page.html" 'document.querySelector(".legend button").dispatchEvent(new MouseEvent("click"));'
marks 0 'path class="mark"[^>]*stroke-width="0"'
