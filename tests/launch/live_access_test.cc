// Who may touch a live job: its PMIx server and those who have no business there.
#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "launch/live_launcher/peer_user.h"
#include "tests/launch/live_job.h"
#include "tests/launch/pmix_greeting.h"
#include "tests/support/aprun_command.h"

namespace {

using launch_test::greeting;
using launch_test::lines_of;
using launch_test::LiveJob;
using launch_test::run_command;
using launch_test::split;
using testing::ElementsAre;
using testing::HasSubstr;
using namespace std::chrono_literals;

constexpr uid_t stranger = 65534;

std::string variable_of(pid_t process, const std::string& name) {
  std::ifstream file("/proc/" + std::to_string(process) + "/environ");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  for (const std::string& entry : split(text, '\0')) {
    if (entry.rfind(name + "=", 0) == 0) return entry.substr(name.size() + 1);
  }
  return "";
}

int connect_to(std::uint16_t port) {
  const int connection = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in server{};
  server.sin_family = AF_INET;
  server.sin_port = htons(port);
  server.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(connection, reinterpret_cast<const sockaddr*>(&server), sizeof server) == 0) {
    return connection;
  }
  close(connection);
  return -1;
}

/// Connects and says `message`. True if the server answers with anything.
bool is_answered(std::uint16_t port, const std::string& message) {
  const int connection = connect_to(port);
  if (connection < 0) return false;
  const timeval patience{10, 0};
  setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  char byte = 0;
  const bool answered = send(connection, message.data(), message.size(), MSG_NOSIGNAL) >= 0 &&
                        recv(connection, &byte, 1, 0) > 0;
  close(connection);
  return answered;
}

/// What `act` returns in a process of that user.
bool as_user(uid_t user, const std::function<bool()>& act) {
  const pid_t child = fork();
  if (child == 0) {
    const bool changed = setgroups(0, nullptr) == 0 && setgid(user) == 0 && setuid(user) == 0;
    _exit(!changed ? 2 : act() ? 1 : 0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) < 2);
  return WEXITSTATUS(status) == 1;
}

/// A job of two ranks at work, and where its PMIx server listens.
class LiveAccess : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(job_.await_lines(2)) << job_.errors();
    rank_ = job_.processes().at(0);
    space_ = variable_of(rank_, "PMIX_NAMESPACE");
    uri_ = variable_of(rank_, "PMIX_SERVER_URI41");
    port_ = static_cast<std::uint16_t>(std::stoi(uri_.substr(uri_.rfind(':') + 1)));
  }
  /// It is as it was, and ends as it is told to.
  void expect_unharmed() {
    std::this_thread::sleep_for(200ms);  // what a crash takes
    EXPECT_TRUE(launch_test::lives(job_.server()));
    EXPECT_EQ(job_.processes().size(), 2U);
    job_.send_signal(SIGTERM);
    EXPECT_EQ(job_.wait(), 128 + SIGTERM);
    EXPECT_EQ(job_.left_behind(), "");
  }
  static std::string ended(const LiveJob& job) {
    return "aprun: Apid " + job.apid() + ": Caught signal Terminated, sending to application";
  }

  LiveJob job_{{"-q", "-n", "2", LIVE_RANK, "work"}};
  pid_t rank_ = -1;
  std::string space_;
  std::string uri_;
  std::uint16_t port_ = 0;
};

TEST_F(LiveAccess, OnlyThisHostReachesTheServer) {
  EXPECT_THAT(uri_, HasSubstr(";tcp4://127.0.0.1:"));
}

TEST_F(LiveAccess, NoFileTellsTheNameThatPmixUses) {
  const std::vector<std::string> parts = split(space_, '-');
  ASSERT_EQ(parts.size(), 4U) << space_;
  EXPECT_EQ(parts[3].size(), 32U);  // 128 bits
  for (const std::string& file : job_.files()) {
    EXPECT_EQ(file.find(parts[3]), std::string::npos) << file;
    struct stat found {};
    ASSERT_EQ(stat(file.c_str(), &found), 0);
    EXPECT_EQ(found.st_mode & 077, 0U) << file;
  }
  LiveJob other({"-q", "-n", "1", LIVE_RANK, "work"});
  ASSERT_TRUE(other.await_lines(1));
  EXPECT_NE(split(variable_of(other.processes().at(0), "PMIX_NAMESPACE"), '-').at(3), parts[3]);
}

