#!/usr/bin/env bash
# A browser draws link_map's page: as many squares as there are links, values in the tables, a hint that
# follows the mouse, and nothing to complain of. Skipped (77) without Chromium: Debian's package chromium.
# usage: link_map.sh BUILD_DIR
set -euo pipefail
link_map=$1/bin/link_map
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# shellcheck source=tests/support/browser.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/browser.sh"
need_browser

# link DIRECTION SOURCE PHITS: of that many phits of requests, 32 to a packet.
link() {
  printf '{"direction":"%s","source":%s,"gbytes_per_second":9.375,"vc0_phits":%d,"vc1_phits":0,' "$1" "$2" "$3"
  printf '"vc0_packets":%d,"vc1_packets":0,"inq_stalls":0,"outq_stalls":0}' $(($3 / 32))
}
# A ring of four: all send to the next one, and the first most; (2,0,0) sends a packet back, too.
{
  printf '{"format":"castor counters 1","system":"ring","topology":"4x1x1 torus","samples":[{"from":0,"to":1e-6,"geminis":['
  for x in 0 1 2 3; do
    before=$(((x + 3) % 4))
    [ "$x" -eq 0 ] || printf ','
    printf '{"coordinates":[%d,0,0],"links":[' "$x"
    link X+ "[$(((x + 1) % 4)),0,0]" $((x == 1 ? 32 : 0))
    printf ','
    link X- "[$before,0,0]" $((before == 0 ? 1600 : 320))
    printf ','
    link HH "[$x,0,0]" $((x == 0 ? 1600 : 320))
    printf ']}'
  done
  printf ']}]}\n'
} >"$work/ring.json"
"$link_map" "$work/ring.json" -o "$work/ring.html"

# squares WANTED CONDITION: how many there are whose tag has that text.
squares() {
  local got
  got=$(grep -oE '<rect class="link"[^>]*>' "$work/dom" | grep -cE "$2" || true)
  [ "$got" -eq "$1" ] || fail "$got squares with $2, not $1"
}

browse "$work/ring.html"
squares 12 .                     # X+, X- and HH of each Gemini
squares 3 'fill="#e4e7eb"'       # towards X-: nothing, but for one
grep -q '<td class="left">X-, (2, 0, 0) to (1, 0, 0)</td><td>9.38</td><td>96</td>' "$work/dom" || fail "the way back"
grep -q '<td class="left">X+, (0, 0, 0) to (1, 0, 0)</td><td>9.38</td><td>4,800</td>' "$work/dom" || fail "the table of links"
grep -qF '<td class="left">X+</td><td>4</td><td>4</td><td></td><td>20.5 %</td><td>51.2 %</td>' "$work/dom" || fail "the sums"

# As a reader uses it: another counter, one dimension, the mouse on a square.
use "$work/ring.html" '
  for (const [name, value] of [["measure", 6], ["shown", 0], ["scale", "log"]]) {
    const select = document.getElementById(name);
    select.value = value;
    select.dispatchEvent(new Event("change"));
  }
  document.querySelector("rect.link").dispatchEvent(new MouseEvent("mousemove", {bubbles: true}));'
squares 8 .
grep -qF '<td class="left">X+</td><td>4</td><td>4</td><td>80</td><td>20</td><td>50</td>' "$work/dom" || fail "packets"
grep -qE '<div id="tip"[^>]*visible[^>]*><b>X\+, \(0, 0, 0\) to \(1, 0, 0\)</b>.*<td>4,800</td>.*<td>4.800 GB/s</td>' "$work/dom" ||
  fail "the square says: $(grep -o '<div id="tip".*' "$work/dom" | head -n 1)"
