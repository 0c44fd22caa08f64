#!/usr/bin/env bash
# The tests of libfabric's uGNI provider (prov/gni, gnitest) on our libugni, libpmi, udreg and alps: the source of
# Debian's package, unmodified, built against our pkg-config modules, run live as its own run_gnitest does.
set -euo pipefail
export LC_ALL=C
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
usage() {
  cat <<'TEXT'
usage: tests/conformance/libfabric.sh BUILD_DIRECTORY [options] [SUITE ...]
  SUITE          a suite's name or a pattern of it: rdm_sr, rdm_atomic_* (all)
  --seconds N    real time that a suite may take at first, and each of its tests by itself after that (60)
  --jobs N       compilations at a time (one per CPU)
  --source DIR   the unpacked source instead of Debian's package; it is copied, not changed
  --directory D  where it is built (BUILD_DIRECTORY/conformance/libfabric)
  --csv, --json  the format, with a line for each test; else a table with one for each suite
The tests run live, one rank, with the NIC that CASTOR_NIC names, or an Aries: the provider is for no other, and
its atomics on a Gemini are tried again without an end. A test is passed, skipped (its authors have
disabled it), explained (it fails, and tests/conformance/libfabric.rules says why that is none of ours) or
failed. For root the run has a network of its own with the interface ipogif0 of a Cray's nodes, which some
tests look for. Exit code 1 if a test failed.
TEXT
}
# shellcheck disable=SC2034 # for common.sh
program_name=libfabric.sh rules=$here/libfabric.rules
# shellcheck source=tests/conformance/common.sh
. "$here/common.sh"
# shellcheck source=tests/conformance/client_tests.sh
. "$here/client_tests.sh"

export CASTOR_NIC=${CASTOR_NIC:-aries}
seconds=60 jobs=$(nproc) source='' directory=''
read_options 'seconds jobs source directory' '' "$@"
positive --seconds "$seconds"
positive --jobs "$jobs"
package_title=libfabric
prepare_client libfabric libfabric1 prov/gni/test 'uGNI provider'
# shellcheck source=tests/conformance/build_steps.sh
. "$here/build_steps.sh"

# build_tests: gnitest, in package/. The provider alone; and where Criterion is, as its configure script wants it.
build_tests() {
  local copy=$directory/tree package=$directory/package provider without=()
  for provider in verbs sockets tcp udp rxm rxd shm mrail psm psm2 psm3 opx usnic efa perf rstream \
    hook_debug hook_hmem dmabuf_peer_mem; do
    without+=("--disable-$provider")
  done
  fresh_copy "$source" "$copy" "$package"
  mkdir -p "$directory/criterion"
  ln -sfn /usr/include "$directory/criterion/include"
  ln -sfn "/usr/lib/$(gcc -print-multiarch)" "$directory/criterion/lib"
  [ -f "$copy/configure" ] || (cd "$copy" && logged autogen ./autogen.sh)
  [ -f "$package/config.status" ] || (cd "$package" &&
    PKG_CONFIG_PATH=$installed/lib/pkgconfig LD_LIBRARY_PATH=$installed/lib logged configure "$copy/configure" \
      --enable-gni=yes "--with-criterion=$directory/criterion" --with-kdreg=no --disable-xpmem "${without[@]}" \
      CFLAGS='-O1 -g1')
  LD_LIBRARY_PATH=$installed/lib logged make make -s -j "$jobs" -C "$package" prov/gni/test/gnitest
}

# on_node COMMAND ...: COMMAND on a host with the network that the provider expects of a Cray's node: an
# interface ipogif0, whose address is also what the host's name stands for.
on_node() {
  if [ "$node" = yes ]; then
    # shellcheck disable=SC2016 # the inner shell's
    unshare --net --uts bash -c 'ip link set lo up && ip link add ipogif0 type bridge &&
      ip addr add 10.128.0.1/24 dev ipogif0 && ip link set ipogif0 up && hostname 10.128.0.1 && exec "$@"' on_node "$@"
  else
    "$@"
  fi
}

# tests SECONDS OUTPUT OPTION ...: gnitest, as run_gnitest calls it. Its processes hand each other addresses of
# functions, so that the program must be at the same place in all of them (setarch -R).
tests() {
  GNIX_DISABLE_XPMEM=1 UGNI_FMA_SHARED=0 PMI_NO_PREINITIALIZE=1 PMI_NO_FORK=1 \
    run_live "$1" "$2" setarch -R "$program" -j1 "${@:3}"
}

# list_tests: SUITE/TEST of every test, disabled ones, too.
list_tests() {
  tests "$seconds" "$directory/output/list" --list || die "gnitest cannot be run: $(tail -n 1 "$directory/output/list")"
  awk '/^[A-Za-z_0-9]+: [0-9]+ tests?/ { sub(/:/, "", $1); suite = $1; next }
    NF >= 2 && suite != "" { print suite "/" $2 }' "$directory/output/list"
}

# run_suite SUITE: prints its rows. If they are not all there, those that are missing run one by one.
run_suite() {
  local suite=$1 output=$directory/output/$1 reason found test row
  reason=$(rule "$suite" skip)
  if [ -n "$reason" ]; then
    printf '%s/*\tskipped\t%s\n' "$suite" "$reason"
    return
  fi
  tests "$seconds" "$output" --tap --filter "$suite/*" || true
  found=$(awk -v suite="$suite" -f "$here/tap_rows.awk" "$output")
  while read -r test; do
    if ! row=$(grep -m 1 -F "$test"$'\t' <<<"$found"); then
      tests "$seconds" "$output.part" --tap --filter "$test" || true
      row=$(awk -v suite="$suite" -f "$here/tap_rows.awk" "$output.part" | grep -m 1 -F "$test"$'\t') ||
        row=$test$'\tfailed\t'"no end within $seconds s"
    fi
    printf '%s\n' "$row"
  done < <(grep "^$suite/" "$directory/tests") | explain
}

node=no
[ "$(id -u)" -ne 0 ] || node=yes
[ "$node" = no ] || on_node true 2>/dev/null || node=no
install_castor
build_tests
program=$directory/package/prov/gni/test/gnitest
list_tests >"$directory/tests"
mapfile -t suites < <(cut -d / -f 1 "$directory/tests" | uniq |
  while read -r line; do if chosen "$line"; then echo "$line"; fi; done)
[ ${#suites[@]} -gt 0 ] || refuse "no such suite: ${wanted[*]}"
: >"$directory/rows"
for suite in "${suites[@]}"; do
  progress "[$(wc -l <"$directory/rows") tests] $suite"
  run_suite "$suite" >>"$directory/rows"
done
print_report "$directory/rows"
