// Order from one injector of one process to another, and more than there is room for.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>

#include "tests/wire/job_of_processes.h"

namespace wire_test {
namespace {

using ugni::Transaction;
using ugni::TransactionKind;

class Order : public testing::TestWithParam<const char*> {};

INSTANTIATE_TEST_SUITE_P(, Order, every_provider(), provider_name);

/// Small ones behind large ones that the target fetches: by the time each is seen, all bytes of
/// those before it are there.
TEST_P(Order, NothingOvertakesWhatIsStillBeingFetched) {
  for (const char* network : {"none", "gemini"}) {
    run({{0, 1}, {0, 0}, GetParam(), network}, [&](Rank& self) {
      constexpr std::size_t rounds = 60;
      constexpr std::size_t large = 300000;
      self.attach_own_domain();
      std::vector<std::byte> memory(large + 8);
      const std::uint64_t handle = self.client().add(memory);
      if (self.rank() == 1) {
        self.word(0) = reinterpret_cast<std::uint64_t>(memory.data());
        self.word(1) = handle;
      }
      self.meet();
      std::vector<std::vector<std::byte>> sources;
      for (std::size_t i = 0; i < rounds && self.rank() == 0; ++i) {
        sources.push_back(random_bytes(i % 3 == 0 ? large : 100, i));
        self.client().add(sources.back());
      }
      if (self.rank() == 0) {
        // All at once, one injector: data, an event, data over the same place, an event, ...
        for (std::size_t i = 0; i < rounds; ++i) {
          Transaction put = self.to(1, TransactionKind::put);
          put.injector = 1;
          put.remote_address = self.word(0);
          put.remote_handle.qword1 = self.word(1);
          self.submit(put, sources[i]);
          Transaction event = self.to(1, TransactionKind::cq_write);
          event.injector = 1;
          event.immediate[0] = i;
          self.submit(event, {});
        }
        self.until([&] { return self.client().all_ended(); }, "responses");
        return;
      }
      self.until([&] { return self.client().arrivals().size() == 2 * rounds; }, "everything");
      for (std::size_t i = 0; i < rounds; ++i) {
        const auto& put = self.client().arrivals()[2 * i];
        const auto& event = self.client().arrivals()[2 * i + 1];
        require(put.transaction.kind == TransactionKind::put, "a put first");
        require(put.in_place == (i % 3 == 0), "large ones are fetched");
        require(event.transaction.immediate[0] == i, "its event next");
        require(put.at <= event.at, "at equal or later times");
      }
      std::vector<std::byte> expected(memory.size());
      for (std::size_t i = 0; i < rounds; ++i) {
        const auto source = random_bytes(i % 3 == 0 ? large : 100, i);
        std::copy(source.begin(), source.end(), expected.begin());
      }
      require(memory == expected, "the last word is the last one's");
    });
  }
}

/// Far more than queues and buffers hold, to a process that does not look: nothing is lost, the
/// sender never waits, and order is kept.
TEST_P(Order, TenThousandToSomebodyWhoDoesNotPoll) {
  run({{0, 1}, {0, 0}, GetParam(), "none"}, [](Rank& self) {
    constexpr std::uint64_t count = 10000;
    self.attach_own_domain();
    self.meet();
    if (self.rank() == 0) {
      // The first finds the way.
      self.until([&, number = self.submit(self.to(1, TransactionKind::cq_write),
                                          {})] { return self.client().post(number).ended; },
                 "a response");
    } else {
      self.until([&] { return self.client().arrived() == 1; }, "the first");
      self.client().forget_arrivals();
    }
    self.meet();
    if (self.rank() == 0) {
      for (std::uint64_t i = 0; i < count; ++i) {
        Transaction message = self.to(1, TransactionKind::message);
        message.immediate[0] = i;
        const auto data = random_bytes(i % 5000, i);
        self.submit(message, {}, ugni::Payload(std::span(data)));
      }
      self.stand_still();
      self.until([&] { return self.client().all_ended(); }, "all responses");
      return;
    }
    self.stand_still();  // until all are submitted
    self.until([&] { return self.client().arrivals().size() == count; }, "all messages");
    for (std::uint64_t i = 0; i < count; ++i) {
      const auto& message = self.client().arrivals()[i];
      require(message.transaction.immediate[0] == i, "in order");
      require(message.data == random_bytes(i % 5000, i), "whole");
    }
  });
}

/// What is submitted while the domain is held leaves together, of any number and size: it arrives
/// one by one, whole.
TEST_P(Order, WhatLeavesTogetherArrivesOneByOne) {
  run({{0, 1}, {0, 0}, GetParam(), "none"}, [](Rank& self) {
    constexpr std::uint64_t count = 3000;
    const auto size_of = [](std::uint64_t i) { return i % 7 == 0 ? i % 5000 : i % 300; };
    self.attach_own_domain();
    self.meet();
    if (self.rank() == 0) {
      std::mt19937 generator(5);
      for (std::uint64_t i = 0; i < count;) {
        const corespec::EventDomain::Hold hold(self.domain());
        for (std::uint64_t left = 1 + generator() % 60; left > 0 && i < count; --left, ++i) {
          Transaction message = self.to(1, TransactionKind::message);
          message.immediate[0] = i;
          const auto data = random_bytes(size_of(i), i);
          self.submit(message, {}, ugni::Payload(std::span(data)));
        }
      }
      self.until([&] { return self.client().all_ended(); }, "all responses");
      return;
    }
    self.until([&] { return self.client().arrivals().size() == count; }, "all messages");
    for (std::uint64_t i = 0; i < count; ++i) {
      const auto& message = self.client().arrivals()[i];
      require(message.transaction.immediate[0] == i, "in order");
      require(message.data == random_bytes(size_of(i), i), "whole");
    }
  });
}

/// Nothing waits for a thread that keeps the domain to leave it, if it looks at what comes.
TEST_P(Order, AThreadThatKeepsTheDomainSendsAllTheSame) {
  run({{0, 1}, {0, 0}, GetParam(), "none"}, [](Rank& self) {
    self.attach_own_domain();
    self.meet();
    {
      const corespec::EventDomain::Hold hold(self.domain());
      for (int i = 0; i < 100; ++i) {  // each waits for the other to ask and to answer
        const auto asked = static_cast<std::uint64_t>(i);
        const auto number = self.submit(self.to(1 - self.rank(), TransactionKind::cq_write), {});
        self.until([&] { return self.client().post(number).ended; }, "a response");
        self.until([&] { return self.client().arrived() > asked; }, "the other's");
      }
    }
    self.meet();
  });
}

/// Everybody to everybody, all sizes, both directions at once.
TEST_P(Order, RandomTrafficAmongFour) {
  run({{0, 0, 1, 2}, {0, 0, 0, 0}, GetParam(), "gemini"}, [](Rank& self) {
    constexpr std::size_t rounds = 300;
    constexpr std::size_t largest = 100000;
    self.attach_own_domain();
    std::vector<std::byte> shared(4 * largest);
    const std::uint64_t handle = self.client().add(shared);
    self.word(static_cast<std::size_t>(self.rank())) =
        reinterpret_cast<std::uint64_t>(shared.data());
    self.meet();
    std::mt19937 generator(static_cast<unsigned>(self.rank()));
    std::vector<std::vector<std::byte>> sources(rounds);
    std::vector<int> targets;
    for (std::size_t i = 0; i < rounds; ++i) {
      const int target = static_cast<int>(generator() % 4);
      const std::size_t size = generator() % 3 == 0 ? generator() % largest : generator() % 300;
      targets.push_back(target);
      sources[i] = random_bytes(size, i);
      self.client().add(sources[i], generator() % 2 == 0);
      Transaction put = self.to(target, TransactionKind::put);
      put.injector = static_cast<std::uint8_t>(1 + target);
      put.immediate[0] = i;
      put.remote_handle.qword1 = handle;  // the same number everywhere
      put.remote_address = self.word(static_cast<std::size_t>(target)) +
                           static_cast<std::size_t>(self.rank()) * largest;
      self.submit(put, sources[i]);
      if (i % 16 == 0) self.domain().advance();
    }
    self.until([&] { return self.client().all_ended(); }, "responses");
    self.meet();
    for (int target = 0; target < 4; ++target) {  // what each has to hold of mine, I ask for
      std::vector<std::byte> expected(largest), there(largest);
      for (std::size_t i = 0; i < rounds; ++i) {
        if (targets[i] == target) {
          std::copy(sources[i].begin(), sources[i].end(), expected.begin());
        }
      }
      Transaction get = self.to(target, TransactionKind::get);
      get.remote_handle.qword1 = handle;
      get.remote_address = self.word(static_cast<std::size_t>(target)) +
                           static_cast<std::size_t>(self.rank()) * largest;
      const std::uint64_t number = self.submit(get, there);
      self.until([&] { return self.client().post(number).ended; }, "a get");
      require(there == expected, "everything arrived, the last one last");
    }
    self.meet();  // with the memory still there
  });
}

}  // namespace
}  // namespace wire_test
