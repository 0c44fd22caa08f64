#!/usr/bin/env bash
# One script for everything that is done with a checkout: set up, build, run, test, check, measure.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

usage() {
  cat <<'TEXT'
usage: ./castor.sh COMMAND

  build [NAME [PART...]]  set up and build preset NAME: release (default), debug, asan, asan-ci, tsan;
                 of what is for development only the PARTs named: tests, engine (engine benchmarks)
  smb            set up, build, run the main job (SMB overhead: no progression, phase one,
                 phase two; sender and receiver), print its table and draw the curves
  test [NAME [CTEST OPTION...]]  set up, build and pass the tests of preset NAME (default release):
                 all of them, or those that ctest's options choose (-R REGEX, -E REGEX)
  format [--fix] compare every source file with .clang-format (--fix: rewrite them)
  singly         compile each source file of the layers by itself (preset debug): says which lacks an
                 include
  tidy [FILE...] clang-tidy over every library's sources, or over the files named
  check          format, then tidy
  published      every published result beside ours (some 20 minutes)
  faults         a campaign of drawn faults: jobs whose data is checked, a run for each seed (200)
  gallery        the same as one page of HTML, with every figure redrawn (some 20 minutes)
  bench [PART]   the speed and scale pages, or one of their parts: engine (engine benchmarks), jobs
                 (job scaling, SimGrid's SMPI beside it), capacity (memory of jobs up to 65,536 ranks)
                 or figure12 (156,672 ranks by numbers of workers)
  conformance SUITE  other people's test programs on our libraries, fetched from Debian: mpich (MPICH's
                 suite), ga (Global Arrays' programs), programs (NetPIPE, ScaLAPACK's tests and NWChem
                 as Debian compiled them), sources (HPC Challenge and NetPIPE, built here), ucx (UCX's
                 uGNI transports) or libfabric (libfabric's uGNI provider); gasnet runs GASNet's tests
                 that you have built
  live [ROUNDS]  the live mode beside MPICH, Open MPI and raw libfabric on this host
  setup [FOR...] install the Debian 12 packages that are missing (root or sudo) for the commands named:
                 build (default), smb, test, format, tidy, engine, jobs, capacity, figure12, conformance, live,
                 ci (.ci/run), run (an installed tree) or all. Each command does this for itself
  packages [FOR...]  print their names only

smb, published, faults, gallery, bench PART, conformance SUITE and live pass options on: --help after them
lists them, --csv and --json choose the format of what they print (gallery: a page). (bench engine's are those of Google's
benchmark library.) CC and CXX choose the compilers (gcc 12 or clang 14).
TEXT
}

# Debian 12's names, by the command that needs them; all of them but format and run need build's, too.
# (tests/install/packages.sh compares these with what CMake looks for and with what is linked.) smb draws
# with gnuplot; test runs ranks under Open MPI's launcher and between network namespaces, and a program of
# Global Arrays; SimGrid is what bench jobs compares with.
declare -A packages=(
  [build]='cmake g++ gfortran libboost-context-dev libdw-dev libevent-dev libfabric-dev libfmt-dev
           libhwloc-dev libjs-d3 libopen-trace-format2-dev libpmix-dev ninja-build nlohmann-json3-dev
           pkg-config'
  [smb]=gnuplot-nox
  [test]='chromium gnuplot-nox groff-base iproute2 jq libbenchmark-dev libglobalarrays-dev libgmock-dev
          libgtest-dev libhugetlbfs-dev liblapack-dev libmpich-dev libpapi-dev libscalapack-mpich-dev make
          man-db munge openmpi-bin papi-tools procps shfmt slurm-client slurmctld slurmd time'
  [format]=clang-format
  [tidy]=clang-tidy
  [engine]=libbenchmark-dev
  [jobs]='libsimgrid-dev time'
  [capacity]=time
  [figure12]='gnuplot-nox time'
  [conformance]='autoconf automake dpkg-dev iproute2 libcriterion-dev libhugetlbfs-dev liblapack-dev
                 libscalapack-mpich-dev libtool m4 make'
  [live]='libfabric-bin libmpich-dev libopenmpi-dev mpich openmpi-bin'
  [ci]='ccache git'
  [run]='g++ gfortran libboost-context1.74.0 libdw1 libevent-core-2.1-7 libfabric1 libhwloc15
         libopen-trace-format2-10 libpmix2 libsde1'
)

say() { printf '%s\n' "$*" >&2; }
die() { say "castor.sh: $*"; exit 1; }

# step TITLE COMMAND ...: runs a long step and says how long it took. On a terminal its output is shown
# as it comes, else only if it fails.
step() {
  local title=$1 log status=0 start=$SECONDS
  shift
  say "== $title"
  if [ -t 1 ]; then
    "$@" || die "failed: $title"
  else
    log=$(mktemp)
    "$@" >"$log" 2>&1 || status=$?
    [ "$status" -eq 0 ] || cat "$log" >&2
    rm -f "$log"
    [ "$status" -eq 0 ] || die "failed: $title"
  fi
  [ $((SECONDS - start)) -lt 10 ] || say "== took $(((SECONDS - start) / 60)) min $(((SECONDS - start) % 60)) s"
}

missing_packages() {
  local name
  for name in "$@"; do
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$name" 2>/dev/null)" = installed ] || echo "$name"
  done
}

