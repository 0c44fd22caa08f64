// A circle of full buffers is named, where the topology lets one come about.
#include <gtest/gtest.h>

#include "tests/gemini/packet/transfers.h"

namespace gemini_test {
namespace {

/// A torus whose packets keep to one class of buffers: its rings can fill up.
class TorusOfOneClass final : public gemini::Topology {
 public:
  TorusOfOneClass() : TorusOfOneClass(gemini::Torus::parse("1x1x6")) {}

  gemini::Port far_end(gemini::Port port) const override { return torus_.far_end(port); }
  gemini::LinkClassId link_class(gemini::Port port) const override {
    return torus_.link_class(port);
  }
  std::string_view link_name(unsigned link) const override { return torus_.link_name(link); }
  std::span<const gemini::Tile> tiles_of(gemini::Port port) const override {
    return torus_.tiles_of(port);
  }
  std::span<const gemini::Tile> host_tiles() const override { return torus_.host_tiles(); }
  gemini::RouteWord route(gemini::RouterId from, gemini::RouterId to) const override {
    return torus_.route(from, to);
  }
  unsigned diameter() const override { return torus_.diameter(); }
  unsigned buffer_classes() const override { return 1; }
  unsigned buffer_class(gemini::Port, std::optional<gemini::Port>, unsigned) const override {
    return 0;
  }
  std::string title() const override { return torus_.title(); }
  std::string routing() const override { return torus_.routing(); }
  std::string describe() const override { return torus_.describe(); }

 private:
  explicit TorusOfOneClass(gemini::Torus torus)
      : Topology("1x1x6", {torus.routers(), torus.links_per_router(), torus.nics_per_router(), 0},
                 torus.link_classes()),
        torus_(std::move(torus)) {
    for (Nid nid = 0; nid < torus_.nodes(); ++nid) set_place(nid, torus_.place(nid));
  }
  gemini::Torus torus_;
};

/// Every node sends two hops ahead, all round the ring.
std::vector<Transfer> round_the_ring() {
  std::vector<Transfer> transfers;
  const auto torus = gemini::Torus::parse("1x1x6");
  for (gemini::RouterId router = 0; router < 6; ++router) {
    for (const unsigned nic : {0U, 1U}) {
      transfers.push_back({torus.nid_at(router, nic), torus.nid_at((router + 2) % 6, nic), 100000,
                           false, ugni::in_order});
    }
  }
  return transfers;
}

corespec::Parameters one_tile() {
  corespec::Parameters parameters = tight();
  parameters.tiles_z = 1;
  return parameters;
}

TEST(Standstill, NamesTheCircle) {
  Machine machine(std::make_shared<TorusOfOneClass>(), one_tile());
  start(machine, round_the_ring());
  machine.run();
  const std::vector<std::string> lines = machine.network().standstill();
  ASSERT_EQ(lines.size(), 12U);  // an output and an input buffer of each router
  for (const std::string& line : lines) {
    EXPECT_NE(line.find("(Z+), "), std::string::npos) << line;
    EXPECT_NE(line.find(" is full and waits for router "), std::string::npos) << line;
    EXPECT_NE(line.find("requests, class 0"), std::string::npos) << line;
  }
}

TEST(Standstill, DoesNotComeAboutWithTheClassesOfATorus) {
  Machine machine("1x1x6", one_tile());
  const std::vector<Transfer> transfers = round_the_ring();
  start(machine, transfers);
  machine.run();
  expect_done(machine, transfers);
}

}  // namespace
}  // namespace gemini_test
