// Something stands between the NICs and the torus, which does not know of it.
#include <gtest/gtest.h>

#include <memory>
#include <random>

#include "tests/gemini/test_machine.h"
#include "tests/support/disturbed_wire.h"

namespace gemini_test {
namespace {

using castor_test::DisturbedWire;
using ugni::Transaction;
using ugni::TransactionKind;
using Verdict = DisturbedWire::Verdict;

/// Two nodes on a wire around the network; its events are those of source 1000.
struct Surrounded {
  explicit Surrounded(std::function<Verdict(const Transaction&)> judge)
      : wire(machine.network(), source, std::move(judge)),
        near(machine.queue()),
        far(machine.queue()) {
    wire.attach(0, near, machine.domain(0));
    wire.attach(6, far, machine.domain(3));
    far.memory.resize(1 << 20);
  }
  Transaction message(std::uint64_t number, std::uint64_t length) const {
    Transaction made;
    made.kind = TransactionKind::message;
    made.target = 6;
    made.length = length;
    made.initiator_key = number;
    made.remote_address = number * 4096;
    return made;
  }

  Machine machine{"4x2x2"};
  corespec::EventSource source{1000, 0};
  DisturbedWire wire;
  RecordingNic near, far;
};

TEST(WireAround, ThatChangesNothingMovesNoTime) {
  Surrounded around([](const Transaction&) { return Verdict(); });
  Machine bare("4x2x2");
  bare.nic(6).memory.resize(1 << 20);
  std::mt19937_64 random(4);
  for (std::uint64_t number = 1; number <= 200; ++number) {
    Transaction each = around.message(number, random() % 4000);
    if (random() % 3 == 0) each.kind = TransactionKind::get;
    const Bytes bytes = random_bytes(each.kind == TransactionKind::get ? 0 : each.length, number);
    bare.nic(0);
    bare.network().submit(each, ugni::Payload(bytes));
    around.wire.submit(each, ugni::Payload(bytes));
  }
  bare.run();
  around.machine.run();
  EXPECT_EQ(around.machine.queue().fired(), bare.queue().fired());
  EXPECT_EQ(around.machine.queue().now(), bare.queue().now());
  EXPECT_EQ(around.far.memory, bare.nic(6).memory);
  ASSERT_EQ(around.near.responses.size(), bare.nic(0).responses.size());
  for (std::size_t i = 0; i < around.near.responses.size(); ++i) {
    EXPECT_EQ(around.near.responses[i].at, bare.nic(0).responses[i].at);
  }
  EXPECT_EQ(around.wire.responses(), 200U);
}

TEST(WireAround, LosesDelaysAndRecords) {
  const Time late = Time::microseconds(50);
  Surrounded around([late](const Transaction& each) {
    return Verdict{each.initiator_key % 5 == 0, each.initiator_key % 7 == 0 ? late : Time()};
  });
  Surrounded whole([](const Transaction&) { return Verdict(); });
  // One at a time, so that none waits for another.
  for (Surrounded* each : {&around, &whole}) {
    for (std::uint64_t number = 1; number <= 35; ++number) {
      each->wire.submit(each->message(number, 100), ugni::Payload(random_bytes(100, number)));
      each->machine.run();
    }
  }
  ASSERT_EQ(around.wire.entries().size(), 35U);
  EXPECT_EQ(around.wire.entries()[3].transaction.remote_address, 4U * 4096);
  EXPECT_EQ(around.wire.entries()[3].payload, 100U);
  EXPECT_EQ(around.far.requests.size(), 28U);
  EXPECT_EQ(around.near.responses.size(), 28U);
  const auto travel = [](const Surrounded& of, std::size_t request) {
    const Call& call = of.far.requests[request];
    return call.at - of.wire.entries()[call.transaction.initiator_key - 1].at;
  };
  for (std::size_t i = 0; i < around.far.requests.size(); ++i) {
    const std::uint64_t number = around.far.requests[i].transaction.initiator_key;
    EXPECT_NE(number % 5, 0U);
    EXPECT_EQ(travel(around, i), travel(whole, number - 1) + (number % 7 == 0 ? late : Time()));
  }
}

TEST(WireAround, GivesBackWhatIsDropped) {
  Surrounded around([](const Transaction&) { return Verdict(); });
  ugni::Submission& first = around.wire.prepare(0);
  first.payload = ugni::Payload(64);
  around.wire.drop(first);
  ugni::Submission& second = around.wire.prepare(0);
  EXPECT_EQ(&second, &first);
  EXPECT_TRUE(second.payload.empty());
  around.wire.drop(second);
  around.machine.run();
  EXPECT_TRUE(around.wire.entries().empty());
}

TEST(WireAround, StandsAroundAnother) {
  Surrounded inner([](const Transaction& each) { return Verdict{each.initiator_key == 1, {}}; });
  corespec::EventSource source{1001, 0};
  DisturbedWire outer(inner.wire, source, [](const Transaction& each) {
    return Verdict{each.initiator_key == 2, {}};
  });
  RecordingNic third(inner.machine.queue());
  outer.attach(2, third, inner.machine.domain(1));
  for (std::uint64_t number = 1; number <= 3; ++number) {
    Transaction each = inner.message(number, 8);
    each.source = 2;
    outer.submit(each, ugni::Payload(8));
  }
  inner.machine.run();
  EXPECT_EQ(outer.entries().size(), 3U);
  EXPECT_EQ(inner.wire.entries().size(), 2U);
  ASSERT_EQ(inner.far.requests.size(), 1U);
  EXPECT_EQ(inner.far.requests[0].transaction.initiator_key, 3U);
  EXPECT_EQ(third.responses.size(), 1U);
}

}  // namespace
}  // namespace gemini_test
