// A network takes the numbers of links and of NICs, the places and the routes from its topology.
#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>

#include "tests/gemini/test_machine.h"

namespace gemini_test {
namespace {

using gemini::LinkCounters;
using gemini::Port;
using gemini::RouterId;

/// Routers that each have a link to every other one, and four NICs; nids count NICs first.
class Clique final : public gemini::Topology {
 public:
  explicit Clique(RouterId size, unsigned nics = 4)
      : Topology("clique", {size, size - 1, nics},
                 {{"C", gemini::LinkType::cable, &corespec::Parameters::tiles_y}}) {
    for (Nid nid = 0; nid < nodes(); ++nid) set_place(nid, {nid % size, nid / size});
  }
  Port far_end(Port port) const override {
    const RouterId other = port.link < port.router ? port.link : port.link + 1U;
    return {other, link_to(other, port.router)};
  }
  gemini::LinkClassId link_class(Port) const override { return 0; }
  std::string_view link_name(unsigned) const override { return "C"; }
  std::span<const gemini::Tile> tiles_of(Port port) const override {
    return std::span(tiles_).subspan(port.link, 1);
  }
  std::span<const gemini::Tile> host_tiles() const override { return std::span(tiles_).last(8); }
  gemini::RouteWord route(RouterId from, RouterId to) const override {
    gemini::RouteWord word;
    if (from != to) word.prepend(link_to(from, to), 1);
    return word;
  }
  unsigned diameter() const override { return 1; }
  unsigned buffer_classes() const override { return 1; }
  unsigned buffer_class(Port, std::optional<Port>, unsigned) const override { return 0; }
  std::string title() const override { return "clique"; }
  std::string routing() const override { return "direct routing"; }
  std::string describe() const override { return "clique"; }

  static std::uint8_t link_to(RouterId from, RouterId to) {
    return static_cast<std::uint8_t>(to < from ? to : to - 1);
  }

 private:
  static constexpr std::array<gemini::Tile, 12> tiles_ = {0,  1,  2,  3,  40, 41,
                                                          42, 43, 44, 45, 46, 47};
};

TEST(OtherTopology, EveryNodeReachesEveryOtherOverTheLinkBetweenTheirRouters) {
  const auto clique = std::make_shared<const Clique>(5);
  for (Nid from = 0; from < clique->nodes(); ++from) {
    for (Nid to = 0; to < clique->nodes(); ++to) {
      if (from == to) continue;
      Machine machine(clique);
      const std::uint64_t key = machine.put(from, to, 100);
      machine.run();
      EXPECT_EQ(machine.nic(to).memory, machine.nic(from).buffers[key]) << from << " " << to;
      const RouterId source = clique->router_of(from), target = clique->router_of(to);
      for (RouterId router = 0; router < clique->routers(); ++router) {
        for (std::uint8_t link = 0; link < clique->links_per_router(); ++link) {
          const RouterId other = clique->far_end({router, link}).router;
          LinkCounters passed;
          if (router == source && other == target) passed = {{54, 0}, {2, 0}};
          if (router == target && other == source) passed = {{0, 6}, {0, 2}};
          EXPECT_EQ(machine.passed({router, link}), passed);
        }
      }
    }
  }
}

TEST(OtherTopology, ItsLinksHaveTheRatesOfTheirClass) {
  const corespec::Parameters parameters;
  Machine machine(std::make_shared<const Clique>(3), parameters);
  machine.put(0, 1, 64);
  machine.run();
  // 32 phits over a link of four cable tiles, the slowest on the way; a hop, and both NICs' ways.
  EXPECT_EQ(
      machine.nic(1).requests.at(0).at,
      parameters.nic_to_router_latency * 2 + parameters.hop_latency + Time::picoseconds(32 * 640));
  EXPECT_NE(machine.network().describe().find("links C 4.69, host 10.40 GB/s each way"),
            std::string::npos)
      << machine.network().describe();
}

TEST(OtherTopology, WhatRoutesAndPlacesCannotNameIsRefused) {
  EXPECT_EQ(Clique(33).links_per_router(), 32U);
  EXPECT_THROW(Clique(34), std::length_error);
}

}  // namespace
}  // namespace gemini_test
