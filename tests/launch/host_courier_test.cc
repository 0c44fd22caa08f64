// Parts on several hosts: what their couriers carry, and what comes damaged.
#include "launch/workers/host_courier.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <mutex>
#include <random>
#include <utility>
#include <vector>

#include "launch/workers/parcels.h"
#include "launch/workers/questions.h"
#include "launch/workers/shared_rounds.h"
#include "launch/workers/shared_rounds_memory.h"
#include "tests/launch/on_threads.h"
#include "ugni_emu/fabric/transport/transport.h"

namespace {

using corespec::Time;
using launch::HostCourier;
using launch::Parcels;
using launch::Questions;
using launch::SharedRounds;
using launch::SharedRoundsMemory;
using launch::Subject;
using launch_test::addresses;
using launch_test::on_threads;
using Bytes = std::vector<std::byte>;
using Range = SharedRoundsMemory::Range;

const std::atomic<bool> not_stopped = false;

Bytes random_bytes(std::size_t size, unsigned seed) {
  std::mt19937 random(seed);
  Bytes bytes(size);
  for (std::byte& each : bytes) each = static_cast<std::byte>(random());
  return bytes;
}

// ---- A network of short messages, which now and then has no room

class Network {
 public:
  explicit Network(std::size_t hosts) : to_(hosts) {}
  void send(std::size_t to, Bytes message) {
    const std::lock_guard hold(mutex_);
    to_[to].push_back(std::move(message));
  }
  bool take(std::size_t own, Bytes& message) {
    const std::lock_guard hold(mutex_);
    if (to_[own].empty()) return false;
    message = std::move(to_[own].front());
    to_[own].pop_front();
    return true;
  }

 private:
  std::mutex mutex_;
  std::vector<std::deque<Bytes>> to_;
};

class ShortMessages final : public ugni::fabric::Transport {
 public:
  ShortMessages(Network& network, std::size_t own)
      : network_(network), own_(own), random_(static_cast<unsigned>(own)) {}
  std::string name() const override { return "short messages"; }
  bool by_memory() const override { return false; }
  Bytes address() const override { return {static_cast<std::byte>(own_)}; }
  Address add(std::span<const std::byte> address, pid_t) override {
    return static_cast<Address>(address[0]);
  }
  std::size_t limit() const override { return 100; }
  ugni::fabric::Outcome send(Address to, ugni::fabric::Buffer& buffer) override {
    if (random_() % 4 == 0) return ugni::fabric::Outcome::again;
    network_.send(to, Bytes(buffer.bytes, buffer.bytes + buffer.size));
    put_back(buffer);
    return ugni::fabric::Outcome::done;
  }
  ugni::fabric::Outcome read(Address, std::span<std::byte>, ugni::fabric::RemoteMemory,
                             ugni::fabric::Movement&) override {
    return ugni::fabric::Outcome::failed;
  }
  ugni::fabric::Outcome write(Address, std::span<const std::byte>, ugni::fabric::RemoteMemory,
                              ugni::fabric::Movement&) override {
    return ugni::fabric::Outcome::failed;
  }
  std::unique_ptr<ugni::fabric::Registration> expose(std::byte*, std::size_t) override {
    return nullptr;
  }
  bool poll(ugni::fabric::TransportClient& client) override {
    Bytes message;
    if (!network_.take(own_, message)) return false;
    client.received(message, ugni::fabric::TransportClient::some_process_of_the_job);
    return true;
  }
  bool may_wait() override { return false; }

