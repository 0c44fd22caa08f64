# What tests of our pages share: a headless Chromium. Sourced; work is a folder of the test's own.
# shellcheck shell=bash disable=SC2154

fail() { echo "wrong: $*" >&2; exit 1; }

# need_browser: without one, the rest of the test is skipped.
need_browser() {
  chromium=$(command -v chromium) || { echo "skipped: no chromium (package chromium)"; exit 77; }
}

# browse PAGE: what a browser makes of it, to $work/dom; what it logs to $work/log.
browse() {
  HOME=$work timeout -s KILL 100 "$chromium" --headless=new --no-sandbox --disable-gpu --user-data-dir="$work/profile" \
    --enable-logging=stderr --virtual-time-budget=5000 --dump-dom "file://$1" >"$work/dom" 2>"$work/log" ||
    fail "chromium: $(tail -n 5 "$work/log")"
  ! grep -E 'CONSOLE' "$work/log" || fail "the page has errors"
}

# use PAGE SCRIPT: the same, after a script that does what a reader would.
use() {
  sed '$d' "$1" >"$work/used.html"
  printf '<script>(function () {%s})();</script>\n</html>\n' "$2" >>"$work/used.html"
  browse "$work/used.html"
}

# marks WANTED PATTERN: how many elements there are whose tag begins with it.
marks() {
  local got
  got=$(grep -oE "<$2" "$work/dom" | wc -l || true)
  [ "$got" -eq "$1" ] || fail "$got elements <$2, not $1"
}
