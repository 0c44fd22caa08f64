#!/usr/bin/env bash
# castor.sh's lists of packages have what CMake looks for and what an installed tree is linked with, and
# what tests must not miss is here.
# usage: packages.sh SOURCE_TREE BUILD_TREE
set -euo pipefail
cd "$1"
built=$2
fail() { echo "wrong: $*"; exit 1; }

# Behind each search stands `# PACKAGE ...`, or `# optional: PACKAGE ...` where something is left out
# without it. Shells and compilers of Debian's own (bash) need no list.
mapfile -t files < <(find . -path ./build -prune -o -path ./tests/install/consumer -prune -o \
  -type f \( -name CMakeLists.txt -o -name '*.cmake' \) -print)
build=" $(./castor.sh packages build | tr '\n' ' ')"
tests=" $(./castor.sh packages test | tr '\n' ' ')"
all=" $(./castor.sh packages all | tr '\n' ' ') bash "
named=0
while IFS=: read -r file line text; do
  [[ $text =~ \)\ \ \#\ (optional:\ )?([a-z0-9+. -]+)$ ]] || fail "$file:$line names no package: $text"
  optional=${BASH_REMATCH[1]}
  for package in ${BASH_REMATCH[2]}; do
    named=$((named + 1))
    if [ -n "$optional" ] || [ "$package" = bash ]; then
      continue
    elif [[ $file == ./tests/* ]]; then
      [[ $tests == *" $package "* ]] || fail "$file:$line: $package is not in castor.sh's list for test"
    else
      [[ $build == *" $package "* ]] || fail "$file:$line: $package is not in castor.sh's list for build"
    fi
  done
done < <(grep -nE '^ *(find_package|find_program|find_library|find_path|pkg_check_modules)\(' "${files[@]}")
[ "$named" -ge 20 ] || fail "only $named packages are named"

# What only tests, checks or benchmarks need is no package of build and smb.
smb=" $(./castor.sh packages smb | tr '\n' ' ')"
for package in ccache clang-format clang-tidy git libbenchmark-dev libgtest-dev libglobalarrays-dev openmpi-bin; do
  [[ $smb != *" $package "* ]] || fail "smb installs $package"
  [[ $all == *" $package "* ]] || fail "no list has $package"
done

# Tests that run another's program leave themselves out where it is not; so it has to be.
for program in ip mpirun.openmpi gnuplot; do
  command -v "$program" >/dev/null || fail "no $program: ./castor.sh setup test"
done

# An installed tree runs with the packages of its list, and what every system with a C++ compiler has.
if command -v dpkg-query >/dev/null; then
  run=" $(./castor.sh packages run | tr '\n' ' ') libc6 libgcc-s1 libstdc++6 "
  linked=0
  while read -r library; do
    [ ! -e "$built/lib/$library" ] || continue
    package=$(dpkg-query -S "*/x86_64-linux-gnu/$library" | sed -n '1s/:.*//p')
    linked=$((linked + 1))
    [[ $run == *" $package "* ]] || fail "$library: $package is not in castor.sh's list for run"
  done < <(readelf -d "$built"/bin/aprun "$built"/bin/castor-live "$built"/lib/*.so |
    sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | sort -u)
  [ "$linked" -ge 8 ] || fail "only $linked libraries are linked"
  # And what is loaded when it is needed.
  loaded=$(sed -n 's/.*library_name = "\(lib.*\)";/\1/p' launch/symbols/debug_library.cc)
  package=$(dpkg-query -S "*/x86_64-linux-gnu/$loaded" | sed -n '1s/:.*//p')
  [[ $run == *" $package "* ]] || fail "$loaded: $package is not in castor.sh's list for run"
fi
