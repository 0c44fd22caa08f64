#!/usr/bin/env bash
# links.sh SOURCE_DIRECTORY: every link of the pages leads to a file that is there, and to a heading in it.
set -euo pipefail
export LC_ALL=C
cd "$1"

# anchors PAGE: what its headings are called in links.
anchors() {
  awk '/^```/ { code = !code } !code && /^#+ / { sub(/^#+ /, ""); print }' "$1" | tr '[:upper:]' '[:lower:]' |
    sed -e 's/[^a-z0-9_ -]//g' -e 's/ /-/g'
}

status=0
count=0
complain() { echo "links: $*" >&2; status=1; }
while IFS=: read -r page link; do
  count=$((count + 1))
  target=${link%%#*} anchor=${link#"${link%%#*}"}
  file=${target:+$(dirname "$page")/$target}
  file=${file:-$page}
  if [ ! -e "$file" ]; then
    complain "$page: ($link): no such file"
  elif [ -n "$anchor" ] && ! anchors "$file" | grep -qxF -e "${anchor#\#}"; then
    complain "$page: ($link): no such heading"
  fi
done < <(grep -oHE '\]\([^) ]+\)' README.md CONTRIBUTING.md docs/*.md docs/decisions/*.md ./*/README.md |
  sed -e 's/\](\(.*\))$/\1/' | grep -vE ':(https?|mailto):')
[ "$count" -gt 100 ] || complain "only $count links found"
exit "$status"
