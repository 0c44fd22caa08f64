#!/usr/bin/env bash
# The main job: SMB overhead without progression, with phase one and with phase two, both sides;
# one table of availabilities on the terminal, and the curves of availability and overhead in
# one SVG file and in one page of HTML, whose curves answer to the mouse.
set -euo pipefail
export LC_ALL=C
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
usage() {
  cat <<'TEXT'
usage: main_job.sh [BUILD_DIRECTORY] [options]
SMB overhead without progression, with phase one and with phase two: a table, and the curves in
BUILD_DIRECTORY/smb_availability.svg and, to be zoomed and read with the mouse, smb_availability.html.
BUILD_DIRECTORY: default build/release.
  --csv, --json  the format; else a table
TEXT
}
default_build=$here/../../build/release
# shellcheck source=scripts/rows.sh
. "$here/../../scripts/rows.sh"
read_options '' '' "$@"
no_names
need_programs smb_overhead make_page
results=$build/smb
picture=$build/smb_availability.svg
page=$build/smb_availability.html
mkdir -p "$results"

# sweep NAME [VARIABLE=VALUE ...] -- APRUN_OPTIONS: one sweep into NAME.csv.
sweep() {
  local name=$1 variables=()
  shift
  while [ "$1" != -- ]; do variables+=("$1"); shift; done
  shift
  echo "== SMB overhead, $name: ${variables[*]} aprun $*" >&2
  local job=(env "${variables[@]}" "$build/bin/aprun" "$@" "$build/bin/smb_overhead" --csv)
  if [ -t 2 ]; then  # the terminal sees the sweep's progress
    "${job[@]}" >"$results/$name.csv" || exit 1
  elif ! "${job[@]}" >"$results/$name.csv" 2>"$results/$name.log"; then
    cat "$results/$name.log" >&2
    exit 1
  fi
}

sweep none -- -n 2 -N 1
sweep phase_one MPICH_NEMESIS_ASYNC_PROGRESS=SC MPICH_MAX_THREAD_SAFETY=multiple -- -n 2 -N 1 -r 1
sweep phase_two MPICH_NEMESIS_ASYNC_PROGRESS=MC MPICH_MAX_THREAD_SAFETY=multiple -- -n 2 -N 1 -r 1

# For people, a row per size: availability of each design and side.
print_text() {
  awk -F, '
    FNR == 1 { ++file; next }
    {
      if (!($2 in seen)) { seen[$2] = 1; order[++rows] = $2 }
      avail[file, $1, $2] = $8
      overhead[file, $1, $2] = $6
    }
    END {
      print "SMB overhead: availability in percent (overhead in us)"
      printf "%9s %47s %47s\n", "", "sender", "receiver"
      printf "%9s", "bytes"
      for (s = 0; s < 2; ++s) printf " %15s %15s %15s", "none", "phase one", "phase two"
      print ""
      for (r = 1; r <= rows; ++r) {
        size = order[r]
        printf "%9d", size
        for (s = 0; s < 2; ++s)
          for (f = 1; f <= 3; ++f) {
            side = s == 0 ? "send" : "recv"
            printf " %5.1f %9s", avail[f, side, size], sprintf("(%.2f)", overhead[f, side, size])
          }
        print ""
      }
    }' "$results/none.csv" "$results/phase_one.csv" "$results/phase_two.csv"
}

# Where the protocol changes, by the parameters of this run: MAILBOX,EAGER,CHUNK.
protocols() {
  MPICH_ENV_DISPLAY=1 "$build/bin/aprun" -q -n 2 -N 1 "$build/bin/smb_overhead" --sizes 8 -i 1 2>&1 |
    awk '
      $(NF - 1) == "=" { value[$(NF - 2)] = $NF }
      END {
        mailbox = value["MPICH_GNI_MAX_VSHORT_MSG_SIZE"]
        print mailbox == 0 ? 1024 : mailbox  # by job size; this is one of two ranks
        print value["MPICH_GNI_MAX_EAGER_MSG_SIZE"]
        print value["MPICH_GNI_NDREG_MAXSIZE"]
      }' | numfmt --from=iec | paste -s -d ,
}

print_rows() {
  local design side size overhead available
  begin_table availability '' 'design|-' 'side|-' 'msgsize|+' 'avail|+' 'overhead|+'
  for design in none phase_one phase_two; do
    while IFS=, read -r side size _ _ _ overhead _ available _; do
      table_row "$design" "$side" "$size" "$available" "$overhead"
    done < <(tail -n +2 "$results/$design.csv")
  done
  end_table
}

# make_page_data MAILBOX,EAGER,CHUNK: what the page's script reads: the rows, and where the protocol changes.
make_page_data() {
  local mailbox eager chunk
  IFS=, read -r mailbox eager chunk <<<"$1"
  printf '{"protocols": ['
  [ "$mailbox" -ge "$eager" ] || printf '{"name": "DMA", "from": %d}, ' "$mailbox"
  [ "$eager" -ge "$chunk" ] || printf '{"name": "rendezvous", "from": %d}, ' "$eager"
  printf '{"name": "coop. write", "from": %d}],\n"rows": ' $((chunk > eager ? chunk : eager))
  (format=json; print_rows)
  printf '}\n'
}

if [ "$format" = table ]; then print_text; else print_rows; fi
changes=$(protocols)
"$here/availability.sh" --protocols "$changes" "$picture" "$results/none.csv" "$results/phase_one.csv" \
  "$results/phase_two.csv"
make_page_data "$changes" >"$results/page.json"
"$build/bin/make_page" --title "SMB overhead: two nodes of one Gemini, one rank each" --script "$here/main_job.js" \
  --style "$here/main_job.css" --body "$here/main_job.html" --data "$results/page.json" -o "$page"
remark "curves: $picture"
remark "to be read with the mouse: $page"
