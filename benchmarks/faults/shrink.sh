# A job that fails, made small: fewer faults, ranks, rounds, settings and words, as long as it fails in the same
# way. Sourced by campaign.sh.
# shellcheck shell=bash disable=SC2034,SC2154

save() {
  kept_settings=("${settings[@]}") kept_statements=("${statements[@]}") kept_parts=("${parts[@]}")
  kept=("$only" "$ranks" "$per_node" "$service" "$reconnect" "$fidelity" "$rounds")
}
restore() {
  settings=("${kept_settings[@]}") statements=("${kept_statements[@]}") parts=("${kept_parts[@]}")
  only=${kept[0]} ranks=${kept[1]} per_node=${kept[2]} service=${kept[3]} reconnect=${kept[4]}
  fidelity=${kept[5]} rounds=${kept[6]}
}

# fails_again: in the way that is wanted. Live a run does not repeat: it has several chances.
fails_again() {
  local chances=1
  [ "$clock" = virtual ] || chances=4
  while [ "$chances" -gt 0 ]; do
    judge
    [ "$verdict" != "$wanted" ] || return 0
    chances=$((chances - 1))
  done
  return 1
}

# still: the job as it is now fails in the way that is wanted. If not, it is what it was at the last save.
still() {
  ! fails_again || return 0
  restore
  return 1
}
# Where a job has less to do, its faults have other names and numbers: then all of the plan's, and the fewest of
# them again, or the same statements sooner.
still_otherwise() {
  local at all=("${statements[@]}")
  ! fails_again || return 0
  if [ -n "$only" ]; then
    only=''
    judge
    if [ "$verdict" = "$wanted" ]; then
      fewest_faults
      return 0
    fi
  else
    for at in "${!all[@]}"; do
      ! still_sooner "$at" || return 0
      statements=("${all[@]}")
    done
  fi
  restore
  return 1
}
# still_sooner AT: with a statement that counts from 1, 2, 4, ... as far as it did.
still_sooner() {
  local line=${statements[$1]} nth try
  [[ $line =~ \ nth=([0-9]+) ]] || return 1
  nth=${BASH_REMATCH[1]}
  for ((try = 1; try < nth; try *= 2)); do
    statements[$1]=${line/ nth=$nth/ nth=$try}
    ! fails_again || return 0
  done
  statements[$1]=$line
  return 1
}

# listed COLUMN: of the faults of the job as it is.
listed() {
  judge
  [ ! -f "$work/first.csv" ] || tail -n +2 "$work/first.csv" | cut -d, -f"$1"
}

