#!/usr/bin/env bash
# What UCX's and libfabric's tests print is read as rows, rules explain failures, and the tables add up.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
usage() { :; }
# shellcheck disable=SC2034 # for common.sh
program_name=client_rows_test.sh rules=$work/rules
# shellcheck source=tests/conformance/common.sh
. "$here/common.sh"
# shellcheck source=tests/conformance/client_tests.sh
. "$here/client_tests.sh"

# expect WANTED FOUND
expect() { [ "$1" = "$2" ] || die "$(printf 'wanted:\n%s\nfound:\n%s' "$1" "$2")"; }

cat >"$work/gtest" <<'END_OF_OUTPUT'
[==========] Running 6 tests from 1 test suite.
[ RUN      ] ugni_x/suite.good/0 <ugni_x/GEMINI:0>
[       OK ] ugni_x/suite.good/0 (3 ms)
[ RUN      ] ugni_x/suite.left_out/0 <ugni_x/GEMINI:0>
[     SKIP ] (!check_caps(FLAG | OTHER))
[       OK ] ugni_x/suite.left_out/0 (0 ms)
[ RUN      ] ugni_x/suite.bad/0 <ugni_x/GEMINI:0>
../test.cc:344: Failure
Failed
Got 3 errors and 0 warnings during the test
[     INFO ] < ../base/md.c:111 Deregister failed >
[     INFO ] < ../base/md.c:112 again >
[  FAILED  ] ugni_x/suite.bad/0, where GetParam() = ugni_x/GEMINI:0 (9 ms)
[ RUN      ] ugni_x/suite.known/0 <ugni_x/GEMINI:0>
../test.cc:7: Failure
Value of: x
[  FAILED  ] ugni_x/suite.known/0, where GetParam() = ugni_x/GEMINI:0 (9 ms)
[ RUN      ] ugni_x/suite.crashes/0 <ugni_x/GEMINI:0>
[vm:1:0:1] Caught signal 11 (Segmentation fault: address not mapped)
END_OF_OUTPUT
tab=$'\t'
rows="ugni_x/suite.good/0${tab}passed$tab
ugni_x/suite.left_out/0${tab}skipped$tab!check_caps(FLAG | OTHER)
ugni_x/suite.bad/0${tab}failed${tab}Got 3 errors and 0 warnings during the test: md.c:111 Deregister failed
ugni_x/suite.known/0${tab}failed${tab}Value of: x
ugni_x/suite.crashes/0${tab}failed${tab}Segmentation fault"
expect "$rows" "$(awk -f "$here/gtest_rows.awk" "$work/gtest")"

cat >"$work/tap" <<'END_OF_OUTPUT'
TAP version 13
1..9
# Running 3 tests from rdm
ok - rdm::send  (0.01s)
not ok - rdm::read unexpected signal after ../ep.c:155
not ok - rdm::info  (0.00s)
  ---
  assertions: 6
  failures:
  - ../ep.c:155: |+
      Assertion failed: The expression !ret is false.
  ...
ok - rdm::wait  # SKIP test was skipped
ok - rdm_other::send  # SKIP test was skipped
END_OF_OUTPUT
expect "rdm/send${tab}passed$tab
rdm/read${tab}failed${tab}crashes
rdm/info${tab}failed${tab}Assertion failed: The expression !ret is false.
rdm/wait${tab}skipped${tab}disabled by its authors" "$(awk -v suite=rdm -f "$here/tap_rows.awk" "$work/tap")"

printf '%s\n' 'ugni_x/*.known* explained  /another complaint/ not this one' \
  "ugni_x/*.known* explained  /^Value of/ it is the client's" >"$rules"
explain <<<"$rows" >"$work/rows"
expect "ugni_x/suite.known/0${tab}explained${tab}it is the client's (Value of: x)" "$(sed -n 4p "$work/rows")"
format=table
expect "suite                                       passed skipped explained  failed  note
ugni_x/suite                                     1       1         1       2  bad/0: Got 3 errors and 0 warnings during the test: md.c:111 Deregister failed

1 passed, 2 failed, 1 skipped, 1 explained
     1 skipped: !check_caps(FLAG | OTHER)
     1 explained: it is the client's" "$(print_report "$work/rows" || true)"
! print_report "$work/rows" >/dev/null || die "a failed test makes no exit code 1"
grep -v failed "$work/rows" >"$work/well"
print_report "$work/well" >/dev/null || die "without a failed test the exit code is not 0"
: >"$work/none"
! print_report "$work/none" >/dev/null || die "no tests make no exit code 1"
format=csv
expect 'ugni_x/suite.left_out/0,skipped,"!check_caps(FLAG | OTHER)"' "$(print_report "$work/rows" | sed -n 3p)"
