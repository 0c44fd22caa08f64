#!/usr/bin/env bash
# Every command that a script or a test calls comes with Debian itself or with a package that castor.sh
# installs for it: commands.txt says which package, castor.sh's lists have it or what depends on it.
# usage: commands.sh SOURCE_TREE BUILD_TREE
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
cd "$1"
built=$2
command -v dpkg-query >/dev/null || { echo "skipped: this is not Debian"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0
complain() { echo "wrong: $*" >&2; status=1; }

# lists_of FILE: for which of castor.sh's commands it runs.
lists_of() {
  case $1 in
    castor.sh) ;;  # installs what it calls
    .ci/run) echo ci+test ;;
    benchmarks/live/*) echo live ;;
    benchmarks/scaling/figure12.sh) echo figure12 test ;;
    benchmarks/scaling/capacity.sh | benchmarks/scaling/common.sh) echo capacity test ;;
    benchmarks/scaling/run.sh) echo jobs ;;
    benchmarks/plot/main_job.sh) echo smb test ;;
    tests/conformance/*_test.sh | tests/conformance/*sample*) echo test ;;
    tests/conformance/*) echo conformance ;;
    launch/*) echo run ;;
    docs/make-images.sh | tests/wire/fuzz/run.sh) ;;  # by hand; they say which package is missing
    *) echo test ;;
  esac
}

# scripts: every shell script of the tree, by its name or its first line.
scripts() {
  find * .ci \( -path build -o -path .git \) -prune -o -type f \( -name '*.sh' -o -name '*.sh.in' \) -print
  find * .ci \( -path build -o -path .git \) -prune -o -type f \( ! -name '*.*' -o -path '.ci/*' \) -print | while read -r file; do
    IFS= read -r -n 40 first <"$file" 2>/dev/null || true
    [[ ! ${first:-} =~ ^#!.*sh ]] || echo "$file"
  done
}

# Commands of the packages that every Debian has. awk is mawk there, by an alternative.
declare -A basic=([awk]=yes)
while read -r name; do basic[$name]=yes; done < <(
  awk 'NR == FNR { required[$1]; next } $1 in required { sub(/.*\//, ""); print }' \
    <(dpkg-query -W -f='${Package} ${Priority}\n' | awk '$2 == "required"') \
    <(dpkg-query -S "/bin/*" "/sbin/*" "/usr/bin/*" "/usr/sbin/*" | sed -e 's/[:,][^/]*/ /'))

# brought_by LIST...: the packages that castor.sh installs for these, and all they depend on.
brought_by() {
  # shellcheck disable=SC2016 # dpkg-query's own
  dpkg-query -W -f='${Package}|${Depends}, ${Pre-Depends}|${Provides}\n' | awk -F'|' -v wanted="$(./castor.sh packages "$@" | tr '\n' ' ')" '
    { gsub(/\([^)]*\)|:[a-z0-9]+/, ""); needs[$1] = $2; has[$1]
      count = split($3, provided, /[, ]+/)
      for (i = 1; i <= count; ++i) has_instead[provided[i]] = $1 }
    END {
      length_of_list = split(wanted, list, " ")
      for (i = 1; i <= length_of_list; ++i) {
        name = list[i]
        if (!(name in has) && name in has_instead) name = has_instead[name]
        if (name in seen) continue
        seen[name]; print name
        count = split(needs[name], next_ones, /[,| ]+/)
        for (k = 1; k <= count; ++k) if (next_ones[k] != "") list[++length_of_list] = next_ones[k]
      }
    }'
}

declare -A package_of=() brought=()
while read -r name package; do
  [[ -z $name || $name == '#'* ]] || package_of[$name]=$package
done <"$here/commands.txt"
[ "${#package_of[@]}" -ge 20 ] || complain "only ${#package_of[@]} commands in commands.txt"

# check FILE COMMAND: the package of a command is in the lists of its file.
declare -A checked=() used=()
check() {
  local file=$1 name=$2 package list
  [ -z "${checked["$file $name"]:-}" ] || return 0
  checked["$file $name"]=yes
  package=${package_of[$name]:-}
  if [ -z "$package" ]; then
    [ -n "${basic[$name]:-}" ] || [[ " $(type -t -- "$name") " =~ \ (builtin|keyword)\  ]] ||
      complain "$file calls $name, and tests/install/commands.txt names no package for it"
    return 0
  fi
  used[$name]=yes
  for list in $(lists_of "$file"); do
    [ -n "${brought[$list]:-}" ] || brought[$list]=" $(brought_by ${list//+/ } | tr '\n' ' ')"
    [[ ${brought[$list]} == *" $package "* ]] ||
      complain "$file calls $name: no package of ./castor.sh packages $list brings $package"
  done
}

scripts >"$work/scripts"
[ "$(wc -l <"$work/scripts")" -ge 60 ] || complain "only $(wc -l <"$work/scripts") scripts found"
while read -r file; do
  shfmt --to-json <"$file" 2>"$work/errors" | jq -r -f "$here/shell_calls.jq" | sed "s|^|$file |" ||
    complain "$file: $(cat "$work/errors")"
done <"$work/scripts" >"$work/calls"

# The project's own programs, functions of scripts, and names of Fortran's wrappers are no packages' commands.
own=" $(cd "$built/bin" && echo *) $(awk '$2 == "function" { print $3 }' "$work/calls" | sort -u | tr '\n' ' ')"
while read -r file kind name arguments; do
  [ "$kind" = call ] || continue
  case $name in
    /usr/bin/*) ;;
    '$'* | */* | '') continue ;;
  esac
  [[ $own == *" $name "* ]] || check "$file" "$name"
  # What is called in its turn, by env, timeout and the like, or by a function of the script.
  for word in $arguments; do
    [ -z "${package_of[$word]:-}" ] || check "$file" "$word"
  done
done <"$work/calls"

# Tests in C++ hand lines to a shell: their literals' words where a command may stand.
find tests benchmarks apps -name '*.cc' -o -name '*.h' >"$work/sources"
while IFS=: read -r file name; do
  [ -z "${package_of[$name]:-}" ] || check "$file" "$name"
done < <(xargs -d '\n' grep -oHE '"([^"\\]|\\.)*"' <"$work/sources" | sed -e 's/:"/: /' -e 's/"$/ /' |
  grep -oE '^[^:]*:|(^|[ (|;&])[a-z/][a-z0-9+./-]*' | awk '/:$/ { file = $0; next } { sub(/^[ (|;&]/, ""); print file $0 }' | sort -u)

for name in "${!package_of[@]}"; do
  [ -n "${used[$name]:-}" ] || complain "tests/install/commands.txt: no script calls $name"
done
exit "$status"
