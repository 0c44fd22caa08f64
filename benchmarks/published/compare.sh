#!/usr/bin/env bash
# Published results beside Castor's: runs every comparison of docs/results.md, and judges each. The
# program bin/published does it, by the data files here.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
usage() { cat "$here/usage.txt"; }
default_build=$here/../../build/release
# shellcheck source=scripts/options.sh
. "$here/../../scripts/options.sh"

row=()
read_options row+ '' "$@"
no_names
need_programs published
options=(--data "$here")
for each in "${row[@]}"; do options+=(--row "$each"); done
[ "$format" = table ] || options+=("--$format")
exec "$build/bin/published" "${options[@]}"
