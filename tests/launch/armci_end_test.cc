// Ranks that end badly while ARMCI's helper threads hold requests of theirs and of others: on
// either clock one line, a code, and nothing stays behind.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <iterator>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "tests/launch/live_job.h"
#include "tests/support/on_clock.h"

namespace {

using launch_test::aprun;
using launch_test::CommandResult;
using launch_test::lines_of;
using launch_test::LiveJob;
using launch_test::sample;
using launch_test::sanitizer_first;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::MatchesRegex;
using namespace std::chrono_literals;

/// What the helpers hold: data to fetch, to give, to add; messages; a mutex and those who wait.
const std::vector<std::string> situations{"put", "get", "acc", "small", "lock"};
/// The lowest rank of its node, whose process has the node's helper thread, and another.
constexpr int victims[] = {2, 3};

struct End {
  std::string how;
  int code;
  std::string line;  ///< of the rank, as a regular expression
  std::string last;
};
const std::vector<End> ends{
    {"exit", 3, "its process has ended .exit code 3. without MPI_Finalize.*", "codes: 3.*"},
    {"leave", 1, "its process has ended .exit code 0. without MPI_Finalize.*", "codes: 1.*"},
    {"abort", 134, "Aborted", "signals: Aborted"},
    {"error", 7, "ARMCI_Error: given up .code 7.", "codes: 7"},
};

std::vector<std::string> errors_of(const std::string& text) {
  std::vector<std::string> lines;
  for (const std::string& line : lines_of(text)) {
    if (line.find("ranks share CPUs") == std::string::npos) lines.push_back(line);
  }
  return lines;
}

void expect_end(int code, const std::string& errors, const End& end, int victim) {
  EXPECT_EQ(code, end.code);
  const std::string who = "rank " + std::to_string(victim) + ": ";
  EXPECT_THAT(errors_of(errors),
              ElementsAre(MatchesRegex(".NID 00001. Apid [0-9]+: " + who + end.line),
                          MatchesRegex("Application [0-9]+ exit " + end.last)));
}

std::string variables() {
  const std::string first = sanitizer_first();
  return first.empty() ? "CASTOR_NETWORK=gemini" : first;
}

class ArmciEnd : public testing::TestWithParam<std::string> {};

TEST_P(ArmciEnd, InVirtualTime) {
  for (const char* wait : {"polling", "blocked"}) {
    for (const End& end : ends) {
      for (const int victim : victims) {
        SCOPED_TRACE(end.how + " of rank " + std::to_string(victim));
        const CommandResult result =
            aprun("-q -n 4 -N 2 " + sample("armci_ends") + " " + GetParam() + " " + end.how + " " +
                      std::to_string(victim),
                  std::string("CASTOR_ARMCI_CHT_WAIT=") + wait);
        expect_end(result.code, result.errors, end, victim);
      }
    }
  }
}

TEST_P(ArmciEnd, Live) {
  std::vector<End> all = ends;
  all.push_back({"kill", 137, "Killed", "signals: Killed"});
  // Each situation and each end meets either victim; in virtual time all meet all.
  auto turn = static_cast<std::size_t>(std::find(situations.begin(), situations.end(), GetParam()) -
                                       situations.begin());
  for (const End& end : all) {
    const int victim = victims[turn++ % std::size(victims)];
    SCOPED_TRACE(end.how + " of rank " + std::to_string(victim));
    LiveJob job({"-q", "-n", "4", "-N", "2", "-e", variables(), sample("armci_ends"), GetParam(),
                 end.how, std::to_string(victim)});
    const int code = job.wait();
    expect_end(code, job.errors(), end, victim);
    EXPECT_EQ(job.left_behind(), "");
  }
}

/// At any moment, in the middle of whatever: also while it waits for a mutex.
TEST_P(ArmciEnd, LiveKilledFromOutside) {
  std::mt19937 random(static_cast<unsigned>(testing::UnitTest::GetInstance()->random_seed()) + 11);
  for (const char* wait : {"polling", "blocked"}) {
    LiveJob job({"-q", "-n", "4", "-N", "2", "-e", variables(), sample("armci_ends"), GetParam()},
                {std::string("CASTOR_ARMCI_CHT_WAIT=") + wait});
    ASSERT_TRUE(job.await_lines(1)) << job.errors();
    std::this_thread::sleep_for(std::chrono::milliseconds(random() % 300));
    const std::vector<pid_t> processes = job.processes();
    ASSERT_EQ(processes.size(), 4U) << job.errors();
    kill(processes[random() % processes.size()], SIGKILL);
    EXPECT_EQ(job.wait(), 137);
    EXPECT_THAT(job.errors(), HasSubstr(": Killed\n"));
    EXPECT_EQ(job.left_behind(), "");
  }
}

// MPI_Finalize ends ARMCI, its helpers with it, where the program has not.
TEST(ArmciForgotten, EndsWithMpi) {
  const std::string expected = "ARMCI has ended\nARMCI has ended\n";
  for (const char* per_node : {"1", "2"}) {
    SCOPED_TRACE(std::string("ranks per node: ") + per_node);
    const CommandResult result =
        aprun(std::string("-q -n 2 -N ") + per_node + " " + sample("armci_unended"));
    EXPECT_EQ(result.code, 0) << result.errors;
    EXPECT_EQ(result.output, expected);
    LiveJob job({"-q", "-n", "2", "-N", per_node, "-e", variables(), sample("armci_unended")});
    EXPECT_EQ(job.wait(), 0) << job.errors();
    EXPECT_EQ(job.output(), expected);
    EXPECT_EQ(job.left_behind(), "");
  }
}

INSTANTIATE_TEST_SUITE_P(, ArmciEnd, testing::ValuesIn(situations),
                         [](const auto& each) { return each.param; });

}  // namespace
