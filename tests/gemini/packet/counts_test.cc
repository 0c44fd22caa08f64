// Fidelity `message` says what each tile has to count in fidelity `packet`.
#include <gtest/gtest.h>

#include "tests/gemini/packet/transfers.h"
#include "ugni_emu/wire/registers.h"

namespace gemini_test {
namespace {

std::vector<Transfer> drawn(Nid nodes, std::size_t count, std::uint64_t seed) {
  Draw draw(seed);
  std::vector<Transfer> transfers(count);
  for (Transfer& each : transfers) {
    each.from = static_cast<Nid>(draw.below(nodes));
    each.to = static_cast<Nid>(draw.below(nodes));
    each.bytes = draw.below(4) == 0 ? draw.below(60000) : draw.below(600);
    each.is_get = draw.below(3) == 0;
    constexpr std::uint16_t modes[] = {0, ugni::no_adapt, ugni::no_hash, ugni::in_order,
                                       ugni::no_response_adapt};
    each.mode = modes[draw.below(5)];
  }
  return transfers;
}

struct Case {
  const char* name;
  const char* system;
  const char* choice;
  const char* compression;
};

class Counts : public testing::TestWithParam<Case> {
 protected:
  std::unique_ptr<Machine> run(const char* fidelity, const std::vector<Transfer>& transfers) const {
    corespec::Parameters parameters;
    parameters.fidelity = fidelity;
    parameters.tile_choice = GetParam().choice;
    parameters.compression = GetParam().compression;
    parameters.nic_input_phits = 64;  // so that something stalls everywhere
    auto machine = std::make_unique<Machine>(GetParam().system, parameters);
    start(*machine, transfers);
    machine->run();
    return machine;
  }
};

INSTANTIATE_TEST_SUITE_P(
    , Counts,
    testing::Values(Case{"Deterministic", "4x4x4", "deterministic", "off"},
                    Case{"Hashed", "4x4x4", "hashed", "off"},
                    Case{"HashedAndCompressed", "3x4x5", "hashed", "runs"},
                    Case{"DeterministicRings", "1x1x16", "deterministic", "off"},
                    Case{"HashedDragonfly", "dragonfly:3x2x4x4", "hashed", "off"},
                    Case{"DeterministicDragonfly", "dragonfly:5x1x3x2", "deterministic", "off"}),
    [](const auto& info) { return info.param.name; });

gemini::LinkCounters without_stalls(gemini::LinkCounters counters) {
  counters.input_stall = counters.output_stall = Time();
  return counters;
}

TEST_P(Counts, AreThoseOfFidelityMessageTileByTile) {
  const Nid nodes = gemini::make_topology(GetParam().system)->nodes();
  const std::vector<Transfer> transfers = drawn(nodes, 300, 11);
  const auto message = run("message", transfers);
  const auto packet = run("packet", transfers);
  expect_done(*packet, transfers);
  Time input, output;
  for (gemini::RouterId router = 0; router < message->topology().routers(); ++router) {
    for (gemini::Tile tile = 0; tile < gemini::kTiles; ++tile) {
      const gemini::LinkCounters expected = message->counters().at({router, tile});
      const gemini::LinkCounters counted = packet->counters().at({router, tile});
      ASSERT_EQ(without_stalls(counted), expected) << "router " << router << " tile " << +tile;
      EXPECT_EQ(expected.input_stall + expected.output_stall, Time());
      input += counted.input_stall;
      output += counted.output_stall;
    }
  }
  EXPECT_GT(input, Time());
  EXPECT_GT(output, Time());
}

TEST(AdaptiveCounts, AreThoseOfFidelityMessageLinkByLink) {
  const std::vector<Transfer> transfers = drawn(128, 300, 12);
  std::vector<std::unique_ptr<Machine>> machines;
  for (const char* fidelity : {"message", "packet"}) {
    corespec::Parameters parameters;
    parameters.fidelity = fidelity;
    machines.push_back(std::make_unique<Machine>("4x4x4", parameters));
    start(*machines.back(), transfers);
    machines.back()->run();
  }
  for (gemini::RouterId router = 0; router < 64; ++router) {
    for (std::uint8_t link = 0; link < 6; ++link) {
      ASSERT_EQ(without_stalls(machines[1]->counters().link({router, link})),
                machines[0]->counters().link({router, link}));
    }
    ASSERT_EQ(without_stalls(machines[1]->injected(router)), machines[0]->injected(router));
  }
}

}  // namespace
}  // namespace gemini_test
