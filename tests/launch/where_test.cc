// The places in the program that a rank's state names: source lines, functions, inlined callers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "tests/support/aprun_command.h"

namespace {

using launch_test::aprun;
using launch_test::CommandResult;
using launch_test::lines_of;
using launch_test::run_command;
using launch_test::sample;
using launch_test::tool;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;

const std::string receive = ": receive of up to 4 bytes from rank 0, tag 9, MPI_COMM_WORLD";

/// "where.c:17" of the line that is marked so in the sample's source.
std::string line(const std::string& file, const std::string& mark) {
  std::ifstream source(std::string(SOURCES) + "/" + file);
  int number = 0;
  for (std::string text; std::getline(source, text);) {
    ++number;
    if (text.find("here: " + mark) != std::string::npos) return file + ":" + std::to_string(number);
  }
  ADD_FAILURE() << file << " has no line marked " << mark;
  return "?";
}

/// What a deadlock says of its ranks, without "aprun: ".
std::vector<std::string> deadlock(const std::string& program, int ranks = 1) {
  const CommandResult result = aprun("-q -n " + std::to_string(ranks) + " " + sample(program));
  EXPECT_EQ(result.code, 1) << result.errors;
  std::vector<std::string> lines;
  for (const std::string& each : lines_of(result.errors)) {
    const std::string speaker = "aprun: rank";
    if (each.starts_with(speaker)) lines.push_back(each.substr(speaker.size() - 4));
  }
  return lines;
}

TEST(Where, InC) {
  EXPECT_THAT(deadlock("where receive", 3),
              testing::ElementsAre("ranks 0-2: in MPI_Recv at " + line("where.c", "receive") +
                                   " (receives)" + receive));
}

TEST(Where, RanksAtDifferentLinesAreDifferentGroups) {
  EXPECT_THAT(
      deadlock("where groups", 5),
      testing::ElementsAre(
          "ranks 0, 2, 4: in MPI_Recv at " + line("where.c", "even") + " (groups)" + receive,
          "ranks 1, 3: in MPI_Recv at " + line("where.c", "odd") + " (groups)" + receive));
}

TEST(Where, InFortran) {
  EXPECT_THAT(deadlock("where_fortran"),
              testing::ElementsAre("rank 0: in MPI_Recv at " + line("where.f90", "fortran") +
                                   " (waits)" + receive));
}

TEST(Where, InlinedCallersOfCxx) {
  EXPECT_THAT(
      deadlock("where_cxx"),
      testing::ElementsAre(testing::StartsWith(
          "rank 0: in MPI_Recv at " + line("where.cc", "inner") +
          " (exchange<double>, inlined at " + line("where.cc", "middle") + " in halo, inlined at " +
          line("where.cc", "outer") + " in step): receive of up to 8 bytes")));
}

TEST(Where, InALibraryOfTheProgram) {
  EXPECT_THAT(deadlock("where library"),
              testing::ElementsAre("rank 0: in MPI_Recv at " + line("where_library.c", "library") +
                                   " (wait_in_library)" + receive));
}

TEST(Where, AWrapperOfMpisFunctionIsNotThePlace) {
  EXPECT_THAT(deadlock("where_wrapper receive"),
              testing::ElementsAre("rank 0: in MPI_Recv at " + line("where.c", "receive") +
                                   " (receives)" + receive));
}

TEST(Where, WithoutLinesTheFileAndTheSymbol) {
  const std::vector<std::string> lines = deadlock("where_without_lines receive");
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_THAT(lines.front(),
              MatchesRegex("rank 0: in MPI_Recv at where_without_lines\\+0x[0-9a-f]+ "
                           "\\(receives\\): receive of .*"));
}

/// The offset is what addr2line takes: that of the same program before it was stripped.
TEST(Where, StrippedTheFileAndTheOffset) {
  const std::vector<std::string> lines = deadlock("where_stripped receive");
  ASSERT_EQ(lines.size(), 1U);
  ASSERT_THAT(lines.front(), MatchesRegex("rank 0: in MPI_Recv at where_stripped\\+0x[0-9a-f]+: "
                                          "receive of .*"));
  const std::size_t plus = lines.front().find('+') + 1;
  const std::string offset = lines.front().substr(plus, lines.front().find(':', plus) - plus);
  const CommandResult found = run_command("addr2line -e " + sample("where") + " " + offset);
  EXPECT_THAT(found.output, HasSubstr(line("where.c", "receive")));
}

/// A socket of this host that others may connect to.
class Server {
 public:
  Server() : socket_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof at;
    EXPECT_EQ(bind(socket_, reinterpret_cast<sockaddr*>(&at), size), 0);
    EXPECT_EQ(listen(socket_, 1), 0);
    EXPECT_EQ(getsockname(socket_, reinterpret_cast<sockaddr*>(&at), &size), 0);
    port_ = ntohs(at.sin_port);
  }
  ~Server() { close(socket_); }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  int port() const { return port_; }
  bool was_asked() const {
    pollfd waiting{socket_, POLLIN, 0};
    return poll(&waiting, 1, 0) != 0;
  }

