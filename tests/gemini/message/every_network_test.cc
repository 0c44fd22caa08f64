// Single transfers on every topology: their times are what their routes and parameters say.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/gemini/test_machine.h"
#include "tests/support/parameter_name.h"
#include "ugni_emu/gemini/links/link_bandwidth.h"
#include "ugni_emu/gemini/links/rate.h"

namespace gemini_test {
namespace {

using gemini::Topology;

class EveryNetwork : public testing::TestWithParam<const char*> {
 protected:
  const std::shared_ptr<const Topology> topology_ = gemini::make_topology(GetParam());

  /// The system's own parameters, as a job has them.
  corespec::Parameters parameters() const {
    std::vector<std::string> errors;
    const auto read = corespec::read_parameters(topology_->preset_settings(), errors);
    EXPECT_TRUE(errors.empty());
    return read;
  }

  /// Of `phits` from one node to another of another router: both NICs' ways, the hops, and the
  /// slowest link on the way, or the host port.
  Time travel(const corespec::Parameters& parameters, Nid from, Nid to, std::uint32_t phits) const {
    double slowest = gemini::host_bandwidth(parameters);
    const auto path = topology_->path(topology_->router_of(from), topology_->router_of(to));
    for (const gemini::Port port : path) {
      slowest = std::min(slowest, gemini::link_bandwidth(parameters, *topology_, port));
    }
    return parameters.nic_to_router_latency * 2 +
           parameters.hop_latency * static_cast<std::int64_t>(path.size()) +
           gemini::Rate(parameters.phit_bytes, slowest).time(phits);
  }
};

INSTANTIATE_TEST_SUITE_P(, EveryNetwork,
                         testing::Values("hopper", "5x4x6", "edison", "dragonfly:3x2x4x4",
                                         "dragonfly:5x1x3x2"),
                         [](const auto& info) {
                           return castor_test::parameter_name(info.index, info.param);
                         });

TEST_P(EveryNetwork, APutTakesTheTimeOfItsRouteAndItsResponseThatOfItsOwn) {
  const corespec::Parameters p = parameters();
  const Nid nodes = topology_->nodes();
  Machine machine(topology_, p);
  for (Nid pair = 0; pair < 40; ++pair) {
    const Nid from = pair * 131 % nodes, to = (pair * pair * 977 + 1234567) % nodes;
    if (topology_->router_of(from) == topology_->router_of(to)) continue;
    const Time begin = machine.queue().now();
    machine.put(from, to, 8);
    machine.run();
    const Time arrived = machine.nic(to).requests.back().at;
    EXPECT_EQ(arrived - begin, travel(p, from, to, 13)) << from << " to " << to;
    EXPECT_EQ(machine.nic(from).responses.back().at - arrived, travel(p, to, from, 3))
        << to << " to " << from;
  }
}

TEST_P(EveryNetwork, NodesOfARouterUseNetlink) {
  const corespec::Parameters p = parameters();
  Machine machine(topology_, p);
  for (Nid to = 1; to < topology_->nics_per_router(); ++to) {
    const Time begin = machine.queue().now();
    machine.put(0, topology_->nid_at(topology_->router_of(0), to), 8);
    machine.run();
    EXPECT_EQ(
        machine.nic(to).requests.back().at - begin,
        p.nic_to_router_latency * 2 + gemini::Rate(p.phit_bytes, p.netlink_bandwidth).time(13));
  }
  EXPECT_EQ(machine.injected(0), gemini::LinkCounters());
}

TEST_P(EveryNetwork, APlaceWithoutANodeTakesNoNic) {
  Machine machine(topology_, parameters());
  RecordingNic nic(machine.queue());
  EXPECT_THROW(machine.network().attach(topology_->nodes(), nic, machine.domain(0)),
               std::invalid_argument);
  machine.network().submit(machine.make(ugni::TransactionKind::cq_write, 0, topology_->nodes(), 0),
                           {});
  machine.run();
  EXPECT_EQ(machine.nic(0).responses.at(0).status, ugni::ResponseStatus::no_such_domain);
}

/// 15 nodes of a chassis send to one node each of the next chassis over its black links, 16 KB
/// each; the quiet time of one of them is that of all: no link is shared.
TEST(DragonflyNetwork, ChassisToChassisOverLinksOfTheirOwn) {
  Machine one("dragonfly:1x2x16x1"), all("dragonfly:1x2x16x1");
  one.put(0, 16, 16384);
  one.run();
  for (Nid slot = 0; slot < 16; ++slot) all.put(slot, 16 + slot, 16384);
  all.run();
  for (Nid slot = 0; slot < 16; ++slot) {
    EXPECT_EQ(all.nic(16 + slot).requests.at(0).at, one.nic(16).requests.at(0).at);
  }
}

}  // namespace
}  // namespace gemini_test
