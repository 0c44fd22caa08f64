// aprun --faults: programs over ARMCI live through failing posts, and such runs repeat.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/support/aprun_command.h"

namespace {

using launch_test::aprun;
using launch_test::CommandResult;
using launch_test::fingerprint;
using launch_test::lines_of;
using launch_test::tool;
using testing::Contains;
using testing::HasSubstr;
using testing::MatchesRegex;

const std::string plan =
    "'post-fails kind=put,get,amo p=.05; post-refused p=.05; completion-late by=9us p=.1; "
    "cq-overrun p=.02'";

TEST(LibraryFaults, AProgramOverArmciHasItsResultAndRepeats) {
  for (const char* form : {"put", "get"}) {
    const std::string job =
        "-n 16 -N 2 " + tool("transpose") + " --size 200 --repeat 2 --csv --form " + form;
    const auto run = [&](const std::string& workers) {
      return aprun("--faults " + plan + " --workers " + workers + " " + job);
    };
    const CommandResult first = run("1");
    EXPECT_EQ(first.code, 0) << first.errors;
    EXPECT_THAT(first.output, HasSubstr(",yes,"));
    EXPECT_THAT(first.errors, HasSubstr("post-fails "));
    const CommandResult again = run("2");
    EXPECT_EQ(again.output, first.output);
    EXPECT_EQ(fingerprint(again), fingerprint(first));
  }
}

TEST(LibraryFaults, MemoryIsRegisteredAgain) {
  for (const char* parts : {"armci", "dmapp", "windows"}) {
    const CommandResult run = aprun("--faults 'register-fails p=.3' -n 8 -N 2 " +
                                    tool("fault_workload") + " --rounds 2 --parts " + parts);
    EXPECT_EQ(run.code, 0) << parts << run.errors;
    EXPECT_THAT(run.errors, HasSubstr("register-fails ")) << parts;
  }
}

TEST(LibraryFaults, WithoutTriesItEndsWithOneLine) {
  const CommandResult run =
      aprun("--faults 'post-fails kind=put node=3 nth=5' -n 16 -N 2 " + tool("transpose"),
            "CASTOR_POST_TRIES=0");
  EXPECT_EQ(run.code, 1);
  EXPECT_THAT(lines_of(run.errors),
              Contains(MatchesRegex(".*ARMCI.*: (FMA|BTE) PUT of [0-9]+ bytes at rank [0-9]+ "
                                    ".nid[0-9]+. failed: transaction error: lost .*")));
}

}  // namespace
