# The rows of the counters (S0): what a ping is on the wire. Sourced by compare.sh.
# shellcheck shell=bash disable=SC2034,SC2154

# ping "APRUN OPTIONS" "ARGUMENTS": sonar on a torus of 4x4x4 Geminis, whose interconnect.txt it makes.
ping() {
  local map=$scratch/interconnect.txt
  [ -s "$map" ] || "$bin/rtr" --system 4x4x4 --interconnect >"$map"
  pushd "$scratch" >/dev/null || return
  run "--system 4x4x4 $1" sonar "$2"
  popd >/dev/null || return
}

# counts WORDS "FILTERS" COLUMN PUBLISHED: a number of the last ping, exactly.
counts() {
  # shellcheck disable=SC2086  # filters are words
  within_percent "$1" "$4" "$(figure "$3" $2)" 0
}

# links_with COLUMN: the links of the last ping where it is not 0, but for host tiles, as words.
links_with() {
  awk -F, -v wanted="$1" '
    NR == 1 { for (i = 1; i <= NF; ++i) column[$i] = i; next }
    $(column["link"]) != "HH" && $(column[wanted]) > 0 {
      printf "%s(%s,%s,%s)%s", between, $(column["x"]), $(column["y"]), $(column["z"]), $(column["link"])
      between = " "
    }' "$out"
}

# bytes_of SIZE hosts|links MESSAGES: bytes per message that the Gemini of the last ping's source has
# injected (hosts) or received (links).
bytes_of() {
  awk -F, -v size="$1" -v what="$2" -v messages="$3" '
    NR == 1 { for (i = 1; i <= NF; ++i) column[$i] = i; next }
    $(column["msgsize"]) == size && $(column["x"]) + $(column["y"]) + $(column["z"]) == 0 {
      if (($(column["link"]) == "HH") != (what == "hosts")) next
      bytes += 3 * ($(column["vc0_phits"]) + $(column["vc1_phits"]))
    }
    END { printf "%.1f", bytes / messages }' "$out"
}

# protocol_of SIZE MESSAGES: how the last ping's messages of SIZE bytes have travelled.
protocol_of() {
  local put get
  put=$(figure vc0_packets "msgsize=$1" link=HH x=0 y=0 z=0)
  get=$(figure vc1_packets "msgsize=$1" link=HH x=0 y=0 z=0)
  if [ "$get" -gt "$put" ]; then
    echo "GET"
  elif [ "$put" -le "$2" ]; then
    echo "one PUT"
  else
    echo "PUTs"
  fi
}

