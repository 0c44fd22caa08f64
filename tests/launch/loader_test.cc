// Programs run as copies: globals, streams, ends, options, environment, clocks, libraries.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "tests/support/parameter_name.h"
#include "tests/support/run_command.h"

namespace {

using launch_test::CommandResult;
using launch_test::run_command;
using testing::HasSubstr;

CommandResult run(const std::string& arguments, int copies = 1, const std::string& options = "") {
  return run_command(std::string(RANK_RUNNER) + " -n " + std::to_string(copies) + " " + options +
                     " " + PROGRAMS + "/" + arguments);
}

/// How often each line occurs must be `copies`; returns the distinct lines in order.
std::vector<std::string> lines_of_each(const std::string& output, int copies) {
  std::vector<std::string> lines;
  std::istringstream text(output);
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  std::vector<std::string> distinct;
  for (const std::string& line : lines) {
    if (std::find(distinct.begin(), distinct.end(), line) == distinct.end()) {
      EXPECT_EQ(std::count(lines.begin(), lines.end(), line), copies) << line;
      distinct.push_back(line);
    }
  }
  return distinct;
}

std::string ends(int copies, const std::string& how) {
  std::string text;
  for (int rank = 0; rank < copies; ++rank) {
    text += "rank " + std::to_string(rank) + ": " + how + "\n";
  }
  return text;
}

class Globals : public testing::TestWithParam<const char*> {};

TEST_P(Globals, ArePrivateAndHandlersRunInReverseOrder) {
  const CommandResult result = run(std::string(GetParam()) + " 7", 3);
  EXPECT_EQ(result.errors, ends(3, "exited 7"));
  const std::vector<std::string> expected{"counter 8 zeroed 6 exported 11 table 1 argc 2 7",
                                          "second handler 8", "first handler 8", "destructor 11"};
  EXPECT_EQ(lines_of_each(result.output, 3), expected);
}
std::string program_name(const testing::TestParamInfo<const char*>& info) { return info.param; }
INSTANTIATE_TEST_SUITE_P(Programs, Globals, testing::Values("globals", "stripped"), program_name);

class Streams : public testing::TestWithParam<const char*> {};

TEST_P(Streams, WorkInEveryCopy) {
  const CommandResult result = run(GetParam(), 3);
  EXPECT_EQ(result.errors, ends(3, "exited 0"));
  const std::vector<std::string> expected{"made global", "made local",   "caught deep",
                                          "3 3 1",       "gone local 3", "gone global 3"};
  EXPECT_EQ(lines_of_each(result.output, 3), expected);
}
INSTANTIATE_TEST_SUITE_P(Programs, Streams, testing::Values("streams", "streams_form"),
                         program_name);

TEST(Streams, UncaughtExceptionAbortsTheRank) {
  const CommandResult result = run("streams throw");
  EXPECT_THAT(result.errors, HasSubstr("std::runtime_error"));
  EXPECT_THAT(result.errors, HasSubstr("rank 0: aborted 134"));
}

struct Ending {
  const char* way;
  const char* how;
  const char* output;
};
class Endings : public testing::TestWithParam<Ending> {};

TEST_P(Endings, EndTheRankOnly) {
  const CommandResult result = run(std::string("ends ") + GetParam().way, 2);
  EXPECT_EQ(result.code, 0);
  EXPECT_THAT(result.errors, HasSubstr(ends(2, GetParam().how)));
  EXPECT_EQ(result.output, std::string(GetParam().output) + GetParam().output);
}
std::string ending_name(const testing::TestParamInfo<Ending>& info) {
  return castor_test::parameter_name(info.index, info.param.way);
}
INSTANTIATE_TEST_SUITE_P(Ways, Endings,
                         testing::Values(Ending{"return", "exited 255", "end\nhandler\n"},
                                         Ending{"exit", "exited 3", "handler\n"},
                                         Ending{"again", "exited 9", "again\nhandler\nhandler\n"},
                                         Ending{"on_exit", "exited 44", "status 300\nhandler\n"},
                                         Ending{"_exit", "exited_early 4", ""},
                                         Ending{"_Exit", "exited_early 5", ""},
                                         Ending{"quick_exit", "exited_early 6", "quick handler\n"},
                                         Ending{"abort", "aborted 134", ""},
                                         Ending{"assert", "aborted 134", ""},
                                         Ending{"errx", "exited 7", "handler\n"},
                                         Ending{"pthread_exit", "exited 0", "handler\n"}),
                         ending_name);

TEST(Ends, MessagesNameTheProgram) {
  EXPECT_THAT(run("ends errx").errors, HasSubstr("ends: no luck\n"));
  EXPECT_THAT(run("ends assert").errors, HasSubstr("Assertion `argc == 0' failed."));
}

class Refused : public testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(Refused, EndsTheJobWithOneLine) {
  const auto [way, function] = GetParam();
  const CommandResult result = run(std::string("ends ") + way);
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.errors, HasSubstr(std::string("rank 0: ") + function));
  EXPECT_EQ(std::count(result.errors.begin(), result.errors.end(), '\n'), 1) << result.errors;
}
std::string refused_name(const testing::TestParamInfo<Refused::ParamType>& info) {
  return info.param.first;
}
INSTANTIATE_TEST_SUITE_P(
    Functions, Refused,
    testing::Values(std::pair{"thread", "pthread_create()"}, std::pair{"fork", "fork()"},
                    std::pair{"system", "system()"}, std::pair{"exec", "execv()"},
                    std::pair{"execle", "execle()"}, std::pair{"fexecve", "fexecve()"},
                    std::pair{"execveat", "execveat()"}, std::pair{"posix_spawn", "posix_spawn()"},
                    std::pair{"popen", "popen()"}),
    refused_name);

