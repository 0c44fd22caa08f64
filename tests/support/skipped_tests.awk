# Of ctest's results (--output-junit): a line for each reason for which tests were skipped, "NUMBER REASON".
# A test says its reason as "... skipped: REASON" (scripts), or in the line behind "Skipped" (GoogleTest).
function plain(text) {
  gsub(/&lt;/, "<", text); gsub(/&gt;/, ">", text); gsub(/&quot;/, "\"", text); gsub(/&apos;/, "'", text)
  gsub(/&amp;/, "\\&", text)
  gsub(/<\/?system-out>/, "", text)
  return text
}
/<testcase / { skipped = 0; reason = ""; next_line = 0 }
/<skipped / { skipped = 1; next }
skipped && next_line { reason = plain($0); next_line = 0 }
skipped && /: Skipped/ { next_line = 1 }
skipped && /skipped: / { text = plain($0); sub(/^.*skipped: /, "", text); reason = text }
/<\/testcase>/ && skipped { ++count[reason == "" ? "no reason said" : reason] }
END { for (reason in count) print count[reason], reason }
