// What a marked transaction leaves in the logs of the components that it passes.
#include "ugni_emu/telemetry/network_records.h"

#include <gtest/gtest.h>

#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tests/gemini/test_machine.h"

namespace gemini_test {
namespace {

using telemetry::Component;
using telemetry::Record;
using ugni::TransactionKind;

corespec::Parameters marking(const std::string& choice = "all") {
  corespec::Parameters parameters;
  parameters.telemetry = choice;
  return parameters;
}

/// As software would post it: marked.
void put_marked(Machine& machine, Nid from, Nid to, std::uint64_t length, std::uint32_t mark) {
  machine.nic(to);
  ugni::Transaction transaction = machine.make(TransactionKind::put, from, to, length);
  transaction.injector = 1;
  transaction.mark = mark;
  machine.nic(from).buffers[transaction.initiator_key] = random_bytes(length, mark);
  machine.network().submit(transaction, {});
}

const std::vector<Record>& records(Machine& machine, Component component) {
  return machine.network().records()->log(component).records();
}

std::size_t all_records(Machine& machine) {
  const telemetry::NetworkRecords& all = *machine.network().records();
  std::size_t sum = 0;
  for (std::uint32_t nid = 0; nid < all.nics(); ++nid) {
    sum += all.log(Component::nic(nid)).records().size();
  }
  for (std::uint32_t router = 0; router < all.routers(); ++router) {
    sum += all.log(Component::router(router)).records().size();
  }
  return sum;
}

TEST(NetworkRecords, EveryComponentOfAQuietPathThereAndBack) {
  Machine machine("4x1x1", marking());
  const Nid from = machine.nid(0, 0, 0), to = machine.nid(2, 0, 0, 1);
  put_marked(machine, from, to, 64, 5);
  machine.run();
  const corespec::Parameters p;
  // 0 to 1 to 2 in X, and back (a tie goes plus: by 3).
  const Time nic = p.nic_to_router_latency, hop = p.hop_latency;

  const auto& at_source = records(machine, Component::nic(from));
  ASSERT_EQ(at_source.size(), 3U);  // the packet, the command's end, the answer
  EXPECT_EQ(at_source[0].arrived(), Time());
  EXPECT_EQ(at_source[0].waited(), Time());
  EXPECT_EQ(at_source[0].mark, 5U);
  EXPECT_EQ(at_source[0].source, from);
  EXPECT_EQ(at_source[0].next_hop(), Component::router(machine.id(0, 0, 0)));
  EXPECT_TRUE(at_source[1].is(Record::command));
  EXPECT_TRUE(at_source[2].is(Record::delivered));
  EXPECT_TRUE(at_source[2].is(Record::response));

  Time at = nic;
  for (const std::uint16_t x : {0, 1, 2}) {
    const auto& of_router = records(machine, Component::router(machine.id(x, 0, 0)));
    ASSERT_FALSE(of_router.empty()) << x;
    EXPECT_EQ(of_router[0].arrived(), at) << x;
    EXPECT_EQ(of_router[0].waited(), Time()) << x;
    EXPECT_EQ(of_router[0].next_hop(),
              x == 2 ? Component::nic(to) : Component::router(machine.id(x + 1, 0, 0)));
    at += hop;
  }
  at += nic - hop;
  const auto& at_target = records(machine, Component::nic(to));
  ASSERT_EQ(at_target.size(), 2U);
  EXPECT_EQ(at_target[0].arrived(), at);
  EXPECT_TRUE(at_target[0].is(Record::delivered));
  EXPECT_EQ(at_target[0].arrived() + at_target[0].waited(), machine.nic(to).requests[0].at);
  EXPECT_TRUE(at_target[1].is(Record::response));
  EXPECT_EQ(at_target[1].arrived(), machine.nic(to).requests[0].at);
  // Back: three routers, of which two have forwarded the request, too.
  EXPECT_EQ(all_records(machine), 3U + 2U + 3U + 3U);
  EXPECT_EQ(at_source[2].arrived() + at_source[2].waited(), machine.nic(from).responses[0].at);
}

TEST(NetworkRecords, UnmarkedTransactionsLeaveNone) {
  Machine machine("4x1x1", marking());
  machine.put(machine.nid(0, 0, 0), machine.nid(2, 0, 0), 1 << 20);
  machine.run();
  EXPECT_EQ(all_records(machine), 0U);
}

TEST(NetworkRecords, WithoutAChoiceThereAreNone) {
  Machine machine("4x1x1");
  put_marked(machine, machine.nid(0, 0, 0), machine.nid(1, 0, 0), 64, 5);
  machine.run();
  EXPECT_EQ(machine.network().records(), nullptr);
  EXPECT_EQ(machine.nic(machine.nid(1, 0, 0)).requests.size(), 1U);
}

TEST(NetworkRecords, OnePieceOfALongCommandIsMarked) {
  Machine machine("4x1x1", marking());
  const Nid from = machine.nid(0, 0, 0), to = machine.nid(1, 0, 0);
  put_marked(machine, from, to, 1 << 20, 9);  // 64 segments
  machine.run();
  const auto& at_target = records(machine, Component::nic(to));
  ASSERT_EQ(at_target.size(), 2U);  // of one piece: there, back
  const auto& at_source = records(machine, Component::nic(from));
  ASSERT_EQ(at_source.size(), 3U);
  // The command's end stands behind its marked piece.
  const Record& command = at_source[0].is(Record::command)   ? at_source[0]
                          : at_source[1].is(Record::command) ? at_source[1]
                                                             : at_source[2];
  EXPECT_EQ(command.arrived() + command.waited(), machine.nic(from).sent[0].at);
}

TEST(NetworkRecords, AWaitSaysBehindWhat) {
  Machine machine("4x1x1", marking());
  const Nid from = machine.nid(0, 0, 0), to = machine.nid(1, 0, 0), other = machine.nid(3, 0, 0);
  // The other's 16 KB come to the target's router at the same time, and are served first.
  machine.put(other, to, 16384);
  put_marked(machine, from, to, 64, 3);
  machine.run();
  const auto& log = machine.network().records()->log(Component::router(machine.id(1, 0, 0)));
  ASSERT_FALSE(log.records().empty());
  const Record& here = log.records()[0];
  EXPECT_EQ(here.waited(), Time());  // it came first: one hop against two
  Machine second("4x1x1", marking());
  second.put(from, to, 16384);
  put_marked(second, second.nid(0, 0, 0, 1), to, 64, 3);
  second.run();
  // The other NIC's 16 KB hold the host port of their router.
  const auto& at_source = second.network().records()->log(Component::nic(second.nid(0, 0, 0, 1)));
  const Record& sent = at_source.records()[0];
  EXPECT_GT(sent.waited(), Time());
  ASSERT_NE(sent.behind, 0U);
  EXPECT_EQ(at_source.flow(sent.behind).source.nid, from);
  EXPECT_EQ(at_source.flow(sent.behind).target.nid, to);
}

TEST(NetworkRecords, RecordsDoNotChangeTheRun) {
  const auto times = [](const corespec::Parameters& parameters, std::uint32_t mark) {
    Machine machine("4x2x2", parameters);
    for (Nid nid = 1; nid < 16; ++nid) put_marked(machine, nid, 0, 40'000, mark);
    machine.run();
    std::vector<Time> all;
    for (const Call& call : machine.nic(0).requests) all.push_back(call.at);
    for (Nid nid = 1; nid < 16; ++nid) {
      for (const Call& call : machine.nic(nid).responses) all.push_back(call.at);
    }
    return all;
  };
  EXPECT_EQ(times(marking(), 7), times({}, 0));
}

TEST(NetworkRecords, AComponentMarksWhatPassesIt) {
  Machine machine("4x1x1", marking("router:1,every:2"));
  const Nid from = machine.nid(0, 0, 0), to = machine.nid(2, 0, 0);
  for (int i = 0; i < 4; ++i) machine.put(from, to, 64);
  machine.run();
  const auto& here = records(machine, Component::router(1));
  ASSERT_EQ(here.size(), 2U);
  for (const Record& record : here) {
    EXPECT_TRUE(record.is(Record::set_here));
    EXPECT_NE(record.mark & 0x80000000U, 0U);
  }
  EXPECT_NE(here[0].mark, here[1].mark);
  EXPECT_TRUE(records(machine, Component::router(0)).size() == 2U);  // of the answers
  EXPECT_EQ(records(machine, Component::nic(to)).size(), 4U);
}

/// As from one part of a machine to another.
TEST(NetworkRecords, AreTheSameInAnotherProcess) {
  Machine machine("4x1x1", marking());
  const Nid to = machine.nid(2, 0, 0);
  for (const Nid from : {machine.nid(1, 0, 0), machine.nid(0, 0, 0)}) {
    put_marked(machine, from, to, 100000, 5);  // that wait for each other
  }
  machine.run();
  const telemetry::NetworkRecords& written = *machine.network().records();
  Machine other("4x1x1", marking());
  telemetry::NetworkRecords& added = *other.network().records();
  const std::string packed = written.pack();
  added.add(packed);
  std::size_t waits = 0;
  const auto expect_the_same = [&](Component component) {
    const telemetry::ComponentLog& one = written.log(component);
    const telemetry::ComponentLog& same = std::as_const(added).log(component);
    ASSERT_EQ(same.records().size(), one.records().size());
    EXPECT_EQ(same.lost(), one.lost());
    for (std::size_t i = 0; i < one.records().size(); ++i) {
      const Record &here = one.records()[i], &there = same.records()[i];
      EXPECT_EQ(std::memcmp(&here, &there, sizeof here), 0);
      if (here.behind == 0) continue;
      EXPECT_EQ(same.flow(here.behind), one.flow(here.behind));
      ++waits;
    }
  };
  for (std::uint32_t nid = 0; nid < written.nics(); ++nid) expect_the_same(Component::nic(nid));
  for (std::uint32_t router = 0; router < written.routers(); ++router) {
    expect_the_same(Component::router(router));
  }
  EXPECT_GT(waits, 0U);
  EXPECT_THROW(added.add(packed.substr(0, packed.size() - 1)), std::runtime_error);
}

TEST(NetworkRecords, SkewedClocksAreWithinTheirBound) {
  corespec::Parameters parameters = marking();
  parameters.telemetry_clock_skew = Time::nanoseconds(500);
  Machine machine("4x4x4", parameters);
  int moved = 0;
  for (std::uint32_t router = 0; router < 64; ++router) {
    const Time offset = machine.network().records()->log(Component::router(router)).clock_offset;
    EXPECT_LE(offset, Time::nanoseconds(500));
    EXPECT_GE(offset, Time::nanoseconds(-500));
    moved += offset != Time() ? 1 : 0;
  }
  EXPECT_GT(moved, 60);
}

TEST(NetworkRecords, ANodeToItself) {
  Machine machine("4x1x1", marking());
  const Nid nid = machine.nid(0, 0, 0);
  put_marked(machine, nid, nid, 64, 4);
  machine.run();
  const auto& here = records(machine, Component::nic(nid));
  EXPECT_EQ(here.size(), 5U);  // out, the command's end, in; answer out, answer in
  EXPECT_EQ(all_records(machine), 5U);
}

}  // namespace
}  // namespace gemini_test