 private:
  Network& network_;
  std::size_t own_;
  std::mt19937 random_;
};

std::vector<Bytes> addresses_of(std::size_t hosts) {
  std::vector<Bytes> all;
  for (std::size_t host = 0; host < hosts; ++host) all.push_back({static_cast<std::byte>(host)});
  return all;
}

TEST(Parcels, OfAnyLengthArriveWholeAndInOrder) {
  Network network(2);
  Parcels sender(std::make_unique<ShortMessages>(network, 0), 0, addresses_of(2));
  Parcels receiver(std::make_unique<ShortMessages>(network, 1), 1, addresses_of(2));
  std::vector<Bytes> got;
  receiver.set_reader(
      [&](std::size_t from, std::uint32_t kind, std::span<const std::byte> content) {
        EXPECT_EQ(from, 0U);
        EXPECT_EQ(kind, got.size());
        got.emplace_back(content.begin(), content.end());
      });
  std::vector<Bytes> sent;
  for (const std::size_t size : {0, 1, 79, 80, 81, 96, 5000, 0, 100'000}) {
    sent.push_back(random_bytes(size, static_cast<unsigned>(sent.size())));
    const std::span<std::byte> room =
        sender.add(1, static_cast<std::uint32_t>(sent.size() - 1), size);
    std::copy(sent.back().begin(), sent.back().end(), room.begin());
  }
  EXPECT_FALSE(sender.all_sent());
  while (got.size() < sent.size()) {
    sender.poll();
    receiver.poll();
  }
  EXPECT_EQ(got, sent);
  EXPECT_TRUE(sender.all_sent());
  EXPECT_EQ(receiver.garbled(), receiver.own());
}

TEST(Parcels, OfNoProcessOfTheJobAreDroppedAndLengthsThatCannotBeAreReported) {
  Network network(2);
  Parcels receiver(std::make_unique<ShortMessages>(network, 1), 1, addresses_of(2));
  receiver.set_reader([](std::size_t, std::uint32_t, std::span<const std::byte>) { FAIL(); });
  const auto poll_all = [&] {
    while (receiver.poll()) {
    }
  };
  network.send(1, {});
  network.send(1, Bytes(3));
  network.send(1, Bytes(50, std::byte{2}));  // from process 0x02020202
  network.send(1, Bytes{std::byte{1}, std::byte{}, std::byte{}, std::byte{}, std::byte{}});  // own
  poll_all();
  EXPECT_EQ(receiver.garbled(), receiver.own());
  Bytes longest(4 + 16, std::byte{0xff});
  std::fill_n(longest.begin(), 4, std::byte{0});
  network.send(1, longest);
  poll_all();
  EXPECT_EQ(receiver.garbled(), 0U);
}

// ---- Rounds

/// Of each part to each other one in a round; some write nothing.
Bytes letter(std::uint32_t round, std::size_t from, std::size_t to) {
  const unsigned seed = (round * 8 + static_cast<unsigned>(from)) * 8 + static_cast<unsigned>(to);
  return random_bytes(seed % 3 == 0 ? 0 : seed % 700, seed);
}
Time coming(std::uint32_t round, std::size_t from, std::size_t to) {
  return Time::nanoseconds(static_cast<std::int64_t>((round * 31 + from * 7 + to * 3) % 1000));
}

/// What a host's workers share.
struct Host {
  explicit Host(std::size_t parts) : memory(parts, addresses), questions(parts) {}
  SharedRoundsMemory memory;
  Questions questions;
};

TEST(HostCouriers, BringEachRoundToThePartsOfAllHosts) {
  const std::vector<Range> ranges{{0, 2}, {2, 3}, {3, 5}};
  constexpr std::size_t parts = 5;
  constexpr std::uint32_t last = 200;
  Network network(ranges.size());
  std::vector<std::unique_ptr<Host>> hosts;
  for (std::size_t host = 0; host < ranges.size(); ++host) {
    hosts.push_back(std::make_unique<Host>(parts));
  }
  on_threads(parts, [&](std::size_t part) {
    std::size_t own_host = 0;
    while (!ranges[own_host].holds(part)) ++own_host;
    Host& host = *hosts[own_host];
    std::unique_ptr<HostCourier> courier;
    SharedRounds rounds(host.memory, part, 1, [&] {
      if (courier) courier->look();
    });
    std::unique_ptr<Parcels> parcels;
    if (part == ranges[own_host].begin) {
      parcels = std::make_unique<Parcels>(std::make_unique<ShortMessages>(network, own_host),
                                          own_host, addresses_of(ranges.size()));
      const HostCourier::Orders orders{[](std::size_t) {}, [](std::size_t, int) {},
                                       [](std::size_t, const char* what) { ADD_FAILURE() << what; },
                                       [] {}};
      courier = std::make_unique<HostCourier>(*parcels, ranges, host.memory, host.questions, rounds,
                                              1, orders);
      rounds.set_courier(*courier, ranges[own_host]);
    }
    std::vector<std::size_t> got(parts);
    std::uint32_t round = 0;
    rounds.set_reader(Subject::value, [&](std::size_t from, std::span<const std::byte> content) {
      EXPECT_EQ(Bytes(content.begin(), content.end()), letter(round, from, part));
      ++got[from];
    });
    for (round = 1; round <= last; ++round) {
      for (std::size_t to = 0; to < parts; ++to) {
        if (to == part) continue;
        const Bytes content = letter(round, part, to);
        if (content.empty()) continue;
        const std::span<std::byte> room = rounds.add(to, Subject::value, content.size());
        std::copy(content.begin(), content.end(), room.begin());
        rounds.expect_at_nodes(to, coming(round, part, to));
      }
      corespec::Rounds::Front own;
      own.node = Time::nanoseconds(static_cast<std::int64_t>(round * 10 + part));
      rounds.arrive(own);
      ASSERT_TRUE(rounds.meet(not_stopped));
      for (std::size_t other = 0; other < parts; ++other) {
        EXPECT_EQ(rounds.fronts()[other].node,
                  Time::nanoseconds(static_cast<std::int64_t>(round * 10 + other)));
        Time soonest = Time::max();
        for (std::size_t from = 0; from < parts; ++from) {
          if (from == other || letter(round, from, other).empty()) continue;
          soonest = std::min(soonest, coming(round, from, other));
        }
        EXPECT_EQ(rounds.fronts()[other].coming_to_nodes, soonest);
        EXPECT_EQ(rounds.fronts()[other].coming_to_routers, Time::max());
      }
    }
    for (std::size_t from = 0; from < parts; ++from) {
      std::size_t written = 0;
      for (std::uint32_t each = 1; each <= last; ++each) {
        written += from == part || letter(each, from, part).empty() ? 0 : 1;
      }
      EXPECT_EQ(got[from], written) << from << " to " << part;
    }
    if (courier) courier->leave();
  });
}

TEST(Questions, AreThereWhenAWorkerIsWoken) {
  Questions questions(2);
  const auto said = questions.ask(1, Questions::Then::go_on, [&] {
    questions.answer(1, [] { return std::string("all wait"); });
    questions.answer(1, [] { return std::string("said again"); });
  });
  EXPECT_EQ(said, "all wait");
}

/// As from a signal handler: the transport may hold a lock.
TEST(HostCourierDeathTest, UsedInsideItselfEndsTheProcess) {
  Network network(2);
  Host host(2);
  Parcels parcels(std::make_unique<ShortMessages>(network, 0), 0, addresses_of(2));
  SharedRounds rounds(host.memory, 0, 1, [] {});
  std::unique_ptr<HostCourier> courier;
  const HostCourier::Orders orders{[](std::size_t) {}, [](std::size_t, int) {},
                                   [&](std::size_t, const char*) { courier->look(); }, [] {}};
  courier = std::make_unique<HostCourier>(parcels, std::vector<Range>{{0, 1}, {1, 2}}, host.memory,
                                          host.questions, rounds, 1, orders);
  EXPECT_FALSE(courier->is_in_use());
  Bytes longest(4 + 16, std::byte{0xff});
  std::fill_n(longest.begin(), 4, std::byte{0});
  longest[0] = std::byte{1};
  network.send(0, longest);
  EXPECT_DEATH(courier->look(), "a courier is used inside itself");
}

/// A round of two parts, packed for a third one on another host.
Bytes packed_round(SharedRoundsMemory& memory) {
  for (std::size_t part = 0; part < 2; ++part) {
    SharedRounds rounds(memory, part, 1, [] {});
    for (int i = 0; i < 3; ++i) {
      const Bytes content = random_bytes(20 + static_cast<std::size_t>(i) * 9, 1);
      const std::span<std::byte> room = rounds.add(2, Subject::value, content.size());
      std::copy(content.begin(), content.end(), room.begin());
    }
    rounds.arrive({});
  }
  Bytes packed(memory.packed_bytes(1, {0, 2}, {2, 3}));
  memory.pack(1, {0, 2}, {2, 3}, packed);
  return packed;
}

TEST(APackedRound, ThatIsCutOrLongerIsRefused) {
  SharedRoundsMemory from(3, addresses);
  const Bytes packed = packed_round(from);
  SharedRoundsMemory to(3, addresses);
  for (std::size_t bytes = 0; bytes < packed.size(); ++bytes) {
    EXPECT_FALSE(to.unpack(1, {0, 2}, {2, 3}, std::span(packed).first(bytes))) << bytes;
    EXPECT_EQ(to.place(0).arrived.load(), 0U);
  }
  Bytes longer = packed;
  longer.push_back({});
  EXPECT_FALSE(to.unpack(1, {0, 2}, {2, 3}, longer));
  EXPECT_TRUE(to.unpack(1, {0, 2}, {2, 3}, packed));
  EXPECT_EQ(to.place(0).arrived.load(), 1U);
  EXPECT_EQ(to.place(1).arrived.load(), 1U);
}

TEST(APackedRound, ThatIsDamagedLeadsToNothingBeyondItsLetters) {
  SharedRoundsMemory from(3, addresses);
  const Bytes packed = packed_round(from);
  std::mt19937 random(7);
  int refused = 0;
  for (int i = 0; i < 2000; ++i) {
    SharedRoundsMemory to(3, addresses);
    Bytes damaged = packed;
    for (int changes = 0; changes < 3; ++changes) {
      damaged[random() % damaged.size()] = static_cast<std::byte>(random());
    }
    if (!to.unpack(1, {0, 2}, {2, 3}, damaged)) {
      ++refused;
      continue;
    }
    // It is read whole.
    SharedRounds rounds(to, 2, 1, [] {});
    std::size_t read = 0;
    for (std::size_t subject = 0; subject < launch::subjects; ++subject) {
      rounds.set_reader(static_cast<Subject>(subject),
                        [&](std::size_t, std::span<const std::byte> content) {
                          for (const std::byte each : content) read += each != std::byte{} ? 1 : 0;
                        });
    }
    rounds.arrive({});
    ASSERT_TRUE(rounds.meet(not_stopped));
    EXPECT_LE(read, packed.size());
  }
  EXPECT_GT(refused, 100);
}

}  // namespace
