# A seed's job, drawn. Numbers come from a generator of its own, so that a seed means the same everywhere.
# Sourced by campaign.sh. A job is:
#
#   clock fidelity ranks per_node service reconnect   aprun's options (empty: the option is not there)
#   settings   NAME=VALUE ...
#   statements of its plan; `only`: the names of the faults that happen alone (empty: all)
#   what       workload (rounds, parts), survivors (rounds) or program (the user's)
# shellcheck shell=bash disable=SC2034,SC2154

draw() { # below $1, into drawn
  state=$((state * 6364136223846793005 + 1442695040888963407))
  drawn=$((((state >> 33) & 0x7fffffff) % $1))
}
choose() { draw $#; shift "$drawn"; chosen=$1; }
chance() { draw 100; [ "$drawn" -lt "$1" ]; }

all_kinds=(post-fails post-fails-done post-refused message-lost completion-late datagram-late credits-late
  cq-overrun register-fails nic-stalls links-down node-dead)
# Of live jobs: those of a process and its end of the wire; what links do, these jobs do not have.
live_kinds=(transport-again transport-late doorbell-lost copy-refused transport-fails rank-killed)
kill_points=(after-start in-barrier after-register before-send after-send before-copy in-copy after-copy at-end)
all_transactions=(put get message amo cq-write)
all_parts=(mpi windows armci dmapp ugni)

# when: a statement's words about when it strikes.
when() {
  choose .002 .01 .05 .2
  words=" p=$chosen"
  if chance 30; then
    choose 1 2 5 20 60
    words=" nth=$chosen"
    chance 50 && { choose 1 2 4; words+=" times=$chosen"; }
  fi
  chance 20 && { choose 100us 1ms 3ms; words+=" at=$chosen"; }
  chance 15 && { draw 8; words+=" node=$drawn"; }
  return 0
}
kinds_of_posts() {
  posts=''
  chance 50 && { choose put get message amo cq-write put,get; posts=" kind=$chosen"; }
  return 0
}

draw_statement() { # of the kind $1
  local made=$1
  when
  kinds_of_posts
  case $1 in
    post-fails) choose recoverable recoverable recoverable recoverable recoverable fatal; made="post-fails$posts error=$chosen$words" ;;
    post-fails-done) made="post-fails$posts done=yes$words" ;;
    post-refused) choose 200ns 1us 20us; made+=" for=$chosen$posts$words" ;;
    completion-late) choose 500ns 5us 100us; made+=" by=$chosen$posts$words" ;;
    datagram-late | credits-late) choose 1us 20us 500us; made+=" by=$chosen$words" ;;
    nic-stalls) choose 1us 30us 400us; made+=" for=$chosen$words" ;;
    transport-* | doorbell-lost | copy-refused | rank-killed) live_statement "$1"; return ;;
    links-down) draw 30; made+=" count=$((drawn + 1)) seed=$seed until=5ms"; choose 50us 300us 2ms; made+=" for=$chosen" ;;
    *) made+=$words ;;
  esac
  statements+=("$made")
}

# live_statement KIND: what ends a job, and what costs up to a second each time, strikes seldom.
live_statement() {
  local made=$1
  case $1 in
    transport-late) choose 20us 300us 3ms; made+=" by=$chosen"; choose .01 .05 .2; made+=" p=$chosen" ;;
    rank-killed) choose "${kill_points[@]}"; made+=" point=$chosen"; choose 1 1 2 5 20; made+=" nth=$chosen" ;;
    doorbell-lost | transport-fails) choose 1 3 10 40 200; made+=" nth=$chosen" ;;
    *) made+=$words ;;
  esac
  if [ "$1" = rank-killed ] || { [[ $made != *node=* ]] && chance 30; }; then
    draw "$ranks"
    made+=" rank=$drawn"
  fi
  statements+=("$made")
}

# kinds_of_clock: into kinds. Live jobs have links of the host's alone.
kinds_of_clock() {
  kinds=()
  local each
  for each in "${all_kinds[@]}"; do
    case "$clock $each" in 'live links-down') ;; *) kinds+=("$each") ;; esac
  done
  [ "$clock" = virtual ] || kinds+=("${live_kinds[@]}")
}

maybe() { # PERCENT NAME VALUE ...: a setting
  chance "$1" || return 0
  local name=$2
  choose "${@:3}"
  settings+=("$name=$chosen")
}

