// Tools that stand before Castor's libraries: linked with a program, or given to its ranks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/on_clock.h"

namespace {

using launch_test::aprun;
using launch_test::Clock;
using launch_test::CommandResult;
using launch_test::lines_of;
using launch_test::sample;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

const std::string library = sample("libtool_caller.so");

class Tools : public launch_test::OnEachClock {
 protected:
  /// Three ranks of a program; `tool`: what they are given before it.
  static std::vector<std::string> counts(const std::string& program, const std::string& tool = "") {
    const std::string sanitizer = GetParam() == Clock::live ? SANITIZER_LIBRARY : "";
    std::string before = sanitizer + (sanitizer.empty() || tool.empty() ? "" : ":") + tool;
    if (!before.empty()) before = "-e LD_PRELOAD=" + before + " ";
    const std::string clock = GetParam() == Clock::live ? "--clock live " : "";
    const CommandResult result = aprun("-q " + clock + "-n 3 " + before + program);
    EXPECT_EQ(result.code, 0) << result.errors;
    return lines_of(result.output);
  }
  static auto all(int more) {
    const auto line = [&](int rank) {
      return "rank " + std::to_string(rank) + ": " + std::to_string(rank + more) + " barriers";
    };
    return UnorderedElementsAre(line(0), line(1), line(2));
  }
};

TEST_P(Tools, SeeWhatARankCalls) {
  EXPECT_THAT(counts(sample("tool_linked")), all(1));
  EXPECT_THAT(counts(sample("tool_linked ") + library), all(2));
  EXPECT_THAT(counts(sample("tool_caller"), sample("libtool.so")), all(1));
  EXPECT_THAT(counts(sample("tool_caller ") + library, sample("libtool.so")), all(2));
  EXPECT_THAT(counts(sample("tool_linked"), sample("libtool.so")), all(1));
}

TEST_P(Tools, SeeNothingBehindTheLibrary) {
  EXPECT_THAT(counts(sample("tool_behind ") + library), IsEmpty());
  EXPECT_THAT(counts(sample("tool_caller")), IsEmpty());
}
INSTANTIATE_TEST_SUITE_P(, Tools, launch_test::each_clock(), launch_test::clock_name);

TEST(ToolsInVirtualTime, AreFoundAsLibrariesAre) {
  const std::string options = "-q -n 2 -e LD_PRELOAD=libtool.so ";
  const CommandResult found =
      aprun(options + "-e LD_LIBRARY_PATH=" + PROGRAMS + " " + sample("tool_caller"));
  EXPECT_THAT(lines_of(found.output),
              UnorderedElementsAre("rank 0: 1 barriers", "rank 1: 2 barriers"));
  const CommandResult lost = aprun(options + sample("tool_caller"));
  EXPECT_EQ(lost.code, 2);
  EXPECT_EQ(lost.errors, "aprun: LD_PRELOAD: libtool.so is not found\n");
}

TEST(ToolsInVirtualTime, AreNotForProgramsThatRanksShare) {
  const CommandResult result =
      aprun("-q -n 2 -e LD_PRELOAD=" + sample("libtool.so") + " " + sample("shared_image"));
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.errors, HasSubstr("shared_image: declares CORESPEC_SHARED_IMAGE, and ranks "
                                       "cannot share " +
                                       sample("libtool.so") + " (LD_PRELOAD); build it without"));
}

}  // namespace
