#!/usr/bin/env bash
# A browser draws the page of aprun --report, and the one of --compare: as many marks as the profile says,
# the profile's figures in the tables, a hint that follows the mouse, zoom, and nothing to complain of; two runs give the
# same page. Skipped (77) without Chromium and jq: Debian's packages chromium and jq.
# usage: run_page.sh BUILD_DIR
set -euo pipefail
bin=$1/bin
# shellcheck source=tests/support/browser.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/browser.sh"
need_browser
command -v jq >/dev/null || { echo "skipped: no jq (package jq)"; exit 77; }
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

# Its tables have the profile's figures, which are written here once more.
# rows_in WHAT: each row of cells in the file rows stands in the page.
rows_in() {
  local row
  [ -s rows ] || fail "$1: no rows"
  while IFS= read -r row; do grep -qF "$row" dom || fail "$1: no row $row"; done <rows
}
# Seconds in the unit of the longest, numbers with commas.
figures='
  function unit(longest) { most = longest; factor = longest >= 1 ? 1 : longest >= 1e-3 ? 1e3 : 1e6 }
  function seconds(value) { return sprintf(most * factor >= 100 ? "%.2f" : "%.3f", value * factor) }
  function whole(value,   text) {
    for (text = ""; value >= 1000; value = int(value / 1000)) text = sprintf(",%03d", value % 1000) text
    return value text
  }
  function percent(share) { return sprintf(share > 0 && share < 0.01 ? "%.2f %%" : "%.1f %%", 100 * share) }
  function size(bytes) { return bytes < 1024 ? bytes " B" : bytes < 1048576 ? bytes / 1024 " KB" : bytes / 1048576 " MB" }
  function left(text) { return "<td class=\"left\">" text "</td>" }
  function cell(text) { return "<td>" text "</td>" }'
jq -r '.time.whole as $all | .calls[] | [$all.max, $all.mean, .name, .group, .seconds.mean, .seconds.min, .seconds.max,
  .seconds.slowest_rank] | @tsv' run.json | awk -F'\t' "$figures"'
  { unit($1); print left($3) left($4) cell(percent($5 / $2)) cell(seconds($5)) cell(seconds($6)) cell(seconds($7)) cell($8) }' >rows
rows_in functions
jq -r '.time | .whole as $all | .groups | to_entries[] | select(.value.total > 0) | [$all.max, $all.mean, .key, .value.mean,
  .value.min, .value.max, .value.slowest_rank] | @tsv' run.json | awk -F'\t' "$figures"'
  { unit($1); print left($3) cell(percent($4 / $2)) cell(seconds($4)) cell(seconds($5)) cell(seconds($6)) cell($7) }' >rows
rows_in groups
jq -r '[.sizes[] | select(length > 0)] as $kinds | ([$kinds[][][0]] | unique)[] as $at |
  [$at] + [$kinds[] | [.[] | select(.[0] == $at) | .[1]] | add // 0] | @tsv' run.json | awk -F'\t' "$figures"'
  { row = cell(size($1)); for (i = 2; i <= NF; ++i) row = row cell(whole($i)); print row }' >rows
rows_in 'messages by size'
jq -r '([.protocols[].messages] | add) as $all | .protocols[] | [.name, .messages, .messages / $all, .bytes / 1e6] | @tsv' run.json |
  awk -F'\t' "$figures"'{ print left($1) cell(whole($2)) cell(percent($3)) cell(sprintf("%.3f", $4)) }' >rows
rows_in protocols
jq -r '.time.whole.max as $max | .ranks.rows[] | [$max, .[0], .[1], .[3] - .[2]] | @tsv' run.json |
  awk -F'\t' "$figures"'{ unit($1); print "<tr>" cell($2) cell($3) cell(seconds($4)) }' >rows
rows_in ranks

# A run that has sent nothing, and whose links nobody has counted, has no such sections.
"$bin/aprun" -q -n 1 --report alone.html "$bin/allreduce_scale" >out
browse "$work/alone.html"
for id in run placement functions ranks timeline; do
  grep -qE "<section[^>]* id=\"$id\"" dom || fail "one rank: no section $id"
done
for id in messages links; do
  ! grep -qE "<section[^>]* id=\"$id\"" dom || fail "one rank: a section $id"
done

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
jq -rs '[.[].time.whole.mean] as $means | ([.[].calls[].name] | unique)[] as $name | $means + [$name] +
  [.[] | [.calls[] | select(.name == $name)][0].seconds.mean // 0] + [[.[].calls[] | select(.name == $name)][0].group] | @tsv' \
  off.json run.json | awk -F'\t' "$figures"'
  { unit($1 > $2 ? $1 : $2); print left($3) left($6) cell(seconds($4)) cell(seconds($5)) }' >rows
rows_in 'the functions of both'

# Telemetry: as many points as the file has paths; a click on one shows its rank's bars and its steps.
"$bin/aprun" -q -n 16 -N 4 --telemetry 20 --telemetry-file paths.json --report late.html "$bin/halo_scale" >out
paths=$(grep -o '"issued_us"' paths.json | wc -l)
(( paths > 5 )) || fail "no paths"
browse "$work/late.html"
[[ $(grep -oE '<circle class="path( chosen)?"' dom | wc -l) == "$paths" ]] || fail "points of the heat map"
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
    bars >= own.length && steps === path.stays.length;
  document.title = right ? "shown" : "not shown: " + bars + " bars, " + steps + " steps of " + path.stays.length;'
grep -qF '<title>shown</title>' dom || fail "a click on the heat map: $(grep -o '<title>.*</title>' dom)"
"$bin/aprun" -q -n 16 -N 4 --telemetry 20 --report again.html "$bin/halo_scale" >out
[[ $(wc -c <again.html) -gt 100000 ]] || fail "a page without the file of paths"
