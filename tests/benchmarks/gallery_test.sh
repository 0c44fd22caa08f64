#!/usr/bin/env bash
# The gallery of two short rows: what it refuses, and what a browser makes of it: the right number of marks,
# published values beside ours, verdicts, commands, a hint. The browser's part is skipped (77) without
# Chromium: Debian's package chromium.
# usage: gallery_test.sh BUILD_DIRECTORY
set -euo pipefail
build=$1
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
published=$here/../../benchmarks/published
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# shellcheck source=tests/support/browser.sh
. "$here/../support/browser.sh"

"$published/compare.sh" "$build" --row fig1 --row put_latency --json >"$work/results.json" 2>/dev/null
"$published/gallery.sh" "$build" --results "$work/results.json" -o "$work/gallery.html" >"$work/said"
grep -qx "gallery: $work/gallery.html" "$work/said" || fail "it says $(cat "$work/said")"
"$published/gallery.sh" "$build" --row fig1 --row put_latency --output "$work/again.html" >/dev/null 2>&1
cmp -s "$work/gallery.html" "$work/again.html" || fail "kept results make another page than runs"
grep -q 'Redistributions in binary form must reproduce' "$work/gallery.html" || fail "no licence of D3"
! grep -qE ' src=|<link|@import' "$work/gallery.html" || fail "the page wants other files"

refused() {
  local wanted=$1 code=0 said
  shift
  said=$("$published/gallery.sh" "$build" "$@" 2>&1 >/dev/null) || code=$?
  [ "$code: $said" = "2: $wanted" ] || fail "gallery.sh $*: exit code $code: $said"
}
refused 'gallery.sh: --row and --results: a file has the rows that it has' --row fig1 --results "$work/results.json"
refused "gallery.sh: --results $work/none: cannot be read" --results "$work/none"
refused "gallery.sh: --results $work/said: is not what compare.sh --json has written" --results "$work/said"
refused 'gallery.sh: --output needs a value' -o

need_browser
browse "$work/gallery.html"
marks 2 'section class="figure"'
marks 3 'path class="curve"'
marks 31 'path class="mark"[^>]*stroke-width="0"'  # 15 sizes, 2 x 8
marks 2 'path class="mark"[^>]*stroke-width="2"'   # 83 %, 0.7 us
marks 5 'span class="verdict PASS"'                # two in the index
for text in 'S4 figure 1: sender availability, 16 KB' '<td>83 %</td><td>85.5 %</td><td class="off">+2.5 points</td>' \
  '<code>aprun -n 2 -N 1 smb_overhead --sizes 16K --csv</code>' '<td>under 0.7 us</td>' \
  'Published: 83 % of a message'; do
  grep -qF "$text" "$work/dom" || fail "the page does not say: $text"
done
grep -qF '<td class="left">16 KB</td><td>85.5</td><td>83</td>' "$work/dom" || fail "no table behind figure 1"

use "$work/gallery.html" 'const plane = document.querySelector("#fig1 .plane"), box = plane.getBoundingClientRect();
  plane.dispatchEvent(new MouseEvent("mousemove", {bubbles: true, clientX: box.left + 14 / 22 * box.width, clientY: box.top + 50}));'
grep -qE '<div id="tip"[^>]*visible[^>]*><b>16 KB</b>.*<td>85.5 %</td>.*<td>83 %</td>' "$work/dom" ||
  fail "the hint: $(grep -o '<div id="tip".*' "$work/dom" | head -n 1)"
use "$work/gallery.html" 'const select = document.querySelector("#choice select");
  select.value = "OUTSIDE";
  select.dispatchEvent(new Event("change"));'
marks 3 'tr style="display: none;"'
