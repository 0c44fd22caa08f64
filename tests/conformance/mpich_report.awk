# Prints the rows of the MPICH suite's run, TEST|RANKS|ARGUMENTS|VERDICT|SECONDS|NOTE, as -v format=
# csv, json or table says: every row, or a line per directory, the failed tests and the reasons for
# skips. Ends with 1 if a test failed or was not built.
function quoted(text) { gsub(/[\\"]/, "", text); return "\"" text "\"" }
function count(where, verdict) { return number[where, verdict] + 0 }
function line(where) {
  printf "%-10s %6d %7d %7d %10d %8d\n", where, count(where, "all"), count(where, "passed"), \
    count(where, "failed"), count(where, "not built"), count(where, "skipped")
}
{
  where = $1
  sub(/\/.*/, "", where)
  if (!(where in seen)) { seen[where]; order[++directories] = where }
  ++number[where, "all"]; ++number[where, $4]
  ++number["all", "all"]; ++number["all", $4]
  if (format == "csv") printf "%s,%s,%s,%s,%s,%s\n", $1, $2, quoted($3), $4, $5, quoted($6)
  if (format == "json") {
    printf "%s {\"test\": %s, \"ranks\": %d, \"arguments\": %s, \"verdict\": %s, \"seconds\": %s, \"note\": %s}", \
      (NR == 1 ? "[\n" : ",\n"), quoted($1), $2, quoted($3), quoted($4), $5, quoted($6)
  }
  if ($4 == "skipped") { if (!($6 in skips)) reasons[++reason_count] = $6; ++skips[$6] }
  else if ($4 != "passed") {
    arguments = $3
    if (length(arguments) > 40) arguments = substr(arguments, 1, 37) "..."
    bad[++bad_count] = sprintf("%-9s  %s %s%s: %s", $4, $1, $2, (arguments == "" ? "" : " " arguments), $6)
  }
}
END {
  if (format == "json") print "\n]"
  if (format == "table") {
    printf "%-10s %6s %7s %7s %10s %8s\n", "directory", "lines", "passed", "failed", "not built", "skipped"
    for (i = 1; i <= directories; ++i) line(order[i])
    line("all")
    if (bad_count > 0) print ""
    for (i = 1; i <= bad_count; ++i) print bad[i]
    if (reason_count > 0) print ""
    for (i = 1; i <= reason_count; ++i) printf "skipped %4d: %s\n", skips[reasons[i]], reasons[i]
  }
  exit bad_count > 0
}
