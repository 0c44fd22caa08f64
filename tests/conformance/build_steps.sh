# Steps in which a conformance run builds other people's source on ours. A script that sources it sets
# package_title (what is built), directory (with logs/ in it), build and installed.
# shellcheck shell=bash disable=SC2154

# logged STEP COMMAND ...: runs it; what it says goes to logs/STEP. A step that fails ends the run.
logged() {
  local step=$1 log=$directory/logs/$1
  shift
  progress "$step of $package_title (log: $log)"
  "$@" >"$log" 2>&1 </dev/null ||
    die "$step of $package_title failed: $(build_complaint "$log" | grep . || tail -n 1 "$log") ($log)"
}

# build_complaint LOG: the first error, on one line.
build_complaint() {
  grep -a -m 1 -i -E 'error[: ]|undefined reference|cannot find|No such file|No rule to make' "$1" |
    sed 's/^.*: \(fatal \)\{0,1\}error: //I; s/^.*: undefined/undefined/' | cut -c 1-100
}

# install_castor: a tree of ours, as a user has it.
install_castor() { logged install cmake --install "$build" --prefix "$installed"; }

# fresh_copy SOURCE COPY FOLDER ...: a copy of SOURCE to build in. COPY and the FOLDERs of an earlier run
# stay if SOURCE, our headers and our pkg-config modules are still the same.
fresh_copy() {
  local from=$1 copy=$2 key
  shift 2
  key=$(echo "$from"; cd "$installed" && find include lib/pkgconfig -type f -exec cksum {} + | sort)
  if [ "$(cat "$copy.key" 2>/dev/null)" != "$key" ]; then
    rm -rf "$copy" "$copy.key" "$@"
  fi
  mkdir -p "$copy" "$@"
  cp -Rpu "$from/." "$copy"
  printf '%s\n' "$key" >"$copy.key"
}
