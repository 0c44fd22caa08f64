#!/usr/bin/env bash
# Draws docs/images/*.svg from the .dot files beside them, with Graphviz.
set -euo pipefail
export LC_ALL=C

usage() {
  cat <<'TEXT'
usage: make-images.sh [--check]

Writes an SVG picture beside each .dot file in docs/images. It needs Graphviz (Debian's package
graphviz). Each picture holds the checksum of its source; --check only compares these, without
Graphviz, and fails if a picture is old or missing.
TEXT
}

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
action='write'
while [ $# -gt 0 ]; do
  case $1 in
    --check) action=check ;;
    -h | --help) usage; exit 0 ;;
    *) echo "make-images.sh: unknown argument '$1'; see --help" >&2; exit 2 ;;
  esac
  shift
done
if [ "$action" = write ] && ! command -v dot >/dev/null; then
  echo "make-images.sh: no program 'dot': install the package graphviz" >&2
  exit 2
fi

status=0
for source in "$here"/images/*.dot; do
  picture=${source%.dot}.svg
  mark="<!-- source: $(basename "$source"), sha256 $(sha256sum <"$source" | cut -d ' ' -f 1) -->"
  if [ "$action" = write ]; then
    drawn=$(dot -Tsvg "$source")
    printf '%s\n%s\n' "$drawn" "$mark" >"$picture"
  elif ! [ -e "$picture" ] || [ "$(tail -n 1 "$picture")" != "$mark" ]; then
    echo "make-images.sh: $(basename "$picture") is not drawn from its source: run docs/make-images.sh" >&2
    status=1
  fi
done
exit "$status"
