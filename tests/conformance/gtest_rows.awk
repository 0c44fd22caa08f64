# One line for each test of what GoogleTest prints: TEST, tab, passed, skipped or failed, tab, a note. A
# test that begins and does not end has failed; what is known of it stands in the lines behind its
# beginning. A skipped test's note is its reason, as the test bed of UCX prints it.
function bare(name) { sub(/[ ,<].*/, "", name); return name }
function row(verdict, note) {
  gsub(/\t/, " ", note)
  print test "\t" verdict "\t" note
  test = ""
}
/^\[ RUN      \] / {
  if (test != "") row("failed", complaint == "" ? "no end" : complaint)
  test = bare(substr($0, 14)); reason = complaint = ""; skipped = wanted = 0
  next
}
test == "" { next }
/^\[     SKIP \]|^\[  SKIPPED \]/ {
  skipped = 1
  reason = substr($0, 14)
  gsub(/^\(|\)$/, "", reason)
  if (/SKIPPED/) reason = ""
  if (/SKIPPED/) row("skipped", reason)
  next
}
/^\[       OK \] / { row(skipped ? "skipped" : "passed", reason); next }
/^\[  FAILED  \] / { row("failed", complaint == "" ? "no complaint" : complaint); next }
/^\[     INFO \] < / && complaint ~ /^Got [0-9]+ errors/ {
  sub(/^\[     INFO \] < /, "")
  sub(/ >$/, "")
  sub(/^.*\//, "")
  if (complaint !~ /: /) complaint = complaint ": " $0
  next
}
wanted && complaint == "" && !/^Failed$/ { complaint = $0; wanted = 0 }
/: Failure$/ && complaint == "" { wanted = 1 }
/Caught signal/ && complaint == "" {
  complaint = $0
  sub(/^.*Caught signal [0-9]+ \(/, "", complaint)
  sub(/[:)].*/, "", complaint)
}
/[Tt]imed out|Connection timed out - abort/ && complaint == "" { complaint = $0 }
END { if (test != "") row("failed", complaint == "" ? "no end" : complaint) }
