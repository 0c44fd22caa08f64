// Modelled times: nothing is delivered before them; clocks of hosts agree.
#include <gtest/gtest.h>

#include "tests/wire/job_of_processes.h"

namespace wire_test {
namespace {

using corespec::Time;
using ugni::Transaction;
using ugni::TransactionKind;

corespec::Parameters parameters() { return {}; }

Time path(ugni::NicAddress from, ugni::NicAddress to) {
  const auto topology = gemini::make_topology("4x4x4");
  return parameters().nic_to_router_latency * 2 +
         parameters().hop_latency * topology->hops(from, to);
}

TEST(Delays, NothingArrivesBeforeItsModelledTime) {
  run({{0, 41}, {0, 0}, "auto", "gemini"}, [](Rank& self) {
    constexpr std::size_t size = 2'000'000;
    self.attach_own_domain();
    std::vector<std::byte> memory(size);
    const std::uint64_t handle = self.client().add(memory);
    if (self.rank() == 1) self.word(0) = reinterpret_cast<std::uint64_t>(memory.data());
    self.meet();
    if (self.rank() == 1) {
      self.until([&] { return self.client().arrived() == 2; }, "both puts");
      self.word(1) = static_cast<std::uint64_t>(self.client().arrivals()[0].at.ps());
      self.word(2) = static_cast<std::uint64_t>(self.client().arrivals()[1].at.ps());
      self.meet();
      return;
    }
    std::vector<std::byte> source(size);
    self.client().add(source);
    const Time begin = self.domain().now();
    std::vector<std::uint64_t> numbers;
    for (int i = 0; i < 2; ++i) {
      Transaction put = self.to(1, TransactionKind::put);
      put.injector = static_cast<std::uint8_t>(1 + i);  // two engines, one NIC
      put.remote_address = self.word(0);
      put.remote_handle.qword1 = handle;
      numbers.push_back(self.submit(put, source));
    }
    self.until([&] { return self.client().all_ended(); }, "responses");
    self.meet();
    const Time one = Time::for_bytes(size, parameters().nic_bandwidth);
    for (int i = 0; i < 2; ++i) {
      const Time arrived = Time::picoseconds(
          static_cast<std::int64_t>(self.word(static_cast<std::size_t>(1 + i)).load()));
      const Time least = begin + one * (i + 1) + path(0, 41);
      require(arrived >= least, "arrival " + std::to_string((arrived - least).us()));
      const Time back = self.client().post(numbers[static_cast<std::size_t>(i)]).ended_at;
      require(back >= least + path(41, 0), "the response takes its way, too");
    }
  });
}

TEST(Delays, LatenessIsCounted) {
  run({{0, 41}, {0, 0}, "auto", "gemini"}, [](Rank& self) {
    self.attach_own_domain();
    self.meet();
    if (self.rank() == 0) {
      const auto number = self.submit(self.to(1, TransactionKind::datagram), {});
      self.stand_still();  // the other does not look before
      self.until([&] { return self.client().post(number).ended; }, "a response");
      return;
    }
    self.stand_still();
    const Time began = self.domain().now();
    while (self.domain().now() < began + Time::microseconds(500)) {
    }
    self.until([&] { return self.client().arrived() == 1; }, "an event");
    const ugni::fabric::Lateness& lateness = self.wire().lateness();
    require(lateness.timed == 1 && lateness.late == 1, "one arrival, late");
    // As the two processes' clocks tell it.
    require(lateness.most + self.wire().clock_error() * 2 >= Time::microseconds(400),
            "by how much");
    require(lateness.total == lateness.most, "in all");
  });
}

TEST(Delays, NoneWithoutANetwork) {
  run({{0, 41}, {0, 0}, "auto", "none"}, [](Rank& self) {
    self.attach_own_domain();
    self.meet();
    const auto number = self.submit(self.to(1 - self.rank(), TransactionKind::datagram), {});
    self.until([&] { return self.client().post(number).ended; }, "a response");
    self.meet();
    require(self.wire().lateness().timed == 0, "nothing has a time");
  });
}

/// Rank 1's clock is half a second off until the wire has asked the first host.
TEST(Clocks, HostsAgree) {
  run({{0, 1, 2}, {0, 1, 1}, "auto", "none"}, [](Rank& self) {
    require(self.wire().clock_error() > Time(), "an error is stated");
    require(self.wire().clock_error() < Time::microseconds(1000), "which is small");
    self.meet();
    // All processes are on one real host: the very clock tells how well they agree.
    const std::int64_t ahead =
        self.domain().now().ps() / 1000 - corespec::LiveClock::host_nanoseconds();
    self.word(static_cast<std::size_t>(self.rank())) = static_cast<std::uint64_t>(ahead);
    self.meet();
    for (std::size_t rank = 0; rank < 3; ++rank) {
      const auto other = static_cast<std::int64_t>(self.word(rank).load());
      const double apart = static_cast<double>(std::abs(other - ahead));
      require(apart <= self.wire().clock_error().ns() + 20'000,
              "clocks are apart by " + std::to_string(apart) + " ns");
    }
  });
}

TEST(Clocks, OneHostNeedsNoAgreement) {
  run({{0, 1}, {0, 0}, "auto", "none"},
      [](Rank& self) { require(self.wire().clock_error() == Time(), "no error"); });
}

}  // namespace
}  // namespace wire_test
