#!/usr/bin/env bash
# A layer's include path leads to the layers up to it and to no later one: asked of every way in which
# the build compiles a layer's files.
# usage: include_path_test.sh BUILD_TREE SOURCE_TREE COMPILER
set -euo pipefail
build=$1 source=$2 compiler=$3
layers=(corespec ugni_emu netmod armci launch)
declare -A header=([corespec]=corespec/time/time.h [ugni_emu]=ugni_emu/wire/wire.h
                   [netmod]=netmod/include/mpi.h [armci]=armci/core/patch.h
                   [launch]=launch/description/options.h)

fail() { echo "wrong: $*"; exit 1; }

# finds HEADER OPTION...: true if the compiler finds it, and all that it includes.
finds() {
  local included=$1
  shift
  echo "#include \"$included\"" | "$compiler" -std=c++20 "$@" -E -x c++ - >/dev/null 2>"$said"
}

empty=$(mktemp -d)
said=$empty/said
trap 'rm -rf "$empty"' EXIT
cd "$empty"  # where the compiler looks for the header first
[ -f "$build/compile_commands.json" ] || fail "$build has no compile_commands.json"
for own in "${!layers[@]}"; do
  layer=${layers[own]}
  # The include paths of the layer's commands, each once.
  mapfile -t ways < <(sed -n 's/^ *"command": "\(.*\)",\{0,1\}$/\1/p' "$build/compile_commands.json" |
    grep -E -- " -o $layer/.*\.(cc|cxx)$" |
    awk '{ paths = ""
           for (i = 1; i <= NF; ++i) {
             if ($i ~ /^-I/) paths = paths " " $i
             if ($i == "-isystem") paths = paths " -isystem " $(i + 1)
           }
           print paths }' | sort -u)
  [ ${#ways[@]} -gt 0 ] || fail "no file of $layer is compiled"
  for way in "${ways[@]}"; do
    read -r -a paths <<<"$way"
    for other in "${!layers[@]}"; do
      what=${header[${layers[other]}]}
      [ -f "$source/$what" ] || fail "there is no $what"
      if [ "$other" -le "$own" ]; then
        finds "$what" "${paths[@]}" || fail "$layer cannot include $what: $(cat "$said")"
      else
        ! finds "$what" "${paths[@]}" || fail "$layer can include $what: $way"
        grep -q "$what: No such file" "$said" || fail "$layer, $what: $(cat "$said")"
      fi
    done
  done
  echo "$layer: ${#ways[@]} include paths"
done
