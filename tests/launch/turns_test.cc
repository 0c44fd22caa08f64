// What a modelled run prints and how it ends is the same whatever the length of the engine's turns,
// and so whichever rank is run first.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ostream>
#include <regex>
#include <string>

#include "tests/support/aprun_command.h"
#include "tests/support/parameter_name.h"

namespace {

using launch_test::CommandResult;
using launch_test::run_command;
using launch_test::sample;
using launch_test::tool;

/// A way for ranks to show who was run first.
struct Way {
  const char* what;     ///< of the program turns
  const char* options;  ///< of aprun
  int code;             ///< the exit code
  bool by_chance;       ///< how long it went on is chance, and with it its fingerprint
};
void PrintTo(const Way& way, std::ostream* out) { *out << way.what << " " << way.options; }

constexpr const char* active = "-e MPICH_ASYNC_PROGRESS=1 -e MPICH_MAX_THREAD_SAFETY=multiple ";

class Turns : public testing::TestWithParam<Way> {
 protected:
  /// `redirected`: a shell's redirection of the streams.
  static CommandResult run(int longest_turn_ns, const std::string& redirected = "") {
    const auto& [what, options, code, by_chance] = GetParam();
    return run_command("sh -c '" + tool("aprun") + " -n 24 -N 2 " + options +
                       " -e CASTOR_LONGEST_TURN=" + std::to_string(longest_turn_ns) + " " +
                       sample("turns") + " " + what + " " + redirected + "'");
  }
  static std::string comparable(const std::string& text) {
    if (!GetParam().by_chance) return text;
    return std::regex_replace(text, std::regex("fingerprint [0-9a-f]+"), "fingerprint");
  }
};

TEST_P(Turns, OfAnyLengthComeToTheSame) {
  const CommandResult whole = run(0);
  EXPECT_EQ(whole.code, GetParam().code) << whole.errors;
  EXPECT_THAT(whole.errors, testing::HasSubstr("virtual time 0."));
  for (const int longest_ns : {559, 100, 20}) {
    const CommandResult parts = run(longest_ns);
    EXPECT_EQ(parts.code, whole.code) << longest_ns;
    EXPECT_EQ(parts.output, whole.output) << longest_ns;
    EXPECT_EQ(comparable(parts.errors), comparable(whole.errors)) << longest_ns;
  }
}

TEST_P(Turns, OfAnyLengthLeaveBothStreamsInOneOrder) {
  const std::string whole = comparable(run(0, "2>&1").output);
  EXPECT_NE(whole, "");
  for (const int longest_ns : {559, 20}) {
    EXPECT_EQ(comparable(run(longest_ns, "2>&1").output), whole) << longest_ns;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Of, Turns,
    testing::Values(Way{"lines", "", 0, false}, Way{"lines", "-l ", 0, false},
                    Way{"streams", "", 0, false}, Way{"streams", "-l ", 0, false},
                    Way{"aborts", "", 17, false},
                    Way{"aborts", "-e CASTOR_STARTUP_EXCHANGE=200 ", 17, false},
                    Way{"leaves", "", 17, false}, Way{"statuses", "", 17, false},
                    Way{"steps", "-t 1ms ", 152, false}, Way{"values", "", 0, false},
                    Way{"values", "-e CASTOR_STARTUP_EXCHANGE=200 ", 0, false},
                    Way{"hangs", "", 1, false}, Way{"hangs", "-e CASTOR_NOISE=1 ", 1, true},
                    Way{"hangs", active, 1, true}),
    [](const auto& test) {
      return castor_test::parameter_name(test.index,
                                         std::string(test.param.what) + " " + test.param.options);
    });

/// What the program has written is not lost, not even that for which it has called no fflush.
TEST(ACrash, LeavesWhatAllHaveWrittenBefore) {
  const CommandResult result = launch_test::aprun("-q -n 3 -N 3 " + sample("turns") + " crashes");
  EXPECT_EQ(result.code, 128 + 11);
  EXPECT_EQ(result.output,
            "output of rank 0\noutput of rank 1\noutput of rank 2\n"
            "unfinished output of rank 0\nunfinished output of rank 1\n"
            "unfinished output of rank 2");
  EXPECT_THAT(launch_test::lines_of(result.errors),
              testing::ElementsAre("error of rank 0", "error of rank 1", "error of rank 2",
                                   "unfinished error of rank 0", "unfinished error of rank 1",
                                   testing::HasSubstr("rank 2: Segmentation fault"),
                                   testing::HasSubstr("exit signals: Segmentation fault"),
                                   "rank 2's last words: unfinished error of rank 2"));
}

}  // namespace
