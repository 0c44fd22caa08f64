#!/usr/bin/env bash
# One script for everything that is done with a checkout: set up, build, run, test, check, measure.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

usage() {
  cat <<'TEXT'
usage: ./castor.sh COMMAND

  setup          install the Debian 12 packages that are missing (root or sudo)
  build [NAME]   set up and build preset NAME: release (default), debug, asan, asan-ci, tsan
  smb            set up, build, run the main job (SMB overhead: no progression, phase one,
                 phase two; sender and receiver), print its table and draw the curves
  test [NAME [CTEST OPTION...]]  set up, build and pass the tests of preset NAME (default release):
                 all of them, or those that ctest's options choose (-R REGEX, -E REGEX)
  format [--fix] compare every source file with .clang-format (--fix: rewrite them)
  singly         compile each source file of the layers by itself (preset debug): says which lacks an
                 include
  tidy [FILE...] clang-tidy over every library's sources, or over the files named
  check          format, then tidy
  published      every published result beside ours
  bench [PART]   the speed and scale pages, or one of their parts: engine (engine benchmarks), jobs
                 (job scaling, SimGrid's SMPI beside it), capacity (memory of jobs up to 65,536 ranks)
  conformance SUITE  other people's test programs on our libmpi, fetched from Debian: mpich (MPICH's
                 suite), ga (Global Arrays' programs), programs (NetPIPE, ScaLAPACK's tests and NWChem
                 as Debian compiled them) or sources (HPC Challenge and NetPIPE, built here)
  live [ROUNDS]  the live mode beside MPICH, Open MPI and raw libfabric on this host

smb, published, bench PART, conformance SUITE and live pass options on: --help after them lists
them, --csv and --json choose the format of what they print. (bench engine's are those of Google's
benchmark library.)
TEXT
}

# Debian 12's names. SimGrid is only what the speed page compares with; Global Arrays, with the
# libraries it is linked against, is a test of libarmci.
packages=(
  ca-certificates ccache clang-format clang-tidy cmake g++ gfortran git gnuplot-nox hwloc
  libbenchmark-dev
  iproute2 libboost-context-dev libcli11-dev libevent-dev libfabric-dev libfmt-dev libgmock-dev
  libglobalarrays-dev libgtest-dev libhwloc-dev liblapack-dev libpmix-dev
  libscalapack-mpich-dev ninja-build nlohmann-json3-dev openmpi-bin pkg-config time
)
bench_packages=(libsimgrid-dev)
conformance_packages=(autoconf automake dpkg-dev libtool m4 make)
live_packages=(libfabric-bin libmpich-dev libopenmpi-dev mpich)

say() { printf '%s\n' "$*" >&2; }
die() { say "castor.sh: $*"; exit 1; }

# Runs a long step: on a terminal its output is shown as it comes, else only if it fails.
step() {
  local title=$1 log status=0
  shift
  say "== $title"
  if [ -t 1 ]; then
    "$@" || die "failed: $title"
    return
  fi
  log=$(mktemp)
  "$@" >"$log" 2>&1 || status=$?
  if [ "$status" -ne 0 ]; then
    cat "$log" >&2
    rm -f "$log"
    die "failed: $title"
  fi
  rm -f "$log"
}

missing_packages() {
  local name
  for name in "$@"; do
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$name" 2>/dev/null)" = installed ] || echo "$name"
  done
}

install_packages() {
  local missing as_root=()
  if ! command -v dpkg-query >/dev/null; then
    say "castor.sh: this is not Debian: install by hand what setup lists ($*)"
    return
  fi
  mapfile -t missing < <(missing_packages "$@")
  [ "${#missing[@]}" -gt 0 ] || return 0
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || die "these packages are missing; install them as root: ${missing[*]}"
    as_root=(sudo)
  fi
  step "package lists" "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q update
  step "packages: ${missing[*]}" "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get -q install -y --no-install-recommends "${missing[@]}"
}

setup() { install_packages "${packages[@]}"; }

known_preset() {
  case $1 in
    release | debug | asan | asan-ci | tsan) ;;
    *) say "castor.sh: unknown preset '$1': release, debug, asan, asan-ci or tsan"; exit 2 ;;
  esac
}

build() {
  local preset=$1
  known_preset "$preset"
  setup
  step "configure ($preset)" cmake --preset "$preset"
  step "build ($preset)" cmake --build --preset "$preset"
}

