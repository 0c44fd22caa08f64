// Processes asleep in the kernel: woken by what arrives, and by nothing else.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <thread>

#include "tests/wire/job_of_processes.h"

namespace wire_test {
namespace {

using ugni::Transaction;
using ugni::TransactionKind;

class Sleep : public testing::TestWithParam<const char*> {};

INSTANTIATE_TEST_SUITE_P(, Sleep, every_provider(), provider_name);

TEST_P(Sleep, EveryArrivalWakesWhoIsArmed) {
  run({{0, 1}, {0, 0}, GetParam(), "none"}, [](Rank& self) {
    constexpr std::uint64_t rounds = 2000;
    self.attach_own_domain();
    self.meet();
    if (self.rank() == 0) {
      for (std::uint64_t i = 0; i < rounds; ++i) {
        const auto number = self.submit(self.to(1, TransactionKind::cq_write), {});
        self.until([&] { return self.client().post(number).ended; }, "a response");
        if (i % 100 == 0) usleep(2000);  // it is asleep for certain
      }
      return;
    }
    while (self.client().arrived() < rounds) {
      self.wire().arm(corespec::ArrivalSource::Sleeper::service);
      if (self.wire().poll()) continue;
      require(woken(self, 5000), "an arrival wakes");
      self.wire().poll();
    }
    self.wire().disarm();
  });
}

TEST_P(Sleep, NothingWakesWhoIsNotWanted) {
  run({{0, 1}, {0, 0}, GetParam(), "none"}, [](Rank& self) {
    self.attach_own_domain();
    self.meet();
    const auto number = self.submit(self.to(1 - self.rank(), TransactionKind::cq_write), {});
    self.until([&] { return self.client().post(number).ended; }, "a response");
    self.until([&] { return self.client().arrived() == 1; }, "an event");
    self.meet();
    go_to_sleep(self);
    require(!woken(self, 300), "nobody sends, nobody wakes");
    self.stand_still();
    self.wire().disarm();
  });
}

/// The domain's own thread sleeps on the wire's descriptors and serves what nobody polls for.
TEST_P(Sleep, TheDomainsThreadServesWhatNobodyPollsFor) {
  run({{0, 1}, {0, 0}, GetParam(), "gemini"}, [](Rank& self) {
    constexpr std::size_t size = 1 << 20;
    self.attach_own_domain();
    std::vector<std::byte> memory(size);
    const std::uint64_t handle = self.client().add(memory);
    if (self.rank() == 1) self.word(0) = reinterpret_cast<std::uint64_t>(memory.data());
    self.meet();
    if (self.rank() == 1) {
      self.domain().end_polling();
      std::thread thread([&] { self.domain().serve(); });
      self.stand_still();  // asleep, in another thread, while the other rank is at work
      rusage before{}, after{};
      getrusage(RUSAGE_SELF, &before);
      usleep(500'000);
      getrusage(RUSAGE_SELF, &after);
      self.domain().stop();
      thread.join();
      self.domain().begin_polling();
      const long burnt = (after.ru_utime.tv_sec - before.ru_utime.tv_sec) * 1'000'000 +
                         after.ru_utime.tv_usec - before.ru_utime.tv_usec +
                         (after.ru_stime.tv_sec - before.ru_stime.tv_sec) * 1'000'000 +
                         after.ru_stime.tv_usec - before.ru_stime.tv_usec;
      require(burnt < 20'000, "asleep: burnt " + std::to_string(burnt) + " us of 500,000");
      require(self.client().arrived() == 200, "everything has arrived");
      require(memory == random_bytes(size, 3), "with its data");
      return;
    }
    auto source = random_bytes(size, 3);
    self.client().add(source);
    for (int i = 0; i < 100; ++i) {
      Transaction put = self.to(1, TransactionKind::put);
      put.injector = 1;
      put.remote_address = self.word(0);
      put.remote_handle.qword1 = handle;
      const auto first = self.submit(put, source);
      const auto second = self.submit(self.to(1, TransactionKind::cq_write), {});
      self.until(
          [&] { return self.client().post(first).ended && self.client().post(second).ended; },
          "responses");
    }
    self.stand_still();
  });
}

}  // namespace
}  // namespace wire_test
