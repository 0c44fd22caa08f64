# One line for each test of SUITE (-v suite=...) in what Criterion writes in the TAP format: TEST, tab, passed,
# skipped or failed, tab, a note. What its authors have disabled counts there as skipped, as does all that
# a filter leaves out; so the suite must be known.
function test_of(text) {
  sub(/^(not )?ok - /, "", text)
  sub(/ .*/, "", text)
  gsub(/::/, "/", text)
  return text
}
function row(verdict, note) { gsub(/\t/, " ", note); print test "\t" verdict "\t" note; test = "" }
function end_failed() { if (test != "") row("failed", complaint == "" ? "no complaint" : complaint) }
/^(not )?ok - / {
  end_failed()
  test = test_of($0)
  if (index(test, suite "/") != 1) { test = ""; next }
  complaint = ""
  if (/^not ok/) {
    if (/unexpected signal/) complaint = "crashes"
    if (/timed out/) complaint = "no end within the time allowed"
  } else if (/# *(SKIP|skip)/) row("skipped", "disabled by its authors")
  else row("passed", "")
  next
}
test != "" && (complaint == "" || complaint == "crashes") && /The expression|Assertion failed|assertion failed/ {
  complaint = $0
  sub(/^[ -]*/, "", complaint)
}
END { end_failed() }