/// The same command line outside a rank, where libc's own getopt reads it.
class Options : public testing::TestWithParam<std::tuple<const char*, const char*, const char*>> {};

TEST_P(Options, AreReadAsLibcReadsThem) {
  const auto [form, text, arguments] = GetParam();
  const std::string program = std::string(PROGRAMS) + "/options";
  const CommandResult plain = run_command(std::string("env FORM=") + form + " OPTIONS=" + text +
                                          " " + program + " " + arguments);
  for (const char* build : {"options", "options_fpic", "options_form"}) {
    const CommandResult ours = run(std::string(build) + " " + arguments, 2,
                                   std::string("-e FORM=") + form + " -e OPTIONS=" + text);
    EXPECT_EQ(ours.output, plain.output + plain.output) << build;
    std::istringstream messages(plain.errors);
    for (std::string line; std::getline(messages, line);) {
      EXPECT_THAT(ours.errors, HasSubstr(line.substr(line.find(": ")) + "\n"));
    }
    EXPECT_EQ(std::count(ours.errors.begin(), ours.errors.end(), '\n'),
              2 + 2 * std::count(plain.errors.begin(), plain.errors.end(), '\n'));
  }
}
std::string line_name(const testing::TestParamInfo<Options::ParamType>& info) {
  const auto [form, text, arguments] = info.param;
  return castor_test::parameter_name(info.index, std::string(form) + " " + text + " " + arguments);
}
INSTANTIATE_TEST_SUITE_P(
    Lines, Options,
    testing::Combine(testing::Values("short", "long", "long_only"),
                     testing::Values("ab:g::", ":ab:g::", "+ab:g::", "-ab:g::"),
                     testing::Values("-a x -b 1 y -g2 -g z -- -a",
                                     "--alpha --beta=2 op --gam --gal -b",
                                     "-q --nope --ga --alpha=1 --beta", "-abc -g -b",
                                     "one two three", "-- -a b", "- -a -")),
    line_name);

TEST(Surroundings, AreTheRanksOwn) {
  const CommandResult result = run("surroundings", 2, "-e GIVEN=x");
  EXPECT_EQ(result.errors, ends(2, "exited 0"));
  const std::vector<std::string> expected{
      "as the kernel lays them out 1",
      "own surroundings GIVEN x size 1",
      "MINE 1 size 2",
      "MINE put bad -1",
      "GIVEN gone size 1",
      "size 0",
      "start 0.000000000 cpu 0.000000000 day 1293840000.000000 time 1293840000",
      "worked 0.001500000 cpu 0.001500000 day 1293840000.001500 time 1293840000"};
  const std::string output = result.output;
  for (const std::string& line : expected) EXPECT_THAT(output, HasSubstr(line + "\n"));
  EXPECT_THAT(output, HasSubstr("slept 3.251500500 cpu 0.001500000 day 1293840003.251500"));
  EXPECT_THAT(output, HasSubstr("sleeps -2 0 -1 0 0 ticks 307 of which user 7 "
                                "system 0 usage 0.071500\n"));
  EXPECT_THAT(output, HasSubstr("here 1 file 0 size 4 absent -1 gone 0\n"));
}

TEST(Paths, AreRelativeToTheRanksOwnDirectory) {
  EXPECT_EQ(run_command(std::string(PROGRAMS) + "/paths").output, "done\n");
  const CommandResult result = run("paths", 3);
  EXPECT_EQ(result.errors, ends(3, "exited 0"));
  EXPECT_EQ(result.output, "done\ndone\ndone\n");
}

