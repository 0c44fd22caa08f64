// The Fortran bindings: programs in Fortran that check what they see, on either clock.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ostream>
#include <string>

#include "tests/support/on_clock.h"
#include "tests/support/test_clock.h"

namespace {

using launch_test::CommandResult;
using launch_test::sample;

launch_test::Clock chosen_clock() {
  return castor_test::live_clock() ? launch_test::Clock::live : launch_test::Clock::virtual_time;
}

struct Program {
  const char* name;
};
void PrintTo(const Program& program, std::ostream* out) { *out << program.name; }

class Fortran : public testing::TestWithParam<Program> {};

/// A program counts its checks on all ranks and says what does not hold.
TEST_P(Fortran, AllChecksHold) {
  const CommandResult result =
      launch_test::aprun_on(chosen_clock(), "-n 4 -N 2 " + sample(GetParam().name));
  EXPECT_EQ(result.code, 0) << result.errors;
  EXPECT_EQ(result.output, "all checks hold\n") << result.errors;
}

INSTANTIATE_TEST_SUITE_P(, Fortran,
                         testing::Values(Program{"attribute_languages"}, Program{"attributes"},
                                         Program{"collectives"}, Program{"datatypes"},
                                         Program{"errors"}, Program{"point_to_point"},
                                         Program{"profiling"}, Program{"static_profiling"},
                                         Program{"sentinels"}, Program{"static_texts"},
                                         Program{"texts"}, Program{"tls_topology"},
                                         Program{"topology"}),
                         [](const auto& each) { return std::string(each.param.name); });

/// An error ends the job with one line that names the function.
TEST(FortranErrors, EndTheJob) {
  const CommandResult result =
      launch_test::aprun_on(chosen_clock(), "-n 2 -N 1 " + sample("fatal_error"));
  EXPECT_NE(result.code, 0);
  EXPECT_THAT(result.errors, testing::HasSubstr("MPI_Type_extent: an INTEGER cannot hold"));
}

}  // namespace
