// Programs run under aprun, and what tests read in their output.
#include "tests/benchmarks/program_runs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace benchmarks {

Outcome aprun(const std::string& options, const std::string& program,
              const std::string& variables) {
  const std::string bin = CASTOR_BIN_DIR;
  return run_command(variables + " " + bin + "/aprun " + options + " " + bin + "/" + program);
}

std::vector<std::vector<std::string>> rows_of(const Outcome& outcome, const std::string& header) {
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  std::vector<std::vector<std::string>> rows;
  const std::vector<std::string> lines = lines_of(outcome.out);
  if (lines.empty() || lines[0] != header) {
    ADD_FAILURE() << "not the header " << header << ": " << outcome.out;
    return rows;
  }
  const std::size_t columns = split(header, ',').size();
  for (std::size_t i = 1; i < lines.size(); ++i) {
    rows.push_back(split(lines[i], ','));
    EXPECT_EQ(rows.back().size(), columns) << lines[i];
  }
  return rows;
}

double number(const std::string& text) { return std::stod(text); }

void expect_refusal(const Outcome& outcome, const std::string& line) {
  EXPECT_EQ(outcome.code, 2) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(lines_of(outcome.err), testing::Contains(line));
}

}  // namespace benchmarks