row_sonar() {
  # One rank to each Gemini; ranks 0 and 23 are at (0,0,0) and (1,1,3).
  local all source="x=0 y=0 z=0" target="x=1 y=1 z=3" neighbours="-n 2 -N 1 -L 0,2"
  local lines requests responses
  all="-n 64 -N 1 -L $(seq -s, 0 2 126)"
  ping "$all" "--to 23"
  lines=$("$bin/rtr" --system cielo --interconnect | wc -l)
  within_percent "C1 lines of interconnect.txt, Cielo (4,608 Geminis x 40 tiles)" 184320 "$lines" 0
  counts "C2 1 MB PUT: VC0 packets from the host" "link=HH $source" vc0_packets 16384
  counts "C2 VC0 phits (32 a packet)" "link=HH $source" vc0_phits 524288
  counts "C2 VC1 packets from the other host" "link=HH $target" vc1_packets 16384
  counts "C2 VC1 phits (3 a packet)" "link=HH $target" vc1_phits 49152
  requests=$(links_with vc0_phits) responses=$(links_with vc1_phits)
  shape "C6 requests go by X, Y, Z" "X first, then Y, then Z" "arrive at $requests" \
    "$([ "$requests" = "(1,0,0)X- (1,1,0)Y- (1,1,3)Z+" ]; echo $?)"
  shape "C6 responses by another way" "the static route of the target" "arrive at $responses" \
    "$([ "$responses" = "(0,0,0)Z- (0,0,3)Y+ (0,1,3)X+" ]; echo $?)"

  ping "$all" "--to 23 --operation get"
  counts "C3 1 MB GET: VC0 phits (8 a packet)" "link=HH $source" vc0_phits 131072
  counts "C3 VC1 phits (27 a packet)" "link=HH $target" vc1_phits 442368

  ping "$all -e CASTOR_COMPRESSION=runs" "--to 23 --content zero"
  counts "C4 1 MB of zeros, compressed: VC0 packets" "link=HH $source" vc0_packets 16384
  # shellcheck disable=SC2086  # filters are words
  within_percent "C4 VC0 phits of random over zero bytes" 3 \
    "$(calculate "524288 / $(figure vc0_phits link=HH $source)" 2)" 10

  ping "$neighbours" ""
  requests=$(links_with vc0_phits)
  shape "C5 links count what arrives" "at the destination's end" "requests at $requests" \
    "$([ "$requests" = "(0,0,1)Z-" ]; echo $?)"

  local messages=10 size injected received before="" kind steps=""
  ping "$neighbours" "-o message -i $messages -s 1,2,4,8,16,32,64,128,256,512,1K,2K,4K,8K,16K,32K,64K,128K,256K,512K,1M,2M,4M"
  injected=$(bytes_of 4194304 hosts $messages)
  received=$(bytes_of 4194304 links $messages)
  within_percent "C7 efficiency of large MPI messages" 61 \
    "$(calculate "100 * 4194304 / ($injected + $received)" 1)" 2 %
  # A protocol by what it injects: a PUT of one packet, PUTs of several, GET responses, and PUTs again.
  for ((size = 1; size <= 4194304; size *= 2)); do
    kind=$(protocol_of $size $messages)
    if [ -n "$before" ] && [ "$kind" != "$before" ]; then steps+="${steps:+ }$((size / 2))/$size"; fi
    before=$kind
  done
  shape "C8 steps of the four protocols, bytes" "16/32 4096/8192 262144/524288" "$steps" \
    "$([ "$steps" = "16/32 4096/8192 262144/524288" ]; echo $?)"
}

# figure6 ARGUMENTS ...: benchmarks/minighost/figure6.sh; sets out and command.
figure6() {
  command="benchmarks/minighost/figure6.sh $* --csv"
  out=$scratch/figure6.csv
  "$here/../minighost/figure6.sh" "$build" "$@" --csv >"$out" 2>"$scratch/figure6.err" || {
    cat "$scratch/figure6.err" >&2
    die "this run failed: $command"
  }
}

# The paper's runs have up to 131,072 ranks; without Random, which is no part of C10, those take six minutes.
row_minighost() {
  local ranks ratio random noremap remap good
  setup="16 ranks to a node, cielo"
  figure6 --ranks 1024,16384
  for ranks in 1024 16384; do
    ratio=$(figure ratio "ranks=$ranks" mapping=Remap)
    shape "C11 bytes injected, No-Remap over Remap, $ranks ranks" "more than a factor of two" "$ratio" \
      "$(holds "$ratio > 2"; echo $?)"
    random=$(figure injected_mean "ranks=$ranks" mapping=Random)
    noremap=$(figure injected_mean "ranks=$ranks" mapping=No-Remap)
    shape "C12 Random injects most, $ranks ranks (MB a Gemini, Random and No-Remap)" "by far the most" \
      "$random $noremap" "$(holds "$random > $noremap"; echo $?)"
  done
  good=$(figure efficiency ranks=16384 mapping=No-Remap)
  shape "C10 No-Remap from 1,024 to 16,384 ranks: efficiency (ours: 90 %)" "scaled well" "$good %" \
    "$(holds "$good >= 90"; echo $?)"
  figure6 --ranks 1024,131072 --mappings noremap,remap
  ratio=$(figure ratio ranks=131072 mapping=Remap)
  shape "C11 bytes injected, No-Remap over Remap, 131072 ranks" "more than a factor of two" "$ratio" \
    "$(holds "$ratio > 2"; echo $?)"
  noremap=$(figure efficiency ranks=131072 mapping=No-Remap)
  shape "C10 No-Remap at 131,072 ranks: efficiency (ours: 90 % of that at 16,384)" "poorly" "$noremap %" \
    "$(holds "$noremap < 0.9 * $good"; echo $?)"
  remap=$(figure efficiency ranks=131072 mapping=Remap)
  shape "C10 Remap at 131,072 ranks: efficiency" "much better scaling" "$remap %" \
    "$(holds "$remap > $noremap"; echo $?)"
}
