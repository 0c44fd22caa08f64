// Links that damage packets and send them again, and links that fail under load.
#include <gtest/gtest.h>

#include "tests/gemini/packet/transfers.h"

namespace gemini_test {
namespace {

std::vector<Transfer> many(Machine& machine, int count, std::uint64_t seed) {
  Draw draw(seed);
  std::vector<Transfer> transfers;
  const std::uint64_t nodes = machine.topology().nodes();
  while (transfers.size() < static_cast<std::size_t>(count)) {
    const Nid from = static_cast<Nid>(draw.below(nodes)), to = static_cast<Nid>(draw.below(nodes));
    if (from == to) continue;
    transfers.push_back({from, to, 1 + draw.below(20000), draw.below(2) == 0, 0});
  }
  return transfers;
}

Time last_response(Machine& machine) {
  Time last;
  for (Nid nid = 0; nid < machine.topology().nodes(); ++nid) {
    const std::vector<Call>& responses = machine.nic(nid).responses;
    if (!responses.empty()) last = std::max(last, responses.back().at);
  }
  return last;
}

TEST(LinkErrors, ADamagedPacketCostsItsTimeAndTheRoundTrip) {
  corespec::Parameters parameters = in_packets();
  const auto answered = [](const corespec::Parameters& with, gemini::FaultCounts& faults) {
    Machine machine("4x1x1", with);
    machine.put(0, 2, 64, 0);  // a request packet of 32 phits, a response of 3
    machine.run();
    faults = machine.network().faults();
    return machine.nic(0).responses.at(0).at;
  };
  gemini::FaultCounts faults;
  const Time quiet = answered(parameters, faults);
  EXPECT_EQ(faults.damaged, 0U);
  parameters.link_errors = 2;
  bool differs = false;
  for (parameters.seed = 1; parameters.seed < 20; ++parameters.seed) {
    const Time later = answered(parameters, faults) - quiet;
    const Time trip = parameters.hop_latency * 2;
    const auto damaged = static_cast<std::int64_t>(faults.damaged);
    EXPECT_GE(later, trip * damaged);
    EXPECT_LT(later, (trip + Time::nanoseconds(100)) * damaged + Time::picoseconds(1));
    differs = differs || damaged > 1;
  }
  EXPECT_TRUE(differs);
}

TEST(LinkErrors, AllComesAndCountsAreThoseWithoutErrors) {
  corespec::Parameters parameters = in_packets();
  parameters.tile_choice = "deterministic";
  Machine quiet("4x4x2", parameters);
  parameters.link_errors = 50;
  Machine machine("4x4x2", parameters);
  const std::vector<Transfer> transfers = many(machine, 150, 3);
  for (Machine* each : {&quiet, &machine}) {
    start(*each, transfers);
    each->run();
    expect_done(*each, transfers);
  }
  EXPECT_GT(machine.network().faults().damaged, 1000U);
  EXPECT_GT(machine.queue().now(), quiet.queue().now());
  for (gemini::RouterId router = 0; router < machine.topology().routers(); ++router) {
    for (std::uint8_t link = 0; link < 6; ++link) {
      const auto with = machine.counters().link({router, link});
      const auto without = quiet.counters().link({router, link});
      EXPECT_EQ(with.phits, without.phits);
      EXPECT_EQ(with.packets, without.packets);
    }
  }
}

TEST(LinkErrors, LinksThatFailUnderLoadLoseNothingForGood) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    corespec::Parameters parameters = seed % 2 == 0 ? tight() : in_packets();
    parameters.link_failures =
        "links-down count=12 until=30us for=20us seed=" + std::to_string(seed);
    parameters.reroute_time = Time::microseconds(seed % 3 == 0 ? 0 : 20);
    parameters.retransmit_interval = Time::microseconds(50);
    parameters.retransmit_tries = 250;
    Machine machine("4x4x2", parameters);
    const std::vector<Transfer> transfers = many(machine, 60, seed);
    start(machine, transfers);
    machine.run();
    expect_done(machine, transfers);
    const gemini::FaultCounts faults = machine.network().faults();
    EXPECT_GT(faults.lost_on_links, 0U);
    EXPECT_EQ(faults.given_up, 0U);
    // All buffers are free again: the same load without failures takes what it takes on a fresh
    // machine.
    Machine fresh("4x4x2", seed % 2 == 0 ? tight() : in_packets());
    const Time begin = machine.queue().now();
    for (Nid nid = 0; nid < machine.topology().nodes(); ++nid) machine.nic(nid).responses.clear();
    start(machine, transfers);
    machine.run();
    expect_done(machine, transfers);
    start(fresh, transfers);
    fresh.run();
    const double ratio = (last_response(machine) - begin).us() / last_response(fresh).us();
    EXPECT_GT(ratio, 0.9);
    EXPECT_LT(ratio, 1.1);
  }
}

}  // namespace
}  // namespace gemini_test
