// Programs on DMAPP alone that end, in order and not, on either clock.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/support/on_clock.h"

namespace {

using launch_test::CommandResult;
using launch_test::lines_of;
using launch_test::sample;
using testing::Contains;
using testing::MatchesRegex;

class DmappEnd : public launch_test::OnEachClock {
 protected:
  static CommandResult run(const std::string& arguments) {
    return OnEachClock::run("-n 3 -N 2 " + sample("dmapp_alone") + " " + arguments);
  }
};

INSTANTIATE_TEST_SUITE_P(, DmappEnd, launch_test::each_clock(), launch_test::clock_name);

TEST_P(DmappEnd, InOrder) {
  for (const char* how : {"", "twice", "with_pmi"}) {
    const CommandResult result = run(how);
    EXPECT_EQ(result.code, 0) << how << ": " << result.errors;
  }
}

// The others would wait for it in dmapp_finalize.
TEST_P(DmappEnd, LeavingWithoutFinalizeEndsTheJob) {
  for (const auto& [given, code] : {std::pair{"0", 1}, {"3", 3}}) {
    const CommandResult result = run(std::string("leave ") + given);
    EXPECT_EQ(result.code, code);
    EXPECT_THAT(
        lines_of(result.errors),
        Contains(MatchesRegex(".NID 00001. Apid [0-9]+: rank 2: its process has ended .exit "
                              "code " +
                              std::string(given) +
                              ". without MPI_Finalize, PMI_Finalize or dmapp_finalize")));
  }
}

/// The lines that say why dmapp_init has failed.
std::vector<std::string> reasons(const CommandResult& result) {
  EXPECT_EQ(result.code, 9) << result.errors;  // at every PE
  std::vector<std::string> lines = lines_of(result.errors);
  std::erase_if(lines, [](const std::string& line) {
    return line.find("castor: dmapp_init: ") == std::string::npos;
  });
  return lines;
}

// One node's processes can have no more than 128 T of addresses.
TEST(DmappStart, WithoutMemoryOnOneNodeFailsAtAll) {
  const CommandResult result =
      launch_test::aprun("-q -n 131 -N 130 -d 1 --node 'core:130 pu:1' " + sample("dmapp_alone"),
                         "XT_SYMMETRIC_HEAP_SIZE=1024G");
  EXPECT_THAT(reasons(result),
              testing::ElementsAre(MatchesRegex(
                  "castor: dmapp_init: rank [0-9]+: no symmetric heap of 1099511627776 bytes "
                  ".XT_SYMMETRIC_HEAP_SIZE.: out of memory")));
}

class DmappStartLive : public testing::Test {
 protected:
  static CommandResult run(const std::string& ranks_per_node, const std::string& script) {
    return launch_test::aprun("-q --clock live -n 3 -N " + ranks_per_node + " sh -c '" + script +
                              "; exec " + sample("dmapp_alone") + "'");
  }
  void SetUp() override {
    if (!launch_test::sanitizer_first().empty()) GTEST_SKIP() << "a shell has no sanitizer";
  }
};

TEST_F(DmappStartLive, WithoutMemoryAtOnePeFailsAtAll) {
  EXPECT_THAT(reasons(run("1",
                          "export XT_SYMMETRIC_HEAP_SIZE=1G; "
                          "test $ALPS_APP_PE = 1 && ulimit -v 900000")),
              testing::ElementsAre(MatchesRegex(
                  "castor: dmapp_init: rank 1: no symmetric heap of 1073741824 bytes "
                  ".XT_SYMMETRIC_HEAP_SIZE.: node memory: cannot map 1073741824 bytes: Cannot "
                  "allocate memory")));
}

TEST_F(DmappStartLive, WithHeapsThatDifferOnANodeFailsAtAll) {
  const std::vector<std::string> said =
      reasons(run("3", "export XT_SYMMETRIC_HEAP_SIZE=$((65536 * (1 + ALPS_APP_PE % 2)))"));
  EXPECT_THAT(said, testing::ElementsAre(testing::HasSubstr("exists with another size")));
}

TEST_P(DmappEnd, ByAFaultNamesTheFunction) {
  if (!launch_test::sanitizer_first().empty()) GTEST_SKIP() << "the sanitizer reports faults";
  const CommandResult result = run("nowhere");
  EXPECT_EQ(result.code, 128 + 11);
  EXPECT_THAT(lines_of(result.errors),
              Contains(MatchesRegex(".NID 00000. Apid [0-9]+: rank 1: Segmentation fault at "
                                    "address 0x1000, in dmapp_put")));
}

}  // namespace
