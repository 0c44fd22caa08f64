#!/usr/bin/env bash
# The gallery: one page of HTML with every published figure and table beside ours.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
usage() {
  cat <<'TEXT'
usage: gallery.sh [BUILD_DIRECTORY] [options]

Runs what compare.sh runs and writes one page of HTML, which needs no other file and no network: every
published figure and table redrawn beside ours, with verdicts and commands; the pictures answer to the
mouse. BUILD_DIRECTORY: default build/release. All rows take some 20 minutes, most of them minighost's.

  -o, --output FILE  the page (default BUILD_DIRECTORY/gallery.html)
  --row NAME         this row only (repeatable), as of compare.sh
  --results FILE     what compare.sh --json has written, instead of runs
TEXT
}
default_build=$here/../../build/release
# shellcheck source=scripts/options.sh
. "$here/../../scripts/options.sh"

arguments=()
for argument in "$@"; do
  [ "$argument" != -o ] || argument=--output
  arguments+=("$argument")
done
output='' results='' row=()
read_arguments 'output results row+' '' "${arguments[@]}"
take_build
no_names
need_programs published make_page
[ -z "$results" ] || [ ${#row[@]} -eq 0 ] || refuse "--row and --results: a file has the rows that it has"
[ -z "$results" ] || [ -r "$results" ] || refuse "--results $results: cannot be read"
: "${output:=$build/gallery.html}"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [ -z "$results" ]; then
  results=$work/results.json
  options=()
  for each in "${row[@]}"; do options+=(--row "$each"); done
  "$here/compare.sh" "$build" "${options[@]}" --json >"$results" || exit
fi
grep -q '"figures"' "$results" || refuse "--results $results: is not what compare.sh --json has written"
echo '<div id="gallery"></div>' >"$work/body.html"
"$build/bin/make_page" --title "Published results beside Castor's" --script "$here/gallery.js" --style "$here/gallery.css" \
  --body "$work/body.html" --data "$results" -o "$output"
echo "gallery: $output"