# Halves, quarters, ... are left out. What is left is named in `only`, if the job fails with these alone.
fewest_faults() {
  local names left size at found before=$only
  mapfile -t names < <(listed 1)
  [ ${#names[@]} -gt 0 ] || return 0
  only=$(IFS=,; echo "${names[*]}")
  judge
  [ "$verdict" = "$wanted" ] || { only=$before; return 0; }
  size=$(((${#names[@]} + 1) / 2))
  while [ "$size" -ge 1 ] && [ ${#names[@]} -gt 1 ]; do
    found=''
    for ((at = 0; at < ${#names[@]}; at += size)); do
      left=("${names[@]:0:at}" "${names[@]:at + size}")
      [ ${#left[@]} -gt 0 ] || continue
      only=$(IFS=,; echo "${left[*]}")
      judge
      if [ "$verdict" = "$wanted" ]; then
        names=("${left[@]}")
        found=yes
        break
      fi
    done
    [ -n "$found" ] || size=$((size / 2))
    [ "$size" -le ${#names[@]} ] || size=$(((${#names[@]} + 1) / 2))
  done
  only=$(IFS=,; echo "${names[*]}")
}

# Each statement of a list of faults with the fault's NIC and number: "2.5.57" is the statement that counts the
# 57th occasion at NIC 5. Those of the network have no names, and stay.
spell_faults() {
  local each rule node nth at number=0 word line made=() own=()
  for at in "${!statements[@]}"; do
    case ${statements[at]} in
      link*) made+=("${statements[at]}") ;;
      *) own[++number]=${statements[at]} ;;
    esac
  done
  for each in ${only//,/ }; do
    IFS=. read -r rule node nth <<<"$each"
    line=''
    for word in ${own[rule]}; do
      case $word in p=* | nth=* | times=* | node=*) ;; *) line+="${line:+ }$word" ;; esac
    done
    case $line in
      node-dead*) line=${own[rule]} ;;
      *) line+=" node=$node nth=$nth" ;;
    esac
    made+=("$line")
  done
  statements=("${made[@]}")
  only=''
}

# drop_one ARRAY: leaves out what is not needed, one at a time.
drop_one() {
  local -n array=$1
  local at=0
  while [ "$at" -lt ${#array[@]} ]; do
    save
    array=("${array[@]:0:at}" "${array[@]:at + 1}")
    still || at=$((at + 1))
  done
}
fewer_parts() {
  local at=0
  while [ "$at" -lt ${#parts[@]} ] && [ ${#parts[@]} -gt 1 ]; do
    save
    parts=("${parts[@]:0:at}" "${parts[@]:at + 1}")
    still_otherwise || at=$((at + 1))
  done
}

# Statements of which no fault is named. Names begin with the number of their statement.
unnamed_statements() {
  local at number=0 name rule rest names
  [ -n "$only" ] || { drop_one statements; return; }
  for ((at = 0; at < ${#statements[@]}; ++at)); do
    if [[ ${statements[at]} != link* ]]; then
      number=$((number + 1))
      [[ ,$only != *,$number.* ]] || continue
    fi
    save
    if [[ ${statements[at]} != link* ]]; then
      names=''
      for name in ${only//,/ }; do
        rule=${name%%.*} rest=${name#*.}
        names+=${names:+,}$((rule > number ? rule - 1 : rule)).$rest
      done
      only=$names
    fi
    statements=("${statements[@]:0:at}" "${statements[@]:at + 1}")
    still || continue
    unnamed_statements
    return
  done
}

fewer_ranks() {
  local each nodes
  for each in 1 2 3 4 6 8; do
    [ "$each" -lt "$ranks" ] || break
    save
    ranks=$each
    [ "$per_node" -le "$ranks" ] || per_node=$ranks
    still_otherwise && break
  done
  for each in "$ranks" 4 2; do
    if [ "$each" -le "$per_node" ] || [ "$each" -gt "$ranks" ]; then continue; fi
    save
    per_node=$each
    still_otherwise && break
  done
  return 0
}
fewer_rounds() {
  local each
  for ((each = 1; each < rounds; ++each)); do
    save
    rounds=$each
    still_otherwise && break
  done
  return 0
}
plainer_machine() {
  if [ -n "$service" ]; then save; service=''; still || true; fi
  if [ -n "$reconnect" ]; then save; reconnect=''; still || true; fi
  if [ "$fidelity" = packet ]; then save; fidelity=message; still || true; fi
}

fewer_links() {
  local at count each
  for at in "${!statements[@]}"; do
    [[ ${statements[at]} =~ ^links-down\ count=([0-9]+) ]] || continue
    count=${BASH_REMATCH[1]}
    for ((each = 1; each < count; each *= 2)); do
      save
      statements[at]=${statements[at]/count=$count/count=$each}
      still_otherwise && break
    done
  done
  return 0
}

# A thread for progress and the level of threads that it needs go together.
fewer_settings() {
  save
  local left=()
  for each in "${settings[@]}"; do
    case $each in MPICH_NEMESIS_ASYNC_PROGRESS=* | MPICH_MAX_THREAD_SAFETY=*) ;; *) left+=("$each") ;; esac
  done
  if [ ${#left[@]} -lt ${#settings[@]} ]; then settings=("${left[@]}") service=''; still || true; fi
  save
  [ ${#settings[@]} -lt 3 ] || { settings=(); still || true; }
  drop_one settings
}

# Words that a statement does not need, and what strikes sooner; then the time after which nothing has to strike.
fewer_words() {
  local at word words last
  for at in "${!statements[@]}"; do still_sooner "$at" || true; done
  for at in "${!statements[@]}"; do
    read -r -a words <<<"${statements[at]}"
    for word in "${words[@]:1}"; do
      case "${statements[at]%% *} $word" in *-late\ by=* | nic-stalls\ for=* | rank-killed\ [rp]* | node-dead* | link* | *' nth='* | *' p='* | *' times='*) continue ;; esac
      save
      statements[at]=${statements[at]/" $word"/}
      still || true
    done
  done
  [ -n "$only" ] || return 0
  last=$(listed 3 | sort -g | tail -n 1)
  if [ -n "$last" ]; then
    last=$(awk -v last="$last" 'BEGIN { printf "%d", last + 1 }')us
    save
    only=''
    for at in "${!statements[@]}"; do
      case ${statements[at]} in node-dead* | link* | *until=*) ;; *) statements[at]+=" until=$last" ;; esac
    done
    still || true
  fi
}

# size_of: what shrinks.
size_of() {
  local all
  all=$(plan)${settings[*]}$only
  echo "$((ranks + rounds)) ${#all} ${#parts[@]} $service$reconnect$fidelity"
}

# smaller: everything but the faults' names, until nothing more can go.
smaller() {
  local before=''
  while [ "$before" != "$(size_of)" ]; do
    before=$(size_of)
    unnamed_statements
    [ "$what" != workload ] || fewer_parts
    [ "$what" = program ] || fewer_rounds
    fewer_ranks
    fewer_links
    fewer_settings
    plainer_machine
  done
}

# Under the whole plan first: one fault is another one in a smaller job, or none.
shrink() {
  local wanted=$verdict before='' names
  closely=''
  case $wanted in "does not repeat" | "without a plan"* | "a plan without"* | late) closely=yes ;; esac
  smaller
  if [ "$clock" = live ]; then  # its faults have other names in each run
    patience=20
    fewer_words
    smaller
    verdict=$wanted
    return
  fi
  fewest_faults
  while [ "$before" != "$(size_of)" ]; do
    before=$(size_of)
    if [ -n "$only" ]; then
      names=${only//[!,]/}
      if [ ${#names} -lt 6 ]; then save; spell_faults; still || true; fi
    fi
    smaller
    fewer_words
  done
  verdict=$wanted
}
