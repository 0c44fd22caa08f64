// Programs run under aprun, and what tests read in their output.
#pragma once

#include <string>
#include <vector>

#include "tests/benchmarks/run_command.h"

namespace benchmarks {

/// One of the programs of this build, under this build's aprun; `variables` as in a shell.
Outcome aprun(const std::string& options, const std::string& program,
              const std::string& variables = "");

/// Rows of CSV output below its header, which must be `header`.
std::vector<std::vector<std::string>> rows_of(const Outcome& outcome, const std::string& header);

double number(const std::string& text);

/// A program that refuses: exit code 2, nothing on standard output, one line of its own.
void expect_refusal(const Outcome& outcome, const std::string& line);

}  // namespace benchmarks
