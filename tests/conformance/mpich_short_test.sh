#!/usr/bin/env bash
# mpich_short_test.sh BUILD_DIRECTORY: the tests of MPICH's suite that mpich.short names all pass.
# Functions that the suite's helpers name and the library does not have are replaced by stand-ins.
# Exit code 77 if Debian's source package cannot be had here.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
directory=$1/conformance/mpich
said=$(BINARY_PACKAGE=libmpich12 timeout 60 "$here/debian_source.sh" mpich "$directory/package" 2>&1) || {
  echo "skipped: ${said:-the source package was not fetched within a minute}"
  exit 77
}
"$here/mpich.sh" "$1" --source "$directory/package/source" --directory "$1/conformance/mpich_short" \
  --stand-ins --seconds 30 --list "$here/mpich.short"
