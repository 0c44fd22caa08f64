#!/usr/bin/env bash
# progress_words.sh PAGE BUILD_DIRECTORY: PAGE explains each word of MPICH_GNI_ASYNC_PROGRESS_STATS.
set -euo pipefail
page=$1 build=$2
line=$(MPICH_GNI_ASYNC_PROGRESS_STATS=1 "$build/bin/aprun" -q -n 2 -N 1 "$build/bin/mpi_latency" \
  --sizes 8 -i 1 2>&1 >/dev/null | grep 'MPICH progress stats' | tail -n 1)
status=0 words=0
for word in ${line#*:}; do
  [[ $word =~ ^[0-9.]+$ ]] && continue
  words=$((words + 1))
  grep -q "^| .*\`$word\`.* | " "$page" || { echo "progress_words: $page does not explain '$word'" >&2; status=1; }
done
[ "$words" -ge 10 ] || { echo "progress_words: only $words words in '$line'" >&2; status=1; }
exit "$status"
