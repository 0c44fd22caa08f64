# What the NICs of a Gemini have injected into the network, in bytes, over all Geminis that have
# injected anything: prints mean, largest, number. Reads what `aprun --counters FILE` writes as text:
# a HH line counts the phits of 3 bytes that came from a Gemini's own host tiles.
BEGIN { FS = "\t" }
$1 == "HH" && $4 + $5 > 0 {
  bytes = ($4 + $5) * 3
  sum += bytes
  if (bytes > largest) largest = bytes
  ++geminis
}
END {
  if (!geminis) exit 1
  printf "%.0f %.0f %d\n", sum / geminis, largest, geminis
}
