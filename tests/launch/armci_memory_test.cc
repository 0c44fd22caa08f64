// Own memory that is not there, given to ARMCI: one line names the rank and the function, whichever
// way the transfer takes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/on_clock.h"

namespace {

using launch_test::aprun_on;
using launch_test::Clock;
using launch_test::CommandResult;
using launch_test::lines_of;
using launch_test::sample;
using testing::ElementsAre;
using testing::MatchesRegex;

const std::vector<std::pair<std::string, std::string>> forms{
    {"put", "ARMCI_Put"},          {"get", "ARMCI_Get"},          {"acc", "ARMCI_Acc"},
    {"put_strided", "ARMCI_PutS"}, {"get_strided", "ARMCI_GetS"}, {"acc_strided", "ARMCI_AccS"},
    {"put_list", "ARMCI_PutV"},    {"get_list", "ARMCI_GetV"},    {"acc_list", "ARMCI_AccV"},
    {"put_later", "ARMCI_NbPut"},  {"get_later", "ARMCI_NbGet"},  {"word", "ARMCI_Rmw"}};

/// What a job says whose rank 1 does so: found by the pages' absence, or by the NIC beforehand.
void expect_named(Clock clock, const std::string& form, const std::string& function,
                  const std::string& bytes_and_target, const std::string& variables) {
  SCOPED_TRACE(form + " " + bytes_and_target + " " + variables);
  const CommandResult result = aprun_on(
      clock, "-n 3 -N 2 " + sample("armci_bad_memory") + " " + form + " " + bytes_and_target,
      variables);
  std::vector<std::string> lines = lines_of(result.errors);
  std::erase_if(lines, [](const std::string& line) {
    return line.find("ranks share CPUs") != std::string::npos;
  });
  EXPECT_THAT(result.code, testing::AnyOf(1, 128 + 11));
  const std::string rank = ".NID 00000. Apid [0-9]+: rank 1: ";
  if (result.code == 1) {
    EXPECT_THAT(lines, ElementsAre(MatchesRegex(rank + function +
                                                ": the data are in memory at 0x[0-9a-f]+, which "
                                                "is not there"),
                                   MatchesRegex("Application [0-9]+ exit codes: 1")));
  } else {
    EXPECT_THAT(
        lines, ElementsAre(
                   MatchesRegex(rank + "Segmentation fault at address 0x[0-9a-f]+, in " + function),
                   MatchesRegex("Application [0-9]+ exit signals: Segmentation fault")));
  }
}

class ArmciBadMemory : public testing::Test {
 protected:
  /// A sanitizer has handlers of its own, which stay.
  void SetUp() override {
    if (!launch_test::sanitizer_first().empty()) GTEST_SKIP() << "the sanitizer reports faults";
  }
};

TEST_F(ArmciBadMemory, NamesTheFunctionInVirtualTime) {
  for (const auto& [form, function] : forms) {
    for (const char* bytes_and_target : {"8 0", "8 2", "100000 0", "100000 2"}) {
      expect_named(Clock::virtual_time, form, function, bytes_and_target, "");
    }
    expect_named(Clock::virtual_time, form, function, "8 2", "CASTOR_ARMCI_DIRECT=1");
    expect_named(Clock::virtual_time, form, function, "8000 2", "CASTOR_ARMCI_EAGER_GET=1");
  }
}

// Each form goes one of the ways.
TEST_F(ArmciBadMemory, NamesTheFunctionLive) {
  const std::vector<std::string> ways{"8 0", "8 2", "100000 2"};
  for (std::size_t i = 0; i < forms.size(); ++i) {
    const auto& [form, function] = forms[i];
    expect_named(Clock::live, form, function, ways[i % ways.size()],
                 i % 2 == 0 ? "" : "CASTOR_ARMCI_DIRECT=1");
  }
}

}  // namespace
