# What a program that checks itself says of its checks: how many passed, failed and were left out.
# ScaLAPACK's tests say it in a sum, in a table of routines or in lines, the tests of the BLACS in a
# line for each kind, NetPIPE in a line for each size. An energy that NWChem prints is one, too.
function after(word) { return substr($0, index($0, word) + length(word)) + 0 }
/^ *Total (SCF|DFT) energy = / { ++passed }
/Integrity check passed/ { ++passed }
/Integrity check failed/ { ++failed }
/^ *[0-9]+ tests completed and passed/ { passed += $1; summed = 1 }
/^ *[0-9]+ tests completed and failed/ { failed += $1 }
/^ *[0-9]+ tests (skipped|completed without)/ { left_out += $1 }
/^ *\| +P[A-Z0-9]+ +[0-9]+ +[0-9]+ +[0-9]+ +[0-9]+ *$/ { passed += $4; failed += $5; left_out += $6 }
/TESTS: PASSED ALL *[0-9]+ TESTS/ { passed += after("ALL") }
/TESTS; *[0-9]+ PASSED, *[0-9]+ SKIPPED/ {
  passed += after("TESTS;")
  left_out += after("PASSED,")
  failed += after("SKIPPED,")
}
/^ *Passed +[-.0-9]|^ *[0-9]+ .* PASSED *$/ { ++lines }
/^ *Failed +[-.0-9]|^ *[0-9]+ .* FAILED *$/ { ++bad_lines }
END {
  if (!summed) { passed += lines; failed += bad_lines }
  print passed + 0, failed + 0, left_out + 0
}
