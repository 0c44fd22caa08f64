#!/usr/bin/env bash
# Fuzzes what arrives at a live process, with libFuzzer: for hours by hand; arrivals_test.cc is its short form in CI.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
root=$(cd "$here/../../.." && pwd -P)
usage() {
  cat <<'TEXT'
usage: run.sh [SECONDS [CORPUS]]
Builds the wire and the NIC with clang's libFuzzer, AddressSanitizer and UndefinedBehaviorSanitizer
into build/fuzz, and fuzzes for SECONDS (60), with and into the folder CORPUS (build/fuzz/corpus), which
begins with arrivals of every kind that are in order. An input that fails stays there as crash-*. Needs
clang and libclang-rt-14-dev.
TEXT
}
case ${1:-} in
  -h | --help)
    usage
    exit 0
    ;;
esac
seconds=${1:-60}
build=$root/build/fuzz
corpus=${2:-$build/corpus}
case $seconds in
  '' | *[!0-9]*)
    printf 'run.sh: SECONDS %s: a number\n' "$seconds" >&2
    exit 2
    ;;
esac
if ! command -v clang++ >/dev/null; then
  printf 'run.sh: no clang++ here: install clang and libclang-rt-14-dev\n' >&2
  exit 2
fi
cmake -S "$root" -B "$build" -G Ninja -DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++ \
  -DCMAKE_BUILD_TYPE=RelWithDebInfo -DBUILD_TESTING=ON -DCASTOR_FUZZ=ON \
  -DCASTOR_LAYERS='corespec;ugni_emu' -DCASTOR_TESTS=wire >"$build.log" 2>&1 ||
  { tail -5 "$build.log" >&2; exit 1; }
cmake --build "$build" --target arrivals_fuzzer arrivals_seeds
mkdir -p "$corpus"
"$build/tests/arrivals_seeds" "$corpus"
cd "$corpus"
exec "$build/tests/arrivals_fuzzer" -max_total_time="$seconds" -max_len=20000 -use_value_profile=1 \
  -print_final_stats=1 "$corpus"
