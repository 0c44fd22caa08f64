#!/usr/bin/env bash
# The page of the main job: its picture stays, and a browser shows every curve of the page with all its
# points, what was published, and a hint. The browser's part is skipped (77) without Chromium: Debian's
# package chromium.
# usage: main_job_test.sh BUILD_DIRECTORY
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# shellcheck source=tests/support/browser.sh
. "$here/../support/browser.sh"
command -v gnuplot >/dev/null || { echo "skipped: no gnuplot (package gnuplot-nox)"; exit 77; }

# A build directory of the test's own: the results go there.
mkdir "$work/build"
ln -s "$(cd "$1/bin" && pwd -P)" "$work/build/bin"
"$here/../../benchmarks/plot/main_job.sh" "$work/build" --csv >"$work/rows.csv" 2>"$work/err" || fail "$(tail -n 3 "$work/err")"
tail -n 2 "$work/err" | grep -qx "curves: $work/build/smb_availability.svg" || fail "it does not say where the picture is"
tail -n 1 "$work/err" | grep -qx "to be read with the mouse: $work/build/smb_availability.html" || fail "it does not say where the page is"
[ -s "$work/build/smb_availability.svg" ] || fail "no picture"
[ "$(wc -l <"$work/rows.csv")" -eq 151 ] || fail "the table has $(wc -l <"$work/rows.csv") lines"

need_browser
browse "$work/build/smb_availability.html"
marks 4 'div class="chart"'
marks 12 'path class="curve"'
marks 300 'path class="mark"[^>]*stroke-width="0"'  # 25 sizes
marks 2 'path class="mark"[^>]*stroke-width="2"'    # 83 and 20 %
marks 12 'line class="reference"'
avail=$(awk -F, '$1 == "phase_two" && $2 == "recv" && $3 == 16384 { printf "%.1f", $4 }' "$work/rows.csv")
use "$work/build/smb_availability.html" 'const plane = document.querySelectorAll(".plane")[1], box = plane.getBoundingClientRect();
  plane.dispatchEvent(new MouseEvent("mousemove", {bubbles: true, clientX: box.left + 14 / 22 * box.width, clientY: box.top + 50}));'
grep -qE "<div id=\"tip\"[^>]*visible[^>]*><b>16 KB</b>.*phase two</td><td>$avail %</td>.*<td>20 %</td>" "$work/dom" ||
  fail "the hint: $(grep -o '<div id="tip".*' "$work/dom" | head -n 1)"
