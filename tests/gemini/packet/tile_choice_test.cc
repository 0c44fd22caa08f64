// Which tile of a link packets take.
#include <gtest/gtest.h>

#include <set>

#include "tests/gemini/packet/transfers.h"
#include "ugni_emu/gemini/packet/tile_choice.h"

namespace gemini_test {
namespace {

using gemini::kRequests;
using gemini::kResponses;
using gemini::TileChoice;

TEST(Choice, IsWhatTheDeliveryModeAllows) {
  const auto of = [](std::uint16_t mode, unsigned channel) {
    return gemini::tile_choice("auto", mode, channel);
  };
  EXPECT_EQ(of(0, kRequests), TileChoice::adaptive);
  EXPECT_EQ(of(ugni::no_hash, kRequests), TileChoice::adaptive);
  EXPECT_EQ(of(ugni::no_adapt, kRequests), TileChoice::hashed);
  EXPECT_EQ(of(ugni::in_order, kRequests), TileChoice::deterministic);
  EXPECT_EQ(of(ugni::in_order, kResponses), TileChoice::adaptive);
  EXPECT_EQ(of(ugni::no_response_adapt, kResponses), TileChoice::hashed);
  EXPECT_EQ(of(ugni::no_response_adapt | ugni::no_hash, kResponses), TileChoice::deterministic);
}

TEST(Choice, OfTheSettingNeverBreaksTheDeliveryMode) {
  constexpr std::uint16_t in_order = ugni::in_order;
  for (const char* setting : {"auto", "deterministic", "hashed", "adaptive"}) {
    EXPECT_EQ(gemini::tile_choice(setting, in_order, kRequests), TileChoice::deterministic);
  }
  EXPECT_EQ(gemini::tile_choice("deterministic", 0, kRequests), TileChoice::deterministic);
  EXPECT_EQ(gemini::tile_choice("hashed", 0, kRequests), TileChoice::hashed);
  EXPECT_EQ(gemini::tile_choice("hashed", ugni::no_hash, kRequests), TileChoice::deterministic);
  EXPECT_EQ(gemini::tile_choice("adaptive", ugni::no_adapt, kRequests), TileChoice::hashed);
}

/// How many tiles of the X+ link of (0, 0, 0) a put of 100 packets uses, and when it is done.
std::pair<std::size_t, Time> tiles_used(std::uint16_t mode) {
  Machine machine("4x4x4", in_packets());
  const Nid to = machine.nid(1, 0, 0);
  start(machine, {{0, to, 6400, false, mode}});
  machine.run();
  const gemini::Port far = machine.topology().far_end({0, 0});
  std::size_t used = 0;
  for (const gemini::Tile tile : machine.topology().tiles_of(far)) {
    used += machine.counters().at({far.router, tile}).packets[kRequests] != 0;
  }
  return {used, machine.nic(0).responses.back().at};
}

TEST(Choice, SpreadsATransferOverTheTilesOfALinkUnlessItIsInOrder) {
  const auto [adaptive, soon] = tiles_used(0);
  const auto [hashed, sooner] = tiles_used(ugni::no_adapt);
  const auto [in_order, late] = tiles_used(ugni::in_order);
  EXPECT_EQ(adaptive, 8U);
  EXPECT_EQ(hashed, 8U);
  EXPECT_EQ(in_order, 1U);
  // 100 packets of 32 phits: over one tile each takes 81.92 ns.
  EXPECT_GT(late, Time::nanoseconds(100 * 81.92));
  EXPECT_LT(soon, late / 3);
  EXPECT_LT(sooner, late / 3);
}

TEST(Choice, TransfersInOrderArriveInOrderAndOthersNeedNot) {
  const auto order = [](std::uint16_t mode) {
    Machine machine("4x4x4", in_packets());
    std::vector<Transfer> transfers;
    const Nid to = machine.nid(2, 2, 2);
    // Others that fill the tiles unevenly.
    for (Nid from = 2; from < 40; ++from) {
      transfers.push_back({from, to, 3000, false, ugni::in_order});
    }
    for (int each = 0; each < 60; ++each) {
      transfers.push_back({0, to, each % 2 == 0 ? 1024U : 1U, false, mode});
    }
    start(machine, transfers);
    machine.run();
    expect_done(machine, transfers);
    std::vector<std::uint64_t> keys;
    for (const Call& call : machine.nic(to).requests) {
      if (call.transaction.source == 0) keys.push_back(call.transaction.initiator_key);
    }
    EXPECT_EQ(keys.size(), 60U);
    return std::is_sorted(keys.begin(), keys.end());
  };
  EXPECT_TRUE(order(ugni::in_order));
  EXPECT_FALSE(order(0));
}

TEST(Pieces, OfATransactionOvertakeEachOtherButTheLastComesLast) {
  Machine machine("4x4x4", in_packets());
  const Nid to = machine.nid(2, 2, 2);
  std::vector<Transfer> transfers;
  for (Nid from = 2; from < 60; ++from) transfers.push_back({from, to, 5000});
  for (int each = 0; each < 4; ++each) transfers.push_back({0, to, 16384 * 3 + 1});
  transfers.push_back({to, 0, 16384 * 3 + 1, true});
  start(machine, transfers);
  machine.run();
  expect_done(machine, transfers);
  std::map<std::uint64_t, std::vector<Call>> pieces;
  for (const Call& call : machine.nic(to).requests) {
    if (call.transaction.source == 0) pieces[call.transaction.initiator_key].push_back(call);
  }
  for (const Call& call : machine.nic(to).responses) {
    pieces[call.transaction.initiator_key].push_back(call);
  }
  ASSERT_EQ(pieces.size(), 5U);
  for (const auto& [key, calls] : pieces) {
    ASSERT_EQ(calls.size(), 4U) << key;
    std::set<std::uint64_t> offsets;
    for (std::size_t at = 0; at < calls.size(); ++at) {
      EXPECT_EQ(calls[at].last, at == 3) << key;
      offsets.insert(calls[at].offset);
    }
    EXPECT_EQ(offsets, (std::set<std::uint64_t>{0, 16384, 32768, 49152}));
  }
}

}  // namespace
}  // namespace gemini_test
