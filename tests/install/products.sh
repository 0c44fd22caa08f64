#!/usr/bin/env bash
# What is built by default: the products, whether tests are configured or not. And a folder that has
# tests keeps them.
# usage: products.sh SOURCE_TREE WORK_FOLDER C_COMPILER CXX_COMPILER
set -euo pipefail
source=$1 work=$2
export CC=$3 CXX=$4
fail() { echo "wrong: $*"; exit 1; }
rm -rf "$work"

# commands OPTION ...: configures and writes the commands of the default targets, and of the tests.
commands() {
  cmake --preset release -S "$source" -B "$work" "$@" >"$work.log" 2>&1 || { cat "$work.log"; fail "cmake $*"; }
  ninja -C "$work" -t commands all >"$work/all.txt"
  grep -q 'bin/smb_overhead' "$work/all.txt" || fail "cmake $*: no smb_overhead by default"
  grep -q 'libarmci.so' "$work/all.txt" || fail "cmake $*: no libarmci by default"
  ! grep -E -e "-c $source/(tests|benchmarks/micro)/| tests/[^ ]*\.o |_test " "$work/all.txt" ||
    fail "cmake $*: by default tests or engine benchmarks are built"
  ! grep -q -e -Werror "$work/all.txt" || fail "cmake $*: warnings are errors"
  ninja -C "$work" -t targets all >"$work/targets.txt"
}

commands
! grep -E '^tests/' "$work/targets.txt" || fail "without BUILD_TESTING there are targets of tests"
grep -q 'tests are left out' "$work.log" || fail "nothing says that there are no tests"
commands -DBUILD_TESTING=ON
grep -q '^tests/all:' "$work/targets.txt" || fail "no target tests/all"
commands
grep -q '^tests/all:' "$work/targets.txt" || fail "configured again, tests are lost"
ninja -C "$work" -t commands tests/all >"$work/tests.txt"
grep -q -e "-o tests/tidy_test" "$work/tests.txt" || fail "tests/all does not build tidy_test"
ninja -C "$work" -t commands benchmarks/micro/all >"$work/engine.txt"
grep -q 'bin/event_queue_bench' "$work/engine.txt" || fail "benchmarks/micro/all does not build the engine benchmarks"
