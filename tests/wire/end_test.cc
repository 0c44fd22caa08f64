// Processes that are killed: who goes on, and what stays behind.
#include <dirent.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <stdexcept>
#include <string>

#include "tests/wire/job_of_processes.h"
#include "ugni_emu/fabric/host/left_over.h"

namespace wire_test {
namespace {

using ugni::ResponseStatus;
using ugni::TransactionKind;

/// Files of ours in the folder of shared memory.
std::vector<std::string> regions() {
  std::vector<std::string> names;
  DIR* const folder = opendir("/dev/shm");
  if (folder == nullptr) return names;
  for (const dirent* entry = readdir(folder); entry != nullptr; entry = readdir(folder)) {
    const std::string name = entry->d_name;
    if (name.rfind("castor-wire", 0) == 0) names.push_back(name);
  }
  closedir(folder);
  return names;
}

bool of_process(const std::string& name, int process) {
  return name.find("-" + std::to_string(process) + "-") != std::string::npos;
}

/// Rank 1 is killed while rank 0 has transactions to it under way and posts more: they end with an
/// error, others go on.
TEST(Killed, PeersGetErrorsAndGoOn) {
  const auto body = [](Rank& self) {
    self.attach_own_domain();
    self.meet();
    if (self.rank() == 1) {
      self.stand_still();
      raise(SIGKILL);
    }
    const auto send = [&](int rank) {
      return self.submit(self.to(rank, TransactionKind::cq_write), {});
    };
    const auto first = self.rank() == 0 ? send(1) : 0;
    self.stand_still();
    if (self.rank() == 0) {
      self.until([&] { return self.client().post(first).ended; }, "an answer for the dead");
      require(self.client().post(first).status == ResponseStatus::no_such_domain, "its status");
      const auto next = send(1);
      self.until([&] { return self.client().post(next).ended; }, "an answer for the dead");
      require(self.client().post(next).status == ResponseStatus::no_such_domain, "its status");
      const auto good = send(2);
      self.until([&] { return self.client().post(good).ended; }, "an answer of the living");
      require(self.client().post(good).status == ResponseStatus::ok, "its status");
      self.word(5) = 1;
    }
    self.until([&] { return self.word(5) == 1; }, "rank 0");
    throw std::runtime_error("the end as it should be");
  };
  for (const char* provider : {"auto", "tcp;ofi_rxm"}) {
    const Arrangement arrangement{{0, 1, 2}, {0, 0, 0}, provider, "none"};
    // Nobody can meet any more, so each leaves by itself.
    run(arrangement,
        [&](Rank& self) {
          try {
            body(self);
          } catch (const std::runtime_error& error) {
            std::fputs(std::string(error.what()) == "the end as it should be" ? "" : error.what(),
                       stderr);
            std::fflush(nullptr);
            _exit(std::string(error.what()) == "the end as it should be" ? 0 : 1);
          }
        },
        {1});
  }
}

/// While it sleeps in the kernel, too, and with far more under way than the dead can take.
TEST(Killed, ASleeperIsWokenByADeath) {
  run({{0, 1}, {0, 0}, "auto", "none"},
      [](Rank& self) {
        self.attach_own_domain();
        self.meet();
        if (self.rank() == 1) {
          self.stand_still();
          usleep(100'000);
          raise(SIGKILL);
        }
        for (int i = 0; i < 5000; ++i) self.submit(self.to(1, TransactionKind::message), {});
        self.stand_still();
        self.until(
            [&] {
              self.wire().arm(corespec::ArrivalSource::Sleeper::service);
              return self.client().all_ended();
            },
            "errors for everything");
        std::fflush(nullptr);
        _exit(0);
      },
      {1});
}

/// Returns when the process has ended, whether anybody has asked for its status or not.
void await_end(pid_t process) {
  const auto descriptor = static_cast<int>(syscall(SYS_pidfd_open, process, 0));
  if (descriptor < 0) return;  // it has been asked for
  pollfd ended{descriptor, POLLIN, 0};
  poll(&ended, 1, -1);
  close(descriptor);
}

/// Rank 1 takes in what rank 0 sends, says so, and ends asleep; rank 0 looks only then, first by
/// sending something that would wake it.
TEST(Ended, WhatItHadTakenInIsDone) {
  for (const char* provider : {"auto", "tcp;ofi_rxm"}) {
    run({{0, 1}, {0, 0}, provider, "none"}, [](Rank& self) {
      constexpr std::size_t sent = 5;
      self.attach_own_domain();
      self.meet();
      if (self.rank() == 1) {
        self.until([&] { return self.client().arrived() == 1 + sent; }, "requests");
        self.wire().domain_detached(1, {});
        for (int i = 0; i < 1000; ++i) self.domain().advance();  // until they have left
        self.wire().arm(corespec::ArrivalSource::Sleeper::service);
        self.word(5) = static_cast<std::uint64_t>(getpid());
        std::fflush(nullptr);
        _exit(0);
      }
      self.submit(self.to(1, TransactionKind::cq_write), {});  // which finds the way
      self.until([&] { return self.client().all_ended(); }, "a first answer");
      std::vector<std::uint64_t> numbers;
      for (std::size_t i = 0; i < sent; ++i) {
        ugni::Transaction event = self.to(1, TransactionKind::cq_write);
        event.subkind = RecordingClient::patient;
        numbers.push_back(self.submit(event, {}));
      }
      while (self.word(5) == 0) usleep(1000);
      await_end(static_cast<pid_t>(self.word(5)));
      const auto late = self.submit(self.to(1, TransactionKind::cq_write), {});
      self.until([&] { return self.client().all_ended(); }, "answers");
      for (const auto number : numbers) {
        require(self.client().post(number).status == ResponseStatus::ok, "an early one's status");
      }
      require(self.client().post(late).status == ResponseStatus::no_such_domain,
              "the late one's status");
      std::fflush(nullptr);
      _exit(0);
    });
  }
}

TEST(Killed, NothingStaysBehind) {
  run({{0, 1, 1}, {0, 0, 0}, "auto", "none"},
      [](Rank& self) {
        self.attach_own_domain();
        const auto number =
            self.submit(self.to((self.rank() + 1) % 3, TransactionKind::datagram), {});
        self.until([&] { return self.client().post(number).ended; }, "a response");
        const std::vector<std::string> names = regions();
        require(std::none_of(names.begin(), names.end(),
                             [](const std::string& name) { return of_process(name, getpid()); }),
                "no name of a region while the job runs");
        self.meet();
        raise(SIGKILL);
      },
      {0, 1, 2});
}

/// Those of a process that was killed before its job had met.
TEST(Killed, LeftOverRegionsAreRemoved) {
  int pipe_ends[2];
  ASSERT_EQ(pipe(pipe_ends), 0);
  const pid_t process = fork();
  ASSERT_GE(process, 0);
  if (process == 0) {
    const std::string name = ugni::fabric::region_name(0) + ":0:0";
    const int file = shm_open(("/" + name).c_str(), O_CREAT | O_RDWR, 0600);
    const char made = file >= 0 ? 1 : 0;
    if (write(pipe_ends[1], &made, 1) != 1) _exit(1);
    pause();
  }
  char made = 0;
  ASSERT_EQ(read(pipe_ends[0], &made, 1), 1);
  ASSERT_EQ(made, 1);
  const auto there = [&] {
    const std::vector<std::string> names = regions();
    return std::any_of(names.begin(), names.end(),
                       [&](const std::string& name) { return of_process(name, process); });
  };
  ugni::FabricWire::remove_left_over();
  EXPECT_TRUE(there()) << "a living process's region was removed";
  kill(process, SIGKILL);
  waitpid(process, nullptr, 0);
  EXPECT_TRUE(there());
  ugni::FabricWire::remove_left_over();
  EXPECT_FALSE(there());
  close(pipe_ends[0]);
  close(pipe_ends[1]);
}

/// libfabric takes over signals when it is loaded; the program has them back.
TEST(Signals, AreTheProgramsOwn) {
  run({{0, 1}, {0, 0}, "auto", "none"}, [](Rank&) {
    for (const int number : {SIGINT, SIGTERM}) {
      struct sigaction action {};
      sigaction(number, nullptr, &action);
      require(action.sa_handler == SIG_DFL, "the signal's action is the default");
    }
  });
}

class Note final : public corespec::Event {
 public:
  void fire(std::uint64_t) override { ++times; }
  int times = 0;
};

/// What has events under way (a NIC) may go once its rank has left, however late they get.
TEST(Left, ARankRunsNoEventAnyMore) {
  constexpr corespec::Time an_hour = corespec::Time::seconds(3600);
  SharedPart shared(1);
  const Arrangement alone{{0}, {0}, "auto", "none"};
  Note before;
  Note after;
  {
    Rank self(shared, alone, 0, corespec::LiveClock::host_nanoseconds());
    corespec::EventSource& source = self.node().source();
    self.domain().schedule(an_hour, source, before, 0);
    self.domain().schedule(an_hour * 3, source, after, 0);
    self.let_pass(an_hour * 2);
    self.leave();
    EXPECT_EQ(1, before.times);
    self.let_pass(an_hour * 2);
    const corespec::EventDomain::Hold hold(self.domain());
  }
  EXPECT_EQ(1, before.times);
  EXPECT_EQ(0, after.times);
}

TEST(Providers, AnUnknownOneIsNamedWithWhatThereIs) {
  run({{0, 1}, {0, 0}, "auto", "none"}, [](Rank&) {});
  SharedPart shared(1);
  const Arrangement arrangement{{0, 1}, {0, 0}, "carrier-pigeon", "none"};
  std::string text;
  try {
    Rank self(shared, arrangement, 0, 0);
  } catch (const std::invalid_argument& error) {
    text = error.what();
  }
  EXPECT_NE(text.find("CASTOR_PROVIDER"), std::string::npos) << text;
  EXPECT_NE(text.find("carrier-pigeon"), std::string::npos) << text;
  EXPECT_NE(text.find("tcp;ofi_rxm"), std::string::npos) << text;
  EXPECT_EQ(text.find('\n'), std::string::npos) << text;
}

TEST(Providers, AreTold) {
  run({{0, 1}, {0, 0}, "auto", "none"}, [](Rank& self) {
    require(self.wire().providers() == "shared memory", self.wire().providers());
  });
  run({{0, 1}, {0, 0}, "shm", "none"},
      [](Rank& self) { require(self.wire().providers() == "shm", self.wire().providers()); });
  run({{0, 1, 2}, {0, 0, 1}, "auto", "none"}, [](Rank& self) {
    const std::string expected = self.rank() == 2
                                     ? "tcp;ofi_rxm between hosts"
                                     : "shared memory within this host, tcp;ofi_rxm between hosts";
    require(self.wire().providers() == expected, self.wire().providers());
  });
}

}  // namespace
}  // namespace wire_test