 private:
  int socket_;
  int port_ = 0;
};

TEST(Where, NoServerIsAskedForLines) {
  const Server server;
  const CommandResult result =
      aprun("-q -n 1 " + sample("where_stripped"),
            "DEBUGINFOD_URLS=http://127.0.0.1:" + std::to_string(server.port()) +
                "/ "
                "DEBUGINFOD_TIMEOUT=1 HOME=/nowhere DEBUGINFOD_CACHE_PATH=/tmp/castor_no_cache_" +
                std::to_string(getpid()));
  EXPECT_THAT(result.errors, HasSubstr("in MPI_Recv at where_stripped+0x"));
  EXPECT_FALSE(server.was_asked());
}

/// Its lines are in a file of their own, which it names.
TEST(Where, LinesInASeparateFile) {
  EXPECT_THAT(deadlock("where_separate receive"),
              testing::ElementsAre("rank 0: in MPI_Recv at " + line("where.c", "receive") +
                                   " (receives)" + receive));
}

TEST(Where, ThreadsOfATeam) {
  const CommandResult result = aprun("-q -n 1 -d 2 -t 0.001 " + sample("where") + " team");
  EXPECT_EQ(result.code, 152) << result.errors;
  EXPECT_THAT(result.errors, HasSubstr("rank 0: in MPI_Recv at " + line("where.c", "region") +
                                       " (region)" + receive + "\n"));
  EXPECT_THAT(result.errors, HasSubstr("another of its threads: in a sleep at " +
                                       line("where.c", "sleep") + " (region) (sleeps)\n"));
}

TEST(Where, WithoutALauncher) {
  if (SANITIZED != 0) GTEST_SKIP() << "the program is built without the sanitizer";
  const CommandResult result =
      run_command("env CASTOR_CLOCK=virtual " + sample("where") + " receive");
  EXPECT_EQ(result.code, 1);
  EXPECT_EQ(result.errors, "castor: deadlock: rank 0: in MPI_Recv at " +
                               line("where.c", "receive") + " (receives)" + receive + "\n");
}

/// A rank that computes is said by the line that the signal has interrupted, though no event comes.
TEST(Where, ARankThatComputesWhenAsked) {
  const CommandResult result =
      run_command("bash -c 'env --default-signal " + tool("aprun") + " -q -n 2 -N 1 --limit 3 " +
                  sample("where") + " compute & sleep 1.2; kill -QUIT $!; wait $!'");
  EXPECT_EQ(result.code, 124) << result.errors;
  EXPECT_THAT(result.errors, HasSubstr("aprun: SIGQUIT: what the ranks are doing"));
  EXPECT_THAT(result.errors, HasSubstr("aprun: rank 0: computes at " + line("where.c", "compute") +
                                       " (computes)\n"));
  EXPECT_THAT(result.errors,
              ContainsRegex("aprun: rank 1: in MPI_[A-Za-z]+ at where.c:[0-9]+ \\("));
}

/// Asked in the middle, the run goes on as if it had not been.
TEST(Where, ToBeAskedChangesNothing) {
  const auto last_line = [](const CommandResult& result) { return lines_of(result.errors).back(); };
  const std::string job = " -n 4 -N 2 " + sample("where") + " exchange";
  const CommandResult asked =
      run_command("bash -c 'env --default-signal " + tool("aprun") + job +
                  " & for i in 1 2 3 4; do sleep 0.3; kill -QUIT $! 2>/dev/null; done; wait $!'");
  EXPECT_EQ(asked.code, 0);
  EXPECT_THAT(asked.errors, HasSubstr("aprun: SIGQUIT: what the ranks are doing"));
  EXPECT_THAT(asked.errors, HasSubstr(" at " + line("where.c", "exchange") + " (exchanges)"));
  EXPECT_THAT(last_line(asked), HasSubstr("fingerprint"));
  EXPECT_EQ(last_line(asked), last_line(aprun(job)));
}

}  // namespace