install_packages() {
  local missing as_root=() length=
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
  [ ${#missing[@]} -lt 5 ] || length=' (about 2 minutes)'
  step "packages$length: ${missing[*]}" "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get -q install -y --no-install-recommends "${missing[@]}"
}

# packages_for COMMAND ...: what these commands need, each name once.
packages_for() {
  local each all=()
  [ $# -gt 0 ] || set -- build
  [ "$*" != all ] || set -- "${!packages[@]}"
  for each in "$@"; do
    if [ -z "${packages[$each]:-}" ]; then
      say "castor.sh: no packages are listed for '$each'; see ./castor.sh --help"
      exit 2
    fi
    [ "$each" = format ] || [ "$each" = run ] || all+=("${packages[build]}")
    all+=("${packages[$each]}")
  done
  # shellcheck disable=SC2048,SC2086 # a name a word
  printf '%s\n' ${all[*]} | sort -u
}

# setup COMMAND ...: installs what these commands need.
setup() {
  local wanted
  wanted=$(packages_for "$@") || exit
  # shellcheck disable=SC2086 # a name a word
  install_packages $wanted
}

known_preset() {
  case $1 in
    release | debug | asan | asan-ci | tsan) ;;
    *) say "castor.sh: unknown preset '$1': release, debug, asan, asan-ci or tsan"; exit 2 ;;
  esac
}

# Before anything is installed for nothing.
known_compilers() {
  local name
  for name in CC CXX; do
    [ -z "${!name:-}" ] || command -v "${!name%% *}" >/dev/null ||
      { say "castor.sh: $name='${!name}': no such program"; exit 2; }
  done
}

# other_compiler PRESET: whether CC or CXX names another compiler than PRESET's folder is built with.
other_compiler() {
  local cache=build/$1/CMakeCache.txt pair name found wanted
  [ -e "$cache" ] || return 1
  for pair in CC:CMAKE_C_COMPILER CXX:CMAKE_CXX_COMPILER; do
    name=${pair%:*}
    [ -n "${!name:-}" ] || continue
    wanted=$(command -v "${!name%% *}")
    found=$(sed -n "s/^${pair#*:}:[^=]*=//p" "$cache")
    [ "$(realpath "$wanted")" = "$(realpath -m "$found")" ] || return 0
  done
  return 1
}

# configure PRESET [OPTION ...]: the folder of PRESET keeps what it was configured with; with another
# compiler it begins anew, but for whether it has tests.
configure() {
  local preset=$1 cache=build/$1/CMakeCache.txt
  shift
  if other_compiler "$preset"; then
    say "== build/$preset is compiled anew: CC='${CC:-}' CXX='${CXX:-}'"
    ! grep -q '^BUILD_TESTING:BOOL=ON' "$cache" || set -- -DBUILD_TESTING=ON "$@"
    ! grep -q '^CASTOR_WARNINGS_AS_ERRORS:BOOL=ON' "$cache" || set -- -DCASTOR_WARNINGS_AS_ERRORS=ON "$@"
    set -- --fresh "$@"
  fi
  step "configure ($preset)" cmake --preset "$preset" "$@"
}

# build PRESET [PART ...]: the products, and what is for development.
build() {
  local preset=${1:-release} part options=() targets=(all) wanted=(build) length=
  [ $# -eq 0 ] || shift
  known_preset "$preset"
  known_compilers
  for part in "$@"; do
    case $part in
      tests) wanted+=(test) targets+=(tests/all) options+=(-DBUILD_TESTING=ON) ;;
      engine) wanted+=(engine) targets+=(benchmarks/micro/all) ;;
      *) say "castor.sh: build $preset $part: tests or engine"; exit 2 ;;
    esac
  done
  setup "${wanted[@]}"
  configure "$preset" "${options[@]}"
  if [ "$preset" = release ]; then  # measured: GCC, two cores that do nothing else, no ccache
    if [[ " $* " == *' tests '* ]] && [ ! -e build/release/tests/tidy_test ]; then
      length=', the first time: about 8 minutes on two cores'
    elif [ ! -e build/release/bin/aprun ]; then
      length=', the first time: about 3 minutes on two cores'
    fi
  fi
  step "build ($preset${*:+, $*})$length" cmake --build --preset "$preset" --target "${targets[@]}"
}

