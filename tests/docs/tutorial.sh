#!/usr/bin/env bash
# tutorial.sh PAGE BUILD_DIRECTORY: does what a page says, and compares what comes with what it shows.
#
# The page's blocks are taken as they stand: `c NAME` is a file, each `sh` is run in order in one shell,
# and `text` after it is what it prints. `sh setup` is left out (the build is there); of
# `text differs` only the form is compared, since live figures differ.
set -euo pipefail
page=$(realpath "$1") build=$(realpath "$2")
fail() { echo "tutorial: $*" >&2; exit 1; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
awk '
  /^```/ && open { open = 0; next }
  /^```/ {
    open = 1
    kind = substr($0, 4)
    if (kind == "sh") file = "step." ++steps
    else if (kind == "text") file = "shown." steps
    else if (kind == "text differs") file = "form." steps
    else if (kind ~ /^c [a-z_]+\.c$/) file = substr(kind, 3)
    else if (kind == "sh setup") file = "setup"
    else { print "unknown block: " kind >"/dev/stderr"; exit 1 }
    next
  }
  open { print >file }
  END { print steps >"steps" }' "$page"
steps=$(cat steps)
[ "$steps" -ge 2 ] || fail "only $steps steps in $page"

CASTOR=$(realpath "$(dirname "$page")/..")
export CASTOR PATH="$build/bin:$PATH"
for step in $(seq "$steps"); do
  # shellcheck disable=SC1090
  . "./step.$step" >"came.$step" 2>&1 || fail "step $step ended with $?: $(cat "step.$step" "came.$step")"
  if [ -e "shown.$step" ]; then
    diff "shown.$step" "came.$step" >&2 || fail "step $step prints something else: $(cat "step.$step")"
  fi
  if [ -e "form.$step" ]; then
    diff <(sed 's/,-\{0,1\}[0-9.]*$/,FIGURE/' "form.$step") \
         <(sed 's/,-\{0,1\}[0-9.]*$/,FIGURE/' "came.$step") >&2 ||
      fail "step $step prints something of another form: $(cat "step.$step")"
  fi
done
compgen -G 'shown.*' >/dev/null || fail "no output in $page"

# A page's picture is what its commands draw (as far as this Gnuplot is the one that drew it).
[ -e overlap.svg ] || exit 0
picture=$(dirname "$page")/images/tutorial.svg
if [ "$(grep -i 'produced by' overlap.svg)" = "$(grep -i 'produced by' "$picture")" ]; then
  cmp overlap.svg "$picture" >&2 || fail "$picture is another curve"
fi