TEST(Paths, OfStdFilesystemAreToo) {
  const CommandResult result = run("filesystem", 3);
  EXPECT_EQ(result.errors, ends(3, "exited 0"));
  EXPECT_THAT(lines_of_each(result.output, 3),
              testing::ElementsAre("entries 5 lost 0 size 2 moved 1 link 1 absolute 1 removed 3"));
}

TEST(Sequences, AreTheRanksOwn) {
  const std::string zone = "env TZ=HERE-1THERE ";
  const CommandResult plain = run_command(zone + PROGRAMS + "/sequences");
  const CommandResult ours = run_command(zone + RANK_RUNNER + " -n 3 " + PROGRAMS + "/sequences");
  EXPECT_THAT(plain.output, HasSubstr(" 12 0 0 GMT GMT 2 -3600 1 HERE THERE "));
  EXPECT_EQ(ours.output, plain.output + plain.output + plain.output);
  EXPECT_EQ(ours.errors, ends(3, "exited 0"));
}

// By whatever call it learns the zone; in a process each, since libc learns it once.
TEST(Zone, IsKnownAfterEveryCallThatLearnsIt) {
  for (const char* call : {"tzset", "localtime", "localtime_r", "gmtime", "gmtime_r", "ctime",
                           "ctime_r", "mktime", "timelocal", "timegm", "strftime", "strftime_l",
                           "wcsftime", "wcsftime_l", "put_time", "wide_put_time"}) {
    const std::string command = std::string(PROGRAMS) + "/zone " + call;
    const CommandResult plain = run_command("env TZ=HERE-1THERE " + command);
    const CommandResult ours = run_command("env TZ=HERE-1THERE " RANK_RUNNER " -n 2 " + command);
    EXPECT_EQ(plain.output, std::string(call) + " before 0 0 GMT GMT after -3600 1 HERE THERE\n");
    EXPECT_EQ(ours.output, plain.output + plain.output);
    EXPECT_EQ(ours.errors, ends(2, "exited 0"));
  }
}

TEST(HandlersAndBuffers, AreTheRanksOwn) {
  const CommandResult result = run(SANITIZED != 0 ? "own_state" : "own_state really", 3);
  EXPECT_EQ(result.errors, ends(3, "exited_early 7"));
  EXPECT_EQ(lines_of_each(result.output, 3),
            (std::vector<std::string>{"out of memory", "terminated"}));
}

TEST(ThreadKeys, AreTheRanksOwn) {
  const CommandResult result = run("thread_keys", 30);  // 1,800 and a few in all
  EXPECT_EQ(result.errors, ends(30, "exited 0"));
  EXPECT_EQ(lines_of_each(result.output, 30), std::vector<std::string>{"failed 0"});
}

TEST(ThreadKeys, HaveDestructorsThatRunAtTheThreadsEnd) {
  const std::string plain = run_command(std::string(PROGRAMS) + "/thread_keys ends").output;
  EXPECT_EQ(plain, "failed 0\ndestroyed 37\n");
  EXPECT_EQ(run("thread_keys ends", 2).output, plain + plain);
}

TEST(ThreadLocal, OtherFormIsPrivate) {
  const CommandResult result = run("thread_local_form", 3);
  EXPECT_EQ(result.errors, ends(3, "exited 0"));
  EXPECT_EQ(lines_of_each(result.output, 3), std::vector<std::string>{"counter 6 zeroed 3"});
}

/// aprun makes room (openmp_test.cc); this launcher has what every process has.
TEST(ThreadLocal, OfAFixedPlaceIsPrivateWhereThereIsRoom) {
  const CommandResult result = run("thread_local_fixed", 3);
  EXPECT_EQ(result.errors, ends(3, "exited 0"));
  EXPECT_EQ(lines_of_each(result.output, 3), std::vector<std::string>{"counter 6 zeroed 3"});
  const CommandResult many = run("thread_local_fixed", 1000);
  EXPECT_EQ(many.code, 2);
  EXPECT_THAT(many.errors, HasSubstr("no room for the thread-local variables of so many copies"));
}

TEST(ThreadLocal, OtherFormRunsAlone) {
  const CommandResult result = run_command(std::string(PROGRAMS) + "/thread_local_form");
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.output, "counter 6 zeroed 3\n");
}

TEST(SharedImage, RunsAllRanksOnOneCopy) {
  const CommandResult result = run("shared_image word", 100);
  EXPECT_EQ(result.errors, ends(100, "exited 6"));
  EXPECT_EQ(lines_of_each(result.output, 100), std::vector<std::string>{"word 6"});
}