# say_skipped RESULTS: how many tests were skipped, by reason. In CI none may be for want of a package.
say_skipped() {
  local reasons
  reasons=$(awk -f tests/support/skipped_tests.awk "$1" | sort -k1,1nr -k2)
  [ -n "$reasons" ] || return 0
  say "castor.sh: $(awk '{ sum += $1 } END { print sum }' <<<"$reasons") tests skipped: $(paste -sd';' <<<"$reasons" | sed 's/;/; /g')"
  if [ "${CI:-}" = true ] && grep -q '(package' <<<"$reasons"; then
    say "castor.sh: a package is missing that setup test should install"
    return 1
  fi
}

run_tests() {
  local preset=${1:-release} results status=0
  [ $# -eq 0 ] || shift
  build "$preset" tests
  results=$PWD/build/$preset/test_results.xml
  rm -f "$results"
  # Tests wait for processes and deadlines, too: three to two CPUs keep these busy.
  ctest --preset "$preset" --parallel "$(($(nproc) * 3 / 2))" --output-junit "$results" "$@" || status=$?
  if [ -e "$results" ]; then say_skipped "$results" || status=1; fi
  return "$status"
}

# Other presets compile a dozen source files together, where one has what another includes.
compile_singly() {
  known_compilers
  setup build
  configure debug
  step "compile each file of the layers by itself" cmake --build --preset debug --target \
    corespec/all ugni_emu/all netmod/all armci/all launch/all
}

sources() {
  git ls-files --cached --others --exclude-standard -- '*.cc' '*.c' '*.h' 2>/dev/null ||
    find . -path ./build -prune -o -type f \( -name '*.cc' -o -name '*.c' -o -name '*.h' \) -print
}

check_format() {
  setup format
  if [ "${1:-}" = --fix ]; then
    sources | xargs -r -d '\n' clang-format -i
  else
    sources | xargs -r -d '\n' clang-format --dry-run --Werror || die "run: ./castor.sh format --fix"
  fi
}

# Needs no built tree, only the commands that would build it.
check_tidy() {
  known_compilers
  setup tidy
  configure debug
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

# run_script COMMAND SCRIPT ARGUMENT ...: a script of this tree with the release build, and with the
# packages that COMMAND needs.
run_script() {
  local needs=$1 script=$2
  shift 2
  if ! asks_help "$@"; then
    setup "$needs"
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
    ucx) run=ucx.sh ;;
    libfabric) run=libfabric.sh ;;
    gasnet) run=gasnet.sh ;;
    *) say "castor.sh: conformance ${suite:-without a word}: mpich, ga, programs, sources, ucx, libfabric or gasnet"; exit 2 ;;
  esac
  shift
  run_script conformance "tests/conformance/$run" "$@"
}

engine() {
  local program ran=
  asks_help "$@" || build release engine
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
    jobs) run_script jobs benchmarks/scaling/run.sh "$@" ;;
    capacity) run_script capacity benchmarks/scaling/capacity.sh "$@" ;;
    figure12) run_script figure12 benchmarks/scaling/figure12.sh "$@" ;;
    '')
      engine
      run_script jobs benchmarks/scaling/run.sh
      run_script capacity benchmarks/scaling/capacity.sh
      ;;
    -h | --help) usage ;;
    *) say "castor.sh: bench $part: engine, jobs, capacity or figure12, and then options"; exit 2 ;;
  esac
}

command=${1:-}
[ $# -gt 0 ] && shift
case $command in
  setup) setup "$@" ;;
  packages) packages_for "$@" ;;
  build) build "$@" ;;
  smb) run_script smb benchmarks/plot/main_job.sh "$@" ;;
  test) run_tests "$@" ;;
  format) check_format "${1:-}" ;;
  singly) compile_singly ;;
  tidy) check_tidy "$@" ;;
  check) check_format && check_tidy ;;
  published) run_script build benchmarks/published/compare.sh "$@" ;;
  faults) run_script build benchmarks/faults/campaign.sh "$@" ;;
  gallery) run_script build benchmarks/published/gallery.sh "$@" ;;
  bench) bench "$@" ;;
  conformance) conformance "$@" ;;
  live) run_script live benchmarks/live/compare.sh "$@" ;;
  -h | --help | help) usage ;;
  *)
    # shellcheck disable=SC2016 # it is expanded
    say "castor.sh: ${command:+unknown command '$command'; }see ./castor.sh --help"
    exit 2
    ;;
esac