run_tests() {
  local preset=${1:-release}
  [ $# -eq 0 ] || shift
  build "$preset"
  # Tests wait for processes and deadlines, too: three to two CPUs keep these busy.
  ctest --preset "$preset" --parallel "$(($(nproc) * 3 / 2))" "$@"
}

# Other presets compile a dozen source files together, where one has what another includes.
compile_singly() {
  setup
  step "configure (debug)" cmake --preset debug
  step "compile each file of the layers by itself" cmake --build --preset debug --target \
    corespec/all ugni_emu/all netmod/all armci/all launch/all
}

sources() {
  git ls-files --cached --others --exclude-standard -- '*.cc' '*.c' '*.h' 2>/dev/null ||
    find . -path ./build -prune -o -type f \( -name '*.cc' -o -name '*.c' -o -name '*.h' \) -print
}

check_format() {
  setup
  if [ "${1:-}" = --fix ]; then
    sources | xargs -r -d '\n' clang-format -i
  else
    sources | xargs -r -d '\n' clang-format --dry-run --Werror || die "run: ./castor.sh format --fix"
  fi
}

# Needs no built tree, only the commands that would build it.
check_tidy() {
  setup
  step "configure (debug)" cmake --preset debug
  say "== clang-tidy"
  if [ $# -gt 0 ]; then
    printf '%s\n' "$@"
  else
    sources | grep -E '^(\./)?(corespec|ugni_emu|netmod|armci|launch)/.*\.cc$'
  fi | xargs -r -d '\n' -n 1 -P "$(nproc)" clang-tidy -p build/debug --quiet ||
    die "clang-tidy has findings"
}

# asks_help ARGUMENT ...: what only asks for a script's options needs no build.
asks_help() {
  local word
  for word in "$@"; do case $word in -h | --help) return 0 ;; esac; done
  return 1
}

# run_script PACKAGES SCRIPT ARGUMENT ...: a script of this tree with the release build. PACKAGES are
# those that it wants beside the usual ones.
run_script() {
  local more script=$2
  read -r -a more <<<"$1"
  shift 2
  if ! asks_help "$@"; then
    install_packages "${packages[@]}" "${more[@]}"
    build release
  fi
  "$script" build/release "$@"
}

conformance() {
  local suite=${1:-} run
  case $suite in
    mpich) run=mpich.sh ;;
    ga) run=global_arrays.sh ;;
    programs) run=debian_programs.sh ;;
    sources) run=debian_sources.sh ;;
    *) say "castor.sh: conformance ${suite:-without a word}: mpich, ga, programs or sources"; exit 2 ;;
  esac
  shift
  run_script "${conformance_packages[*]}" "tests/conformance/$run" "$@"
}

engine() {
  local program ran=
  asks_help "$@" || build release
  for program in build/release/bin/*_bench; do
    [ -x "$program" ] || continue
    "$program" --benchmark_min_time=0.2 "$@"
    ran=yes
    ! asks_help "$@" || break  # all have the same options
  done
  [ -n "$ran" ] || die "no engine benchmark in build/release/bin: ./castor.sh build first"
}

bench() {
  local part=${1:-}
  [ $# -eq 0 ] || shift
  case $part in
    engine) engine "$@" ;;
    jobs) run_script "${bench_packages[*]}" benchmarks/scaling/run.sh "$@" ;;
    capacity) run_script '' benchmarks/scaling/capacity.sh "$@" ;;
    '')
      engine
      run_script "${bench_packages[*]}" benchmarks/scaling/run.sh
      run_script '' benchmarks/scaling/capacity.sh
      ;;
    -h | --help) usage ;;
    *) say "castor.sh: bench $part: engine, jobs or capacity, and then options"; exit 2 ;;
  esac
}

command=${1:-}
[ $# -gt 0 ] && shift
case $command in
  setup) setup ;;
  build) build "${1:-release}" ;;
  smb) run_script '' benchmarks/plot/main_job.sh "$@" ;;
  test) run_tests "$@" ;;
  format) check_format "${1:-}" ;;
  singly) compile_singly ;;
  tidy) check_tidy "$@" ;;
  check) check_format && check_tidy ;;
  published) run_script '' benchmarks/published/compare.sh "$@" ;;
  bench) bench "$@" ;;
  conformance) conformance "$@" ;;
  live) run_script "${live_packages[*]}" benchmarks/live/compare.sh "$@" ;;
  -h | --help | help) usage ;;
  *)
    # shellcheck disable=SC2016 # it is expanded
    say "castor.sh: ${command:+unknown command '$command'; }see ./castor.sh --help"
    exit 2
    ;;
esac
