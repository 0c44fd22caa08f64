# What HPC Challenge's output (hpccoutf.txt) says of its parts: PART|CHECKS PASSED|FAILED|ENDED|NOTE, a
# line for each part. A part's checks are what it calls passed, failed or an error; an FFT over all
# ranks prints its error alone, whose bound (16 eps log n, as in the program) is applied here.
function check(good) { if (good) ++passed; else ++failed }
/^Begin of .* section\.$/ { part = $3; passed = failed = residual = 0; note = ""; next }
part == "" || part == "Summary" { next }
/^End of .* section\.$/ { print part "|" passed "|" failed "|yes|" note; part = ""; next }
/^Found [0-9]+ errors in/ {
  check(/\(passed\)/)
  note = $2 " errors in " $5 " locations"
}
/^Node\(s\) with error/ { check($4 == 0) }
/^Scaled residual:/ { note = "scaled residual " $3 }
/^Solution Validates/ { check(1) }
/^Failed Validation/ { check(0) }
/^ *[0-9]+ tests completed and passed/ { passed += $1 }
/^ *[0-9]+ tests completed and failed/ { failed += $1 }
/^\|\|Ax-b\|\|_oo.* (PASSED|FAILED)$/ { note = "scaled residual " $(NF - 2) }
/^WALL .* (PASSED|FAILED) / && $11 + 0 >= residual { residual = $11 + 0; note = "largest residual " $11 }
/^Vector size:/ { size = $3 }
/^max\(\|x-x0\|\):/ {
  note = "largest error " $2
  if (part == "MPIFFT") check(size > 1 && $2 / log(size) / 2.220446e-16 < 16)
}
/^Max Ping Pong Latency:/ { note = "ping pong latency " $5 " ms at most" }
END { if (part != "" && part != "Summary") print part "|" passed "|" failed "|no|" note }