TEST(Libraries, WithStateArePrivate) {
  const CommandResult result = run("library_user", 3);
  EXPECT_EQ(result.errors, ends(3, "exited 0"));
  const std::vector<std::string> expected{"last 33 variable 114 library 114", "library gone 3"};
  EXPECT_EQ(lines_of_each(result.output, 3), expected);
}

TEST(Libraries, OfOursAreSharedBesidePrivateOnes) {
  const CommandResult result = run("library_and_pmi", 3);
  EXPECT_EQ(result.errors, ends(3, "exited 0"));
  const std::vector<std::string> expected{"last 33 variable 114 library 114", "library gone 3"};
  EXPECT_EQ(lines_of_each(result.output, 3), expected);
}

TEST(Libraries, OpenedWhileItRunsAreTheRanksOwn) {
  const std::string arguments =
      std::string(PROGRAMS) + "/libfirst_opened.so " + PROGRAMS + "/libsecond_opened.so";
  const CommandResult plain = run_command(std::string(PROGRAMS) + "/opens " + arguments);
  const CommandResult ours = run("opens " + arguments, 3);
  EXPECT_THAT(plain.output, HasSubstr("last 503323 calls 6 variable 314\n"));
  EXPECT_EQ(ours.errors, ends(3, "exited 0"));
  std::istringstream text(plain.output);
  std::vector<std::string> expected;
  for (std::string line; std::getline(text, line);) expected.push_back(line);
  // The order of libraries that do not need each other at the end is nobody's promise.
  EXPECT_THAT(lines_of_each(ours.output, 3), testing::UnorderedElementsAreArray(expected));
}

// Constructors and destructors run once.
TEST(Libraries, OpenedAgainAreAsTheyWereLeft) {
  const CommandResult result = run(std::string("reopens ") + PROGRAMS + "/libfirst_opened.so", 3);
  EXPECT_EQ(result.errors, ends(3, "exited 0"));
  const std::vector<std::string> expected{"opened: variable 211", "closed 0 there 0",
                                          "again: variable 212", "first gone 2"};
  EXPECT_EQ(lines_of_each(result.output, 3), expected);
}

TEST(Libraries, OpenedByManyCopies) {
  const std::string arguments =
      std::string(PROGRAMS) + "/libfirst_opened.so " + PROGRAMS + "/libsecond_opened.so";
  const CommandResult result = run("opens " + arguments, 100);
  EXPECT_EQ(result.errors, ends(100, "exited 0"));
  lines_of_each(result.output, 100);
}

TEST(Copies, AThousandLoadAndRun) {
  const CommandResult result = run("globals 0", 1000);
  EXPECT_EQ(result.errors, ends(1000, "exited 0"));
  lines_of_each(result.output, 1000);
}

TEST(Copies, ShareWhatNoRankChanges) {
  // 300 copies with 1 MB of constants and code each; the last one prints the process's memory.
  const CommandResult result = run("large", 300);
  EXPECT_EQ(result.errors, ends(300, "exited 0"));
  std::istringstream lines(result.output);
  std::string line, last;
  for (int i = 0; i < 300; ++i) {
    ASSERT_TRUE(std::getline(lines, line));
    EXPECT_THAT(line, HasSubstr("sum 1048575 mine 1"));
    last = line;
  }
  const long resident_kb = std::stol(last.substr(last.rfind(' ')));
  EXPECT_LT(resident_kb, 100000);
}

TEST(Libraries, OpenedLazilyMayCallWhatIsMissing) {
  const std::string arguments = std::string("opens_missing ") + PROGRAMS + "/libasker.so";
  const CommandResult result = run(arguments, 3);
  EXPECT_EQ(result.errors, ends(3, "exited 0"));
  EXPECT_EQ(lines_of_each(result.output, 3),
            (std::vector<std::string>{"now: says why not", "lazy: weak 7"}));
  const CommandResult calls = run(arguments + " call", 3);
  EXPECT_EQ(calls.code, 1);
  EXPECT_EQ(calls.errors, "rank 0: missing function_nobody_has\n");
}

TEST(Launcher, HoldsNoCopiesOfLibraryData) {
  const CommandResult result = run_command(std::string("readelf -rW ") + RANK_RUNNER);
  EXPECT_THAT(result.output, HasSubstr("R_X86_64_GLOB_DAT"));
  EXPECT_THAT(result.output, testing::Not(HasSubstr("R_X86_64_COPY")));
}

}  // namespace