# Sizes at which libraries have no room left, and the other ways that they have.
draw_settings() {
  maybe 30 CASTOR_SMSG_CREDITS 1 2 4 64
  maybe 30 MPICH_GNI_RECV_CQ_SIZE 16 64 1024
  maybe 20 MPICH_GNI_LOCAL_CQ_SIZE 16 64 256
  maybe 30 MPICH_GNI_MAX_EAGER_MSG_SIZE 0 1024 4096 65536
  maybe 10 MPICH_GNI_MAX_VSHORT_MSG_SIZE 64 256 8192
  maybe 30 MPICH_GNI_NUM_BUFS 1 4 256
  maybe 30 MPICH_GNI_RDMA_THRESHOLD 0 4096 65536
  maybe 30 MPICH_GNI_NDREG_ENTRIES 0 1 8
  maybe 15 MPICH_GNI_NDREG_MAXSIZE 4096 16384 65536
  maybe 10 MPICH_GNI_NDREG_LAZYMEM 0
  maybe 10 CASTOR_LMT_CHUNKS 1 8
  maybe 10 MPICH_SMP_SINGLE_COPY_SIZE 0 256 1M
  maybe 10 MPICH_ENABLE_SMP_COLLECTIVES 0
  maybe 30 CASTOR_ARMCI_CHT_BUFFERS 1 8
  chosen=''
  maybe 15 CASTOR_ARMCI_EAGER_LIMIT 0 256 65536
  case $chosen in  # what is eager has to fit into a buffer
    0 | 256) maybe 50 CASTOR_ARMCI_CHT_BUFFER_SIZE 1024 4096 ;;
    65536) ;;
    *) maybe 30 CASTOR_ARMCI_CHT_BUFFER_SIZE 4096 16384 ;;
  esac
  maybe 20 CASTOR_ARMCI_CHT_WAIT polling blocked
  maybe 10 CASTOR_ARMCI_EAGER_GET 1
  maybe 10 CASTOR_ARMCI_DIRECT 1
  maybe 10 CASTOR_ARMCI_CLIENT_WAIT yielding
  maybe 10 CASTOR_ARMCI_CLIENT_BUFFER 4096 16384
  [ "$clock" = live ] || maybe 10 CASTOR_NIC_WINDOW 1 16
}

draw_plan() {
  local known=() each count
  [ -z "$sizes_only" ] || return 0
  [ "$clock" = live ] || {
    maybe 20 CASTOR_LOST_PACKETS 500 5000
    maybe 10 CASTOR_RETRANSMIT_TRIES 0 1 3
    maybe 10 CASTOR_LOST_TRANSACTIONS 100 1000
  }
  maybe 10 CASTOR_POST_TRIES 1 3
  kinds_of_clock
  for each in "${kinds[@]}"; do
    [ "$each" != node-dead ] || continue
    [[ ",$without," == *",$each,"* ]] || known+=("$each")
  done
  draw 4
  count=$((drawn + 1))
  while [ "$count" -gt 0 ] && [ ${#known[@]} -gt 0 ]; do
    choose "${known[@]}"
    draw_statement "$chosen"
    count=$((count - 1))
  done
}

# Some jobs lose a node; with -C the others go on.
draw_death() {
  local at
  if [ -n "$sizes_only" ] || [[ ",$without," == *",node-dead,"* ]] || ! chance 12; then return 0; fi
  choose 100us 300us 600us 2ms
  at=$chosen
  draw $(((ranks + per_node - 1) / per_node))
  at="node=$drawn at=$at"
  chance 30 && { choose 20us 3ms; at+=" noticed-after=$chosen"; }
  statements+=("node-dead $at")
  [ "$clock" = virtual ] || return 0
  chance 70 && reconnect=yes
  if [ -n "$reconnect" ] && [ "$what" = workload ]; then
    chance 75 && what=survivors
    # It polls memory for what the node's ranks were to write, and never ends.
    [ "${parts[*]: -1}" != ugni ] || unset 'parts[-1]'
    [ ${#parts[@]} -gt 0 ] || parts=(mpi)
  fi
  return 0
}

describe() { # of $seed
  local each
  state=$((seed * 2654435761 + 12345))
  draw 2; draw 2
  settings=() statements=() parts=() only='' reconnect='' service='' fidelity='' per_node=''
  what=${program:+program}
  what=${what:-workload}
  if [ "$clock" = virtual ]; then
    choose message message packet
    fidelity=$chosen
  fi
  read -r -a known_ranks <<<"${ranks_from//,/ }"
  choose "${known_ranks[@]}"
  ranks=$chosen
  choose 1 2 4
  per_node=$((chosen < ranks ? chosen : ranks))
  choose none none SC MC
  if [ "$chosen" != none ]; then
    settings+=(MPICH_NEMESIS_ASYNC_PROGRESS="$chosen" MPICH_MAX_THREAD_SAFETY=multiple)
    service=1
  fi
  draw_settings
  for each in "${all_parts[@]}"; do chance 55 && parts+=("$each"); done
  [ ${#parts[@]} -gt 0 ] || parts=(mpi)
  draw 4
  rounds=$((drawn + 1))
  draw_plan
  draw_death
}
