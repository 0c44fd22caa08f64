#!/usr/bin/env bash
# UCX's own tests of its uGNI transports (ugni_rdma, ugni_smsg, ugni_udt) on our libugni and libpmi: Debian's
# source package, unmodified, built against our pkg-config modules; its GoogleTest program runs live.
set -euo pipefail
export LC_ALL=C
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
usage() {
  cat <<'TEXT'
usage: tests/conformance/ucx.sh BUILD_DIRECTORY [options] [SUITE ...]
  SUITE          a suite's name, its end or a pattern of it: ugni_rdma/uct_flush_test, uct_p2p_*
                 (all of the transport layer, UCT)
  --all          also the suites of the protocol layer, UCP, which choose a transport themselves
  --seconds N    real time a suite may take without its next test (120)
  --jobs N       compilations at a time (one per CPU)
  --source DIR   the unpacked source instead of Debian's package; it is copied, not changed
  --directory D  where it is built (BUILD_DIRECTORY/conformance/ucx)
  --csv, --json  the format, with a line for each test; else a table with one for each suite
The tests run live, one rank, with the NIC that CASTOR_NIC names. A test is passed, skipped (by UCX, for a
reason that it names), explained (it fails, and tests/conformance/ucx.rules says why that is none of ours)
or failed. Exit code 1 if a test failed.
TEXT
}
# shellcheck disable=SC2034 # for common.sh
program_name=ucx.sh rules=$here/ucx.rules
# shellcheck source=tests/conformance/common.sh
. "$here/common.sh"
# shellcheck source=tests/conformance/client_tests.sh
. "$here/client_tests.sh"

seconds=120 jobs=$(nproc) source='' directory='' all=no
read_options 'seconds jobs source directory' all "$@"
positive --seconds "$seconds"
positive --jobs "$jobs"
package_title=UCX
prepare_client ucx libucx0 src/uct/ugni/configure.m4 'uGNI transport'
# shellcheck source=tests/conformance/build_steps.sh
. "$here/build_steps.sh"

# build_tests: the libraries and the test program, in package/. Only what the tests need: no other transport.
# UCX checks that each transport has a table that its uGNI has not (--disable-assertions), and its tests
# have a warning of GCC 12 that UCX makes an error. The tests are many and small: not optimized.
build_tests() {
  local copy=$directory/tree package=$directory/package folder flags='CXXFLAGS=-O0 -g1 -Wno-use-after-free'
  fresh_copy "$source" "$copy" "$package"
  [ -f "$copy/configure" ] || (cd "$copy" && logged autogen ./autogen.sh)
  [ -f "$package/config.status" ] || (cd "$package" &&
    PKG_CONFIG_PATH=$installed/lib/pkgconfig logged configure "$copy/configure" --with-ugni --enable-gtest \
      --enable-mt --disable-assertions --disable-numa --disable-doxygen-doc --without-verbs --without-rdmacm \
      --without-java --without-go --without-cuda --without-rocm --without-xpmem --without-knem)
  for folder in src/ucm src/ucs src/uct src/ucp src/tools/perf; do
    logged "make-${folder##*/}" make -s -j "$jobs" -C "$package/$folder"
  done
  logged make-googletest make -s -j "$jobs" -C "$package/test/gtest/common/googletest" "$flags"
  logged make-gtest make -s -j "$jobs" -C "$package/test/gtest" gtest "$flags"
}

# list_suites: the suites whose tests want uGNI.
list_suites() {
  local filter='ugni_*:ugni/test_md*' listed=$directory/output/list
  [ "$all" = no ] || filter='ugni_*:ugni/*'
  run_live "$seconds" "$listed" "$program" --gtest_list_tests "--gtest_filter=$filter" ||
    die "UCX's tests cannot be listed: $(tail -n 1 "$listed")"
  sed -n 's/^\(ugni[^ ]*\)\.\( .*\)*$/\1/p' "$listed"
}

# run_suite SUITE: prints its rows. The job of a test that ends it is followed by one of the tests behind it.
run_suite() {
  local suite=$1 output=$directory/output/${1//\//.} reason done_tests='' found
  reason=$(rule "$suite" skip)
  if [ -n "$reason" ]; then
    printf '%s.*\tskipped\t%s\n' "$suite" "$reason"
    return
  fi
  : >"$output"
  while :; do
    run_live "$seconds" "$output.part" "$program" -s 1 -t "$seconds" \
      "--gtest_filter=$suite.*${done_tests:+-$done_tests}" || true
    cat "$output.part" >>"$output"
    found=$(awk -f "$here/gtest_rows.awk" "$output.part")
    [ -z "$found" ] || printf '%s\n' "$found" | explain
    ! grep -a -q '^\[==========\] .* ran\.' "$output.part" || break
    if [ -z "$found" ]; then
      printf '%s.*\tfailed\t%s\n' "$suite" "$(tail -n 1 "$output.part" | cut -c 1-100)"
      break
    fi
    done_tests+=$(cut -f 1 <<<"$found" | tr '\n' ':')
  done
}

install_castor
build_tests
program=$directory/package/test/gtest/gtest
mapfile -t suites < <(list_suites | while read -r line; do if chosen "$line"; then echo "$line"; fi; done)
[ ${#suites[@]} -gt 0 ] || refuse "no such suite: ${wanted[*]}"
: >"$directory/rows"
for suite in "${suites[@]}"; do
  progress "[$(wc -l <"$directory/rows") tests] $suite"
  run_suite "$suite" >>"$directory/rows"
done
print_report "$directory/rows"
