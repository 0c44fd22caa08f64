// Up to which load fidelity message is good to 2 % of fidelity packet, as docs/network.md says, and
// that the longest queue tells which loads are.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <ostream>
#include <string>

#include "benchmarks/fidelity/network_load.h"

namespace {

using corespec::Time;
using fidelity::Load;
using fidelity::Outcome;
using fidelity::Pattern;

const std::string small_torus = "4x4x4";  // has every type of link

/// Of fidelity message, in percent of fidelity packet.
double error_of(const Outcome& message, const Outcome& packet, Time Outcome::*compared) {
  return ((message.*compared).us() / (packet.*compared).us() - 1) * 100;
}

// ---- A quiet network

class OnePut : public testing::TestWithParam<std::uint32_t> {};

INSTANTIATE_TEST_SUITE_P(Of, OnePut, testing::Values(8, 64, 1024, 16384, 262144),
                         [](const auto& info) { return std::to_string(info.param) + "B"; });

TEST_P(OnePut, TakesTheSameTimeInBothFidelities) {
  const std::uint32_t bytes = GetParam();
  for (const fidelity::Pair& pair : fidelity::pairs_of(gemini::Torus::parse(small_torus))) {
    const Load load = fidelity::single(pair.from, pair.to, bytes);
    const double error =
        error_of(fidelity::run_load(small_torus, "message", load),
                 fidelity::run_load(small_torus, "packet", load), &Outcome::completion);
    // Over a Y cable packets arrive up to 50 ns earlier than a segment does.
    const bool slow = pair.name == "Y+ cable" || pair.name == "farthest";
    EXPECT_LE(std::abs(error), !slow ? 0.5 : bytes == 1024 ? 2.6 : 0.65) << pair.name;
  }
}

// ---- Load

struct Loaded {
  std::string name;
  Load (*load)(const gemini::Torus&);
  Time Outcome::*compared;
  bool good;  ///< the fidelities differ by 2 % at most
  bool safe;  ///< the longest queue is no longer than Backlog::safe_excess
};
void PrintTo(const Loaded& loaded, std::ostream* out) { *out << loaded.name; }

template <Pattern pattern, int percent>
Load open_loop(const gemini::Torus& torus) {
  return fidelity::open_loop(torus, pattern, percent / 100.0, 1024, Time::microseconds(60));
}
template <std::uint32_t bytes>
Load halo(const gemini::Torus& torus) {
  return fidelity::halo_burst(torus, 16, bytes);
}
constexpr Time Outcome::*latency = &Outcome::mean_latency;
constexpr Time Outcome::*completion = &Outcome::completion;

class UnderLoad : public testing::TestWithParam<Loaded> {};

INSTANTIATE_TEST_SUITE_P(
    Of, UnderLoad,
    testing::Values(Loaded{"Uniform5", open_loop<Pattern::uniform, 5>, latency, true, true},
                    Loaded{"Uniform10", open_loop<Pattern::uniform, 10>, latency, true, false},
                    Loaded{"Uniform60", open_loop<Pattern::uniform, 60>, latency, false, false},
                    Loaded{"Neighbours40", open_loop<Pattern::neighbour, 40>, latency, true, true},
                    Loaded{"Neighbours60", open_loop<Pattern::neighbour, 60>, latency, false,
                           false},
                    Loaded{"Tornado5", open_loop<Pattern::tornado, 5>, latency, true, true},
                    Loaded{"Halo64B", halo<64>, completion, true, true},
                    Loaded{"Halo512B", halo<512>, completion, true, true},
                    Loaded{"Halo2KB", halo<2048>, completion, true, true},
                    Loaded{"Halo4KB", halo<4096>, completion, false, false}),
    [](const auto& info) { return info.param.name; });

TEST_P(UnderLoad, TheLongestQueueTellsWhetherMessageIsGood) {
  const Load load = GetParam().load(gemini::Torus::parse(small_torus));
  const Outcome message = fidelity::run_load(small_torus, "message", load);
  const Outcome packet = fidelity::run_load(small_torus, "packet", load);
  const double error = error_of(message, packet, GetParam().compared);
  EXPECT_EQ(std::abs(error) <= 2, GetParam().good) << error << " %";
  EXPECT_EQ(message.queue_excess <= gemini::Backlog::safe_excess, GetParam().safe)
      << message.queue_excess;
}

}  // namespace
