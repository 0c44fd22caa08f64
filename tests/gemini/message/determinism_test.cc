// Random traffic of every kind: all of it completes, twice the same, within the rules.
#include <gtest/gtest.h>

#include "tests/gemini/test_machine.h"
#include "tests/support/parameter_name.h"
#include "ugni_emu/gemini/format/phits.h"

namespace gemini_test {
namespace {

using ugni::TransactionKind;

struct Outcome {
  std::vector<std::int64_t> times;
  std::vector<std::uint64_t> fingerprints;
  std::uint64_t events = 0;
  bool operator==(const Outcome&) const = default;
};

std::uint64_t draw(std::uint64_t& state, std::uint64_t below) {
  state = state * 6364136223846793005U + 1442695040888963407U;
  return (state >> 33) % below;
}

Outcome run_random_traffic(const char* system, std::uint64_t seed,
                           const corespec::Parameters& parameters, unsigned count = 3000) {
  Machine machine(system, parameters);
  const std::uint32_t nodes = machine.topology().nodes();
  for (Nid nid = 0; nid < nodes; ++nid) machine.nic(nid).memory.resize(1 << 17);
  std::uint64_t state = seed;
  for (unsigned i = 0; i < count; ++i) {
    const auto from = static_cast<Nid>(draw(state, nodes));
    const auto to = static_cast<Nid>(draw(state, nodes));
    const std::uint64_t length = draw(state, 3) == 0 ? draw(state, 100000) : draw(state, 500);
    const auto kind = static_cast<TransactionKind>(draw(state, 7));
    if (kind == TransactionKind::get) {
      machine.get(from, to, length);
    } else {
      auto transaction = machine.make(kind, from, to, gemini::carries_data(kind) ? length : 0);
      transaction.injector = static_cast<std::uint8_t>(draw(state, 5));
      const Bytes bytes = random_bytes(transaction.length, state);
      machine.network().submit(transaction, ugni::Payload(std::span(bytes)));
    }
    machine.run(machine.queue().now() + Time::nanoseconds(static_cast<double>(draw(state, 300))));
  }
  machine.run();
  Outcome outcome;
  std::size_t finished = 0;
  for (Nid nid = 0; nid < nodes; ++nid) {
    for (const Call& call : machine.nic(nid).requests) outcome.times.push_back(call.at.ps());
    for (const Call& call : machine.nic(nid).responses) {
      outcome.times.push_back(call.at.ps());
      finished += call.last ? 1 : 0;
    }
  }
  EXPECT_EQ(finished, count);
  for (gemini::RouterId id = 0; id < machine.topology().routers(); ++id) {
    outcome.fingerprints.push_back(machine.domain(id).fingerprint);
  }
  outcome.events = machine.queue().fired();
  return outcome;
}

class Determinism : public testing::TestWithParam<const char*> {};

INSTANTIATE_TEST_SUITE_P(, Determinism, testing::Values("5x4x9", "dragonfly:5x3x4x4"),
                         [](const auto& info) {
                           return castor_test::parameter_name(info.index, info.param);
                         });

TEST_P(Determinism, EqualRunsGiveEqualTimes) {
  const Outcome first = run_random_traffic(GetParam(), 1, {});
  EXPECT_EQ(first, run_random_traffic(GetParam(), 1, {}));
  EXPECT_NE(first.times, run_random_traffic(GetParam(), 2, {}).times);
}

TEST_P(Determinism, ASmallOutstandingLimitNeverStops) {
  corespec::Parameters parameters;
  parameters.nic_window = 3;
  constexpr unsigned few = 500;  // of many small segments
  const Outcome first = run_random_traffic(GetParam(), 5, parameters, few);
  EXPECT_EQ(first, run_random_traffic(GetParam(), 5, parameters, few));
}

TEST_P(Determinism, OddParametersNeverStop) {
  corespec::Parameters parameters;
  parameters.segment_bytes = 1000;
  parameters.packet_payload = 48;
  parameters.phit_bytes = 5;
  run_random_traffic(GetParam(), 9, parameters, 1000);
}

}  // namespace
}  // namespace gemini_test
