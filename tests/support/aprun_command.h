// The aprun under test, and what its tests look at in its output.
#pragma once

#include <string>
#include <vector>

#include "tests/support/run_command.h"

namespace launch_test {

/// Paths of a program of Castor's, and of one that the tests have built.
std::string tool(const std::string& name);
std::string sample(const std::string& name);

/// aprun with options and program; `variables` like "NAME=value NAME=value" go before it.
CommandResult aprun(const std::string& arguments, const std::string& variables = "");

/// The run's fingerprint, of what aprun writes to standard error; empty if it says none.
std::string fingerprint(const std::string& errors);
inline std::string fingerprint(const CommandResult& run) { return fingerprint(run.errors); }

/// What is said of ranks, without the places in the program.
std::string without_places(const std::string& text);

std::vector<std::string> split(const std::string& text, char at);
inline std::vector<std::string> lines_of(const std::string& text) { return split(text, '\n'); }

}  // namespace launch_test
