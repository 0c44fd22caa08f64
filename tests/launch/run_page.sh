#!/usr/bin/env bash
# A browser draws the page of aprun --report, and the one of --compare: as many marks as the profile says,
# values in the tables, a hint that follows the mouse, zoom, and nothing to complain of; two runs give the
# same page. Skipped (77) without Chromium: Debian's package chromium.
# usage: run_page.sh BUILD_DIR
set -euo pipefail
bin=$1/bin
# shellcheck source=tests/support/browser.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/browser.sh"
need_browser
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

job() { "$bin/aprun" -q -n 4 -N 2 -L 0,2 -e MPICH_NEMESIS_ASYNC_PROGRESS=SC -e MPICH_MAX_THREAD_SAFETY=multiple \
  --counters counters.txt "$@" "$bin/smb_overhead" --sizes 16K >"$work/out"; }

job --report run.html --profile run.json --timeline-to 1ms
cp run.html first.html
job --report run.html --profile run.json --timeline-to 1ms
cmp -s first.html run.html || fail "two runs give two pages"

browse "$work/run.html"
for id in run placement functions ranks messages links timeline; do
  grep -qE "<section[^>]* id=\"$id\"" dom || fail "no section $id"
done
grep -qF '<td class="left">MPI_Wait</td>' dom || fail "the table of functions"
grep -qF 'MPICH_NEMESIS_ASYNC_PROGRESS' dom || fail "the parameters"
fingerprint=$(grep -o '"fingerprint":"[0-9a-f]*"' run.json | cut -d'"' -f4)
grep -qF "$fingerprint" dom || fail "the fingerprint"

# A program's name is text, whatever is in it.
cp "$bin/smb_overhead" '<b>a&amp;.out'
"$bin/aprun" -q -n 2 -N 1 --report named.html './<b>a&amp;.out' --sizes 1K >out
browse "$work/named.html"
grep -qF './&lt;b&gt;a&amp;amp;.out' dom || fail "a program's name"

# Zoom with the wheel, and the mouse on a span of the timeline.
use "$work/run.html" '
  const canvas = document.querySelector("#timeline canvas"), box = canvas.getBoundingClientRect();
  const before = document.querySelector("#timeline").textContent;
  const at = {bubbles: true, cancelable: true, clientX: box.left + box.width / 2, clientY: box.top + 30};
  canvas.dispatchEvent(new WheelEvent("wheel", Object.assign({deltaY: -400}, at)));
  canvas.dispatchEvent(new MouseEvent("mousemove", at));
  document.title = document.querySelector("#timeline").textContent === before ? "still" : "zoomed";'
grep -qF '<title>zoomed</title>' dom || fail "the wheel does not zoom"

"$bin/aprun" -q -n 4 -N 2 -L 0,2 --profile off.json "$bin/smb_overhead" --sizes 16K >out
"$bin/aprun" --compare off.json run.json --report both.html
browse "$work/both.html"
grep -qF 'MPICH_NEMESIS_ASYNC_PROGRESS' dom || fail "what differs"
grep -qF 'MPI_Wait' dom || fail "the functions of both"

# Telemetry: as many points as the file has paths; a click on one shows its rank's bars and its steps.
"$bin/aprun" -q -n 16 -N 4 --telemetry 20 --telemetry-file paths.json --report late.html "$bin/halo_scale" >out
paths=$(grep -o '"issued_us"' paths.json | wc -l)
(( paths > 5 )) || fail "no paths"
browse "$work/late.html"
[[ $(grep -o '<circle class="path"' dom | wc -l) == "$paths" ]] || fail "points of the heat map"
grep -qF 'halo_scale.c' dom || fail "source lines"
use "$work/late.html" '
  const point = document.querySelector("#heat_map circle.path"), path = point.__data__;
  point.dispatchEvent(new MouseEvent("mousemove", {bubbles: true, clientX: 100, clientY: 100}));
  const hint = document.querySelector("#tip").textContent;
  point.dispatchEvent(new MouseEvent("click", {bubbles: true}));
  const box = document.querySelector("#telemetry_rank");
  const own = castor.data().telemetry.paths.filter((each) => each.rank === path.rank);
  const bars = box.querySelectorAll(".stacks svg .piece").length, steps = box.querySelectorAll("#telemetry_path tbody tr").length;
  const right = box.querySelector("h3").textContent === "Commands of rank " + path.rank && hint.includes("rank " + path.rank) &&
    bars >= own.length && steps === 5 + path.stays.length;
  document.title = right ? "shown" : "not shown: " + bars + " bars, " + steps + " steps of " + path.stays.length;'
grep -qF '<title>shown</title>' dom || fail "a click on the heat map: $(grep -o '<title>.*</title>' dom)"
"$bin/aprun" -q -n 16 -N 4 --telemetry 20 --report again.html "$bin/halo_scale" >out
[[ $(wc -c <again.html) -gt 100000 ]] || fail "a page without the file of paths"
