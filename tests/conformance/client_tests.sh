# How the runs of uGNI clients' own tests judge and print: rows of TEST, tab, verdict, tab, note, with the
# verdicts passed, skipped, explained (it fails, and a rule says why that is none of ours) and failed. A test
# is named SUITE, . or /, and its own name. A script that sources it has sourced common.sh and set here and rules.
# shellcheck shell=bash disable=SC2034,SC2154

# prepare_client PACKAGE BINARY_PACKAGE PART WHAT: the folder in which Debian's source PACKAGE is built, and its
# source: that of the option --source, if PART (WHAT) is in it, or else the package's, which has to go with
# BINARY_PACKAGE. Sets directory, source and installed; package_title is the client's name.
prepare_client() {
  use_directory "${directory:-$build/conformance/$1}"
  mkdir -p "$directory"/{logs,output}
  if [ -n "$source" ]; then
    [ -e "$source/$3" ] || refuse "--source $source: no $4 of $package_title there"
    [ ! -f "$source/config.status" ] || refuse "--source $source: it has been built in; make distclean there first"
  else
    progress "fetching the source package of $package_title"
    BINARY_PACKAGE=$2 "$here/debian_source.sh" "$1" "$directory/fetched"
    source=$directory/fetched/source
  fi
  source=$(cd "$source" && pwd -P)
  installed=$directory/castor
}

# explanation TEST NOTE: the first explained rule of the test, or nothing. A rule that begins with /REGULAR
# EXPRESSION/ fits only failures whose note matches it.
explanation() {
  local pattern key value
  while read -r pattern key value; do
    # shellcheck disable=SC2053 # the rule's name is a pattern
    [[ $key == explained && $1 == $pattern ]] || continue
    if [[ $value =~ ^/([^/]+)/\ +(.*)$ ]]; then
      value=${BASH_REMATCH[2]}
      [[ $2 =~ ${BASH_REMATCH[1]} ]] || continue
    fi
    printf '%s\n' "$value"
    return
  done < <(grep -v '^#' "$rules")
}

# explain: the same rows; a failed test that has a rule becomes an explained one.
explain() {
  local test verdict note reason
  while IFS=$'\t' read -r test verdict note; do
    if [ "$verdict" = failed ]; then
      reason=$(explanation "$test" "$note")
      [ -z "$reason" ] || verdict=explained note="$reason ($note)"
    fi
    printf '%s\t%s\t%s\n' "$test" "$verdict" "$note"
  done
}

# print_report ROWS: in the format of the options; the table has a line for each suite, and behind it
# why tests are skipped or explained. Its status is 1 if a test failed, or if there is none.
print_report() {
  case $format in
    csv)
      echo test,verdict,note
      awk -F'\t' '{ gsub(/"/, "\"\"", $3); printf "%s,%s,\"%s\"\n", $1, $2, $3 }' "$1"
      ;;
    json)
      awk -F'\t' 'BEGIN { print "[" }
        { gsub(/[\\"]/, "\\\\&", $3); gsub(/[[:cntrl:]]/, "", $3)
          printf "%s {\"test\": \"%s\", \"verdict\": \"%s\", \"note\": \"%s\"}", (NR > 1 ? ",\n" : ""), $1, $2, $3 }
        END { print "\n]" }' "$1"
      ;;
    *) progress; print_table "$1" ;;
  esac
  awk -F'\t' '$2 == "failed" { failed = 1 } END { exit NR == 0 || failed }' "$1"
}

print_table() {
  awk -F'\t' '
    function suite(test) {
      if (!sub(/\.[^.]*$/, "", test)) sub(/\/[^\/]*$/, "", test)
      return test
    }
    BEGIN { heading = sprintf("%-42s %7s %7s %9s %7s  %s", "suite", "passed", "skipped", "explained", "failed", "note") }
    NR == 1 { print heading }
    {
      name = suite($1)
      if (!(name in known)) { known[name] = 1; order[++suites] = name }
      ++count[name, $2]; ++total[$2]
      if ($2 == "skipped") ++reasons[$3]
      if ($2 == "explained") { sub(/ \([^(]*\)$/, "", $3); ++explanations[$3] }
      if ($2 == "failed" && !(name in note)) note[name] = substr($1, length(name) + 2) ": " substr($3, 1, 80)
    }
    function line(name) {
      printf "%-42s %7d %7d %9d %7d  %s\n", name, count[name, "passed"], count[name, "skipped"],
        count[name, "explained"], count[name, "failed"], note[name]
    }
    END {
      for (each = 1; each <= suites; ++each) line(order[each])
      printf "\n%d passed, %d failed, %d skipped, %d explained\n", total["passed"], total["failed"],
        total["skipped"], total["explained"]
      for (reason in reasons) printf "%6d skipped: %s\n", reasons[reason], reason == "" ? "no reason given" : reason | "sort -k1,1nr"
      close("sort -k1,1nr")
      for (reason in explanations) printf "%6d explained: %s\n", explanations[reason], reason | "sort -k1,1nr"
      close("sort -k1,1nr")
    }' "$1"
}

# chosen NAME: whether the words after the options choose a suite, by its name or as a pattern (all if there are none).
chosen() {
  local one
  [ ${#wanted[@]} -gt 0 ] || return 0
  # shellcheck disable=SC2053 # a pattern
  for one in "${wanted[@]}"; do [[ $1 == $one || $1 == */$one ]] && return 0; done
  return 1
}

# on_node COMMAND ...: COMMAND, on the host that the client expects; scripts that expect another redefine it.
on_node() { "$@"; }

# run_job CLOCK RANKS PER_NODE SECONDS OUTPUT PROGRAM ARGUMENT ...: a job of PROGRAM, in a folder of its own that
# is removed. It may write files of 100 MB and print 8 MB. Its status is the job's.
run_job() {
  local clock=$1 ranks=$2 per_node=$3 seconds=$4 output=$5 place code=0
  shift 5
  place=$(mktemp -d "$directory/run.XXXXXX")
  (
    cd "$place"
    ulimit -f 102400 -c 0
    set +e
    TMPDIR=$place on_node timeout -s KILL "$seconds" "$installed/bin/aprun" --clock "$clock" -q -n "$ranks" \
      -N "$per_node" "$@" 2>&1 </dev/null | head -c 8000000 >"$output"
    exit "${PIPESTATUS[0]}"
  ) 2>/dev/null || code=$?
  rm -rf "$place"
  return "$code"
}

# run_live SECONDS OUTPUT PROGRAM ARGUMENT ...: the same as the only rank of a live job.
run_live() { run_job live 1 1 "$@"; }