TEST_F(LiveAccess, AnotherUserIsNotHeard) {
  if (geteuid() != 0) GTEST_SKIP() << "acts as another user: needs root";
  // Says all that the job's own user would.
  for (const std::string& message :
       {greeting(space_, 1), greeting(space_, 1).substr(0, 20), std::string(64, 'x')}) {
    EXPECT_FALSE(as_user(stranger, [&] { return is_answered(port_, message); }));
  }
  expect_unharmed();
  EXPECT_EQ(lines_of(job_.errors()).front(), ended(job_));  // nor can it make the job say anything
}

TEST_F(LiveAccess, WhatIsGarbledDoesNotReachTheServer) {
  const std::string good = greeting(space_, 1);
  std::string long_credential = good;
  long_credential[24] = '\x40';  // of 4 MB, says the message
  for (const std::string& message :
       {std::string(64, '\xff'), std::string(64, '\0'), long_credential, greeting(space_, 7),
        greeting("aprun-1-1-0", 0), launch_test::tools_greeting()}) {
    EXPECT_FALSE(is_answered(port_, message));
  }
  expect_unharmed();
  EXPECT_EQ(lines_of(job_.errors()).front(), ended(job_));
}

TEST_F(LiveAccess, RankIsOneProcess) {
  std::string variables;
  for (const char* name : {"PMIX_NAMESPACE", "PMIX_RANK", "PMIX_SERVER_URI41"}) {
    variables += " '" + std::string(name) + "=" + variable_of(rank_, name) + "'";
  }
  const auto second = run_command("env" + variables + " " + LIVE_RANK + " exchange");
  EXPECT_NE(second.code, 0);
  EXPECT_THAT(second.errors, HasSubstr("start-up: PMIx_Init: the launcher answers"));
  const std::string number = variable_of(rank_, "PMIX_RANK");
  expect_unharmed();
  EXPECT_EQ(lines_of(job_.errors()).front(),
            "[NID 00000] Apid " + job_.apid() + ": rank " + number +
                ": a second process has called MPI_Init or PMI_Init as this rank; refused");
}

/// One after the other is another matter.
TEST(LiveRankAccess, MayBeSeveralProcessesInTurn) {
  const std::string rank = LIVE_RANK;
  LiveJob job({"-q", "-n", "1", "sh", "-c", rank + " exchange && " + rank + " exchange"});
  EXPECT_EQ(job.wait(), 0);
  EXPECT_THAT(lines_of(job.output()), ElementsAre("rank 0 of 1: 0 wrong", "rank 0 of 1: 0 wrong"));
  EXPECT_EQ(job.errors(), "");
}

/// A listening socket, and a connection to it that a process of another user has made.
TEST(PeerUser, IsWhoMadeTheOtherEnd) {
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in own{};
  socklen_t size = sizeof own;
  own.sin_family = AF_INET;
  own.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ASSERT_EQ(bind(listener, reinterpret_cast<const sockaddr*>(&own), sizeof own), 0);
  ASSERT_EQ(listen(listener, 4), 0);
  ASSERT_EQ(getsockname(listener, reinterpret_cast<sockaddr*>(&own), &size), 0);
  const std::uint16_t port = ntohs(own.sin_port);

  const int mine = connect_to(port);
  const int accepted = accept(listener, nullptr, nullptr);
  EXPECT_EQ(launch::user_of_peer(accepted), geteuid());
  EXPECT_EQ(launch::user_of_peer(mine), geteuid());  // the other way round
  close(mine);
  EXPECT_EQ(launch::user_of_peer(accepted), std::nullopt);  // gone
  EXPECT_EQ(launch::user_of_peer(listener), std::nullopt);
  close(accepted);

  if (geteuid() == 0) {
    const auto connect_and_wait = [&] {
      const int connection = connect_to(port);
      char byte = 0;
      return recv(connection, &byte, 1, 0) == 0;
    };
    std::optional<uid_t> user;
    const pid_t child = fork();
    if (child == 0) _exit(as_user(stranger, connect_and_wait) ? 0 : 1);
    const int other = accept(listener, nullptr, nullptr);
    user = launch::user_of_peer(other);
    close(other);
    waitpid(child, nullptr, 0);
    EXPECT_EQ(user, stranger);
  }
  close(listener);
}

}  // namespace
